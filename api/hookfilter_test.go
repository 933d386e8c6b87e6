package api

import (
	"errors"
	"strings"
	"testing"

	"relais/hook"
)

// A filter of changes has values that its market, or without one some market, has.
func TestHookFilter(t *testing.T) {
	for _, tt := range []struct {
		filter, want string // want is in the error, "" for none
	}{
		{"", ""},
		{"market=FR&department=35&operator=FREE&technology=5G NR 3500&band=3500&kind=site-added", ""},
		{"department=35&operator=FREE", ""},
		{"department=ille-et-vilaine", ""},
		{"province=QC&operator=BELL", ""},
		{"operator=BELL,FREE", "no market has that"},
		{"territory=974", ""},
		{"technology=6G", ""}, // only editions know
		{"market=FR&department=99", `department: "99" is not allowed`},
		{"market=FR&department=971", "Guadeloupe is in DROM: ask with market=DROM"},
		{"market=DROM&department=ille-et-vilaine", "Ille-et-Vilaine is in FR: ask with market=FR"},
		{"department=99", "no market has that; in"},
		{"province=35", "province"},
		{"department=35&operator=BELL", "no market has that"},
		{"market=CA&department=35", "CA has the filters"},
		{"market=FR&band=C", "band"},
		{"band=C", "band"},
		{"band=-5", "band"},
		{"bbox=1,2", "bbox"},
		{"kind=site-moved", "kind"},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			_, err := ParseHookFilter(tt.filter, []hook.Kind{hook.Changes})
			var invalid *hook.InvalidError
			if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &invalid) || !strings.Contains(invalid.Want, tt.want)) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

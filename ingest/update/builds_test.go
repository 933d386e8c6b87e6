package update

import (
	"strings"
	"testing"
)

// The first row has the form of the list as it was on 15 September 2026.
func TestNewestBuild(t *testing.T) {
	const list = `[{"key": "20260915.pmtiles", "size": 138031484053, "md5sum": "x", "b3sum": "x",
		"uploaded": "2026-09-15T09:02:55.277Z", "version": "4.15.2"},
		{"key": "20260914.pmtiles", "version": "4.15.2"}, {"key": "20260916.pmtiles", "version": "5.0.0"},
		{"key": "../x.pmtiles", "version": "4.15.2"}, {"key": 7}, 7]`
	for _, tt := range []struct{ name, list, earlier, want, err string }{
		{"the newest", list, "", "20260915.pmtiles", ""},
		{"one that is begun", list, "20260914.pmtiles", "20260914.pmtiles", ""},
		{"one that is gone", list, "20260101.pmtiles", "20260915.pmtiles", ""},
		{"one of other layers", list, "20260916.pmtiles", "20260915.pmtiles", ""},
		{"nothing", "[]", "", "", "no build"},
		{"another document", "{}", "", "", "not a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newestBuild([]byte(tt.list), tt.earlier)
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q, %v; want %q, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

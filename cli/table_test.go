package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestFoldCell(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 4, []string{""}},
		{"four", 4, []string{"four"}},
		{"antennas:read,stats:read", 16, []string{"antennas:read,", "stats:read"}},
		{"sources/FR/observatoire.csv.zst", 12, []string{"sources/FR/", "observatoire", ".csv.zst"}},
		{"not found in the file", 11, []string{"not found", "in the file"}},
		{"sites of 2026-01-15", 17, []string{"sites of", "2026-01-15"}},
		{"60, 10000", 4, []string{"60,", "1000", "0"}},
		{"éééééé", 4, []string{"éééé", "éé"}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := foldCell(tt.text, tt.width); !slices.Equal(got, tt.want) {
				t.Errorf("foldCell(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	for _, tt := range []struct {
		shown, offset, total int
		want                 string
	}{{2, 0, 2, "2 things"}, {2, 4, 9, "2 of 9 things; --offset 6 goes on"}} {
		var out strings.Builder
		page := newTable(&out, "NAME", "N", "")
		page.row("a longer name", 7, "%d")
		page.row("é", -1)
		must(t, page.flushPage(tt.shown, tt.offset, tt.total, "things"))
		want := "NAME           N  \na longer name  7  %d\né              -1\n" + tt.want + "\n"
		if out.String() != want {
			t.Errorf("table = %q, want %q", out.String(), want)
		}
	}
}

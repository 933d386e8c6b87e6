package cli

import (
	"strings"
	"testing"
)

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

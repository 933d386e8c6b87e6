//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// A publication is the rows of an observatoire by their columns.
type publication struct {
	date string
	rows []map[string]string
}

var observatoryColumns = strings.Split(
	"id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;"+
		"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut", ";")

// newPublication has n rows: four of each support.
func newPublication(date string, n int) *publication {
	p := &publication{date: date}
	for i := range n {
		p.rows = append(p.rows, map[string]string{"adm_lb_nom": "SFR", "sup_id": fmt.Sprint(1000 + i/4),
			"emr_lb_systeme": fmt.Sprint("LTE ", i%4), "sta_nm_anfr": fmt.Sprintf("063227%04d", i/4),
			"sta_nm_dpt": "063", "code_insee": "63113", "coordonnees": "45.5 , 3.1", "statut": "En service",
			"generation": "4G", "adr_lb_lieu": fmt.Sprint("Lieu ", i/4)})
	}
	return p
}

// text is the publication as the ANFR writes it, with more columns behind its own.
func (p *publication) text(more ...string) string {
	columns := slices.Concat(observatoryColumns, more)
	var text strings.Builder
	text.WriteString("\ufeff" + strings.Join(columns, ";") + "\n")
	for i, row := range p.rows {
		for at, c := range columns {
			value := row[c]
			switch c {
			case "id":
				value = fmt.Sprint(i + 1)
			case "date_maj":
				value = p.date + "T00:00:00"
			}
			if strings.ContainsAny(value, `,;"`) {
				value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
			}
			if at > 0 {
				text.WriteByte(';')
			}
			text.WriteString(value)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// write writes the publication.
func (p *publication) write(t *testing.T) string {
	t.Helper()
	return filetest.New(t, "observatoire.csv", p.text())
}

// Archives that commands add next to a server are in its next answer, and no entity tag of
// before stands for it.
func TestArchives(t *testing.T) {
	dir := newFolder(t)
	s := serve(t, dir)
	add := func(p *publication, flags ...string) {
		t.Helper()
		run(t, append([]string{"archive", "add", "--data", dir, p.write(t)}, flags...)...)
	}
	second, third := newPublication("2026-08-13", 400), newPublication("2026-08-20", 404)
	add(second)
	dates, all := s.tag("/anfr/archives"), s.tag("/anfr/archive/2026-08-13")
	add(third)
	add(newPublication("2026-08-06", 396)) // older, so that it changes what the second says
	if got, want := fmt.Sprint(s.list("/anfr/archives")), "[2026-08-20 2026-08-13 2026-08-06]"; got != want {
		t.Errorf("archives: got %s, want %s", got, want)
	}
	for _, tt := range []struct {
		name, path, tag string
		supports        int
	}{
		{"dates", "/anfr/archives", dates, 0},
		{"changes", "/anfr/archive/2026-08-13", all, 1},
		{"full", "/anfr/archive/2026-08-13?view=full", "none", 100},
		{"next", "/anfr/archive/2026-08-20", "none", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.status(tt.path, tt.tag); got != 200 {
				t.Errorf("got %d to the entity tag of before, want 200", got)
			}
			if supports, ok := s.ask(tt.path)["data"].(object); ok && len(supports) != tt.supports {
				t.Errorf("got %d supports, want %d", len(supports), tt.supports)
			}
		})
	}
	second.rows = second.rows[:380]
	fails(t, 1, "2026-08-13", "archive", "add", "--data", dir, second.write(t))
	add(second, "--force")
	if got := len(s.one("/anfr/archive/2026-08-13?view=full")); got != 95 {
		t.Errorf("after it was replaced: got %d supports, want 95", got)
	}
	s.stop()
	sound(t, dir)
}

package demo

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Weeks is how many editions of the observatoire the demonstration has.
const Weeks = 2

// Changes of the country in a week, of a million: about those between the authority's
// editions of August 2026, and some that these do not show.
const (
	supportsBuilt   = 500
	rowsAdded       = 1500
	rowsActivated   = 1500
	rowsDeleted     = 200 // of the systems that a station does not have
	supportsRenamed = 1000
)

// Publications writes weekly editions of the observatoire into dir, the oldest first, and calls done
// with the path of each. The last edition is that of Write.
func (f *France) Publications(dir string, weeks int, done func(path string) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for ago := weeks - 1; ago >= 0; ago-- {
		path := filepath.Join(dir, observatoryName(ago))
		if err := writeFile(path, func(w io.Writer) error { return writeObservatory(w, f.supports, ago) }); err != nil {
			return err
		}
		if err := done(path); err != nil {
			return err
		}
	}
	return nil
}

// Week returns the date of the edition ago weeks before the last one, YYYY-MM-DD.
func Week(ago int) string {
	last, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err) // a constant
	}
	return last.AddDate(0, 0, -7*ago).Format(time.DateOnly)
}

func observatoryName(ago int) string { return "SYNTHETIC_observatoire_" + Week(ago) + ".csv" }

// An event is something that happens once to a part of the country.
type event uint64

const (
	built event = iota + 1
	added
	activated
	deleted
	renamed
)

// happened reports whether an event has happened to a part of the country in the last ago
// weeks. It happens to perMillion of a million parts a week.
func (e event) happened(ago int, perMillion uint64, part ...uint64) bool {
	return e.draw(part...)%1e6 < uint64(ago)*perMillion
}

// draw returns a pseudo-random number, always the same for the event and the part.
func (e event) draw(part ...uint64) uint64 {
	x := uint64(e)
	for _, p := range part { // by the finaliser of SplitMix64
		x += p + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

const observatoryHeader = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;" +
	"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut;list_azimut"

// writeObservatory writes the weekly file as of ago weeks before the last: a row for each emission.
func writeObservatory(w io.Writer, c []support, ago int) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "\ufeff%s\n", observatoryHeader)
	day, row, line := Week(ago), 0, []byte(nil)
	for i := range c {
		s := &c[i]
		id := uint64(s.id)
		if built.happened(ago, supportsBuilt, id) {
			continue
		}
		lieu, t := s.lieu, s.town
		if renamed.happened(ago, supportsRenamed, id) {
			lieu = "ANCIEN SITE FICTIF"
		}
		for k, sta := range s.stations {
			before, between := fmt.Sprintf(";%s;%d;", sta.operator.name, s.id), fmt.Sprintf(";%s;%s;", t.department,
				t.insee)
			after := fmt.Sprintf(";%sT12:00:00;%s;%d;%d;%d;%s;%s;;;%s;%s;\"%s , %s\";%s %s;", day, sta.number, s.nature,
				s.height, s.owner, lieu, s.address,
				t.postal, t.insee, degrees(s.lat), degrees(s.lng), sexagesimal(s.lat, "N", "S"),
				sexagesimal(s.lng, "E", "W"))
			list := fmt.Sprintf("%d|%d|%d", sta.azimuth, sta.azimuth+120, sta.azimuth+240)
			for at, sys := range sta.systemsOf(ago, id, uint64(k)) {
				azimuths := ""
				if d := s.directions(); d == listed || d == partlyListed && at%2 == 0 {
					azimuths = list
				}
				row++
				line = strconv.AppendInt(line[:0], int64(row), 10)
				for _, part := range [...]string{before, sys.name, ";", sys.on, between, sys.generation,
					after, sys.status, ";", azimuths, "\n"} {
					line = append(line, part...)
				}
				out.Write(line)
			}
		}
	}
	return out.Flush() // it also reports failed writes
}

// systemsOf returns the systems that a station of a support had ago weeks before the last.
func (sta *station) systemsOf(ago int, support, at uint64) []system {
	if ago == 0 {
		return sta.systems
	}
	var then []system
	has := map[string]bool{}
	for i, sys := range sta.systems {
		has[sys.name] = true
		shown := support == firstSupport && i == len(sta.systems)-1
		switch {
		case shown && at == 0 || added.happened(ago, rowsAdded, support, at, uint64(i)):
			continue
		case shown && at == 1 || activated.happened(ago, rowsActivated, support, at, uint64(i)):
			sys.status, sys.on = "Projet approuvé", ""
		}
		then = append(then, sys)
	}
	for i, sys := range systems {
		if part := []uint64{support, at, uint64(i)}; !has[sys.name] && deleted.happened(ago, rowsDeleted, part...) {
			then = append(then,
				system{sys.name, sys.generation, "En service",
					notBefore(sys.since, fmt.Sprintf("%d-06-01", 2006+deleted.draw(part...)>>32%20))})
		}
	}
	return then
}

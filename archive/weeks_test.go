package archive

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// An emission is a row of a week that random changes are made to.
type emission struct{ operator, support, system, station, status, height string }

const planned = "Projet approuvé"

// newEmissions makes some of a support, all of one operator.
func newEmissions(r *rand.Rand, support int) (list []emission) {
	operator := []string{"ORANGE", "SFR", "BOUYGUES TELECOM", "FREE MOBILE", "UTS Caraibes"}[r.IntN(5)]
	for i := range 1 + r.IntN(4) {
		list = append(list, emission{operator, fmt.Sprint(support),
			[]string{"LTE 800", "5G NR 3500", "UMTS 900", "GSM 900"}[i], fmt.Sprintf("%03d227%04d", support%95, support),
			[]string{"En service", "Techniquement opérationnel", planned}[r.IntN(3)], "27,2"})
	}
	return list
}

// nextWeek does what a week may do: each of the changes that are told apart, and others,
// which are not told.
func nextWeek(r *rand.Rand, week []emission, date string, support int) (next []emission) {
	for _, e := range week {
		added := e
		switch r.IntN(30) {
		case 0: // gone
			continue
		case 1:
			added.system, added.status = "LTE 7"+date[8:], planned
			next = append(next, added)
		case 2: // not told
			e.height = "31,5"
		case 3: // not told: the same row on another support
			e.support = fmt.Sprint(support + 5000)
		case 4: // gone, and added
			e.operator = "Nouveau " + date
		case 5:
			e.status = planned
		}
		if e.status == planned && r.IntN(4) == 0 {
			e.status = "En service"
		}
		next = append(next, e)
	}
	for i := range 4 {
		next = append(next, newEmissions(r, support+i)...)
	}
	return next
}

// Weeks of random changes are as their files, whatever comes first.
func TestRandomWeeks(t *testing.T) {
	r, dir := rand.New(rand.NewPCG(26, 8)), t.TempDir()
	var week []emission
	for support := range 120 {
		week = append(week, newEmissions(r, 1000+support)...)
	}
	for i, date := range []string{"2026-07-30", "2026-08-06", "2026-08-13", "2026-08-20"} {
		if i > 0 {
			week = nextWeek(r, week, date, 2000+1000*i)
		}
		text := header
		for i, e := range week {
			row := strings.Replace(line(e.operator, e.support, e.system, e.station, e.status), "27,2", e.height, 1)
			text += fmt.Sprintf("%d;"+row+"\n", i+1, date+"T16:11:53")
		}
		filetest.Write(t, filepath.Join(dir, "observatoire_"+date+".csv"), text)
	}
	mustBeAsTheFiles(t, dir, 4)
}

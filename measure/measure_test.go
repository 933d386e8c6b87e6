package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/market"
)

// now is the tests' clock.
var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// must ends the test on an error of what it needs.
var must = errtest.Must

func clockOf(t time.Time) func() time.Time { return func() time.Time { return t } }

// openStore opens the measures of a folder as another process would: the process that has them open
// by it is closed.
func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	closeStore(t, dir)
	s, err := openMeasures(folder.Dir(dir), false, clockOf(now))
	must(t, err)
	openStores.Store(dir, s)
	t.Cleanup(func() { closeStore(t, dir) })
	return s
}

// openReader is openStore of a process that only reads.
func openReader(t testing.TB, dir string) *Store {
	t.Helper()
	closeStore(t, dir)
	s, err := openMeasures(folder.Dir(dir), true, clockOf(now))
	must(t, err)
	openStores.Store(dir, s)
	t.Cleanup(func() { closeStore(t, dir) })
	return s
}

// openStores are those of openStore, by folder.
var openStores sync.Map

func closeStore(t testing.TB, dir string) {
	t.Helper()
	if s, ok := openStores.LoadAndDelete(dir); ok {
		if err := closeMeasures(s.(*Store)); err != nil {
			t.Error(err)
		}
	}
}

// write makes a file.
func write(t testing.TB, name, text string) string {
	t.Helper()
	return filetest.New(t, name, text)
}

// imported imports files into FR and checks that their accounts add up.
func imported(t testing.TB, s *Store, code market.Code, paths ...string) []*source.Report {
	t.Helper()
	return importedKind(t, s, code, Sniffed, paths...)
}

// importedAs imports a file as rows of a kind.
func importedAs(t testing.TB, s *Store, code market.Code, kind Kind, path string) *source.Report {
	t.Helper()
	return importedKind(t, s, code, kind, path)[0]
}

// importedCampaign imports a file of a campaign, which gives speedtests and points.
func importedCampaign(t testing.TB, s *Store, code market.Code, paths ...string) (tests, points *source.Report) {
	t.Helper()
	reports := importedKind(t, s, code, Sniffed, paths...)
	return reports[0], reports[1]
}

func importedKind(t testing.TB, s *Store, code market.Code, kind Kind, paths ...string) []*source.Report {
	t.Helper()
	reports, err := s.Import(context.Background(), code, Options{Kind: kind}, paths...)
	must(t, err)
	sourcetest.WantAccounted(t, reports...)
	return reports
}

const (
	coverageHead = "id,timestamp,lat,lng,signal_strength,rsrp,snr,technology,network_type,mcc,mnc,enb,gnb,cell_id,pci\n"
	testHead     = "id,timestamp,lat,lng,download_mbps,average_mbps,max_mbps,upload_mbps,ping_ms,mcc,mnc,network_type,connection_type,device_type,enb,gnb,cell_id,pci,rsrp,rsrq,snr\n"
)

// A made is a measure as a test made it: what the store is compared with.
type made struct {
	lat, lng        float64
	time            time.Time
	mnc             int
	tech            string
	mean, down      float64
	enb, rsrp, cell int
}

var techs = []string{"LTE", "NR", "4G", "5G", "UMTS", "GSM", "LTE-A", "NR NSA"}

func rand0() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }

// random makes n measures: half of them in a town, the rest all over the country.
func random(r *rand.Rand, n int) []made {
	list := make([]made, n)
	for i := range list {
		m := made{lat: 43 + r.Float64()*7, lng: -1 + r.Float64()*7,
			time: now.Add(-time.Duration(r.IntN(400*86400)) * time.Second)}
		if i%2 == 0 {
			m.lat, m.lng = 45.75+r.NormFloat64()*0.02, 4.85+r.NormFloat64()*0.02
		}
		m.lat, m.lng = float64(int(m.lat*1e5))/1e5, float64(int(m.lng*1e5))/1e5
		m.mnc = []int{1, 10, 15, 20, 26}[r.IntN(5)]
		m.tech = techs[r.IntN(len(techs))]
		m.mean, m.down = float64(r.IntN(40)), float64(r.IntN(40))
		m.enb, m.rsrp = 1000+r.IntN(200), -70-r.IntN(50)
		m.cell = m.enb*256 + r.IntN(3)
		list[i] = m
	}
	return list
}

func coverageOf(list []made) string {
	var b strings.Builder
	b.WriteString(coverageHead)
	for i, m := range list {
		fmt.Fprintf(&b, "cp%d,%s,%.5f,%.5f,%d,%d,%d,%s,CELLULAR,208,%d,,,%d,%d\n", i, m.time.Format(time.RFC3339),
			m.lat, m.lng, m.rsrp+20, m.rsrp, i%30, m.tech, m.mnc, m.cell, m.enb%504)
	}
	return b.String()
}

func testsOf(list []made) string {
	var b strings.Builder
	b.WriteString(testHead)
	for i, m := range list {
		fmt.Fprintf(&b, "st%d,%s,%.5f,%.5f,%.1f,%.1f,,%d,%d,208,%d,CELLULAR,4G,phone,%d,,,%d,%d,,\n", i,
			m.time.Format(time.RFC3339), m.lat, m.lng, m.down, m.mean, i%50, 10+i%40, m.mnc, m.enb, m.enb%504, m.rsrp)
	}
	return b.String()
}

// openMeasures opens the database of a data folder and loads its measurements.
func openMeasures(dir folder.Dir, readOnly bool, now func() time.Time) (*Store, error) {
	db, err := OpenDatabase(dir, readOnly)
	if err != nil {
		return nil, err
	}
	s, err := New(dir, db, now)
	if err != nil && db != nil {
		err = errors.Join(err, db.Close())
	}
	return s, err
}

// closeMeasures closes the database of a store. One without a database has nothing to close.
func closeMeasures(s *Store) error {
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

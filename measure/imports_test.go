package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/folder"
	"relais/market"
)

// Importing again what is there changes nothing; a file that has more adds that.
func TestImportedAgain(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	row := func(i int) string {
		return fmt.Sprintf("%d,2026-03-05T10:03:00Z,45.5,%.5f,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\n", i,
			4+float64(i%3000)*1e-5)
	}
	var b strings.Builder
	b.WriteString(coverageHead)
	for i := range 6000 { // each twice
		b.WriteString(row(i))
	}
	b.WriteString(strings.Repeat(row(0), 10000))
	path := write(t, "a.csv", b.String())
	if r := imported(t, s, market.FR, path)[0]; r.Served != 3000 || r.Rejected["duplicate"] != 13000 {
		t.Errorf("%d served, rejected %v, want 3000 and 13000 duplicates", r.Served, r.Rejected)
	}
	files, v := s.Segments(), s.Version()
	for range 2 {
		if r := imported(t, s, market.FR, path, path)[1]; r.Served != 0 || r.Rejected["duplicate"] != 16000 ||
			s.Version() != v || len(s.Segments()) != 1 {
			t.Errorf("second import: %d served, rejected %v, want 0 and 16000 duplicates", r.Served, r.Rejected)
		}
		s = openStore(t, dir) // as another process
	}
	more := write(t, "b.csv", b.String()+"x,2026-03-05T10:04:00Z,45.5,4,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\n")
	if r := imported(t, s, market.FR, path, more, path); r[1].Served != 1 || r[0].Served+r[2].Served != 0 ||
		s.Version() == v || s.Count(market.FR, Coverage) != 3001 || s.Segments()[0] != files[0] {
		t.Errorf("reports = %+v, want one new row in the second", r)
	}
	list := all(t, s, market.FR)
	ids := map[string]bool{}
	for _, p := range list {
		ids[p.ID] = true
	}
	if len(ids) != 3001 || len(list) != 3001 {
		t.Errorf("%d ids of %d points, want 3001 of both", len(ids), len(list))
	}
	other := openStore(t, t.TempDir()) // the ids are those of the content
	imported(t, other, market.FR, more)
	for _, p := range all(t, other, market.FR) {
		if !ids[p.ID] {
			t.Fatalf("%s has another id in another file, want the same", line(&p))
		}
	}
}

// A file with more rows than a segment has makes several, and is one import.
func TestSeveralSegments(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	s.rowLimit = 100
	list := random(rand0(), 960)
	text := coverageOf(append(list, list[:300]...))
	r := imported(t, s, market.FR, write(t, "a.csv", text))[0]
	if r.Served != 960 || r.Rejected["duplicate"] != 300 || len(s.Segments()) != 10 ||
		len(all(t, openStore(t, dir), market.FR)) != 960 {
		t.Errorf("got %d served in %d segments, %v; want 960 in 10, of 300 duplicates none", r.Served,
			len(s.Segments()), r.Rejected)
	}
	s = openStore(t, dir)
	s.rowLimit = 100
	v := s.Version()
	if _, err := s.Import(context.Background(), market.FR, Options{},
		write(t, "b.csv", coverageOf(random(rand.New(rand.NewPCG(4, 4)), 500))+"x,2026")); err == nil {
		t.Error("Import() of a broken file = nil, want an error")
	}
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) != 10 || s.Version() != v {
		t.Errorf("after a broken file: entries = %v, %v, want 10", entries, err)
	}
	if entries := segmentsIn(t, dir); len(entries) != 10 {
		t.Errorf("files = %v, want 10", entries)
	}
}

// A file of networks without end is bounded.
func TestManyNetworks(t *testing.T) {
	var b strings.Builder
	b.WriteString("timestamp,lat,lng,signal_strength,technology,operator\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "2026-03-05T10:03:00Z,45.5,4.25,-60,LTE,net %d\n", i)
	}
	s := openStore(t, t.TempDir())
	if r := imported(t, s, market.FR, write(t, "n.csv", b.String()))[0]; r.Served != maxNetworks ||
		r.Rejected[manyNetworks] != 5000-maxNetworks {
		t.Errorf("%d served, rejected %v, want as many as networks are allowed", r.Served, r.Rejected)
	}
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	path := write(t, "a.csv", coverageOf(random(rand0(), 50)))
	imported(t, openStore(t, dir), market.FR, path)
	s := openReader(t, dir)
	if n := len(all(t, s, market.FR)); n != 50 {
		t.Fatalf("%d points, want 50", n)
	}
	if _, err := s.Import(context.Background(), market.FR, Options{}, path); !errors.Is(err, ErrReadOnly) {
		t.Error(err)
	}
	if _, err := s.Retain(time.Hour); !errors.Is(err, ErrReadOnly) {
		t.Error(err)
	}
	if s, err := openMeasures(folder.Dir(filepath.Join(dir, "none")), true, clockOf(now)); err != nil ||
		len(s.Segments()) != 0 {
		t.Errorf("got %v, Segments %v, want no error and no Segments", err, s.Segments())
	}
}

// What tells of people is on no disk: not in the files, whatever the columns.
func TestPrivacy(t *testing.T) {
	const secret = "S3CRET"
	coverage := strings.TrimSpace(coverageHead) + ",userId,email,ip,deviceSerialNumber,operator\n" +
		secret + "id,2026-03-05T10:03:00Z,45.5,4.25,-60,-80,12,LTE," + secret + ",208,99,1000,,256001,7," + secret +
		"user," + secret + "@example.org,10.1.2.3," + secret + "0,x@" + secret + "\n"
	tests := strings.TrimSpace(testHead) + ",userId,email,ip,serial\n" +
		secret + ",2026-03-05T10:03:00Z,45.5,4.25,100,80,110,20,15,208,1,CELLULAR," + secret + "," + secret +
		",,1000,256001,7,-90,-9,12," + secret + "," + secret + "@example.org,10.1.2.3," + secret + "\n"
	survey := "deviceTime,latitude,longitude,missionId,mcc,mnc,eci,pci,rsrp,servingCell,provider,deviceSerialNumber\n2026-03-05T10:03:00Z,45.5,4.25,NS " + secret + ",208,1,256001,36,-112.0,true,Orange," + secret + "\n"
	dir := t.TempDir()
	s := openStore(t, dir)
	reports := imported(t, s, market.FR, write(t, "c.csv", coverage), write(t, "t.csv", tests),
		write(t, "s.csv", survey))
	for _, r := range reports {
		if r.Served != 1 {
			t.Errorf("report = %+v, want 1 served", r)
		}
	}
	found, _, err := s.Speedtests(Query{Market: market.FR, Limit: 1})
	if text := fmt.Sprintf("%+v %+v", all(t, s, market.FR), found); err != nil || strings.Contains(text, secret) ||
		strings.Contains(text, "10.1.2.3") {
		t.Errorf("the answers have private data: %s, %v, want no %q in it, no 10.1.2.3 in it and no error", text, err,
			secret)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if files++; strings.Contains(string(text), secret) || strings.Contains(string(text), "10.1.2.3") ||
			strings.Contains(string(text), "example.org") {
			t.Errorf("%s has private data, text %v, want no %q in text, no 10.1.2.3 in text and no example.org in "+
				"text", path, string(text), secret)
		}
		return err
	})
	if err != nil || files != 4 { // three segments and the database
		t.Errorf("%d files, %v, want 4", files, err)
	}
}

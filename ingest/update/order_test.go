package update

import (
	"path/filepath"
	"slices"
	"testing"

	"relais/internal/folder"
)

// In any order of the table, the good files are ingested and the bad one is not.
func TestOrderDoesNotMatter(t *testing.T) {
	const bad = "/files/SYNTHETIC_bad.csv"
	for _, order := range [][]string{{"sup", "weekly", "bad"}, {"bad", "sup", "weekly"}, {"weekly", "bad", "sup"}} {
		k := newKit(t)
		k.put(sup, demoFile(t, "SUP"))
		k.put(weekly, observatory(t, "2026-01-15"))
		k.put(bad, []byte("no;table\n1;2\n"))
		at := map[string]string{"sup": sup, "weekly": weekly, "bad": bad}
		var files []string
		for _, name := range order {
			files = append(files, k.file(name, "url", at[name], ""))
		}
		k.use(files...)
		r := k.run()
		k.want(r, Failed, "bad: ")
		for _, f := range r.Files {
			if want := map[bool]Status{true: Failed, false: Fetched}[f.Name == "bad"]; f.Status != want {
				t.Errorf("%v: %s is %s: %s, want %s", order, f.Name, f.Status, f.Error, want)
			}
		}
		k.noDownloads()
		if n := len(r.Ingests); n != 2 || len(r.Ingests[1].Markets[0].Enriched) == 0 {
			t.Errorf("%v: %d ingests; want n = 2, len(r.Ingests[1].Markets[0].Enriched) != 0", order, n)
		}
		s := readState(filepath.Join(k.dir.Sources("FR"), folder.UpdateName))
		if s.Files["sup"].Good == nil || s.Files["weekly"].Good == nil || s.Files["sup"].Refused != nil ||
			s.Files["bad"].Refused == nil {
			t.Errorf(`%v: remembered %+v; want s.Files["sup"].Good != nil, s.Files["weekly"].Good != nil, `+
				`s.Files["sup"].Refused = nil, s.Files["bad"].Refused != nil`, order, s)
		}
	}
}

// A file that only adds to a base waits for it: it is not refused and not downloaded a
// second time.
func TestWaitsForItsBase(t *testing.T) {
	k := newKit(t)
	k.put(sup, demoFile(t, "SUP"))
	k.put(weekly, []byte("no;table\n1;2\n"))
	k.use(k.file("sup", "url", sup, ""), k.file("weekly", "url", weekly, ""))
	k.want(k.run(), Failed, "sup: no anfr-observatoire")
	s := readState(filepath.Join(k.dir.Sources("FR"), folder.UpdateName))
	if s.Files["sup"].Refused != nil || s.Files["weekly"].Refused == nil {
		t.Errorf(`remembered %+v; want s.Files["sup"].Refused = nil, s.Files["weekly"].Refused != nil`, s)
	}
	k.asked()
	k.want(k.run(), Failed, "sup: no anfr-observatoire")
	if log, want := k.asked(), []string{sup + " 304 0", weekly + " 304 0"}; !slices.Equal(log, want) {
		t.Errorf("asked %q, want %q", log, want)
	}
	k.put(weekly, observatory(t, "2026-01-15"))
	k.asked()
	r := k.run()
	k.want(r, Updated, "")
	if log := k.asked(); log[0] != sup+" 304 0" || r.Files[0].Status != Fetched {
		t.Errorf(`asked %q: %+v; want log[0] = sup+" 304 0", r.Files[0].Status = %v`, log, r.Files[0], Fetched)
	}
	k.noDownloads()
}

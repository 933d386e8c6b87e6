package archive

import (
	"context"
	"encoding/csv"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// must ends the test on an error of what it needs.
var must = errtest.Must

const header = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut\n"

var november = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// line returns a row of a file without its id and date_maj.
func line(operator, support, system, station, status string) string {
	return fmt.Sprintf("%s;%s;%s;2020-01-02;003;03258;4G;%%s;%s;23;\"27,2\";72;LE BOUCHEREAUD;rte de vendat;;;03110;03258;\"46.177499999999995 , 3.3741666666666665\";46°10'39''N 3°22'27''E;%s",
		operator, support, system, station, status)
}

// publication writes lines into a file of a date.
func publication(t testing.TB, date string, lines ...string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("\ufeff" + header)
	for i, l := range lines {
		fmt.Fprintf(&text, "%d;"+l+"\n", i+1, date+"T16:11:53")
	}
	return filetest.New(t, "observatoire.csv", text.String())
}

func opened(t testing.TB) (*Store, *store.DB) {
	t.Helper()
	db := storetest.New(t, Buckets...)
	return Open(db, november), db
}

func add(s *Store, path string, o Options) (*Report, error) {
	files, err := Files([]string{path})
	if err != nil {
		return nil, err
	}
	return s.Add(context.Background(), &files[0], o)
}

func mustAdd(t testing.TB, s *Store, path string, o Options) *Report {
	t.Helper()
	r, err := add(s, path, o)
	must(t, err)
	return r
}

// sitesOf returns the sites of a view, or the error instead.
func sitesOf(v *View, err error) iter.Seq2[*Site, error] {
	if err != nil {
		return func(yield func(*Site, error) bool) { yield(nil, err) }
	}
	return v.All()
}

// describe returns, of sites, the kind, id, key and support of each record, sorted.
func describe(t *testing.T, sites iter.Seq2[*Site, error]) []string {
	t.Helper()
	all := []string{}
	for s, err := range sites {
		must(t, err)
		for _, r := range s.Records {
			v := r.Values
			if v[2] != s.ID {
				t.Errorf("a record of %s at site %s", v[2], s.ID)
			}
			all = append(all, strings.Join([]string{r.Kind.Type(), v[0], v[8], s.ID, v[1], v[3], v[9]}, " "))
		}
	}
	slices.Sort(all)
	return all
}

func mustTell(t *testing.T, what string, sites iter.Seq2[*Site, error], want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := describe(t, sites); !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func mustBeWhole(t *testing.T, s *Store, publications int) {
	t.Helper()
	if n, _, _, err := s.CheckRecords(); err != nil || n != publications {
		t.Errorf("%d publications: %v, want %d and no error", n, err, publications)
	}
}

// Every kind of change, and what the dates look like when they come in another order.
func TestChanges(t *testing.T) {
	const running, planned = "En service", "Projet approuvé"
	a1 := line("ORANGE", "10", "LTE 800", "0032290001", planned)
	a2 := line("ORANGE", "10", "LTE 700", "0032290001", running)
	b := line("SFR", "20", "GSM 900", "0032700001", running)
	files := map[string]string{
		"2026-08-06": publication(t, "2026-08-06", a1, a2, b),
		"2026-08-13": publication(t, "2026-08-13", strings.ReplaceAll(a1, planned, "Techniquement opérationnel"), a2,
			line("ORANGE", "10", "5G NR 3500", "0032290001", planned),
			line("FREE MOBILE", "30", "LTE 700", "0030990001", running),
			strings.ReplaceAll(b, "2020-01-02", "2020-01-03")),
		"2026-08-20": publication(t, "2026-08-20", a2, line("ORANGE", "10", "5G NR 3500", "0032290001", running),
			line("FREE MOBILE", "30", "LTE 700", "0030990001", running)),
	}
	for _, order := range [][]string{
		{"2026-08-06", "2026-08-13", "2026-08-20"}, {"2026-08-20", "2026-08-13", "2026-08-06"},
		{"2026-08-20", "2026-08-06", "2026-08-13"},
		{"2026-08-13", "2026-08-13", "2026-08-06", "2026-08-20", "2026-08-06", "2026-08-20", "2026-08-13"},
	} {
		s, _ := opened(t)
		for _, date := range order {
			mustAdd(t, s, files[date], Options{Force: true}) // of so few supports 5 % go at once
		}
		dates, current, err := s.Dates()
		if want := []string{"2026-08-06", "2026-08-13", "2026-08-20"}; err != nil || !slices.Equal(dates, want) ||
			current != want[2] {
			t.Fatalf("%v: %v, %s, %v, want %v, %s and no error", order, dates, current, err, want, want[2])
		}
		mustTell(t, "first", sitesOf(s.Changes("2026-08-06")),
			"new 1 2026-08-06 10 ORANGE LTE 800 0032290001", "new 2 2026-08-06 10 ORANGE LTE 700 0032290001",
			"new 3 2026-08-06 20 SFR GSM 900 0032700001")
		mustTell(t, "second", sitesOf(s.Changes("2026-08-13")),
			"activated 1 2026-08-13 10 ORANGE LTE 800 0032290001", "added 3 2026-08-13 10 ORANGE 5G NR 3500 0032290001",
			"new 4 2026-08-13 30 FREE MOBILE LTE 700 0030990001")
		mustTell(t, "third", sitesOf(s.Changes("2026-08-20")),
			"deleted 1 2026-08-13 10 ORANGE LTE 800 0032290001",
			"activated 2 2026-08-20 10 ORANGE 5G NR 3500 0032290001", "deleted 5 2026-08-13 20 SFR GSM 900 0032700001")
		mustTell(t, "second, whole", sitesOf(s.Whole("2026-08-13")),
			"activated 1 2026-08-13 10 ORANGE LTE 800 0032290001", "added 3 2026-08-13 10 ORANGE 5G NR 3500 0032290001",
			"new 4 2026-08-13 30 FREE MOBILE LTE 700 0030990001",
			" 2 2026-08-13 10 ORANGE LTE 700 0032290001", " 5 2026-08-13 20 SFR GSM 900 0032700001")
		mustTell(t, "back", sitesOf(s.compare("2026-08-20", "2026-08-06")),
			"added 1 2026-08-06 10 ORANGE LTE 800 0032290001", "deleted 2 2026-08-20 10 ORANGE 5G NR 3500 0032290001",
			"new 3 2026-08-06 20 SFR GSM 900 0032700001", "deleted 3 2026-08-20 30 FREE MOBILE LTE 700 0030990001")
		mustHaveHistory(t, s)
		mustBeWhole(t, s, 3)
	}
}

func mustHaveHistory(t *testing.T, s *Store) {
	t.Helper()
	for _, tt := range []struct{ support, want string }{
		{"10", "2026-08-06: 1 LTE 800, 1 LTE 700; 2026-08-13: 2 5G NR 3500, 3 LTE 800, 6 LTE 800; 2026-08-20: 3 5G NR 3500, 6 5G NR 3500, 4 LTE 800"},
		{"20", "2026-08-06: 1 GSM 900; 2026-08-13: 5 GSM 900, 6 GSM 900; 2026-08-20: 4 GSM 900"},
		{"30", "2026-08-13: 1 LTE 700"},
		{"40", ""},
	} {
		t.Run(tt.support, func(t *testing.T) {
			versions, err := s.History(tt.support)
			must(t, err)
			var got []string
			for _, v := range versions {
				var records []string
				for _, d := range v.Differences {
					for _, r := range []*Record{d.Before, d.After} {
						if r != nil {
							records = append(records, fmt.Sprint(uint8(r.Kind), " ", r.Values[3]))
						}
					}
				}
				got = append(got, v.Date+": "+sortedJoin(records))
			}
			if sorted := strings.Join(got, "; "); sorted != sortParts(tt.want) {
				t.Errorf("history of %s:\n%s\nwant\n%s", tt.support, sorted, sortParts(tt.want))
			}
		})
	}
}

func sortedJoin(list []string) string {
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func sortParts(text string) string {
	if text == "" {
		return ""
	}
	parts := strings.Split(text, "; ")
	for i, p := range parts {
		date, rest, _ := strings.Cut(p, ": ")
		parts[i] = date + ": " + sortedJoin(strings.Split(rest, ", "))
	}
	return strings.Join(parts, "; ")
}

// A key that several rows have is there as long as one of them is; a row that moves
// to another support stays; a row that stands twice is two rows.
func TestKeys(t *testing.T) {
	s, _ := opened(t)
	one, other := line("SFR", "10", "LTE 800", "0032700001", "En service"), line("SFR", "11", "LTE 800", "0032700001",
		"En service")
	mustAdd(t, s, publication(t, "2026-08-06", one, other, one), Options{})
	mustAdd(t, s, publication(t, "2026-08-13", one, one, one), Options{Force: true})
	mustAdd(t, s, publication(t, "2026-08-20", other), Options{})
	for _, tt := range []struct {
		date string
		n    int
	}{
		{"2026-08-06", 3},
		{"2026-08-13", 3},
		{"2026-08-20", 1},
	} {
		t.Run(tt.date, func(t *testing.T) {
			if got := describe(t, sitesOf(s.Whole(tt.date))); len(got) != tt.n {
				t.Errorf("%s: got %q, want %d sites", tt.date, got, tt.n)
			}
		})
	}
	mustTell(t, "13", sitesOf(s.Changes("2026-08-13")))
	mustTell(t, "20", sitesOf(s.Changes("2026-08-20")))
	mustBeWhole(t, s, 3)
}

// A row that was gone for a while, or stands twice, differs from nothing.
func TestAlike(t *testing.T) {
	s, _ := opened(t)
	one, other := line("SFR", "10", "LTE 800", "0032700001", "Projet approuvé"), line("SFR", "11", "LTE 800",
		"0032700002", "En service")
	mustAdd(t, s, publication(t, "2026-08-06", one, other), Options{})
	mustAdd(t, s, publication(t, "2026-08-13", other), Options{Force: true})
	mustAdd(t, s, publication(t, "2026-08-20", other, one, one), Options{})
	mustAdd(t, s, publication(t, "2026-08-27", one, other, one), Options{})
	for _, dates := range [][2]string{{"2026-08-06", "2026-08-20"}, {"2026-08-27", "2026-08-06"},
		{"2026-08-20", "2026-08-27"}} {
		mustTell(t, fmt.Sprint(dates), sitesOf(s.compare(dates[0], dates[1])))
	}
	versions, err := s.History("10")
	if err != nil || len(versions) != 3 { // new, deleted, added
		t.Errorf("got %+v, %v, want no error and len(versions) = 3", versions, err)
	}
	mustBeWhole(t, s, 4)
}

func TestSites(t *testing.T) {
	s, _ := opened(t)
	far := strings.ReplaceAll(line("SFR", "20", "LTE 800", "0032700002", "En service"), "46.1774", "47.1774")
	none := strings.ReplaceAll(line("SFR", "30", "LTE 800", "0032700003", "En service"),
		"46.177499999999995 , 3.3741666666666665", "")
	mustAdd(t, s, publication(t, "2026-08-06", line("SFR", "10", "LTE 800", "0032700001", "En service"), far, none),
		Options{})
	for site, err := range sitesOf(s.Whole("2026-08-06")) {
		must(t, err)
		lat, lng := site.Records[0].Position()
		if p, ok := site.Records[0].Point(); site.ID == "10" &&
			(lat != "46.177499999999995" || lng != "3.3741666666666665" || !ok || p.Lat != 46.1775) {
			t.Errorf("got %q, %q, %v, want the published position", lat, lng, p)
		} else if site.ID == "30" && (lat != "" || lng != "" || ok) {
			t.Errorf("got %q, %q, %v, want no position", lat, lng, p)
		}
		break // a reader may have enough
	}
}

// rowsOfCSV reads a file with another reader than the package's.
func rowsOfCSV(t *testing.T, path string) []map[string]string {
	t.Helper()
	text := filetest.Read(t, path)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	r.Comma, r.LazyQuotes = ';', true
	lines, err := r.ReadAll()
	must(t, err)
	var rows []map[string]string
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = l[i]
		}
		row["date_maj"] = row["date_maj"][:10]
		rows = append(rows, row)
	}
	return rows
}

// compare has what differs from one date to another, in either order of time: every
// record that is new, added, activated or changed, as it is then, and every one that
// is deleted or replaced, as it was. Errors are as for Changes.
func (s *Store) compare(from, to string) (*View, error) {
	return s.open(func(tx *store.Tx) (*View, error) {
		a, _, err := find(tx, from)
		if err != nil {
			return nil, err
		}
		b, _, err := find(tx, to)
		if err != nil {
			return nil, err
		}
		sel, rows := selection{}, [2]*listing{}
		for side, p := range []*Publication{a, b} {
			if rows[side], err = listingOf(tx, p); err == nil {
				err = sel.pickPositions(tx, side, rows[side])
			}
			if err != nil {
				return nil, err
			}
		}
		d := newDiff(rows[0], rows[1])
		if err := walk(fetchIn(tx), sel, nil, func(support uint32, items []item) error {
			d.add(support, items)
			return nil
		}); err != nil {
			return nil, err
		}
		return changesView(tx, a, b, d.finish())
	})
}

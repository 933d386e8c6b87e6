package outage

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/ingest/table/tabletest"
	"relais/internal/filetest"
	"relais/market"
)

// unavailable is a list as operators publish it now: a title, the columns of api.md, and a
// footer.
var unavailable = [][]string{
	{"code_site_op", "Antenne relais gérée par SFR", "region", "departement", "commune", "code_insee", "Lat", "Lon",
		"2Gvoix", "3Gvoix",
		"4Gvoix", "3Gdata", "4Gdata", "5Gdata", "voix", "data", "raison", "detail", "debut", "fin_prev"},
	{"10235", "OUI", "AURA", "63", "CLERMONT", "63113", "45.77", "3.08", "HS", "HS", "HS", "HS", "HS", "NE", "DE",
		"HS", "Incident", "panne",
		"2026-08-20 06:10:00", "2026-08-21 18:00:00"},
	{"10236", "NON", "AURA", "63", "ORLEAT", "63265", "45.862", "3.42", "HS", "HS", "HS", "HS", "HS", "OK", "HS",
		"HS", "Maintenance", "travaux",
		"2026-08-20 06:10:00", "2026-08-22 18:00:00"},
}

func listText(rows [][]string) string {
	var b strings.Builder
	b.WriteString("Liste des antennes indisponibles de SFR;;;;\n\n")
	w := csv.NewWriter(&b)
	w.Comma = ';'
	w.WriteAll(rows)
	return b.String() + "\nSource : SFR;;;;\n"
}

// Each column of a list is renamed, dropped, doubled and emptied while the good list is
// there. The file is refused with the column named, and the good list stays, or each of its
// rows is served as it stands.
func TestColumns(t *testing.T) {
	c := newClock()
	s, _ := opened(t, c)
	good := filetest.New(t, "good.csv", listText(unavailable))
	path := filepath.Join(t.TempDir(), "hs.csv")
	columns := unavailable[0]
	required := []string{"code_site_op", "Lat", "Lon"} // a row without them is rejected
	for at, column := range columns {
		for _, how := range []string{"renamed", "dropped", "doubled", "emptied"} {
			t.Run(column+" "+how, func(t *testing.T) {
				if _, err := s.Import(context.Background(), market.FR, "SFR", good); err != nil {
					t.Fatal(err)
				}
				before := s.Entries(Query{Market: market.FR})
				rows := tabletest.Change(unavailable, how, at)
				filetest.Write(t, path, listText(rows))
				reports, err := s.Import(context.Background(), market.FR, "SFR", path)
				list := s.Entries(Query{Market: market.FR})
				if how == "doubled" || slices.Contains(required, column) {
					if err == nil || !strings.Contains(err.Error(), "hs.csv:") ||
						!strings.Contains(strings.ToLower(err.Error()), "the column "+strings.ToLower(column)+" ") {
						t.Errorf("got %v, want an error of hs.csv with the column %s", err, column)
					}
					if !slices.Equal(codes(list), codes(before)) || len(list) != 2 ||
						s.Feeds(market.FR)[0].State() != Failed {
						t.Errorf("the good list is gone: %v, want %v, len(list) = 2 and State = %v", codes(list),
							codes(before), Failed)
					}
					return
				}
				warning := ""
				if how == "renamed" {
					warning = "unknown columns: " + tabletest.Renamed
				}
				if err != nil || reports[0].Rows != 2 || reports[0].Served != 2 || reports[0].Warning != warning ||
					len(list) != 2 {
					t.Fatalf("%d entries, %+v, %v, want 2, no error, Rows = 2, Served = 2 and Warning %q",
						len(list), reports, err, warning)
				}
				for i, e := range list {
					served(t, e, rows[0], rows[1+i])
				}
			})
		}
	}
}

// served compares an entry with its row.
func served(t *testing.T, e *Entry, columns, row []string) {
	t.Helper()
	want := map[string]string{}
	for _, c := range unavailable[0] {
		want[c] = ""
	}
	severity, known := Down, false
	for i, c := range columns {
		if _, ok := want[c]; ok {
			want[c] = row[i]
		}
		if row[i] == "OK" && c != tabletest.Renamed {
			severity = Degraded
		}
		known = known || c == "departement" || c == "code_insee" && row[i] != ""
	}
	if got := e.Raw(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if e.Severity() != severity || known && e.Area != "63" {
		t.Errorf("%s in %q, want %s in 63", e.Severity(), e.Area, severity)
	}
	if got := fmt.Sprint(e.Lat, e.Lng); got != want["Lat"]+" "+want["Lon"] {
		t.Errorf("stands at %s, want %s", got, want["Lat"]+" "+want["Lon"])
	}
	if (e.Start == nil) != (want["debut"] == "") || (e.End == nil) != (want["fin_prev"] == "") ||
		(e.Managed == nil) != (want[unavailable[0][1]] == "") {
		t.Errorf("got %+v, want the empty members of %v", e, want)
	}
}

// A list without a word on services is refused, and the good list stays: all of its sites would be out, or none.
func TestListWithoutStatuses(t *testing.T) {
	s, _ := opened(t, newClock())
	good := filetest.New(t, "good.csv", listText(unavailable))
	path := filepath.Join(t.TempDir(), "hs.csv")
	const first, end = 8, 16 // of the columns of statuses
	const none = "hs.csv:1: no column has the status of a service: expected 2Gvoix,"
	for _, tt := range []struct{ how, want string }{
		{"renamed", none + " 3Gvoix, 4Gvoix, 3Gdata, 4Gdata, 5Gdata, voix, data or voixSms"},
		{"dropped", none},
		{"emptied", "hs.csv:1: the columns of statuses are empty in every row"},
	} {
		t.Run(tt.how, func(t *testing.T) {
			if _, err := s.Import(context.Background(), market.FR, "SFR", good); err != nil {
				t.Fatal(err)
			}
			rows := unavailable
			for at := end - 1; at >= first; at-- {
				rows = tabletest.Change(rows, tt.how, at)
			}
			filetest.Write(t, path, listText(rows))
			_, err := s.Import(context.Background(), market.FR, "SFR", path)
			list := s.Entries(Query{Market: market.FR})
			feed := s.Feeds(market.FR)[0]
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(feed.Why, tt.want) ||
				feed.State() != Failed || !slices.Equal(codes(list), []string{"SFR 10235", "SFR 10236"}) {
				t.Errorf("got %v, %+v and %v, want %q and both sites of the good list", err, feed, codes(list), tt.want)
			}
		})
	}
	for at := first; at < end; at++ { // one is enough
		rows := unavailable
		for other := end - 1; other >= first; other-- {
			if other != at {
				rows = tabletest.Change(rows, "dropped", other)
			}
		}
		filetest.Write(t, path, listText(rows))
		if reports, err := s.Import(context.Background(), market.FR, "SFR", path); err != nil || reports[0].Served != 2 {
			t.Errorf("with %s alone: %+v, %v, want both rows", unavailable[0][at], reports, err)
		}
	}
}

package outage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/market"
)

// taken says what becomes of the news.
func taken(t *testing.T, s *Store, news ...News) (text string) {
	t.Helper()
	all, err := s.Take(context.Background(), market.FR, news...)
	if err != nil || len(all) != 4 {
		t.Fatalf("got %+v, %v, want no error and len(all) = 4", all, err)
	}
	for _, o := range all {
		text += fmt.Sprintf("%s %s %d", o.Operator, o.State, o.Served)
		for _, why := range []string{o.Refused, o.Error} {
			if why != "" {
				text += " (" + why[strings.LastIndexByte(why, '/')+1:] + ")"
			}
		}
		text += "; "
	}
	return text
}

// News of some feeds: what is wrong with one keeps out no other.
func TestTake(t *testing.T) {
	c := newClock()
	s, db := opened(t, c)
	columns := fmt.Sprintf(header, "SFR")
	good := filetest.New(t, "hs.csv", columns+rowOf("1"))
	for _, step := range []struct {
		what string
		news []News
		want string
	}{
		{"none", nil, "SFR absent 0; BOUYGUES absent 0; ORANGE absent 0; FREE absent 0; "},
		{"unchanged, never read", []News{{Operator: "SFR"}},
			"SFR absent 0; BOUYGUES absent 0; ORANGE absent 0; FREE absent 0; "},
		{"read, refused, failed, gone",
			[]News{{Operator: "sfr", File: good}, {Operator: "BOUYGUES", File: filetest.New(t, "hs.csv", columns)},
				{Operator: "ORANGE", Failed: "HTTP 503"}, {Operator: "FREE", File: good + ".gone"}},
			"SFR available 1; BOUYGUES failed 0 (this is the file of SFR, not of BOUYGUES); ORANGE failed 0; FREE absent 0 (hs.csv.gone: no such file or directory); "},
		{"failed", []News{{Operator: "SFR", Failed: "HTTP 503"}},
			"SFR failed 1; BOUYGUES failed 0; ORANGE failed 0; FREE absent 0; "},
		{"unchanged", []News{{Operator: "SFR"}, {Operator: "ORANGE"}},
			"SFR available 1; BOUYGUES failed 0; ORANGE failed 0; FREE absent 0; "},
	} {
		if got := strings.ReplaceAll(taken(t, s, step.news...), "hs.csv:1: ", ""); got != step.want {
			t.Errorf("%s:\n%s, want\n%s", step.what, got, step.want)
		}
		for i, f := range reopen(t, db, c).Feeds(market.FR) {
			if g := s.Feeds(market.FR)[i]; f.State() != g.State() || f.Served != g.Served || f.Why != g.Why ||
				f.Age(c.at) != g.Age(c.at) {
				t.Errorf("%s: got %+v after opening it again, want %+v", step.what, g, f)
			}
		}
		c.at = c.at.Add(time.Hour)
	}
	if f := s.Feeds(market.FR)[0]; f.Age(newClock().at.Add(2*time.Hour)) != 0 || f.Why != "" {
		t.Errorf("after Unchanged the feed is %+v, want it as read two hours before", f)
	}
	before := s.Version()
	if _, err := s.Take(context.Background(), market.FR, News{Operator: "SFR", Failed: "x"},
		News{Operator: "ZEOP"}); !errors.Is(err, ErrOperator) || s.Version() != before {
		t.Errorf("got %v, Version %v, want ErrOperator and Version = %v", err, s.Version(), before)
	}
	if _, err := s.Take(context.Background(), market.BE); !errors.Is(err, errNoFeed) {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if all, err := s.Take(stopped, market.FR, News{Operator: "SFR", File: good}); err != nil ||
		all[0].State != Available || all[0].Error == "" {
		t.Errorf("got %+v, %v, want no error, State = %v and Error set", all, err, Available)
	}
}

// A feed that was made up for a demonstration says so, whatever becomes of its next
// reading, until the operator's own file takes its place.
func TestSyntheticFeed(t *testing.T) {
	c := newClock()
	s, db := opened(t, c)
	made := filepath.Join(t.TempDir(), "SYNTHETIC_hs.csv")
	filetest.Write(t, made, "code_site_op;departement;commune;Lat;Lon;data\nS1;63;X;45.77;3.08;HS\n")
	if _, err := s.Import(context.Background(), market.FR, "SFR", made); err != nil {
		t.Fatal(err)
	}
	says := func(want bool) {
		t.Helper()
		for _, s := range []*Store{s, reopen(t, db, c)} {
			for _, f := range s.Feeds(market.FR) {
				if f.Synthetic != (want && f.Operator == "SFR") {
					t.Errorf("got %+v, want synthetic %v of SFR alone", f, want)
				}
			}
		}
	}
	says(true)
	must(t, s.Failed(market.FR, "SFR", errors.New("no connection")))
	says(true)
	load(t, s, "SFR", "1;NON;;63;X;63113;45.77;3.08;HS;;;;;;;;;;;\n")
	says(false)
}

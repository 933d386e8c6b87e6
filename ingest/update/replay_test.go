package update

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
)

// generator writes files of the sources in their publishers' layouts, with counts, and replays their addresses.
const generator = "../../../shared/tools/make_sources.py"

// expected are the counts that the generator made while it wrote.
type expected struct {
	Flanders struct {
		Antennas, Emissions int
		ByOperator          map[string]int `json:"operator_technology"`
	} `json:"flanders-sparql"`
	Brussels struct {
		Sites       int
		Old         int `json:"old_permits"`
		Transmitted int `json:"transmitters_of_current_permits"`
	}
	Outages struct {
		Days map[string]struct{ Features int }
	} `json:"arcep-outages"`
	Sites   struct{ Files []string } `json:"arcep-sites"`
	Measure struct{ Rows int }       `json:"arcep-qos"`
}

// replayed starts the generator's server, and returns its address and counts.
func replayed(t *testing.T) (address string, want expected) {
	t.Helper()
	tier.Slow(t)
	if _, err := os.Stat(generator); err != nil {
		t.Skip("the generator is not there")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there")
	}
	dir := t.TempDir()
	for what, rows := range map[string]string{"arcep-qos": "300", "arcep-sites": "100", "arcep-outages": "20",
		"flanders-sparql": "300", "brussels": "12"} {
		if out, err := exec.Command(python, generator, what, "--out", dir, "--rows", rows).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", what, err, out)
		}
	}
	must(t, json.Unmarshal(filetest.Read(t, filepath.Join(dir, "expected.json")), &want))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	host := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(host)
	server := exec.Command(python, generator, "serve", "--dir", dir, "--port", port, "--page-keys", "2", "--max-rows", "100",
		"--shuffle", "--fail-every", "11")
	must(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", host); err == nil {
			c.Close()
			return "http://" + host, want
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the replay does not answer")
	return "", want
}

// replayTable returns the built-in lines of some files, with the addresses of the replay.
func replayTable(t *testing.T, address string, names ...string) *Table {
	t.Helper()
	table, err := Default()
	must(t, err)
	table.Files = slices.DeleteFunc(table.Files, func(f *File) bool { return !slices.Contains(names, f.Name) })
	text, err := json.Marshal(table)
	must(t, err)
	text = bytes.ReplaceAll(text, []byte("https://"), []byte(address+"/"))
	table, err = parseTable("test.json", text)
	must(t, err)
	table.own = true
	return table
}

// A service of the replay fails every eleventh time, sends pages of a hundred rows, and has no order of its own.
func TestReplay(t *testing.T) {
	address, want := replayed(t)
	k := newKit(t)
	o := Options{Dir: k.dir, Version: "test", Limits: quick, Choice: &Choice{With: []string{"belgium-antennas"},
		OutagesSince: "2026-11-01"}}
	o.Limits.Tries = 5
	o.Limits.Pause = 10 * time.Millisecond
	t.Run("arcep", func(t *testing.T) {
		o.Table = replayTable(t, address, "arcep-mesures-metropole", "arcep-mesures-transports", "arcep-mesures-outremer",
			"arcep-sites-indisponibles")
		a := &dayArchive{days: map[string]string{}}
		rows := 0
		o.Days = a.take
		o.Measures = func(_ context.Context, code market.Code, path string, _ bool) (Taken, error) {
			rows = bytes.Count(filetest.Read(t, path), []byte("\n")) - 1
			if !strings.HasPrefix(filepath.Base(path), "2025_QoS_") || code != market.FR {
				t.Errorf("got %s of %s, want the campaign 2025 of FR", path, code)
			}
			return Taken{}, nil
		}
		r, err := Run(t.Context(), o)
		if err != nil || r.Failed() || rows != want.Measure.Rows {
			text, _ := json.Marshal(r)
			t.Fatalf("got %s, %v, %d rows; want %d", text, err, rows, want.Measure.Rows)
		}
		for day, list := range want.Outages.Days {
			if n := strings.Count(a.days[day], `"Feature"`); n != list.Features {
				t.Errorf("%s: %d rows, want %d", day, n, list.Features)
			}
		}
		if len(a.days) != len(want.Outages.Days) {
			t.Errorf("%d days, want %d", len(a.days), len(want.Outages.Days))
		}
	})
	t.Run("sites", func(t *testing.T) {
		f := replayTable(t, address, "arcep-sites-metropole").Files[0]
		at, err := testClient(t).find(t.Context(), f)
		newest := slices.Max(want.Sites.Files)
		if err != nil || at.URL != address+"/"+newest {
			t.Errorf("got %+v, %v; want %s", at, err, newest)
		}
		if resp, err := http.Get(at.URL); err != nil || resp.StatusCode != 200 {
			t.Errorf("got %v, %v; want the file", resp, err)
		}
	})
	t.Run("flanders", func(t *testing.T) {
		var got struct{ Queries map[string]answer }
		gatherFile(t, o, replayTable(t, address, "flanders-antennas").Files[0], &got)
		rows := func(name string) []map[string]term { return got.Queries[name].Results.Bindings }
		technology, operator := map[string]string{}, map[string]string{}
		for _, row := range rows("technologies") {
			technology[row["technologie"]["value"]] = row["label"]["value"]
		}
		for _, row := range rows("operators") {
			operator[row["operator"]["value"]] = row["label"]["value"]
		}
		counts, of := map[string]int{}, map[string]string{}
		for _, row := range rows("antennas") {
			name := technology[row["tech"]["value"]]
			if name == "" {
				name = "5G" // which has no label in the service
			}
			of[row["antenne"]["value"]] = fmt.Sprintf("%s | %s", operator[row["operator"]["value"]], name)
			counts[of[row["antenne"]["value"]]+" | antennas"]++
		}
		for _, row := range rows("emissions") {
			counts[of[row["antenne"]["value"]]+" | emissions"]++
		}
		for _, row := range rows("dossiers") {
			if row["intrekking_tijdstip"] != nil {
				counts[of[row["antenne"]["value"]]+" | withdrawn"]++
			}
		}
		for key, n := range want.Flanders.ByOperator {
			if !strings.HasSuffix(key, "of the site") && counts[key] != n {
				t.Errorf("%s: %d, want %d", key, counts[key], n)
			}
		}
		if len(rows("antennas")) != want.Flanders.Antennas || len(rows("emissions")) != want.Flanders.Emissions {
			t.Errorf("%d antennas and %d emissions, want %d and %d", len(rows("antennas")), len(rows("emissions")),
				want.Flanders.Antennas, want.Flanders.Emissions)
		}
	})
	t.Run("brussels", func(t *testing.T) {
		var got struct {
			Items map[string]struct {
				Meta struct{ IsOldPermit bool }
				Page map[string]struct {
					Properties struct{ Transmitters []json.RawMessage }
				} `json:"permitantennas"`
			}
		}
		gatherFile(t, o, replayTable(t, address, "brussels-antennas").Files[0], &got)
		old, transmitted := 0, 0
		for _, item := range got.Items {
			if item.Meta.IsOldPermit {
				old++
			}
			for _, panel := range item.Page {
				transmitted += len(panel.Properties.Transmitters)
			}
		}
		if b := want.Brussels; len(got.Items) != b.Sites || old != b.Old || transmitted != b.Transmitted {
			t.Errorf("%d sites, %d old permits, %d transmitters; want %+v", len(got.Items), old, transmitted, b)
		}
	})
}

// gatherFile gathers a file and decodes it.
func gatherFile(t *testing.T, o Options, f *File, v any) {
	t.Helper()
	c := newClient("relais/test", o.Limits, localHost)
	t.Cleanup(c.close)
	s := &source{Options: o, client: c, group: group{markets: []market.Code{f.Market}}}
	at, err := c.find(t.Context(), f)
	must(t, err)
	d := s.download(f, at, record{})
	must(t, d.run(t.Context()))
	must(t, json.Unmarshal(filetest.Read(t, d.path), v))
}

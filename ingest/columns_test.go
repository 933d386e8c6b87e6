package ingest

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/ingest/source"
	"relais/ingest/table/tabletest"
	"relais/internal/tier"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// A contract says what the columns of a publication are for.
type contract struct {
	required []string          // refused without it, and when it is empty in every row
	filled   []string          // of these, those that may be empty
	read     []string          // of the others, those that mean something: two of them are refused
	personal []string          // personal data: nothing of it is kept
	guarded  map[string]string // what the sites would lose without it: refused
	told     []string          // by them a table without a header is known
	whole    bool              // its columns are known: a personal one twice or under another name is refused
	served   int               // rows, when it is not all of them
	facts    map[string]facts  // that are others without the content of a column
}

// facts count sites, and what the sites of a snapshot have.
type facts map[string]int

// set returns the facts with some replaced; 0 means missing.
func (f facts) set(others facts) facts {
	f = maps.Clone(f)
	maps.Copy(f, others)
	maps.DeleteFunc(f, func(_ string, n int) bool { return n == 0 })
	return f
}

func factsOf(s *snapshot.Snapshot) facts {
	f := facts{"sites": s.Len()}
	count := func(name string, has bool) {
		if has {
			f[name]++
		}
	}
	var x site.Site
	for i := range s.Len() {
		s.Site(i, &x)
		for name, text := range map[string]string{"sourceCodes": x.SourceCode, "references": x.Reference,
			"communes":     x.Commune,
			"communeCodes": x.CommuneCode, "postalCodes": x.PostalCode, "places": x.Place, "streets": x.Address[0],
			"address2": x.Address[1],
			"address3": x.Address[2], "natures": x.Nature.Code, "natureLabels": x.Nature.Label, "owners": x.Owner.Code,
			"ownerLabels": x.Owner.Label, "leaders": x.CrozonLeader} {
			count(name, text != "")
		}
		for name, has := range map[string]bool{"areas": x.Area >= 0, "heights": site.Known(x.Height),
			"antennaHeights": site.Known(x.AntennaHeight),
			"implemented":    x.Implemented != 0, "commissioned": x.Commissioned != 0,
			"sent": len(x.TxFrequencies) > 0, "received": len(x.RxFrequencies) > 0, "shared": x.SharedRadio} {
			count(name, has)
		}
		azimuths, _ := x.Azimuths(nil)
		count("azimuths", len(azimuths) > 0)
		for _, t := range x.Stations {
			count("stations", true)
			count("stationCodes", t.Code != "")
			count("operatorIds", t.OperatorSiteID != "")
		}
		for _, e := range x.Emissions {
			count("emissions", true)
			count("generations", e.Generation != 0)
			count("statuses", e.Status >= 0)
			count("dated", e.On != 0)
		}
		for _, r := range x.Radio {
			count(map[site.RadioKind]string{site.ENB: "enb", site.GNB: "gnb", site.Cell: "cells",
				site.PCI: "pci"}[r.Kind], true)
		}
	}
	return f
}

// An outcome is what the contract says of a changed file.
type outcome struct {
	refused bool
	column  string // that the refusal names, "" when the table has no names
	guarded string // what would be lost
}

func (c *columnsCase) outcome(how, column string) outcome {
	has := func(list []string) bool { return slices.Contains(list, column) }
	refused := outcome{refused: true, column: column}
	if c.headless && (how != "emptied" || has(c.told)) {
		return outcome{refused: true}
	}
	switch how {
	case "doubled":
		if has(c.required) || has(c.read) || has(c.personal) && c.whole {
			return refused
		}
		return outcome{}
	case "renamed", "dropped":
		if has(c.required) || has(c.personal) && c.whole && how == "renamed" {
			return refused
		}
	default:
		if has(c.required) && !has(c.filled) {
			return refused
		}
	}
	if name := c.guarded[column]; name != "" {
		return outcome{refused: true, column: column, guarded: name}
	}
	return outcome{}
}

// A columnsCase is a publication with its contract.
type columnsCase struct {
	publication
	contract
}

// A columnsKit has the sources of a market, and the expected facts of its sites.
type columnsKit struct {
	markets []market.Code
	cases   []columnsCase
	others  []publication // sources whose columns are not of interest here
	facts   facts
}

// planted is what no copy of a source may have.
const planted = "PLANTED"

// columnsKits are the sources of all markets.
var columnsKits = map[string]func() columnsKit{"France": columnsFrance, "Azimuths": columnsAzimuths,
	"Canada": columnsCanada, "CanadaOlder": columnsCanadaOlder, "Switzerland": columnsSwitzerland,
	"Flanders": columnsFlanders, "BIPT": columnsBIPT, "Cells": columnsCells, "Headless": columnsHeadless}

func TestColumns(t *testing.T) {
	tier.Slow(t)
	for name, kit := range columnsKits {
		t.Run(name, func(t *testing.T) { kit().test(t) })
	}
}

// Every column that a kind declares is in one of the files of TestColumns, so that no column can be declared and not
// be tried.
func TestColumnsAreAllTried(t *testing.T) {
	k := newKit(t)
	tried := map[string][]string{} // by kind
	for _, kit := range columnsKits {
		for _, c := range kit().cases {
			src, err := sourceOf(kit().markets)
			must(t, err)
			f, err := source.Detect(&source.Input{Path: k.file(c.file, c.String())}, src.kinds())
			if err != nil || f.Kind == nil {
				t.Fatalf("%s: kind %v, error %v", c.file, f.Kind, err)
			}
			for _, name := range c.columns {
				tried[f.Kind.Name] = append(tried[f.Kind.Name], strings.ToLower(strings.Trim(name, "*")))
			}
		}
	}
	for _, src := range Sources {
		for _, kind := range src.kinds() {
			if kind.Refused != "" || tried[kind.Name] == nil && strings.HasPrefix(kind.Name, "bakom-mobil") {
				continue
			}
			for _, names := range declared(kind) {
				if !slices.ContainsFunc(names, func(n string) bool {
					return slices.Contains(tried[kind.Name], strings.ToLower(n))
				}) {
					t.Errorf("%s: the column %q is declared and never tried", kind.Name, names)
				}
			}
		}
	}
}

// declared returns the columns that a kind knows, each with its aliases.
func declared(kind *source.Kind) (list [][]string) {
	columns := slices.Clone(kind.Columns)
	others := slices.Concat(kind.Others, kind.Personal, kind.Ignored)
	if kind.Items != nil {
		columns = slices.Concat(kind.Items.Columns, kind.Items.Properties)
		others = kind.Items.Others
	}
	for _, c := range columns {
		list = append(list, append([]string{c.Name}, c.Aliases...))
	}
	for _, name := range others {
		list = append(list, []string{name})
	}
	return list
}

// test ingests the sources, and then each of them with each of its columns renamed,
// dropped, doubled and emptied, while the others and the good ones are kept: the file is
// refused with the column named, and nothing in the folder changes, or a note names the column
// and what is served is what the rows say.
func (kit columnsKit) test(t *testing.T) {
	k := newKit(t)
	var paths []string
	for _, c := range kit.cases {
		paths = append(paths, k.file(c.file, c.String()))
	}
	for _, p := range kit.others {
		paths = append(paths, k.file(p.file, p.String()))
	}
	r, err := k.run(false, kit.markets, paths...)
	must(t, err)
	for i := range kit.cases {
		kit.cases[i].accounted(t, r)
	}
	if slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "column") }) {
		t.Errorf("notes of good files: %q", r.Notes)
	}
	if got := factsOf(k.snapshot(kit.markets[0])); !maps.Equal(got, kit.facts) {
		t.Fatalf("facts %v, want %v", got, kit.facts)
	}
	before := k.state()
	n := 0
	for i := range kit.cases {
		c := &kit.cases[i]
		hows := []string{"renamed", "dropped", "doubled", "emptied"}
		if c.headless {
			hows = hows[1:]
		} else if c.comma == "" {
			hows = append(hows, "blanked")
		}
		for at, column := range c.columns {
			if !tier.Full() && at%5 > 0 {
				continue
			}
			for _, how := range hows {
				n++
				t.Run(c.file+"/"+column+" "+how, func(t *testing.T) {
					path := k.file("new/"+c.file, c.changed(how, at).String())
					if want := c.outcome(how, column); want.refused {
						_, err := k.run(false, kit.markets, path)
						c.named(t, err, want)
					} else {
						c.serves(t, k, kit, path, column, how)
					}
				})
			}
		}
	}
	if !maps.Equal(k.state(), before) {
		t.Error("the folder has changed")
	}
	t.Logf("%d files", n)
}

// named checks that an error names the file and the column.
func (c *columnsCase) named(t *testing.T, err error, want outcome) {
	t.Helper()
	if err == nil {
		t.Fatal("not refused")
	}
	name := `(?i)\bthe column (.* \(also known as .*)?` + regexp.QuoteMeta(strings.Trim(want.column, "*")) + `\b`
	switch text := err.Error(); {
	case !strings.Contains(text, c.file):
		t.Errorf("the file is not named: %v", err)
	case want.column != "" && !regexp.MustCompile(name).MatchString(text):
		t.Errorf("the column is not named: %v", err)
	case want.guarded != "" && !strings.Contains(text, want.guarded+" of "):
		t.Errorf("not refused for %s: %v", want.guarded, err)
	}
}

// serves checks what a file makes of the market, without a change of the folder.
func (c *columnsCase) serves(t *testing.T, k kit, kit columnsKit, path, column, how string) {
	t.Helper()
	r, s, files, err := k.compose(kit.markets, path)
	must(t, err)
	c.noted(t, r, column, how)
	want := kit.facts
	if others := c.facts[column]; how != "doubled" {
		want = want.set(others)
	}
	if got := factsOf(s); !maps.Equal(got, want) {
		t.Errorf("facts %v, want %v", got, want)
	}
	c.accounted(t, r)
	for _, f := range files {
		var text bytes.Buffer
		must(t, f.CopyTo(&text, nil))
		if strings.Contains(text.String(), planted) {
			t.Errorf("personal data would be kept: %s; want text.String() without %v", &text, planted)
		}
	}
}

// noted checks that a note names the column, and the name that took its place. Of a column that had no value
// nothing is lost.
func (c *columnsCase) noted(t *testing.T, r *Report, column, how string) {
	t.Helper()
	path := c.report(t, r).Path
	at := slices.IndexFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, path+": ") })
	note := ""
	if at >= 0 {
		note = r.Notes[at]
	}
	want := map[bool]string{true: column}[how == "doubled" || c.hasValues(slices.Index(c.columns, column))]
	want = strings.ToLower(strings.Trim(want, "*"))
	names := strings.FieldsFunc(strings.ToLower(strings.TrimPrefix(note, path)), func(c rune) bool {
		return strings.ContainsRune(":,; ", c)
	})
	if want != "" && !slices.Contains(names, want) || how == "renamed" && !slices.Contains(names, tabletest.Renamed) ||
		want == "" && how != "renamed" && note != "" {
		t.Errorf("note %q, want one that names %q", note, want)
	}
}

// report returns the report on the file that was given.
func (c *columnsCase) report(t *testing.T, r *Report) *source.Report {
	t.Helper()
	at := slices.IndexFunc(r.Files, func(f *source.Report) bool {
		return !f.Kept && strings.HasSuffix(f.Path,
			"/"+c.file)
	})
	if at < 0 {
		t.Fatalf("%s is not in the report; want at >= 0", c.file)
	}
	return r.Files[at]
}

// accounted checks the account of the file's rows.
func (c *columnsCase) accounted(t *testing.T, r *Report) {
	t.Helper()
	served := c.served
	if served == 0 {
		served = len(c.rows)
	}
	if f := c.report(t, r); f.Rows != len(c.rows) || f.Served != served {
		t.Errorf("%s: %d of %d rows served, want %d of %d: %v", c.file, f.Served, f.Rows, served, len(c.rows),
			f.Rejected)
	}
}

// compose does what Run does, up to the writing.
func (k kit) compose(markets []market.Code, path string) (*Report, *snapshot.Snapshot, []source.Found, error) {
	src, err := sourceOf(markets)
	if err != nil {
		return nil, nil, nil, err
	}
	kept, err := openKept(k.dir, src)
	if err != nil {
		return nil, nil, nil, err
	}
	r := &Report{}
	files, err := r.findFiles([]string{path}, src)
	if err != nil {
		return nil, nil, nil, err
	}
	all := slices.Concat(files, kept.remaining(files).inputs)
	write, _, err := r.compose(context.Background(), Options{Dir: k.dir, Markets: markets, Now: time.Now()}, src, all,
		kept)
	if err != nil {
		return nil, nil, nil, err
	}
	text, err := write[0].Bytes()
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := snapshot.Read(text)
	return r, s, files, err
}

func words(text string) []string { return strings.Fields(text) }

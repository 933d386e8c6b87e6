package cells

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/filetest"
	"relais/market"
	"relais/snapshot"
)

// open finds out what a file of the project's data is.
func open(t *testing.T, name string) source.Found {
	t.Helper()
	path := filepath.Join("../../../shared/data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the real files are not on this machine")
	}
	return sourcetest.Detect(t, path, Kinds)
}

// Luxembourg is not a market: every row is rejected as of an unknown network.
func TestRealOpenCelliD(t *testing.T) {
	f := open(t, "cells/opencellid_270_LU.csv")
	r := attach(t, []*snapshot.Builder{builder(market.BE)}, f)[0]
	if f.Slot != "270" || r.Rows != 21195 || r.Rejected["unknown network"] != 21195 {
		t.Errorf(`slot %s, %d rows, rejected %v; want f.Slot = "270", r.Rows = 21195, r.Rejected["unknown `+
			`network"] = 21195`, f.Slot, r.Rows, r.Rejected)
	}
}

// Rows of Rogers around Montreal, without a header: GSM and UMTS, whose numbers are no
// look-up's; as LTE they would go to a site that stands where the third is.
func TestRealRowsWithoutHeader(t *testing.T) {
	f := open(t, "cells/opencellid_302_QC_rows.csv")
	b := builder(market.CA)
	add(t, b, "a", geo.Point{Lat: 45.5081, Lng: -73.5716}, nil, "ROGERS")
	r := attach(t, []*snapshot.Builder{b}, f)[0]
	if f.Slot != "302" || r.Rows != 5 || r.Rejected["no identifier that can be looked up"] != 5 {
		t.Errorf(`slot %s, %d rows, rejected %v; want f.Slot = "302", r.Rows = 5, r.Rejected["no identifier that `+
			`can be looked up"] = 5`, f.Slot, r.Rows, r.Rejected)
	}
	text := filetest.Read(t, f.Path)
	r = attach(t, []*snapshot.Builder{b},
		detect(t, "lte.csv", strings.NewReplacer("GSM", "LTE", "UMTS", "LTE").Replace(string(text))))[0]
	// Three of them are 190 m, 0 m and over 1 km away; the other two are around Québec.
	if got, want := radio(b, 0), "cell ROGERS 1081, cell ROGERS 1083, enb ROGERS 4"; got != want ||
		r.Rejected[noSite] != 3 {
		t.Errorf("%s, want %s; rejected %v", got, want, r.Rejected)
	}
}

// The headers of the apps are known; a file without a row is refused.
func TestRealHeaders(t *testing.T) {
	for _, tt := range []struct{ name, kind string }{
		{"gmonpro.header.csv", "cells-gmon"},
		{"towercollector.header.csv", "cells-towercollector"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, "drivetest/"+tt.name)
			if f.Kind.Name != tt.kind {
				t.Errorf("%s is %s, want %s", tt.name, f.Kind.Name, tt.kind)
			}
			if _, err := Attach([]source.Found{f}, nil, nil); err == nil ||
				!strings.Contains(err.Error(), tt.name+":1: the table has a header and no row") {
				t.Errorf(`%s: err = %v; want an error with tt.name+":1: the table has a header and no row"`, tt.name,
					err)
			}
		})
	}
	f := open(t, "drivetest/networksurvey_lte.sample.csv")
	r := attach(t, nil, f)[0]
	if f.Kind.Name != "cells-networksurvey-lte" || r.Rows != 1 || r.Rejected["unknown network"] != 1 { // 310-260
		t.Errorf(`f.Kind.Name = %s, r = %+v; want f.Kind.Name = "cells-networksurvey-lte", r.Rows = 1, `+
			`r.Rejected["unknown network"] = 1`, f.Kind.Name, r)
	}
	header := filetest.Read(t, f.Path)
	for _, name := range f.Kind.Personal {
		if !bytes.Contains(header, []byte(name)) {
			t.Errorf("no column %s; want bytes.Contains(header, []byte(name))", name)
		}
	}
}

func TestErrorsName(t *testing.T) {
	b := []*snapshot.Builder{builder(market.CH)}
	f := detect(t, "cut.csv", "47.0,8.0,400,228,01,9,25700,-90,LTE,LTE,1300,12\n47.0,8.0,400,228\n47.0,8")
	if _, err := Attach([]source.Found{f}, b, nil); err == nil ||
		!strings.Contains(err.Error(), "cut.csv:3: the file ends in the middle of a record") {
		t.Errorf(`err = %v; want an error with "cut.csv:3: the file ends in the middle of a record"`, err)
	}
	f = detect(t, "short.csv", "radio,mcc,net,area,cell,unit,lon,range,samples,changeable,created,updated\nLTE,228\n")
	if _, err := Attach([]source.Found{f}, b, nil); err == nil ||
		!strings.Contains(err.Error(), "short.csv:1: the column lat is missing") {
		t.Errorf(`err = %v; want an error with "short.csv:1: the column lat is missing"`, err)
	}
	stop := errors.New("stop")
	f = detect(t, "long.csv", strings.Repeat("47.0,8.0,400,228,01,9,25700,-90,LTE,LTE,1300,12\n", 100000))
	if _, err := Attach([]source.Found{f}, b, func(int) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("err = %v; want %v", err, stop)
	}
}

// FuzzAttach puts any bytes in the place of each format.
func FuzzAttach(f *testing.F) {
	for i, text := range []string{
		"LTE,228,1,9,25700,12,8.0,47.0,1000,5,1,1309988245,1443599522,0\n",
		"mcc,mnc,cell_id,lat,lon,net_type,neighboring\n228,1,25700,47,8,LTE,false\n",
		"PLMN;SYSTEM;XCI;xNBID;PCI/PSC/BSIC;LAT;LON\n22801;LTE;25700;100;12;47.0;8.0\n",
		"47.0,8.0,400,228,01,9,25700,-90,LTE,LTE,1300,12\n",
		"#\ndeviceTime,mcc,mnc,eci,pci,latitude,longitude,servingCell\n,228,1,25700,12,47,8,true\n",
		"deviceTime,mcc,mnc,nci,pci,latitude,longitude,servingCell\n,228,1,25700,12,47,8,true\n",
		"4G;228;01;100;9;100;12;47.0;8.0;Bern [eNBI:100:100];1300\n",
	} {
		f.Add(i, []byte(text))
	}
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		if kind < 0 || kind >= len(Kinds) {
			return
		}
		path := filetest.New(t, "f.csv", data)
		in := &source.Input{Path: path}
		if found, err := source.Detect(in, Kinds); err == nil && found.Kind != nil && len(found.Slot) > 3 {
			t.Errorf("slot %q; want an error or found.Kind = nil or len(found.Slot) <= 3", found.Slot)
		}
		b := builder(market.CH)
		add(t, b, "a", geo.Point{Lat: 47, Lng: 8}, nil, "SWISSCOM_CH")
		reports, err := Attach([]source.Found{{Input: in, Kind: Kinds[kind]}}, []*snapshot.Builder{b}, nil)
		if err != nil {
			return
		}
		if r := reports[0]; r.Served < 0 || r.Served > r.Rows || (r.Served > 0) != (radio(b, 0) != "") {
			t.Errorf("%d of %d rows served: %s; want r.Served >= 0, r.Served <= %v, (r.Served > 0) = (radio(b, "+
				`0) != "")`, r.Served, r.Rows, radio(b, 0), r.Rows)
		}
	})
}

// A million cells around a hundred thousand sites of three operators.
func BenchmarkAttach(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	keys := market.Get(market.CA).OperatorKeys()[:3]
	nets := []string{"610", "720", "220"}
	places := make([]geo.Point, 100000)
	for i := range places {
		places[i] = geo.Point{Lat: 43 + 10*r.Float64(), Lng: -120 + 60*r.Float64()}
	}
	var text strings.Builder
	for i := range 1000000 {
		at := r.IntN(len(places))
		p := places[at]
		fmt.Fprintf(&text, "LTE,302,%s,9,%d,%d,%.6f,%.6f,1000,5,1,1309988245,1443599522,0\n",
			nets[at%3], 256+i, i%504, p.Lng+(r.Float64()-0.5)*800*metre, p.Lat+(r.Float64()-0.5)*800*metre)
	}
	f := detect(b, "cells.csv", text.String())
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		b.StopTimer()
		s := builder(market.CA)
		for i, p := range places {
			add(b, s, fmt.Sprint(i), p, nil, keys[i%3])
		}
		b.StartTimer()
		reports := attach(b, []*snapshot.Builder{s}, f)
		b.ReportMetric(float64(reports[0].Served), "served")
	}
}

package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/market"
)

// all returns every coverage point of a market.
func all(t testing.TB, s *Store, code market.Code) []Point {
	t.Helper()
	list, err := s.Coverage(Query{Market: code, Limit: maxLimit})
	must(t, err)
	return list
}

// line says what a measure states, with NaN as -.
func line(p *Point) string {
	f := func(v float64) string {
		if math.IsNaN(v) {
			return "-"
		}
		return fmt.Sprint(v)
	}
	when := "-"
	if !p.Time.IsZero() {
		when = p.Time.Format(time.RFC3339)
	}
	return fmt.Sprintf("%s %v %v %d-%d %s/%s %s%s enb %d gnb %d cell %d pci %d %s %s %s %s", when, p.Position.Lat,
		p.Position.Lng, p.MCC, p.MNC, p.Operator, p.OperatorName,
		p.Technology, p.NetworkType, p.Radio.ENB, p.Radio.GNB, p.Radio.Cell, p.Radio.PCI, f(p.Signal), f(p.Radio.RSRP),
		f(p.Radio.RSRQ), f(p.Radio.SNR))
}

// Rows are in the layouts of: the project's own export; OpenCelliD's files; Tower Collector's CsvExportFormatter and
// CsvUploadFormatter (zamojski/TowerCollector); an export of G-MoN Pro; CellMapper; toNTM of btsearch/btsearch
// (clf-export.ts); CsvExporter of mjaakko/NeoStumbler; a log of Network Survey 1.43.
func TestFormats(t *testing.T) {
	tower := "mcc,mnc,lac,cell_id,short_cell_id,rnc,psc,asu,dbm,ta,lat,lon,accuracy,speed,bearing,altitude,measured_at,net_type,neighboring,discovered_at,device,rsrp,rsrq,rssi,rssnr,cqi,rscp,csi_rsrp,csi_rsrq,csi_sinr,ss_rsrp,ss_rsrq,ss_sinr,cdma_dbm,cdma_ecio,evdo_dbm,evdo_ecio,evdo_snr,ec_no,arfcn"
	gmon := "PLMN;SYSTEM;XCI;xNBID;LOCAL_CID;LAC/TAC;PCI/PSC/BSIC;ARFCN;BAND;RSSI;RSRP/RSCP;RSRQ/ECIO;SNR;CQI;TA;DISTANCE;DELTA_AZI;LAT;LON;SPEED;GPS_ACCURACY;UL;DL;BANDWIDTH;BANDWIDTHS;CA;NR_STATE;NARFCN;NR_BAND;NR_PCI;NR_SS_RSRP;NR_SS_RSRQ;NR_SS_SINR;NR_CSI_RSRP;NR_CSI_RSRQ;NR_CSI_SINR;CLF_LABEL;CLF_LOC;CLF_DESC;DATE;TIME;ROAMING"
	for _, tt := range []struct{ name, text, want, kind string }{
		{"plain", "id,timestamp,lat,lng,signal_strength,rsrp,snr,technology,network_type,mcc,mnc,enb,gnb,cell_id,pci\ncp0,2026-03-05T10:03:00Z,45.5,4.25,-60,-80.5,12,LTE,cellular,208,1,1000,,256001,0\n",
			"2026-03-05T10:03:00Z 45.5 4.25 208-1 ORANGE/Orange LTECELLULAR enb 1000 gnb 0 cell 256001 pci 0 -60 -80.5 - 12", "coverage"},
		{"plain, by name", "timestamp,lat,lng,signal_strength,technology,operator\n2026-03-05T10:03:00+02:00,45.5,4.25,-60,5G,Bouygues\n",
			"2026-03-05T08:03:00Z 45.5 4.25 208-20 BOUYGUES/Bouygues Telecom 5G enb 0 gnb 0 cell 0 pci -1 -60 - - -",
			"coverage"},
		{"OpenCelliD", "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal\r\nLTE,208,10,5,256001,0,4.25,45.5,100,3,1,1600000000,1760000000,0\r\n",
			"2025-10-09T08:53:20Z 45.5 4.25 208-10 SFR/SFR LTE enb 1000 gnb 0 cell 256001 pci -1 - - - -",
			"cells-opencellid"},
		{"OpenCelliD without a header", "NR,208,26,5,68719476735,900,4.25,45.5,100,3,1,1600000000,1760000000,-101\n",
			"2025-10-09T08:53:20Z 45.5 4.25 208-26 / NR enb 0 gnb 0 cell 68719476735 pci 900 -101 - - -",
			"cells-opencellid"},
		{"Tower Collector", tower +
			"\r\n208,15,1,256001,1,,7,20,-101,,45.5,4.25,5,0,0,100,\"2026-03-05T10:03:00.123Z\",LTE,false,\"2026-03-05T10:03:00.123Z\",SERIAL,-100,-11,-70,7.5,,,,,,,,,,,,,,,1300\r\n",
			"2026-03-05T10:03:00Z 45.5 4.25 208-15 FREE/Free Mobile LTE enb 1000 gnb 0 cell 256001 pci -1 -101 -100 -11 7.5", "cells-towercollector"},
		{"Tower Collector, NR",
			tower + "\n208,15,1,4886718336,,,7,20,-101,,45.5,4.25,5,0,0,100,\"2026-03-05 10:03:00\",NR,false,x,S,,,,,,,,,,-99,-12,3,,,,,,,1300\n",
			"2026-03-05T10:03:00Z 45.5 4.25 208-15 FREE/Free Mobile NR enb 0 gnb 0 cell 4886718336 pci -1 -101 -99 -12 3", "cells-towercollector"},
		{"G-MoN", gmon + "\n20801;LTE;256001;1000;1;12;301;1300;3;-65;-95;-10;8;10;1;0;0;45.5;4.25;0;5;1;2;20;;;;;;;;;;;;;;;;20260305;100300;0\n",
			"2026-03-05T09:03:00Z 45.5 4.25 208-1 ORANGE/Orange LTE enb 1000 gnb 0 cell 256001 pci 301 -65 -95 -10 8",
			"cells-gmon"},
		{"G-MoN, with a cell of NR",
			gmon + "\n20801;LTE;256001;1000;1;12;301;1300;3;-65;;;;10;1;0;0;45.5;4.25;0;5;1;2;20;;;;;;;-99;-12;3;;;;;;;05/07/2026;10:03:00;0\n",
			"2026-07-05T08:03:00Z 45.5 4.25 208-1 ORANGE/Orange LTE enb 1000 gnb 0 cell 256001 pci 301 -65 - - -",
			"cells-gmon"},
		{"CellMapper", "45.5,4.25,200,208,20,12,256001,-88,LTE,LTE,1300,301\n",
			"- 45.5 4.25 208-20 BOUYGUES/Bouygues Telecom LTE enb 1000 gnb 0 cell 256001 pci 301 -88 - - -",
			"cells-cellmapper"},
		{"NetMonster", "4G;208;20;1;12;1000;301;45.5;4.25;Somewhere [eNBI:1000:1];1300\n",
			"- 45.5 4.25 208-20 BOUYGUES/Bouygues Telecom 4G enb 1000 gnb 0 cell 256001 pci 301 - - - -",
			"cells-netmonster"},
		{"NeoStumbler", "timestamp,latitude,longitude,locationAccuracy,locationAge,speed,cellId,radioType,mcc,mnc,lac,psc,signalStrength,asu,arfcn,cellScanAge\r\n" +
			"1760000000123,45.5,4.25,12.5,1000,0.0,256001,lte,208,20,12,301,-88,52,1300,800\r\n",
			"2025-10-09T08:53:20Z 45.5 4.25 208-20 BOUYGUES/Bouygues Telecom LTE enb 1000 gnb 0 cell 256001 pci 301 -88 - - -",
			"cells-neostumbler"},
		{"Tower Collector's upload", "lat,lon,mcc,mnc,sid,lac,tac,nid,cellid,bid,psc,pci,signal,ta,measured_at,rating,speed,direction,act,devn\n" +
			"45.5,4.25,208,20,,,12,,256001,,,301,52,,\"2026-03-05 10:03:00.000Z\",5,0,0,LTE,\"Phone\"\n",
			"2026-03-05T10:03:00Z 45.5 4.25 208-20 BOUYGUES/Bouygues Telecom LTE enb 1000 gnb 0 cell 256001 pci 301 - - - -",
			"cells-towercollector-upload"},
		{"Network Survey", "# Created by Network Survey version=1\n# CSV Version=0.4.0\ndeviceTime,latitude,longitude,altitude,speed,accuracy,missionId,recordNumber,groupNumber,mcc,mnc,tac,eci,earfcn,pci,rsrp,rsrq,ta,servingCell,lteBandwidth,provider,signalStrength,cqi,slot,snr,deviceSerialNumber,locationAge\n" +
			"2026-03-05T10:03:00.603261-04:00,45.5,4.25,15.58,0,22,NS 1,1,2,208,99,12,256001,750,36,-112.0,-9.0,39,true,MHZ_10,Un Opérateur,-61.0,11,,-1.0,1234abc,4916\n",
			"2026-03-05T14:03:00Z 45.5 4.25 208-99 /Un Opérateur LTE enb 1000 gnb 0 cell 256001 pci 36 -61 -112 -9 -1",
			"cells-networksurvey-lte"},
	} {
		s := openStore(t, t.TempDir())
		r := imported(t, s, market.FR, write(t, "x.csv", tt.text))[0]
		got := all(t, s, market.FR)
		if r.Kind != tt.kind || len(got) != 1 || line(&got[0]) != tt.want {
			t.Errorf("%s: got %s, %v\n%v\nwant %s, %s", tt.name, r.Kind, r.Rejected, got, tt.kind, tt.want)
			continue
		}
		// A log states the cells that are imported.
		_, rows, err := logged(t, []byte(tt.text), 9)
		if id := got[0].Radio.Cell; id == 0 && len(rows) > 0 || id != 0 && (err != nil || len(rows) != 1 ||
			rows[0].Cell.ID != id || *rows[0].Position != got[0].Position) {
			t.Errorf("%s: the log has %+v, %v; want the cell %d", tt.name, rows, err, id)
		}
	}
}

// The numbers of a market follow from an operator's name where all its networks share
// them, and from nothing else.
func TestInferredNetworks(t *testing.T) {
	for _, tt := range []struct {
		code                         market.Code
		place, mcc, mnc, name, wants string
	}{
		{market.FR, "45,4", "", "", "Orange F", "208-1 ORANGE"}, {market.FR, "45,4", "", "", "free", "208-15 FREE"},
		{market.FR, "45,4", "", "10", "", "208-10 SFR"},
		{market.FR, "45,4", "", "", "Telecom", "-1--1 "}, {market.FR, "45,4", "208", "", "SFR", "208-10 SFR"},
		{market.FR, "45,4", "", "1", "SFR", "208-1 ORANGE"},
		{market.FR, "45,4", "208", "33", "Orange", "208-33 "}, {market.FR, "45,4", "", "", "bob@example.org", "-1--1 "},
		{market.CA, "45,-73", "", "", "Bell Mobility", "302--1 BELL"},
		{market.CA, "45,-73", "", "610", "", "302-610 BELL"},
		{market.CA, "45,-73", "302", "720", "x", "302-720 ROGERS"},
		{market.DROM, "14.6,-61", "", "", "Digicel", "340-20 DIGICEL"},
		{market.DROM, "14.6,-61", "", "", "Orange", "-1--1 ORANGE"},
	} {
		s := openStore(t, t.TempDir())
		imported(t, s, tt.code,
			write(t, "c.csv", "timestamp,lat,lng,signal_strength,technology,mcc,mnc,operator\n2026-03-05T10:03:00Z,"+
				tt.place+",-60,LTE,"+tt.mcc+","+tt.mnc+","+tt.name+"\n"))
		got := all(t, s, tt.code)
		if len(got) != 1 || fmt.Sprintf("%d-%d %s", got[0].MCC, got[0].MNC, got[0].Operator) != tt.wants {
			t.Errorf("%s %q %s-%s: %+v, want %s", tt.code, tt.name, tt.mcc, tt.mnc, got, tt.wants)
		}
	}
}

func TestBadRows(t *testing.T) {
	good := "a,2026-03-05T10:03:00Z,45.5,4.25,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\n"
	row := func(from, to string) string { return strings.Replace(good, from, to, 1) }
	want := map[string]int{}
	var b strings.Builder
	b.WriteString(coverageHead + good)
	for _, x := range []struct{ text, reason string }{
		{row("2026-03", "2027-03"), futureTime}, {row("2026-03-05T10", "2026-11-21T13"), futureTime},
		{row("2026-03", "1970-01"), earlyTime}, {row("00Z", "00"), zonelessTime},
		{row("03-05", "02-30"), badTime}, {row("03-05", "13-01"), badTime}, {row("2026-03-05", "26-3-5"), badTime},
		{row("T10", "T25"), badTime}, {row("2026-03-05T10:03:00Z", ""), noTime},
		{row("2026-03-05T10:03:00Z", "1760000000"), badTime}, {row("00Z", "00+99:00"), badTime},
		{row("00Z", "00ZZ"), badTime}, {row("T10:03:00Z", ""), badTime},
		{row("45.5", "NaN"), noPosition}, {row("45.5", "Inf"), noPosition}, {row("45.5", "91"), noPosition},
		{row("45.5,4.25", "0,0"), noPosition}, {row("4.25", ""), noPosition}, {row("45.5", "1e400"), noPosition},
		{row("45.5,4.25", "4.25,45.5"), outside}, {row("208", "262"), foreign},
		{row("-60,-80,12,LTE,CELLULAR,208,1,1000,,256001", "NaN,,,LTE,,208,1,,,-1"), nothing},
		{good, "duplicate"}, {row("a,", "another,"), "duplicate"}, {"a,b\n", "wrong number of columns"},
		{row("a,", "\"a\"b,"), "broken record"},
	} {
		b.WriteString(x.text)
		want[x.reason]++
	}
	s := openStore(t, t.TempDir())
	r := imported(t, s, market.FR, write(t, "bad.csv", b.String()))[0]
	if r.Served != 1 || !maps.Equal(r.Rejected, want) {
		t.Errorf("%d served, rejected\n%v\nwant\n%v", r.Served, r.Rejected, want)
	}
	// Levels and identifiers out of range are not stated.
	imported(t, s, market.FR, write(t, "odd.csv",
		coverageHead+row("-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7",
			"5,2147483647,NaN,LTE,bob@x.org,208,1,1048576,4294967296,268435456,504")+row("256001", "256999")))
	odd := all(t, s, market.FR)
	if len(odd) != 2 {
		t.Fatalf("points = %+v, want 2", odd) // one of them has nothing
	}
	// The greatest PCI of NR has four digits.
	imported(t, s, market.FR, write(t, "nr.csv",
		coverageHead+"a,2026-03-05T10:03:00Z,45.5,4.25,,,,NR,,208,1,,70000,,1007\nb,2026-03-05T10:03:00Z,45.5,4.25,,,,NR,,208,1,,70001,,1008\n"))
	pci := map[uint32]int{}
	for _, p := range all(t, s, market.FR) {
		pci[p.Radio.GNB] = p.Radio.PCI
	}
	if pci[70000] != 1007 || pci[70001] != -1 {
		t.Errorf("PCI of NR = %v, want 1007 and -1", pci)
	}
	if got := line(&odd[0]) + line(&odd[1]); !strings.Contains(got,
		"LTECELLULAR enb 0 gnb 0 cell 0 pci 7 -60 -80 - 12") {
		t.Errorf("got %v, want LTECELLULAR enb 0 gnb 0 cell 0 pci 7 -60 -80 - 12 in it", got)
	}
}

func TestBadSpeeds(t *testing.T) {
	good := "a,2026-03-05T10:03:00Z,45.5,4.25,100,80,110,20,15,208,1,CELLULAR,5G,phone,,1000,256001,7,-90,-9,12\n"
	text := testHead + good + strings.Replace(good, ",100,", ",-1,", 1) + strings.Replace(good, ",80,", ",NaN,",
		1) + strings.Replace(good, ",15,", ",-3,", 1) +
		strings.Replace(good, "100,80,110,20", ",,,", 1) + strings.Replace(good, ",100,", ",100000.001,",
		1) + strings.Replace(good, "phone", "bob@example.org", 1)
	s := openStore(t, t.TempDir())
	r := imported(t, s, market.FR, write(t, "bad.csv", text))[0]
	if r.Served != 2 || !maps.Equal(r.Rejected, map[string]int{badSpeed: 4, noSpeeds: 1}) {
		t.Errorf("%d served, rejected %v, want 2, and 4 bad speeds and 1 without", r.Served, r.Rejected)
	}
	got, _, err := s.Speedtests(Query{Market: market.FR, Limit: 5, Generations: []Generation{5}})
	if err != nil || len(got) != 2 || got[0].DeviceType+got[1].DeviceType != "phone" {
		t.Fatalf("speedtests = %+v, %v, want 2 with one device type", got, err)
	}
	if g := got[0]; g.Download != 100 || g.Average != 80 || g.Max != 110 || g.Upload != 20 || g.Ping != 15 ||
		g.Technology != "5G" || g.NetworkType != "CELLULAR" ||
		g.Radio != (Radio{GNB: 1000, Cell: 256001, PCI: 7, RSRP: -90, RSRQ: -9, SNR: 12}) ||
		g.Position != (geo.Point{Lat: 45.5, Lng: 4.25}) {
		t.Errorf("speedtest = %+v, want the values of its row", g)
	}
}

// Files that are not a whole table of measurements change nothing.
func TestBadFiles(t *testing.T) {
	s := openStore(t, t.TempDir())
	good := write(t, "good.csv",
		coverageHead+"a,2026-03-05T10:03:00Z,45.5,4.25,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\n")
	for _, tt := range []struct {
		name, text, says string
		kind             Kind
	}{
		{"empty", "", "x.csv:1", Sniffed},
		{"HTML", "<!DOCTYPE html>\n<html><body>Sign in, please</body></html>\n", "x.csv:1", Sniffed},
		{"header only", coverageHead, "x.csv:1: the table has a header and no row", Sniffed},
		{"half a row", coverageHead +
			"a,2026-03-05T10:03:00Z,45.5,4.25,-60,-80,12,LTE,CELLULAR,208,1,1000,,256001,7\nb,2026-03-0", "x.csv:3",
			Sniffed},
		{"another table", "id;adm_lb_nom;sup_id\n1;ORANGE;2\n", "x.csv:1", Sniffed},
		{"not of the kind", coverageHead + "a\n", "no speedtests", Speedtest},
		{"binary", "\x00\x01\x02\xff\xfe", "x.csv:1", Sniffed},
	} {
		_, err := s.Import(context.Background(), market.FR, Options{Kind: tt.kind}, good, write(t, "x.csv", tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.says) || len(s.Segments()) != 0 {
			t.Errorf("%s: error = %v with %d segments, want an error and none", tt.name, err, len(s.Segments()))
		}
		if !isOfFile(err) {
			t.Errorf("%s: %v, want an error of the file", tt.name, err)
		}
	}
	if _, err := s.Import(context.Background(), "XX", Options{}, good); err == nil {
		t.Error("Import() into an unknown market = nil, want an error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Import(ctx, market.FR, Options{}, good); !errors.Is(err, context.Canceled) {
		t.Errorf("Import() = %v, want context.Canceled", err)
	}
	gone := filepath.Join(t.TempDir(), "gone.csv")
	if _, err := s.Import(context.Background(), market.FR, Options{}, gone); !errors.Is(err, fs.ErrNotExist) || isOfFile(err) {
		t.Errorf("Import() = %v, want fs.ErrNotExist, which says nothing of a file", err)
	}
	if names, err := segmentFiles(s.dir); err != nil || len(names) > 0 {
		t.Errorf("files = %v, %v, want none", names, err)
	}
	must(t, s.db.Close())
	if _, err := s.Import(context.Background(), market.FR, Options{}, good); err == nil || isOfFile(err) {
		t.Errorf("Import() = %v, want an error of the closed database", err)
	}
}

func isOfFile(err error) bool {
	_, ok := errors.AsType[*FileError](err)
	return ok
}

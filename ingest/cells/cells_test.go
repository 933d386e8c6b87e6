package cells

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/geo"
	"relais/ingest/source"
	"relais/ingest/source/sourcetest"
	"relais/internal/filetest"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

const metre = 1 / 111195.0 // in degrees of latitude

// add adds a site with an operator for each key.
func add(t testing.TB, b *snapshot.Builder, id string, p geo.Point, radio []site.RadioID, keys ...string) {
	t.Helper()
	s := site.Site{ID: id, Position: p, Area: -1, Height: site.Unknown, AntennaHeight: site.Unknown, Radio: radio}
	for _, key := range keys {
		i, ok := market.Get(b.Market).Operator(key)
		if !ok {
			t.Fatalf("%s has no operator %s; want ok", b.Market, key)
		}
		s.Stations = append(s.Stations, site.Station{Operator: i})
	}
	if err := b.Add(&s); err != nil {
		t.Fatal(err)
	}
}

func builder(c market.Code) *snapshot.Builder { return snapshot.NewBuilder(market.Get(c), nil) }

// detect writes a text into a file and finds out what it is.
func detect(t testing.TB, name, text string) source.Found {
	t.Helper()
	return sourcetest.Detect(t, filetest.New(t, name, text), Kinds)
}

func attach(t testing.TB, builders []*snapshot.Builder, files ...source.Found) []*source.Report {
	t.Helper()
	reports, err := Attach(files, builders, nil)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.WantAccounted(t, reports...)
	return reports
}

// radio lists a site's identifiers as kind operator value.
func radio(b *snapshot.Builder, i int) string {
	var list []string
	b.RadioIDs(i, func(r site.RadioID) {
		list = append(list, fmt.Sprint(r.Kind, " ", b.Operators[r.Operator], " ", r.Value))
	})
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// Each format, in the layout that its app writes, gives the same two cells of Swisscom to the same site. Layouts are
// those of: OpenCelliD's country files of 2019 and 2026; Tower Collector's CsvExportFormatter and CsvUploadFormatter
// (zamojski/TowerCollector); the header of an export of G-MoN Pro; CellMapper's exports; a log of Network Survey 1.43
// and its NrCsvLogger (christianrowlands/android-network-survey); CsvExporter of mjaakko/NeoStumbler; toNTM,
// toNetmonitor and toCLF40 of btsearch/btsearch (apps/server/src/utils/clf-export.ts).
func TestFormats(t *testing.T) {
	const lteAndNR = "cell SWISSCOM_CH 25700, cell SWISSCOM_CH 68719476735, enb SWISSCOM_CH 100, pci SWISSCOM_CH 1007, pci SWISSCOM_CH 12"
	const onlyLTE = "cell SWISSCOM_CH 25700, enb SWISSCOM_CH 100, pci SWISSCOM_CH 12"
	tower := "mcc,mnc,lac,cell_id,short_cell_id,rnc,psc,asu,dbm,ta,lat,lon,accuracy,speed,bearing,altitude,measured_at,net_type,neighboring,discovered_at,device,rsrp,rsrq,rssi,rssnr,cqi,rscp,csi_rsrp,csi_rsrq,csi_sinr,ss_rsrp,ss_rsrq,ss_sinr,cdma_dbm,cdma_ecio,evdo_dbm,evdo_ecio,evdo_snr,ec_no,arfcn\r\n"
	towerRow := func(cell, net, neighbour string) string {
		return `228,1,9,` + cell + `,,,,,-90,,47.0,8.0,5,0,0,400,"2025-01-01T10:00:00Z",` + net + `,` + neighbour +
			`,"2025-01-01T10:00:00Z",Phone,-90` + strings.Repeat(",", 18) + "\r\n"
	}
	gmon := "PLMN;SYSTEM;XCI;xNBID;LOCAL_CID;LAC/TAC;PCI/PSC/BSIC;ARFCN;BAND;RSSI;RSRP/RSCP;RSRQ/ECIO;SNR;CQI;TA;DISTANCE;DELTA_AZI;LAT;LON;SPEED;GPS_ACCURACY;UL;DL;BANDWIDTH;BANDWIDTHS;CA;NR_STATE;NARFCN;NR_BAND;NR_PCI;NR_SS_RSRP;NR_SS_RSRQ;NR_SS_SINR;NR_CSI_RSRP;NR_CSI_RSRQ;NR_CSI_SINR;CLF_LABEL;CLF_LOC;CLF_DESC;DATE;TIME;ROAMING\n"
	gmonRow := func(system, cell, node, pci string) string {
		return "22801;" + system + ";" + cell + ";" + node + ";;1;" + pci + ";;;;;;;;;;;47.0;8.0" + strings.Repeat(";",
			23) + "\n"
	}
	const surveyed = "# Created by Network Survey version=1.43-cdr\n# CSV Version=0.4.0\n" +
		"deviceTime,latitude,longitude,altitude,speed,accuracy,missionId,recordNumber,groupNumber,mcc,mnc,tac,"
	survey := func(rows ...string) string {
		return surveyed + "eci,earfcn,pci,rsrp,rsrq,ta,servingCell,lteBandwidth,provider,signalStrength,cqi,slot,snr," +
			"deviceSerialNumber,locationAge\n" + strings.Join(rows, "\n") + "\n"
	}
	for _, tt := range []struct{ name, kind, text, want, rejected string }{
		{"opencellid", "cells-opencellid",
			"radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal\n" +
				"LTE,228,1,9,25700,12,8.0,47.0,1000,5,1,1309988245,1443599522,0\nNR,228,1,9,68719476735,1007,8.0,47.0,1000,5,1,1309988245,1443599522,0\n", lteAndNR, "map[]"},
		{"opencellid without header", "cells-opencellid",
			"GSM,228,1,9,25701,0,8.0,47.0,1000,5,1,1,1,0\r\nLTE,228,01,9,25700,-1,8.0,47.0,1000,5,1,1,1,0\r\nLTE,228,1,9,25700,12,8.0,47.0,1000,5,1,1,1,0\r\n", onlyLTE,
			"map[no identifier that can be looked up:1]"},
		{"towercollector", "cells-towercollector",
			tower + towerRow("25700", "LTE", "false") + towerRow("25956", "LTE", "true") + towerRow("68719476735", "NR",
				"false"),
			"cell SWISSCOM_CH 25700, cell SWISSCOM_CH 68719476735, enb SWISSCOM_CH 100",
			"map[a neighbour of the cell that serves:1]"},
		{"gmon", "cells-gmon", gmon + gmonRow("LTE", "25700", "100", "12") + gmonRow("5G SA", "68719476735", "",
			"1007") + gmonRow("LTE", "25700", "101", "12") + gmonRow("GSM", "257", "", "1"),
			lteAndNR, "map[no identifier that can be looked up:1 the cell is not the base station's:1]"},
		{"cellmapper", "cells-cellmapper",
			"47.0,8.0,400,228,01,9,25700,-90,LTE,LTE,1300,12\n47.0,8.0,400,228,01,9,68719476735,-90,NR,NR,1300,1007\n",
			lteAndNR, "map[]"},
		{"networksurvey", "cells-networksurvey-lte",
			survey("2025-10-10T13:58:27.603261-04:00,47.0,8.0,15.58,0,22,NS 1 2,1,2,228,1,310,25700,750,12,-112.0,-9.0,39,true,MHZ_10,Swisscom,-61.0,11,,-1.0,1234abc,4916",
				"2025-10-10T13:58:27.603261-04:00,47.0,8.0,15.58,0,22,NS 1 2,2,2,228,1,310,25956,750,13,-115.0,-9.0,39,false,MHZ_10,Swisscom,-61.0,11,,-1.0,1234abc,4916"),
			onlyLTE, "map[a neighbour of the cell that serves:1]"},
		{"networksurvey nr", "cells-networksurvey-nr",
			surveyed + "nci,narfcn,pci,ssRsrp,ssRsrq,ssSinr,csiRsrp,csiRsrq,csiSinr,ta,servingCell,provider,slot,deviceSerialNumber\n" +
				"2025-10-10T13:58:27.603261-04:00,47.0,8.0,15.58,0,22,NS 1 2,1,2,228,1,310,68719476735,640000,1007,-99,-11,3,,,,,true,Swisscom,,1234abc\n",
			"cell SWISSCOM_CH 68719476735, pci SWISSCOM_CH 1007", "map[]"},
		{"neostumbler", "cells-neostumbler",
			"timestamp,latitude,longitude,locationAccuracy,locationAge,speed,cellId,radioType,mcc,mnc,lac,psc,signalStrength,asu,arfcn,cellScanAge\r\n" +
				"1760104707603,47.0,8.0,12.5,1000,0.0,25700,lte,228,01,9,12,-90,50,1300,800\r\n" +
				"1760104707603,47.0,8.0,12.5,1000,0.0,68719476735,nr,228,01,9,1007,-90,,640000,800\r\n" +
				"1760104707603,47.0,8.0,12.5,1000,0.0,17,gsm,228,01,9,,-90,11,,800\r\n",
			lteAndNR, "map[no identifier that can be looked up:1]"},
		{"towercollector upload", "cells-towercollector-upload",
			"lat,lon,mcc,mnc,sid,lac,tac,nid,cellid,bid,psc,pci,signal,ta,measured_at,rating,speed,direction,act,devn\n" +
				"47.0,8.0,228,1,,,9,,25700,,,12,-90,,\"2026-11-01 10:00:00.000Z\",5,0,0,LTE,\"Phone\"\n" +
				"47.0,8.0,228,1,,,9,,68719476735,,,1007,-90,,\"2026-11-01 10:00:00.000Z\",5,0,0,NR,\"Phone\"\n",
			lteAndNR, "map[]"},
		{"netmonitor", "cells-netmonitor",
			"G;228;01;9;17;;;47.0;8.0;100;GSM900\nW;228;01;9;786432;;;47.0;8.0;100;U900\n" +
				"L;228;01;9;25700;12;1300;47.0;8.0;100;LTE1800\nN;228;01;9;68719476735;1007;643296;47.0;8.0;100;n78\n",
			lteAndNR, "map[no identifier that can be looked up:2]"},
		{"clf 4.0", "cells-clf4",
			"22801;00017;00009;0;47;8;-1;Bern [G900];1;B_17;0;0;0;0;0;B\n22801;25700;00009;0;47;8;-1;Bern [eNBI:100:100];4;B_25700;0;0;0;0;0;B\n" +
				"22801;68719476735;00009;0;47;8;-1;Bern [NR n78];5;B_68719476735;0;0;0;0;0;B\n22801;25701;00009;0;0;0;0;Bern;4;B_25701;0;0;0;0;0;B\n",
			"cell SWISSCOM_CH 25700, cell SWISSCOM_CH 68719476735, enb SWISSCOM_CH 100",
			"map[no identifier that can be looked up:1 position unknown:1]"},
		{"netmonster", "cells-netmonster",
			"2G;228;01;17;9;2147483647;2147483647;47.0;8.0;Bern [G900];2147483647\n" +
				"4G;228;01;100;9;100;12;47.0;8.0;Bern [eNBI:100:100];1300\n5G;228;01;68719476735;9;;1007;47.0;8.0;Bern [NR n78:1007];643296\n",
			lteAndNR, "map[no identifier that can be looked up:1]"},
		{"netmonster, the first and the last cell of an eNB, and one of another", "cells-netmonster",
			"4G;228;01;0;9;100;2147483647;47.0;8.0;Bern;1300\n4G;228;01;255;9;100;2147483647;47.0;8.0;Bern;1300\n" +
				"4G;228;01;25956;9;100;2147483647;47.0;8.0;Bern;1300\n4G;228;01;2147483647;9;102;2147483647;47.0;8.0;Bern;1300\n",
			"cell SWISSCOM_CH 25600, cell SWISSCOM_CH 25855, enb SWISSCOM_CH 100, enb SWISSCOM_CH 102", "map[value out of range:1]"},
	} {
		b := builder(market.CH)
		add(t, b, "a", geo.Point{Lat: 47, Lng: 8}, nil, "SWISSCOM_CH")
		f := detect(t, "f.txt", tt.text)
		r := attach(t, []*snapshot.Builder{b}, f)[0]
		if got := radio(b, 0); got != tt.want || f.Kind.Name != tt.kind || fmt.Sprint(r.Rejected) != tt.rejected ||
			b.Enriched[snapshot.RadioIDs] != 1 {
			t.Errorf("%s: %s, rejected %v, enriched %v: %s, want %s", tt.name, f.Kind.Name, r.Rejected, b.Enriched, got,
				tt.want)
		}
	}
}

// northOf is a position that many metres north of the site a.
func northOf(metres float64) string { return fmt.Sprintf("8.0,%.7f", 47+metres*metre) }

// rowReasons are rows, and why they are rejected: "" for those that are served.
var rowReasons = map[string]string{
	"LTE,228,1,9,25700,12," + northOf(100):               "",
	"LTE,228,1,9,25701,504," + northOf(-100):             "",
	"LTE,228,2,9,25700,12," + northOf(0):                 noSite,       // Sunrise stands 400 m away
	"LTE,228,2,9,25702,12," + northOf(101):               "",           // 299 m
	"LTE,228,2,9,25703,12," + northOf(99):                noSite,       // 301 m
	"LTE,228,3,9,25700,12," + northOf(0):                 severalSites, // Salt
	"LTE,228,51,9,25700,12," + northOf(0):                "unknown network",
	"LTE,270,1,9,25700,12," + northOf(0):                 "unknown network",
	"LTE,,1,9,25700,12," + northOf(0):                    "unknown network",
	"LTE,228,-1,9,25700,12," + northOf(0):                "unknown network",
	"LTE,208,1,9,25700,12," + northOf(0):                 "network of another market",
	"GSM,228,1,9,25700,12," + northOf(0):                 "no identifier that can be looked up",
	"UMTS,228,1,9,25700,12," + northOf(0):                "no identifier that can be looked up",
	"6G,228,1,9,25700,12," + northOf(0):                  "no identifier that can be looked up",
	"LTE,228,1,9,-1,12," + northOf(0):                    "no cell identifier",
	"LTE,228,1,9,0,12," + northOf(0):                     "no cell identifier",
	"LTE,228,1,9,1,12," + northOf(0):                     "no cell identifier",
	"LTE,228,1,9,,12," + northOf(0):                      "no cell identifier",
	"LTE,228,1,9,000000,12," + northOf(0):                "no cell identifier",
	"NR,228,1,9,9223372036854775807,12," + northOf(0):    "no cell identifier",
	"NR,228,1,9,1,12," + northOf(0):                      "no cell identifier",
	"NR,228,1,9,68719476736,12," + northOf(0):            "value out of range", // 2^36
	"LTE,228,1,9,268435456,12," + northOf(0):             "value out of range", // 2^28
	"LTE,228,1,9,255,12," + northOf(0):                   "value out of range",
	"LTE,228,1,9,0x6464,12," + northOf(0):                "value out of range",
	"LTE,228,1,9,99999999999999999999,12," + northOf(0):  "value out of range",
	"LTE,228,1,9,-25700,12," + northOf(0):                "value out of range",
	"LTE,228,1,9,25710,12,,":                             "position unknown",
	"LTE,228,1,9,25710,12,0,0":                           "position unknown",
	"LTE,228,1,9,25710,12,NaN,NaN":                       "position unknown",
	"LTE,228,1,9,25710,12,Inf,47":                        "position unknown",
	"LTE,228,1,9,25710,12,8.0,91":                        "position unknown",
	"LTE,228,1,9,25710,12,1e1,47":                        "position unknown",
	"LTE,228,1,9,25710,12,47.0,8.0":                      "outside the market",
	"LTE,228,1,9,26000,12," + northOf(-3000):             "", // near the site b, the first of them
	"LTE,228,3,9,25800,12," + northOf(-3000):             "the inventory names another site",
	"LTE,228,3,9,25801,12," + northOf(-3000):             "the inventory names another site", // of the same eNB
	"NR,228,3,9,25801,12," + northOf(-3000):              "",
	"LTE,228,3,9,26000,12," + northOf(-3000):             "",
	"LTE,228,3,9,51200,12," + northOf(-3000):             "seen near several sites",
	"LTE,228,3,9,51200,12," + northOf(-6000):             "seen near several sites",
	"LTE,228,3,9,26001,12," + northOf(-6000):             "", // but its eNB is neither's
	"LTE,228,3,9,26001,12," + northOf(-6000) + " ,x,y,z": "wrong number of columns",
}

// A row for each way in which a cell can be of no use, and a reason for each.
func TestReasons(t *testing.T) {
	b := builder(market.CH)
	salt, _ := market.Get(market.CH).Operator("SALT_CH")
	for _, s := range []struct {
		id     string
		metres float64
		key    string
		radio  []site.RadioID
	}{
		{"a", 0, "SWISSCOM_CH", nil}, {"sunrise", 400, "SUNRISE_CH", nil}, {"salt1", 250, "SALT_CH", nil},
		{"salt2", -250, "SALT_CH", nil},
		{"b", -3000, "SWISSCOM_CH", nil}, {"salt3", -3000, "SALT_CH", nil},
		{"salt4", -6000, "SALT_CH", nil},
		{"salt5", -9000, "SALT_CH",
			[]site.RadioID{{Kind: site.Cell, Operator: salt, Value: 25800},
				{Kind: site.ENB, Operator: salt, Value: 100}}},
	} {
		add(t, b, s.id, geo.Point{Lat: 47 + s.metres*metre, Lng: 8}, s.radio, s.key)
	}
	var text strings.Builder
	want := map[string]int{}
	for _, row := range slices.Sorted(maps.Keys(rowReasons)) {
		fmt.Fprintf(&text, "%s,1000,5,1,1309988245,1443599522,0\n", row)
		if rowReasons[row] != "" {
			want[rowReasons[row]]++
		}
	}
	r := attach(t, []*snapshot.Builder{b},
		detect(t, "cells.csv",
			"radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal\n"+
				text.String()))[0]
	if !maps.Equal(r.Rejected, want) || r.Rows != len(rowReasons) {
		t.Errorf("rejected %v of %d\nwant     %v of %d", r.Rejected, r.Rows, want, len(rowReasons))
	}
	for _, tt := range []struct {
		i    int
		want string
	}{
		{0, "cell SWISSCOM_CH 25700, cell SWISSCOM_CH 25701, enb SWISSCOM_CH 100, pci SWISSCOM_CH 12"},
		{1, "cell SUNRISE_CH 25702, enb SUNRISE_CH 100, pci SUNRISE_CH 12"},
		{2, ""}, {3, ""},
		{4, "cell SWISSCOM_CH 26000, enb SWISSCOM_CH 101, pci SWISSCOM_CH 12"},
		{5, "cell SALT_CH 25801, cell SALT_CH 26000, pci SALT_CH 12"},
		{6, "cell SALT_CH 26001, pci SALT_CH 12"},
		{7, "cell SALT_CH 25800, enb SALT_CH 100"},
	} {
		if got := radio(b, tt.i); got != tt.want {
			t.Errorf("site %d: %s, want %s", tt.i, got, tt.want)
		}
	}
}

// Tables that are known and not read are named, with what to do. Their layouts: GsmCsvConstants and UmtsCsvConstants
// of christianrowlands/android-network-survey, WiGLE's page on its CSV, toCLF20, toCLF21 and toCLF30 of btsearch.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"gsm", "# CSV Version=0.2.0\ndeviceTime,latitude,longitude,altitude,speed,accuracy,missionId,recordNumber,groupNumber,mcc,mnc,lac,ci,arfcn,bsic,signalStrength,ta,servingCell,provider,slot,deviceSerialNumber\n" +
			"2026-05-01T10:00:00Z,44.19,3.21,10,0,5,m,1,1,208,1,1234,12345,20,10,-75,1,true,Made,0,made\n", "a log of GSM"},
		{"umts", "# CSV Version=0.2.0\ndeviceTime,latitude,longitude,altitude,speed,accuracy,missionId,recordNumber,groupNumber,mcc,mnc,lac,cid,uarfcn,psc,rscp,signalStrength,servingCell,provider,slot,deviceSerialNumber\n" +
			"2026-05-01T10:00:00Z,44.19,3.21,10,0,5,m,1,1,208,1,1234,12345,10836,10,-75,-75,true,Made,0,made\n", "a log of UMTS"},
		{"wigle", "WigleWifi-1.6,appRelease=2.78,model=made,release=14,device=made,display=made,board=made,brand=made,star=Sol,body=3,subBody=0\n" +
			"MAC,SSID,AuthMode,FirstSeen,Channel,Frequency,RSSI,CurrentLatitude,CurrentLongitude,AltitudeMeters,AccuracyMeters,RCOIs,MfgrId,Type\n", "a file of WiGLE"},
		{"clf 2.0", "A93FB7E020810\tMade, rue 0\n59E5D00CED120820\tMade, rue 1\n", "CLF 2"},
		{"clf 2.1", "433274707220810\tMade, rue 0\n942645765294520820\tMade, rue 1\n", "CLF 2"},
		{"clf 3.0", "20810;43327;47072;01490;46.2304531;0.4914391;-1;Made, rue 0;0\n", "CLF 3"},
		{"clf 3.0, hexadecimal", "20820;0x59E5D00;0xCED1;0x0000;47.6494074;2.7882136;-1;Made, rue 1;0\n", "CLF 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filetest.New(t, "f.txt", tt.text)
			f, err := source.Detect(&source.Input{Path: path}, slices.Concat(Kinds, Refused))
			if err != nil || f.Refusal() == nil || !strings.Contains(f.Refusal().Error(), "f.txt:1: a ") ||
				!strings.Contains(f.Refusal().Error(), tt.want) {
				t.Errorf("refusal %v, error %v; want one of %s", f.Refusal(), err, tt.want)
			}
		})
	}
}

// A table is recognised by most of its rows: the first one may be odd, as one with a PCI out of range.
func TestOddFirstRow(t *testing.T) {
	detect(t, "cells.csv", "LTE,228,1,9,25700,65535,8.0,47.0,1000,5,1,1309988245,1443599522,0\n"+
		strings.Repeat("LTE,228,1,9,25700,12,8.0,47.0,1000,5,1,1309988245,1443599522,0\n", 2))
}

// Two stray quotes leave the number of fields and would move a device's number into a
// column that is kept, and neither does a column that nobody knows.
func TestPersonalDataBehindStrayQuotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "survey.csv")
	text := "deviceTime,missionId,deviceSerialNumber,mcc,mnc,eci,pci,latitude,longitude,servingCell,userId\n" +
		"t,m,serial-1,228,1,25700,12,47.0,8.0,true,user-1\n" +
		"t,\"\"m, n\",serial-2,\"228,1\",25700,12,47.0,8.0,true,user-2\n"
	filetest.Write(t, path, text)
	f, err := source.Detect(&source.Input{Path: path}, Kinds)
	if err != nil || f.Kind == nil {
		t.Fatalf("kind %v, error %v; want no error, f.Kind != nil", f.Kind, err)
	}
	var kept strings.Builder
	if err := f.CopyTo(&kept, nil); err != nil || strings.Contains(kept.String(), "serial") ||
		strings.Contains(kept.String(), "user-") || !strings.Contains(kept.String(), "25700") {
		t.Errorf(`%v, kept %q; want no error, kept.String() without "serial", kept.String() without "user-", `+
			`kept.String() with "25700"`, err, kept.String())
	}
}

package measure

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"relais/ingest/cells"
)

// logged reads a log and writes its rows.
func logged(t *testing.T, data []byte, rows int) (Log, []cells.Row, error) {
	t.Helper()
	var all []cells.Row
	now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	log, err := ReadLog(t.Context(), data, 1<<20, rows, now, func(r cells.Row) { all = append(all, r) })
	return log, all, err
}

const (
	// By toNetmonitor of btsearch/btsearch (clf-export.ts).
	netmonitorRows = "G;208;01;9;17;;;47.0;4.0;100;GSM900\nL;208;01;9;256001;12;1300;47.0;4.0;100;LTE1800\n"
	// By CsvExporter of mjaakko/NeoStumbler.
	neoStumbler = "timestamp,latitude,longitude,locationAccuracy,locationAge,speed,cellId,radioType,mcc,mnc,lac,psc,signalStrength,asu,arfcn,cellScanAge\r\n" +
		"1760000000123,45.5,4.25,12.5,1000,0.0,256001,lte,208,20,12,301,-88,52,1300,800\r\n"
	// The project's own export.
	ownRows = "id,timestamp,lat,lng,signal_strength,rsrp,snr,technology,network_type,mcc,mnc,enb,gnb,cell_id,pci\n" +
		"cp0,2026-03-05T10:03:00Z,45.5,4.25,-60,-80.5,12,LTE,cellular,208,1,1000,,256001,0\n" +
		"cp1,2026-03-05T10:03:00Z,46.95,7.45,-60,-80.5,12,NR,cellular,228,1,1000,70000,,0\n" +
		"cp2,2026-03-05T10:03:00Z,46.95,7.45,-60,-80.5,12,LTE,cellular,310,260,1000,,256001,0\n"
)

func TestReadLog(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	wifis := "timestamp,latitude,longitude,macAddress\r\n1,2,3,4\r\n"
	for _, member := range [][2]string{{"cells.csv", neoStumbler}, {"wifis.csv", wifis}} {
		w, err := z.Create(member[0])
		if err == nil {
			_, err = io.WriteString(w, member[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	for _, tt := range []struct {
		name, text string
		rows       int
		want       string // of the log and its rows
	}{
		{"a table that ingest alone reads", netmonitorRows, 9, "[cells-netmonitor] 2 1 false: 20801 0/256001"},
		{"an archive of several tables", archive.String(), 9, "[cells-neostumbler] 1 1 false: 20820 0/256001"},
		{"a table of measurements, in two markets", ownRows, 9, "[coverage] 3 3 false: 20801 1000/256001 22801 1000/0 22801 70000/0"},
		{"too many rows", ownRows, 1, "[coverage] 1 1 true: 20801 1000/256001"},
		{"too many rows of cells", netmonitorRows + netmonitorRows, 2, "[cells-netmonitor] 2 1 true: 20801 0/256001"},
		{"no cell of 4G or 5G in the first rows", netmonitorRows, 1, "[cells-netmonitor] 1 0 true:"},
		{"as many rows as are read", neoStumbler, 1, "[cells-neostumbler] 1 1 false: 20820 0/256001"},
		{"an archive of several tables: one is read", archive.String(), 1,
			"[cells-neostumbler] 1 1 true: 20820 0/256001"},
		{"broken rows", netmonitorRows + strings.Repeat("L;208\n", 4), 3, "[cells-netmonitor] 3 1 true: 20801 0/256001"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log, rows, err := logged(t, []byte(tt.text), tt.rows)
			got := fmt.Sprintf("%v %d %d %v:", log.Tables, log.Rows, log.Served, log.Cut)
			for _, r := range rows {
				got += fmt.Sprintf(" %s %d/%d", r.PLMN, r.Cell.Node, r.Cell.ID)
			}
			if err != nil || got != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// What an archive unpacks to counts together, and nothing is read for a request that ended.
func TestReadLogBounds(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range []string{"a.csv", "b.csv"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, ownRows)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	ctx, end := context.WithCancel(t.Context())
	read := func() (Log, error) {
		return ReadLog(ctx, archive.Bytes(), 3*int64(len(ownRows)), 100, time.Now(), func(cells.Row) {})
	}
	if log, err := read(); err != nil || len(log.Tables) != 1 || log.Rows != 3 || !log.Cut {
		t.Errorf("%v, %v; want one table, cut", log, err)
	}
	end()
	if _, err := read(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the end of the request", err)
	}
}

func TestReadNoLog(t *testing.T) {
	gsm := "# CSV Version=0.2.0\ndeviceTime,latitude,longitude,altitude,speed,accuracy,missionId,recordNumber,groupNumber,mcc,mnc,lac,ci,arfcn,bsic,signalStrength,ta,servingCell,provider,slot,deviceSerialNumber\n" +
		"2026-05-01T10:00:00Z,44.1927778,3.2111111,10,0,5,m,1,1,208,1,1234,12345,20,10,-75,1,true,Made,0,made\n"
	for _, tt := range []struct {
		name, text string
		refused    string // the kind, "" for ErrNoLog
	}{
		{"a log of GSM, by Network Survey", gsm, "networksurvey-gsm"},
		{"WiGLE", "WigleWifi-1.6,appRelease=2\n", "wigle"},
		{"another table", "id;adm_lb_nom;sup_id\n1;ORANGE;2\n", ""},
		{"HTML", "<!DOCTYPE html>\n<html><body>Sign in, please</body></html>\n", ""},
		{"binary", "\x00\x01\x02\xff\xfe", ""},
		{"a header alone", ownRows[:strings.IndexByte(ownRows, '\n')+1], ""},
		{"half of an archive", "PK\x03\x04 and no more", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, rows, err := logged(t, []byte(tt.text), 9)
			refused, ok := errors.AsType[*RefusedError](err)
			if len(rows) > 0 || ok != (tt.refused != "") || ok && refused.Table != tt.refused || !ok && err != ErrNoLog {
				t.Errorf("%d rows, %v; want %q", len(rows), err, tt.refused)
			}
		})
	}
}

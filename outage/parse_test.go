package outage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/market"
)

const header = "code_site_op;Antenne relais gérée par %s;region;departement;commune;code_insee;Lat;Lon;2Gvoix;3Gvoix;4Gvoix;3Gdata;4Gdata;5Gdata;voix;data;raison;detail;debut;fin_prev\n"

// rowOf is a row under header, in the middle of France.
func rowOf(code string) string {
	return code + ";OUI;AURA;63;CLERMONT;63113;45.77;3.08;HS;HS;HS;HS;HS;NE;HS;HS;Incident;panne;2026-08-20 06:10:00;2026-08-21 18:00:00\n"
}

func parse(t *testing.T, code market.Code, operator, text string) ([]*Entry, *source.Report, error) {
	t.Helper()
	p, err := newParser(market.Get(code), operator)
	must(t, err)
	report := &source.Report{Path: "f.csv", Rejected: map[string]int{}}
	err = p.read(context.Background(), strings.NewReader(text), "f.csv", report)
	return p.entries, report, err
}

// latin1 writes a text as a program of the last century would.
func latin1(text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

func written(at any) string { return fmt.Sprint(at) }

var orangeList = "Liste des antennes provisoirement hors service;;;\r\nMise à jour le 20/08/2026\r\n" +
	"code_site_op;op_leader;departement;commune;code_insee;Latitude;Longitude;Service Voix / SMS 2G;voix;data;raison;debut_interruption_voix;fin_interruption_voix;debut_interruption_data;fin_interruption_data;IMEI\r\n" +
	"00000001R1;OUI;Puy-de-Dôme;Orléat;63265;45,862;3,42;HS;HS;OK;Incident;20/08/2026 06:10:00;21/08/2026;19/08/2026 23:00:00;20/08/2026;359\r\n"

var variants = []struct {
	name     string
	operator string
	text     string
	check    func(e *Entry) string
	want     string
}{
	{"titles, CRLF, Latin-1, decimal commas, a name for a department", "ORANGE", latin1(orangeList),
		func(e *Entry) string {
			return fmt.Sprint(e.Code, e.Lat, e.Lng, e.Commune, e.Area, e.Department, *e.Managed, e.Services.Voice2G)
		}, "00000001R145.8623.42Orléat63Puy-de-Dômetrue HS"},
	{"voice and data of their own times; a last day is whole; summer time", "ORANGE", orangeList,
		func(e *Entry) string { return written(e.Start) + " " + written(e.End) },
		"2026-08-19 21:00:00 +0000 UTC 2026-08-21 21:59:59 +0000 UTC"},
	{"their raw row", "ORANGE", orangeList,
		func(e *Entry) string {
			r := e.Raw()
			return r["debut"] + " " + r["fin_prev"] + " " + r["Lat"] + r["region"]
		},
		"2026-08-19 23:00:00 2026-08-21 23:59:59 45,862"},
	{"SFR's old names: the latitude is X", "SFR",
		"Sites hors services\n\n\ncode_site_op;Departement;code_insee_commune;Commune;X_WGS84_GPS;Y_WGS84_GPS;Voix/SMS;internet mobile;debut;fin\n10235;63;63113;Clermont;45.77;3.08;HS;OK;2026-01-20 06:10;\n",
		func(e *Entry) string {
			return fmt.Sprint(e.Lat, e.Lng, e.Services.Voice, e.Services.VoiceSMS, e.Services.Data, e.INSEE,
				e.Start, e.End, e.Managed)
		}, "45.77 3.08 HS HS OK 63113 2026-01-20 05:10:00 +0000 UTC <nil> <nil>"},
	{"Bouygues' names, commas and quotes", "BOUYGUES",
		"\ufeff\"Code SI\",\"Région\",\"Département\",\"Commune\",\"Code INSEE\",\"Lat\",\"Lon\",\"voix\",\"data\",\"détail\",\"début\"\n\"T10008\",\"Île-de-France\",\"1\",\"Bourg, en Bresse\",\"1053\",\"46.2\",\"5.22\",\"ok\",\"DE\",\"x\",\"2026-08-20T06:10:00+02:00\"\n",
		func(e *Entry) string {
			return fmt.Sprint(e.Code, e.Region, e.Area, e.Commune, e.INSEE, e.Services.Voice, e.Services.Data,
				e.Detail, e.Start)
		}, "T10008Île-de-France01Bourg, en Bresse01053OKDEx2026-08-20 04:10:00 +0000 UTC"},
	{"Free's code_insee is a postal code", "FREE",
		fmt.Sprintf(header, "FREE") + strings.Replace(rowOf("2A004_ABC"), ";63113;45.77;3.08;",
			";20090;41.93;8.74;", 1),
		func(e *Entry) string { return e.INSEE + " " + e.Raw()["code_insee"] }, "2A004 20090"},
	{"UTF-8 and Latin-1 in one line", "SFR",
		fmt.Sprintf(header, "SFR") + strings.Replace(strings.Replace(rowOf("7"), "AURA", "Évry", 1), "CLERMONT",
			latin1("Orléat"), 1),
		func(e *Entry) string { return e.Region + e.Commune }, "ÉvryOrléat"},
	{"a day that does not exist", "SFR",
		fmt.Sprintf(header, "SFR") + strings.Replace(rowOf("7"), "2026-08-20 06:10:00", "2026-02-30", 1),
		func(e *Entry) string { return written(e.Start) + e.Raw()["debut"] }, "<nil>2026-02-30"},
	{"the end before the beginning",
		"SFR", fmt.Sprintf(header, "SFR") + strings.Replace(rowOf("7"), "2026-08-21", "2026-08-19", 1),
		func(e *Entry) string { return fmt.Sprint(e.Start, e.End, e.Raw()["fin_prev"]) },
		"2026-08-20 04:10:00 +0000 UTC<nil>2026-08-19 18:00:00"},
}

// Each operator's way of writing, as of different years.
func TestVariants(t *testing.T) {
	for _, c := range variants {
		entries, report, err := parse(t, market.FR, c.operator, c.text)
		if err != nil || len(entries) != 1 || report.Rows != 1 || report.Served != 1 {
			t.Errorf("%s: %d entries, %+v, %v, want 1, no error, Rows = 1 and Served = 1", c.name, len(entries),
				report, err)
			continue
		}
		if got := c.check(entries[0]); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		for _, cell := range entries[0].Cells.list() {
			if cell == "359" {
				t.Errorf("%s: a column that nobody asked for is kept", c.name)
			}
		}
	}
}

// Every key of the raw row of api.md is there, and no other.
func TestRawKeys(t *testing.T) {
	entries, _, err := parse(t, market.FR, "SFR", fmt.Sprintf(header, "SFR")+rowOf("7"))
	must(t, err)
	want := map[string]string{"code_site_op": "7", "Antenne relais gérée par SFR": "OUI", "region": "AURA",
		"departement": "63", "commune": "CLERMONT",
		"code_insee": "63113", "Lat": "45.77", "Lon": "3.08", "2Gvoix": "HS", "3Gvoix": "HS", "4Gvoix": "HS",
		"3Gdata": "HS", "4Gdata": "HS", "5Gdata": "NE",
		"voix": "HS", "data": "HS", "raison": "Incident", "detail": "panne", "debut": "2026-08-20 06:10:00",
		"fin_prev": "2026-08-21 18:00:00"}
	if got := entries[0].Raw(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	services, technologies := entries[0].Affected()
	if got := fmt.Sprintln(entries[0].Severity(), services, technologies); got != "down [data voice sms] [2g 3g 4g]\n" {
		t.Errorf("got %v, want %q", got, "down [data voice sms] [2g 3g 4g]\n")
	}
	entries[0].Services.Data3G = statusOK
	if entries[0].Severity() != Degraded {
		t.Error("a service is OK")
	}
}

// A site is down if the list says so of a service and of no service that it is OK. A row that states no status says
// neither.
func TestSeverity(t *testing.T) {
	const services = ";HS;HS;HS;HS;HS;NE;HS;HS;"
	for _, tt := range []struct {
		statuses     string
		want         Severity
		services     []string
		technologies []string
	}{
		{";;;;;;;;;", Degraded, []string{}, []string{}},
		{";NE;NE;NE;NE;NE;NE;NE;NE;", Degraded, []string{}, []string{}},
		{";NE;;-;null;NE;;NE;;", Degraded, []string{}, []string{}},
		{";KO;KO;KO;KO;KO;KO;KO;KO;", Degraded, []string{}, []string{}},
		{";OK;OK;OK;OK;OK;OK;OK;OK;", Degraded, []string{}, []string{}},
		{";NE;NE;NE;NE;NE;HS;NE;NE;", Down, []string{"data"}, []string{"5g"}},
		{";DE;;;;;;;;", Down, []string{"voice"}, []string{"2g"}},
		{";HS;HS;HS;HS;HS;HS;HS;OK;", Degraded, []string{"data", "voice", "sms"}, []string{"2g", "3g", "4g", "5g"}},
		{services, Down, []string{"data", "voice", "sms"}, []string{"2g", "3g", "4g"}},
	} {
		t.Run(tt.statuses, func(t *testing.T) {
			entries, report, err := parse(t, market.FR, "SFR", fmt.Sprintf(header, "SFR")+rowOf("1")+
				strings.Replace(rowOf("2"), services, tt.statuses, 1))
			if err != nil || len(entries) != 2 || report.Served != 2 {
				t.Fatalf("got %d entries, %+v, %v, want both rows", len(entries), report, err)
			}
			services, technologies := entries[1].Affected()
			if got := entries[1].Severity(); got != tt.want || !slices.Equal(services, tt.services) ||
				!slices.Equal(technologies, tt.technologies) {
				t.Errorf("got %s, %v, %v, want %s, %v, %v", got, services, technologies, tt.want, tt.services,
					tt.technologies)
			}
		})
	}
}

// What is left out of served rows is counted by column, and columns that nobody knows are named.
func TestLeftOut(t *testing.T) {
	row := func(code string, changes ...string) string {
		return strings.NewReplacer(changes...).Replace(rowOf(code))
	}
	const begins, ends = "2026-08-20 06:10:00", "2026-08-21 18:00:00"
	own := fmt.Sprintf(header, "SFR") + row("1", begins, "hier") + row("2", begins, "2026-02-30", ends, "demain") +
		row("3", begins, "1970-01-01 00:00:00") + row("4", ends, "2026-08-19") + row("5", ";NE;HS;HS;", ";NE;KO;HS;") +
		row("6", ";OUI;", ";SFR;") + row("7", begins, "", ends, "") + row("8", ";45.77;3.08;", ";0;0;", begins, "hier")
	for _, tt := range []struct{ name, operator, text, want string }{
		{"present form", "SFR", own, "debut: 3 values are not dates of this century and were left out; the first is on line 2; " +
			"fin_prev: 1 values are not dates of this century and were left out; the first is on line 3; " +
			"fin_prev: 1 values are not after the beginning and were left out; the first is on line 5; " +
			"voix: 1 values are not OK, HS, DE or NE and were left out; the first is on line 6; " +
			"Antenne relais gérée par SFR: 1 values are not OUI or NON and were left out; the first is on line 7"},
		{"Orange's own times, and a column that nobody knows", "ORANGE",
			strings.Replace(orangeList, "20/08/2026 06:10:00;21/08/2026;", "32/08/2026 06:10:00;21-08-26;", 1),
			"debut_interruption_voix: 1 values are not dates of this century and were left out; the first is on line 4; " +
				"fin_interruption_voix: 1 values are not dates of this century and were left out; the first is on line 4; " +
				"unknown columns: IMEI"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, report, err := parse(t, market.FR, tt.operator, tt.text); err != nil || report.Warning != tt.want {
				t.Errorf("got %+v, %v, want the warning\n%s", report, err, tt.want)
			}
		})
	}
}

// Rows are served or rejected; other lines are not counted.
func TestServedAndRejectedRows(t *testing.T) {
	text := "Antennes\n" + fmt.Sprintf(header, "SFR") + rowOf("1") + rowOf("1") +
		strings.Replace(rowOf("2"), ";45.77;3.08;", ";;;", 1) +
		strings.Replace(rowOf("3"), ";45.77;", ";45°46;", 1) +
		strings.Replace(rowOf("4"), ";45.77;3.08;", ";-20.9;55.5;", 1) +
		strings.Replace(rowOf("5"), ";45.77;3.08;", ";0;0;", 1) +
		rowOf("") + "\"77;x\n" + strings.Repeat("x", 1<<17) + "\n" + "6;OUI;AURA\nPUY DE DÔME;OUI;AURA;63\n" +
		strings.Replace(rowOf("8"), "panne", strings.Repeat("x", maxCell+1), 1) +
		strings.Replace(rowOf("9"), ";HS;", ";down;", 1) +
		"\nHS;Hors service\nSource : SFR, 2026;;;\nDonnées;;;;;;;;;;;;;;;;;;;\n"
	entries, report, err := parse(t, market.FR, "SFR", text)
	if err != nil || len(entries) != 2 || report.Rows != 13 || report.Served != 2 {
		t.Fatalf("%d entries, %+v, %v, want 2, no error, Rows = 13 and Served = 2", len(entries), report, err)
	}
	want := map[string]int{again: 1, noPosition: 1, badPosition: 1, "a site of the market DROM": 1, outside: 1,
		noCode: 1, "wrong number of columns": 2, brokenRecord: 2, tooLong: 1}
	if !maps.Equal(report.Rejected, want) {
		t.Errorf("rejected = %v, want %v", report.Rejected, want)
	}
	if report.Examples[0].Line != 4 || !strings.HasPrefix(report.Warning, "2Gvoix: 1 values are not OK, HS, DE or NE") ||
		entries[1].Services.Voice2G != "" {
		t.Errorf("got %+v, want Line = 4, 2Gvoix in Warning and Voice2G empty", report)
	}
}

// A file of something else is refused with the line and the reason.
func TestHostile(t *testing.T) {
	whole := fmt.Sprintf(header, "SFR") + rowOf("1")
	for _, c := range []struct {
		name       string
		text, want string
	}{
		{"empty", "", "f.csv:1: the file is empty"},
		{"a byte order mark", "\ufeff", "f.csv:1: the file is empty"},
		{"blanks", " \n\r\n\n", "f.csv:1: the file is empty"},
		{"a web page", "\ufeff\n <!doctype html>\n<p>code_site_op;a;b;c;d</p>", "f.csv:1: this is a web page"},
		{"a part of a spreadsheet", "\ufeff<?xml version=\"1.0\"?><Types/>",
			"f.csv:1: this is XML, not a table: a spreadsheet must be saved as CSV"},
		{"a spreadsheet", "PK\x03\x04\x00\x00", "f.csv:1: this is not text"},
		{"UTF-16", "c\x00o\x00d\x00e\x00", "f.csv:1: this is not text"},
		{"no header", rowOf("1"), "f.csv:1: no header"},
		{"a late header", strings.Repeat("x\n", maxTitles) + whole, "f.csv:1: no header"},
		{"no position", "code_site_op;a;b;c;d\n1;2;3;4;5\n", "the column lat is missing"},
		{"another's", "\n\n" + strings.Replace(whole, "SFR", "Bouygues Telecom", 1),
			"f.csv:3: this is the file of BOUYGUES, not of SFR"},
		{"cut in a row", whole[:len(whole)-60], "f.csv:2: the file ends in the middle of a row"},
		{"cut in a code", whole + "102", "f.csv:3: the file ends in the middle of a row"},
		{"too many bytes", strings.Repeat(" ", MaxFile+1), "over 32 MiB"},
		{"too many rows", fmt.Sprintf(header, "SFR") + strings.Repeat("1;\n", maxRows+1),
			fmt.Sprintf("f.csv:%d: over 50000 rows", maxRows+2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := parse(t, market.FR, "SFR", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		})
	}
	if _, report, err := parse(t, market.FR, "SFR", whole); err != nil || report.Warning != "" {
		t.Errorf("a whole file: %+v, %v, want no error and Warning empty", report, err)
	}
	if _, report, err := parse(t, market.FR, "SFR", strings.TrimSuffix(whole, "\n")); err != nil ||
		report.Served != 1 || !strings.Contains(report.Warning, "cut short") {
		t.Errorf("no line feed at the end: %+v, %v, want no error, Served = 1 and cut short in Warning", report, err)
	}
	if _, report, err := parse(t, market.FR, "SFR", whole+"Fin du fichier"); err != nil || report.Rows != 1 {
		t.Errorf("a footer without a line feed: %+v, %v, want no error and Rows = 1", report, err)
	}
}

// A market overseas takes its rows of a file that is its operator's everywhere.
func TestOverseas(t *testing.T) {
	text := fmt.Sprintf(header, "ORANGE") + rowOf("1") + strings.Replace(rowOf("2"), ";45.77;3.08;",
		";-20.898333333333333;55.556666666666665;", 1)
	entries, report, err := parse(t, market.DROM, "ORANGE", text)
	if err != nil || len(entries) != 1 || entries[0].Area != "974" || entries[0].Lat != -20.8983333 ||
		report.Rejected["a site of the market FR"] != 1 {
		t.Errorf("got %+v, %+v, %v, want one of 974, and one of another market rejected", entries, report, err)
	}
}

// A file without a usable row is refused with the reason of its first row.
func TestNoneUsed(t *testing.T) {
	s, _ := opened(t, newClock())
	text := fmt.Sprintf(header, "SFR") + strings.Replace(rowOf("1"), ";45.77;3.08;", ";3.08;45.77;",
		1) + strings.Replace(rowOf("2"), ";45.77;", ";;", 1)
	want := "hs.csv:2: of 2 rows, none can be used; the first: position outside the market"
	if _, err := s.Import(context.Background(), market.FR, "SFR", filetest.New(t, "hs.csv", text)); err == nil ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want an error and %q at its end", err, want)
	}
	if why := s.Feeds(market.FR)[0].Why; why != want {
		t.Errorf("got %v, want %v", why, want)
	}
}

// Blanks of every kind and controls are one blank; what stands for nothing is nothing.
func TestClean(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{" a\t\u00a0b ", "a b"},
		{"a\u202fb", "a b"},
		{"\u009b31m x", "31m x"},
		{"\x1b[31m", "[31m"},
		{"a\u2028b\u0085", "a b"},
		{"NULL", ""},
		{"-", ""},
		{"NaN", ""},
		{"x-y", "x-y"},
		{"Nanterre", "Nanterre"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if got := clean([]byte(tt.text)); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

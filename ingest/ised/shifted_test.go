package ised

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/filetest"
	"relais/internal/tier"
)

// The published header, and what a row could have.
const (
	published = "upload_date*,licence_number,reference_number,subservice_id*,licence_category*,area_id*,area_name*,account_number*,licensee_name*," +
		"contact_name,business_telephone,email_address,location,station_type,technology,cell_id,physical_id,province_code,latitude,longitude,site_type," +
		"structure_height,structure_type,date_last_changed,record_id,tx_frequency"
	filled = "2026-01-10|010000001|Monthly upload|-|CELL|4-001|Southern Ontario|100000001|Bell Mobility Inc.|" +
		"Zoe Planted|(613) 555-0187|zoe.planted@mail.example|Main St|FX|LTE|LTE 26345730|17|ON|43.642321|-79.387089|U|55|T|2025-11-01|R1|871"
)

var planted = []string{"Planted", "555-0187", "mail.example", "planted"}

// The text after the comma that splits a field, and endings of mail addresses.
var (
	more    = []string{", Inc.", ",Inc.", ", Ontario", ",Nord", ", ext. 5", ",17", ",-"}
	endings = []string{"mail.example", "telus.com", "mail.museum", "bell.xn--p1ai", "sask.tel", "gov.on.ca",
		"xn--bcher-kva.qu\u00e9bec", "a.b.c.d.photography"}
)

// The older layout, with what other programs add to it: personal data comes last.
const (
	olderHeader = "NEW_ACCOUNT,NEW_LICNO,LICENSEE,SERVICE,TRANSMIT_FREQ,LOCATION,PROV,LATITUDE,LONGITUDE,STUCT_HT,TX_ANT_HT,TX_ANT_AZIM,LAST_UPLOAD_DATE," +
		"TECHNOLOGY,CELL_ID,PHYSICAL_ID,STRUCTURE_TYPE,RECORD_ID,REFERENCE_NUMBER,CONTACT_NAME,BUSINESS_TELEPHONE,EMAIL_ADDRESS"
	olderFilled = "100000001|010000001|Bell Mobility Inc.|CELL|871|Main St|ON|43.642321|-79.387089|55|50|120|2026-01-10|" +
		"LTE|LTE 26345730|17|T|R1|Monthly upload|Zoe Planted|(613) 555-0187|zoe.planted@mail.example"
)

// damaged returns the row with extra commas in one field and quotes around as many others,
// so that the number of fields stays. keep has the bits of the personal fields that are
// not blanked.
func damaged(filled string, split, join, by, keep, number int, ending string) string {
	fields := strings.Split(strings.Replace(filled, "mail.example", ending, 1), "|")
	contact, latitude := slices.Index(fields, "Zoe Planted"), slices.Index(fields, "43.642321")
	for i := range 3 {
		if keep&(1<<i) == 0 {
			fields[contact+i] = "-"
		}
	}
	fields[latitude] = fmt.Sprintf("%.5f", 43+float64(number)*1e-4) // a place of its own
	text := ""
	for i, f := range fields {
		if i == split {
			f += strings.Repeat(more[number%len(more)], by)
		}
		if i == join {
			f = `"` + f
		}
		if i == join+by {
			f += `"`
		}
		text += "," + f
	}
	return text[1:] + "\n"
}

// No shifted row gets a name, telephone number or mail address served or kept.
func TestShifted(t *testing.T) {
	tier.Slow(t)
	t.Run("published", func(t *testing.T) { testShifted(t, "\ufeff"+published, filled) })
	t.Run("older", func(t *testing.T) { testShifted(t, olderHeader, olderFilled) })
}

func testShifted(t *testing.T, header, filled string) {
	last := strings.Count(header, ",")
	var b strings.Builder
	b.WriteString(header + "\n" + damaged(filled, -1, -9, 0, 7, 0, "mail.example"))
	rows := 1
	for keep := 1; keep < 8; keep++ {
		if !tier.Full() && keep != 4 {
			continue
		}
		for by := 1; by <= 6; by++ {
			for split := range last + 1 {
				for join := range last + 1 - by {
					if join <= split && split <= join+by {
						continue // within the quotes
					}
					for _, ending := range endings {
						b.WriteString(damaged(filled, split, join, by, keep, rows, ending))
						rows++
					}
				}
			}
		}
	}
	text := b.String()
	sites, report, _, err := build(t, "fx.csv", text)
	if err != nil || report.Rows != rows || report.Rejected["shifted columns"] == 0 ||
		report.Rejected["wrong number of columns"] != 0 {
		t.Fatalf("%+v, %v, want %d rows", report, err, rows)
	}
	for _, s := range sites {
		all := fmt.Sprintf("%+v", s)
		for _, p := range planted {
			if strings.Contains(all, p) {
				t.Fatalf("served: %s; want all without %v", all, p)
			}
		}
	}
	path := filetest.New(t, "fx.csv", text)
	var kept bytes.Buffer
	f := source.Found{Input: &source.Input{Path: path}, Kind: Kinds[0]}
	must(t, f.CopyTo(&kept, nil))
	for line := range strings.Lines(kept.String()) {
		if slices.ContainsFunc(planted, func(p string) bool { return strings.Contains(line, p) }) {
			t.Errorf("kept: %s; want !slices.ContainsFunc(planted, func(p string) bool { return "+
				"strings.Contains(line, p) })", line)
		}
	}
	again, second, _, err := build(t, "fx.csv", kept.String())
	if err != nil || len(again) != len(sites) || second.Served != report.Served || second.Rows != rows {
		t.Errorf("of what is kept: %+v, want %+v, %v", second, report, err)
	}
}

// A stray quote adds a field, and a pair of quotes elsewhere removes one.
func TestStrayQuotes(t *testing.T) {
	shift := strings.Replace(strings.Replace(strings.ReplaceAll(filled, "|", ","), "Bell Mobility Inc.",
		`""Bell Mobility, Inc."`, 1), "Main St,FX", `"Main St,FX"`, 1)
	_, report, _, err := build(t, "fx.csv", published+"\n"+damaged(filled, -1, -9, 0, 7, 0, "mail.example")+shift+"\n")
	if err != nil || report.Rejected["broken record"] != 1 || report.Served != 1 {
		t.Errorf(`report = %+v, err = %v; want no error, report.Rejected["broken record"] = 1, report.Served = 1`,
			report, err)
	}
}

// Fields that people write in good rows, and fields that only a shift can explain.
func TestShiftedFields(t *testing.T) {
	names := strings.Split(published, ",")
	for i := range names {
		names[i] = strings.Trim(names[i], "*")
	}
	test := shifted(func(c table.Column) int { return slices.Index(names, c.Name) })
	for _, tt := range []struct {
		column string
		good   bool
		texts  []string
	}{
		{contactName, true, []string{"noc@mail.example", "613-555-0187", "Planted, Zoe", "-", ""}},
		{telephone, true, []string{"s.o.", "S/O", "N/D", "Not available", "aucun", "unlisted",
			"604-555-1234 noc@telus.com", "613-555-0187, 613-555-0188", "N/A", ""}},
		{email, true, []string{"aucun", "not available", "no email", "spectrum at rogers dot com", "a@b.ca; c@d.ca",
			"www.telus.com", " none "}},
		{"location", true, []string{"Hwy 7 @ St.Clair", "Yonge@St.Clair W", "Bathurst@Mt.Pleasant", "Cty.Rd 4@Cty.Rd 9",
			"Ste-Th\u00e9r\u00e8se @ boul.Labelle", "Hwy 7@Jane St. West",
			"Tower 613", "6135550187 Main St", "12 Main St, Toronto, ON", "12 Main St,Toronto", "Yonge@Bloor, Toronto",
			"Yonge@St.Clair W,Toronto", "O&#39;Leary", "R&amp;D;x", "a,,b"}},
		{"location", false, []string{"zoe@telus.com", "zoe&#64;telus.com", "write to <Zoe@Telus.COM>", "zoe@gov.on.ca.",
			"613-555-0187", "(613) 555-0187 ext. 12", "+1 613.555.0187",
			"613-555-0187, Main St", "zoe@mail.museum,Main St", "Zoe,-,-,Main St", "Zoe,,,Main St",
			"613-555-0187,-,Main St"}},
		{"account_number", true, []string{"A 100-200", "SASKTEL", "A-1", "100000001", "-"}},
		{"account_number", false,
			[]string{"Bell Mobility Inc.", "100000001,Bell Mobility Inc.", "(613) 555-0187", "zoe@mail.p1"}},
		{"licensee_name", true,
			[]string{"9123-4567 Qu\xe9bec", "\u0412\u0418\u0427", "Ice, Inc.", "Ice,Inc.", "Ice, Snow and Co", "-"}},
		{"licensee_name", false, []string{"100000001", "Bell,Zoe Planted", "Bell,613-555-0187", "zoe@telus.com"}},
		{"reference_number", true, []string{"Q@2025.Jan", "Monthly upload, January", "Jan,2025"}},
		{"reference_number", false, []string{"zoe@telus.com", "613-555-0187"}},
		{"area_name", true, []string{"Yukon, Northwest Territories", "Yukon,Nunavut", "80010765@X.dat"}},
		{"record_id", true, []string{"6135550187", "RRUS32@B66.LTE", "A,B", "80010765@X.dat"}},
		{"technology", false, []string{"zoe@telus.com", "FX,LTE"}},
		{"technology", true, []string{"WIMAX", "-"}},
		{"station_type", false, []string{"Main St,FX"}},
		{"province_code", false, []string{"17", "43.64"}},
		{"latitude", false, []string{"ON", "Main St"}},
		{"latitude", true, []string{"NaN", "-Inf", "0x2b", "4e1", "-"}},
	} {
		for _, text := range tt.texts {
			var fields [][]byte
			for _, f := range strings.Split(filled, "|") {
				fields = append(fields, []byte(f))
			}
			fields[slices.Index(names, tt.column)] = []byte(text)
			if got := !test(fields); got != tt.good {
				t.Errorf("%s %q: good %t, want %t", tt.column, text, got, tt.good)
			}
		}
	}
	if shifted(func(table.Column) int { return -1 })(nil) {
		t.Error("a table without the columns is shifted")
	}
}

// A carrier with unusual texts loses no row without a perhaps joined field. If it loses
// most rows, the report warns without naming it.
func TestMostShifted(t *testing.T) {
	some := with(t, "business_telephone", "voir le site", "email_address", "voir le site", "licensee_name",
		"Zoe Mobile")
	lost := with(t, "business_telephone", "voir le site", "email_address", "voir le site", "licensee_name",
		"Zoe Mobile", "location", `"Main St,Nord"`)
	few := with(t, "licensee_name", "Nord Mobile", "location", "613-555-0187")
	for _, tt := range []struct {
		some, lost int
		want       string
	}{{20, 20, ""}, {19, 20, "most rows of 1 licensees have shifted columns, 20 of 39, the first on line 31"},
		{0, 9, ""}, {0, 10, "most rows of 1 licensees have shifted columns, 10 of 10, the first on line 12"}} {
		_, report, _, err := build(t, "fx.csv",
			header+strings.Repeat(good, 10)+strings.Repeat(some, tt.some)+strings.Repeat(lost, tt.lost)+few)
		if err != nil || report.Rejected["shifted columns"] != tt.lost+1 || report.Served != 10+tt.some ||
			report.Warning != tt.want {
			t.Errorf(`%d and %d: %+v, %v; want no error, report.Rejected["shifted columns"] = tt.lost+1, `+
				"report.Served = 10+tt.some, report.Warning = %v", tt.some, tt.lost, report, err, tt.want)
		}
	}
}

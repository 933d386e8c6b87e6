package ised

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relais/ingest/source"
	"relais/ingest/table"
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

// damaged returns the row with more commas in one field and a quoted field around
// as many others, so that there are as many fields as before. The fields of personal
// data that are not in keep, by bits, are empty.
func damaged(split, join, by, keep, number int) string {
	fields := strings.Split(filled, "|")
	for i := range 3 {
		if keep&(1<<i) == 0 {
			fields[9+i] = "-"
		}
	}
	fields[18] = fmt.Sprintf("%.5f", 43+float64(number)*1e-4) // a place of its own
	text := ""
	for i, f := range fields {
		if i == split {
			f += strings.Repeat(", Inc.", by)
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

// However a row is shifted, nobody's name, telephone or address is served or kept.
func TestShifted(t *testing.T) {
	last := strings.Count(published, ",")
	var b strings.Builder
	b.WriteString("\ufeff" + published + "\n" + damaged(-1, -9, 0, 7, 0))
	rows := 1
	for keep := 1; keep < 8; keep++ {
		for by := 1; by <= 6; by++ {
			for split := range last + 1 {
				for join := range last + 1 - by {
					if join <= split && split <= join+by {
						continue // within the quotes
					}
					b.WriteString(damaged(split, join, by, keep, rows))
					rows++
				}
			}
		}
	}
	text := b.String()
	sites, report, _, err := build(t, "fx.csv", text)
	if err != nil || report.Rows != rows || report.Rejected["shifted columns"] == 0 || report.Rejected["wrong number of columns"] != 0 {
		t.Fatalf("%+v, %v, want %d rows", report, err, rows)
	}
	for _, s := range sites {
		all := fmt.Sprintf("%+v", s)
		for _, p := range planted {
			if strings.Contains(all, p) {
				t.Fatalf("served: %s", all)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "fx.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	f := source.Found{Input: &source.Input{Path: path}, Kind: Kinds[0]}
	if err := f.CopyTo(&kept, nil); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(kept.String()) {
		if slices.ContainsFunc(planted, func(p string) bool { return strings.Contains(line, p) }) {
			t.Errorf("kept: %s", line)
		}
	}
	again, second, _, err := build(t, "fx.csv", kept.String())
	if err != nil || len(again) != len(sites) || second.Served != report.Served || second.Rows != rows {
		t.Errorf("of what is kept: %+v, want %+v, %v", second, report, err)
	}
}

// A stray quote adds a field in one place and a pair of them takes one in another.
func TestStrayQuotes(t *testing.T) {
	shift := strings.Replace(strings.Replace(strings.ReplaceAll(filled, "|", ","), "Bell Mobility Inc.", `""Bell Mobility, Inc."`, 1), "Main St,FX", `"Main St,FX"`, 1)
	_, report, _, err := build(t, "fx.csv", published+"\n"+damaged(-1, -9, 0, 7, 0)+shift+"\n")
	if err != nil || report.Rejected["broken record"] != 1 || report.Served != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestShiftedFields(t *testing.T) {
	names := strings.Split(published, ",")
	test := shifted(func(c table.Column) int {
		return slices.IndexFunc(names, func(n string) bool { return strings.Trim(n, "*") == c.Name })
	})
	for _, tt := range []struct {
		column, text string
		want         bool
	}{
		{"location", "Hwy 7 @ Jane St", false}, {"location", "Hwy 7@Jane St. West", false}, {"location", "zoe@mail.example", true},
		{"location", "zoe&#64;mail.example", true}, {"location", "write to <Zoe@mail.example>", true}, {"location", "613-555-0187", true},
		{"location", "(613) 555-0187 ext. 12", true}, {"location", "+1 613.555.0187", true}, {"location", "Tower 613", false}, {"location", "6135550187 Main St", false},
		{"record_id", "6135550187", false}, {"reference_number", "zoe@mail.example", true}, {"technology", "zoe@lte.example", true}, {"area_name", "a@b.example", true},
		{"account_number", "Bell Mobility Inc.", true}, {"account_number", "100000001,Bell Mobility Inc.", true}, {"account_number", "A-1", false}, {"account_number", "-", false},
		{"licensee_name", "100000001", true}, {"licensee_name", "9123-4567 Qu\xe9bec", false}, {"licensee_name", "\u0412\u0418\u0427", false}, {"licensee_name", "-", false},
		{"contact_name", "noc@mail.example", false}, {"contact_name", "613-555-0187", false},
		{"business_telephone", "zoe@mail.example", true}, {"business_telephone", "Zoe", true}, {"business_telephone", "N/A", false}, {"business_telephone", "", false},
		{"email_address", "613-555-0187", true}, {"email_address", "Zoe", true}, {"email_address", "Main St", true}, {"email_address", "www.mail.example", false},
		{"email_address", " none ", false}, {"email_address", "a@b.example; c@d.example", false},
	} {
		fields := make([][]byte, len(names))
		fields[slices.IndexFunc(names, func(n string) bool { return strings.Trim(n, "*") == tt.column })] = []byte(tt.text)
		if got := test(fields); got != tt.want {
			t.Errorf("%s %q: %t", tt.column, tt.text, got)
		}
	}
	if shifted(func(table.Column) int { return -1 })(nil) {
		t.Error("a table without the columns is shifted")
	}
}

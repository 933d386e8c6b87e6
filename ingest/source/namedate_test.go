package source

import "testing"

func TestNameDate(t *testing.T) {
	for _, tt := range []struct{ path, member, want string }{
		{"x.csv", "", ""},
		{"/data/2020-01-02/x.csv", "", ""}, // a folder's name says nothing of the file
		{"/data/x_2056_2026-08-14.json", "", "2026-08-14"},
		{"x_20260814.json.zst", "", "2026-08-14"},
		{"20260828094512_observatoire_20260827.csv", "", "2026-08-27"},
		{"x_20240102_2024-02-30_20249999.json", "", "2024-01-02"}, // the others are not days
		{"fx_2025-01-02.zip", "in/fx.csv", "2025-01-02"},
		{"fx_2025-01-02.zip", "2020-01-01/fx_20241231.csv", "2024-12-31"},
		{"a_2020-01-01:b/fx.csv", "", ""},
		{"fx_2025.zip", "0102.csv", ""}, // no day goes from one name to the other
	} {
		in := Input{Path: tt.path, Member: tt.member}
		if got := in.NameDate().String(); got != tt.want {
			t.Errorf("%s: %q, want %q", in.Name(), got, tt.want)
		}
	}
}

package source

import "testing"

// Control characters are in no field, quoted or not, of any encoding.
func TestControlsInFields(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"plain", "bird;wing\nx\x00y;1\n"},
		{"quoted", "bird;wing\n\"x\ny\";1\n"},
		{"tab", "bird;wing\nx\ty;1\n"},
		{"latin 1", "bird;wing\nx\x00y;\xe9\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Detect(&Input{Path: write(t, t.TempDir(), "b.csv", []byte(tt.text))}, kinds)
			if err != nil || f.Kind == nil {
				t.Fatalf("%s: f.Kind = %v, err = %v; want no error, f.Kind != nil", tt.name, f.Kind, err)
			}
			r, err := f.Read(nil)
			must(t, err)
			defer r.Close()
			if !r.NextRow() || string(r.Field(0)) != "x y" || string(r.Raw(0)) != "x y" {
				t.Errorf("%s: got field %q, raw %q, want x y twice", tt.name, r.Field(0), r.Raw(0))
			}
		})
	}
}

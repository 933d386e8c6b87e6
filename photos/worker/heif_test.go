package worker

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"relais/photos/render"
)

// Jobs that must be alone leave room for others.
func TestAloneLeavesRoom(t *testing.T) {
	p := newPool(t, Options{Workers: 2, Waiting: 4})
	release, results := holdAll(p, 8, task{sender: "another", payload: order{What: "hash"}, alone: true})
	for range 5 { // one runs, two wait
		if err := <-results; !errors.Is(err, ErrBusy) {
			t.Errorf("got %v, want no room for five of eight jobs", err)
		}
	}
	if _, _, err := p.ask("hash"); err != nil {
		t.Errorf("job next to jobs that must be alone: %v", err)
	}
	release()
	for range 3 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestHEIFOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error
	}{
		{"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", render.ErrHEIC},
		{"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif", render.ErrUnsupported},
		{"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00", render.ErrUnsupported},
		{"\xff\xd8\xff\xe0", render.ErrUnsupported},
		{"", render.ErrUnsupported},
	} {
		t.Run(tt.text, func(t *testing.T) {
			alone, fails := heifOf(bufio.NewReader(strings.NewReader(tt.text)))
			if alone != strings.Contains(tt.text, "ftyp") || fails != tt.want {
				t.Errorf("heifOf(%q) = %v, %v, want %v and %v", tt.text, alone, fails,
					strings.Contains(tt.text, "ftyp"), tt.want)
			}
		})
	}
}

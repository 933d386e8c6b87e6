package heif

import "testing"

// What HEVC states about colours is read where the file has no colr box. The bytes are a sequence parameter set of
// x265 3.5 (160 × 144, 4:4:4, VUI: BT.2020, PQ) as heif-enc puts it into hvcC.
func TestHEVCColor(t *testing.T) {
	config := make([]byte, 22)
	config = append(config, 1, 33, 0, 1, 0, byte(len(spsOfX265)))
	config = append(config, spsOfX265...)
	c := hevcColor(config)
	if want := (Color{9, 16, 9, true}); c == nil || *c != want {
		t.Errorf("colour = %+v, want %+v", c, want)
	}
	for n := range len(config) {
		hevcColor(config[:n])
	}
	if c := hevcColor(config[:40]); c != nil {
		t.Errorf("colour of a part = %+v, want nil", c)
	}
}

func FuzzHEVCColor(f *testing.F) {
	f.Add(spsOfX265)
	f.Fuzz(func(t *testing.T, unit []byte) {
		spsColor(&bitReader{b: unit})
		hevcColor(unit)
	})
}

var spsOfX265 = []byte("B\x01\x01\x04\b\x00\x00\x03\x00\x9e8\x00\x00\x03\x00\x00\x1e\x90\x02\x84\x04\x8b-ԒS\\\xdc$@$\x10\x00\x00\x03\x00\x10\x00\x00\x03\x00\x10\x80")

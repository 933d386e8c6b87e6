//go:build linux

package cluster

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/internal/store"
)

func FuzzDecode(f *testing.F) {
	f.Add(encode([]store.Op{{Kind: store.OpPut, Path: [][]byte{[]byte("a"), {}}, Key: []byte("k"), Value: []byte("v")},
		{Kind: store.OpSequence, Path: [][]byte{[]byte("a")}, N: 1 << 60}}))
	f.Fuzz(func(t *testing.T, body []byte) {
		ops, err := decode(body)
		if err != nil {
			return
		}
		again, err := decode(encode(ops))
		must(t, err)
		if diff := cmp.Diff(ops, again); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPaths(t *testing.T) {
	for _, names := range [][][]byte{nil, {[]byte("a")}, {[]byte("a"), {}, []byte("\xff\xff")}} {
		path := pathOf(names)
		got, err := namesOf(path)
		if err != nil || !cmp.Equal(names, got, cmp.Comparer(bytes.Equal)) {
			t.Errorf("%q: got %q, %v", names, got, err)
		}
		inner := pathOf(append(names[:len(names):len(names)], []byte("x")))
		if len(path) > 0 && (bytes.Compare(inner, path) < 0 || bytes.Compare(inner, pathAfter(path)) >= 0) {
			t.Errorf("%q does not lie below %q", inner, path)
		}
	}
	if _, err := namesOf([]byte{0, 5, 'a'}); err == nil {
		t.Error("a path that is cut off is accepted")
	}
}

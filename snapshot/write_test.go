package snapshot

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// The sections go beyond 4 GiB; they share their memory.
func TestHeaderBeyond4GiB(t *testing.T) {
	text := make([]byte, 16<<20+3)
	sections := make([][]byte, 300)
	for i := range sections {
		sections[i] = text
	}
	head := header(sections)
	at := uint64(headerBytes + 300*sectionBytes)
	for i := range sections {
		entry := head[headerBytes+i*sectionBytes:]
		got, n := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if got != at || n != uint64(len(text)) {
			t.Fatalf("section %d: %d bytes at %d, want %d at %d", i, n, got, len(text), at)
		}
		at += 16<<20 + align
	}
	if got := binary.LittleEndian.Uint64(head[16:]); got != at || at < 1<<32 {
		t.Errorf("%d bytes in all, want %d, which is over 4 GiB", got, at)
	}
	if err := checkHeader(head, at); err != nil {
		t.Error(err)
	}
	if err := checkHeader(head, at&(1<<32-1)); err == nil {
		t.Error("checkHeader() = nil for a size modulo 4 GiB, want an error")
	}
}

func TestSectionsArePadded(t *testing.T) {
	var out bytes.Buffer
	must(t, writeSections(&out, [][]byte{nil, []byte("1"), []byte("12345678"), []byte("123456789")}))
	want := "1\x00\x00\x00\x00\x00\x00\x00" + "12345678" + "123456789\x00\x00\x00\x00\x00\x00\x00"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

package ingest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const supTableHeader = "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;" +
	"COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID\n"

// supTable makes a table of n supports. The observatoire has the first hundred.
func supTable(n int) string {
	var b strings.Builder
	b.WriteString(supTableHeader)
	for i := range n {
		fmt.Fprintf(&b, "%d;0032700001;23;46;10;0;N;3;22;0;E;30;1\n", 100+i)
	}
	return b.String()
}

// An extract must not take the place of a kept table.
func TestKeptTableIsGuardedByRows(t *testing.T) {
	k := newKit(t)
	o := k.file("o.csv", observatory("2026-08-27", 100))
	r := k.must(o, k.file("SUP_SUPPORT.txt", supTable(300)))
	if n := r.Files[1].Unused["support not served"]; r.Files[1].Rows != 300 || n != 200 || r.Files[1].Served != 100 {
		t.Errorf("%+v: want 300 rows, 100 served and 200 unused", r.Files[1])
	}
	before := k.state()
	extract := k.file("extract.txt", supTable(28))
	_, err := k.run(false, both, extract)
	const want = "extract.txt has 28 rows, and the kept table of the kind anfr-sup-support that it would replace has 300"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an extract: error %v, want %q", err, want)
	}
	for path, text := range k.state() {
		if before[path] != text {
			t.Errorf("%s has changed", path)
		}
	}
	k.must(k.file("s2.txt", supTable(290))) // within the share
	k.must(k.file("o2.csv", observatory("2026-09-03", 100)))
	if _, err := k.run(true, both, extract); err != nil {
		t.Errorf("forced: %v", err)
	}
	k.must(k.file("s3.txt", supTable(19))) // small tables vary
}

func TestRecognise(t *testing.T) {
	k := newKit(t)
	for _, tt := range []struct{ path, kind, markets string }{
		{k.file("o.csv", observatory("2026-08-27", 3)), "anfr-observatoire", "FR,DROM"},
		{k.file("SUP_SUPPORT.txt", supTable(3)), "anfr-sup-support", "FR,DROM"},
		{k.file("x.txt", "hello\n"), "", ""}, {k.file("empty", ""), "", ""}, {filepath.Join(k.src, "none"), "", ""},
	} {
		kind, markets, ok := Recognise(tt.path)
		if kind != tt.kind || joined(markets) != tt.markets || ok != (tt.kind != "") {
			t.Errorf("%s: %q of %q, %t; want %q of %q", tt.path, kind, markets, ok, tt.kind, tt.markets)
		}
	}
	folder := filepath.Dir(k.file("mixed/o.csv", observatory("2026-08-27", 3)))
	k.file("mixed/a.txt", "hello\n")
	if kind, _, ok := Recognise(folder); !ok || kind != "anfr-observatoire" {
		t.Errorf("a folder: %q, %t; want anfr-observatoire", kind, ok)
	}
}

package ingest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"relais/demo/demotest"
	"relais/internal/filetest"
	"relais/internal/tier"
	"relais/market"
	"relais/snapshot"
)

var canada = []market.Code{market.CA}

// extract is an extract with invented contacts in every row. Every nth row is broken.
func extract(t *testing.T, rows, every int) (string, demotest.CA) {
	t.Helper()
	var b bytes.Buffer
	counts, err := demotest.WriteCA(&b, rows, every)
	if err != nil || !strings.Contains(b.String(), "PERSONAL Name") {
		t.Fatalf(`no contacts: %v; want no error, b.String() with "PERSONAL Name"`, err)
	}
	return b.String(), counts
}

// noContacts fails when any file of the folder, unpacked where it is packed, has a
// contact in it.
func (k kit) noContacts(when string) {
	k.t.Helper()
	for path, text := range k.state() {
		if strings.HasSuffix(path, ".zst") {
			d, err := zstd.NewReader(strings.NewReader(text))
			must(k.t, err)
			unpacked, err := io.ReadAll(d)
			d.Close()
			if err != nil {
				k.t.Fatalf("%s: err = %v, want nil", path, err)
			}
			text = string(unpacked)
		}
		if strings.HasPrefix(text, "PK") {
			k.t.Errorf(`%s: %s is kept as an archive; want !strings.HasPrefix(text, "PK")`, when, path)
		}
		for _, contact := range []string{"PERSONAL", "personal.example", "555-"} {
			if at := strings.Index(text, contact); at >= 0 {
				k.t.Errorf("%s: %s has %q; want at < 0", when, path, text[max(0, at-20):min(len(text), at+40)])
			}
		}
	}
}

func (k kit) canada(paths ...string) (*Report, *snapshot.Snapshot) {
	k.t.Helper()
	r, err := k.run(false, canada, paths...)
	must(k.t, err)
	return r, k.snapshot(market.CA)
}

// Contacts of the extract are in no file of the folder: not in the snapshot, nor in
// what is kept, from which the same sites come again.
func TestPersonalData(t *testing.T) {
	tier.Slow(t)
	n := 4000
	if !tier.Full() {
		n = 1000
	}
	text, counts := extract(t, n, 20)
	header, rows, _ := strings.Cut(text, "\n")
	older := strings.ToUpper(strings.NewReplacer("licence_number", "NEW_LICNO", "licensee_name", "LICENSEE", "province_code", "PROV",
		"tx_ant_azimuth", "TX_ANT_AZIM", "tx_frequency", "TRANSMIT_FREQ", "*", "").Replace(header)) // as far as its names are known
	packed := func() string {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		must(t, err)
		io.WriteString(z, text)
		z.Close()
		return b.String()
	}()
	for _, tt := range []struct{ name, content string }{
		{"SYNTHETIC_fx.csv", text},
		{"SYNTHETIC_older.csv", older + "\n" + rows},
		{"SYNTHETIC_fx.csv.zst", packed},
		{"SYNTHETIC_FX.zip", string(filetest.Zip(t, "in/fx.csv", text, "README.txt", "write to n1@personal.example"))},
		{"FX.zip", string(filetest.Zip(t, "SYNTHETIC_fx.csv", text))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKit(t)
			r, snap := k.canada(k.file(tt.name, tt.content))
			if r.Files[0].Rows != counts.Rows || snap.Len() != counts.Places || !snap.Synthetic {
				t.Errorf("%s: %+v, %d sites; want r.Files[0].Rows = %v, snap.Len() = %v, snap.Synthetic", tt.name,
					r.Files[0], snap.Len(), counts.Rows, counts.Places)
			}
			k.noContacts(tt.name)
			os.RemoveAll(k.src)
			again, from := k.canada()
			kept := again.Files[0]
			if !kept.Kept || kept.Rows != r.Files[0].Rows || kept.Served != r.Files[0].Served ||
				from.Version != snap.Version {
				t.Errorf("%s, from what is kept: %+v, version %s, want %s", tt.name, kept, from.Version, snap.Version)
			}
			k.noContacts(tt.name + ", again")
			files, err := CheckKept(t.Context(), k.dir)
			if err != nil || len(files) != 1 || files[0].Err != nil {
				t.Errorf("%s: kept %+v, %v; want no error, len(files) = 1, files[0].Err = nil", tt.name, files, err)
			}
		})
	}
}

// A stray quote must not join two rows: the second one's contacts would stand in the
// first one's address.
func TestPersonalDataBehindStrayQuotes(t *testing.T) {
	k := newKit(t)
	text, _ := extract(t, 60, 0)
	lines := strings.SplitAfter(text, "\n")
	for i := 5; i < len(lines)-1; i += 7 { // the closing quote of location is lost
		at := strings.Index(lines[i], `",FX`)
		lines[i] = lines[i][:at] + lines[i][at+1:]
	}
	r, _ := k.canada(k.file("SYNTHETIC_fx.csv", strings.Join(lines, "")))
	if f := r.Files[0]; f.Rows != 60 || f.Rejected["broken record"] != 8 || f.Served != 52 {
		t.Errorf(`f = %+v; want f.Rows = 60, f.Rejected["broken record"] = 8, f.Served = 52`, f)
	}
	k.noContacts("stray quotes")
}

// A file that is not a known table may contain anything: it is not kept with the others.
func TestUnknownMembers(t *testing.T) {
	k := newKit(t)
	k.must(k.file("o.csv", observatory("2026-08-27", 20)),
		k.file("SUP.zip", string(filetest.Zip(t, "in/SUP_ANTENNE.txt", antennas, "README.txt", "write to n1@personal.example"))))
	k.noContacts("an archive with a note")
	if r := k.must(k.file("o.csv", observatory("2026-08-28", 20))); len(r.Files) != 2 || !r.Files[1].Kept ||
		len(k.azimuths(market.FR, "101")) != 1 {
		t.Errorf(`r = %+v; want len(r.Files) = 2, r.Files[1].Kept, len(k.azimuths(market.FR, "101")) = 1`, r)
	}
}

// What is kept alone has the time of its archive, which may be all that dates it.
func TestTimeOfWhatIsKeptAlone(t *testing.T) {
	k := newKit(t)
	for _, paths := range [][]string{{k.at(0, "bipt.zip", string(filetest.Zip(t, "bipt.json", biptRow, "README.txt", "hello")))},
		nil} {
		if r, err := k.belgium(false, paths...); err != nil || r.Markets[0].SourceDate != "2026-03-01" {
			t.Fatalf(`r = %+v, err = %v; want no error, r.Markets[0].SourceDate = "2026-03-01"`, r, err)
		}
	}
}

// An archive of other tables is kept as it is.
func TestNothingPersonal(t *testing.T) {
	k := newKit(t)
	k.must(k.file("o.csv", observatory("2026-08-27", 20)), k.file("SUP.zip", string(filetest.Zip(t, "SUP_ANTENNE.txt", antennas))))
	kept, err := filepath.Glob(filepath.Join(string(k.dir), "sources", "FR", "*", "*"))
	if err != nil || !slices.ContainsFunc(kept, func(p string) bool { return filepath.Base(p) == "SUP.zip" }) {
		t.Errorf("kept %q, %v; want no error, slices.ContainsFunc(kept, func(p string) bool { return "+
			`filepath.Base(p) == "SUP.zip" })`, kept, err)
	}
}

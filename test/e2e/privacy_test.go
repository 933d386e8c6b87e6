//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"relais/internal/filetest"
)

// planted is what a person or a device is known by, under the names that files have
// for it.
var planted = [][2]string{
	{"userId", "u-7c0ffee1-planted"}, {"user_id", "u-7c0ffee1-planted"}, {"email", "planted.person@example.org"},
	{"e-mail", "planted.person@example.org"},
	{"ip", "203.0.113.77"}, {"ip_address", "2001:db8:85a3::8a2e:370:7334"}, {"deviceId", "d-7c0ffee2-planted"},
	{"imei", "356938035643809"}, {"IMEI", "356938035643809"},
	{"device_serial", "SERIAL-PLANTED-42"}, {"deviceSerialNumber", "SERIAL-PLANTED-42"},
	{"contact_phone", "+33699881234"}, {"author", "PlantedPerson"},
}

const (
	mail   = "planted.person@example.org"
	imei   = "356938035643809"
	canary = "Canari" // public text of the same rows, which must appear
)

// plant gives a table the planted columns.
func plant(table, comma string) string {
	var b strings.Builder
	header := true
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasPrefix(line, "#") {
			for _, p := range planted {
				line += comma + p[map[bool]int{true: 0, false: 1}[header]]
			}
			header = false
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// broken returns malformed rows with planted data.
func broken(comma string) string {
	return mail + "\n" + strings.Repeat(imei+comma, 60) + mail + "\n\"" + mail + "\"x" + comma + "203.0.113.77\n"
}

// traces are the forms in which a file may have what is planted, in small letters where
// they are text.
func traces() (list [][]byte) {
	for _, p := range planted {
		text := []byte(p[1])
		sum := sha256.Sum256(text)
		list = append(append(list, written(text)...), sum[:16], []byte(hex.EncodeToString(sum[:16])))
		if ip, err := netip.ParseAddr(p[1]); err == nil && ip.Is6() {
			list = append(list, ip.AsSlice())
		}
	}
	return list
}

// written are the ways to write a text itself.
func written(text []byte) [][]byte {
	list := [][]byte{bytes.ToLower(text), []byte(hex.EncodeToString(text))}
	for shift := range 3 { // as a part of something that is in base64
		enc := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), text...))
		list = append(list, []byte(strings.ToLower(enc[(shift*8+5)/6:len(enc)-1])))
	}
	return list
}

// A search looks for traces, also in what is packed.
type search struct {
	t      *testing.T
	traces [][]byte
	zstd   *zstd.Decoder
	public map[string]bool // where the canary is
}

func newSearch(t *testing.T) *search {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	must(t, err)
	t.Cleanup(d.Close)
	return &search{t, traces(), d, map[string]bool{}}
}

// in looks through a text and through everything in it that unpacks.
func (x *search) in(where string, text []byte) {
	x.t.Helper()
	x.plain(where, text)
	x.packed(text, "\x28\xb5\x2f\xfd", func(r io.Reader) {
		if err := x.zstd.Reset(r); err == nil {
			plain, _ := io.ReadAll(x.zstd) // as far as it can be read: what follows is something else
			x.plain(where+", unpacked", plain)
		}
	})
	x.packed(text, "\x1f\x8b\x08", func(r io.Reader) {
		if z, err := gzip.NewReader(r); err == nil {
			plain, _ := io.ReadAll(z)
			x.plain(where+", unpacked", plain)
		}
	})
}

// packed calls f with what begins with a format's first bytes.
func (x *search) packed(text []byte, magic string, f func(io.Reader)) {
	for {
		at := bytes.Index(text, []byte(magic))
		if at < 0 {
			return
		}
		f(bytes.NewReader(text[at:]))
		text = text[at+len(magic):]
	}
}

func (x *search) plain(where string, text []byte) {
	x.t.Helper()
	small := bytes.ToLower(text)
	for _, trace := range x.traces {
		if bytes.Contains(text, trace) || bytes.Contains(small, trace) {
			x.t.Errorf("%s has %q", where, trace)
		}
	}
	if bytes.Contains(text, []byte(canary)) {
		x.public[where] = true
	}
}

// folder looks through every file.
func (x *search) folder(dir string) {
	x.t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		x.in(filepath.ToSlash(name), text)
		return err
	})
	if err != nil {
		x.t.Error(err)
	}
}

// personalFiles are tables of every kind that is read, each with what is planted.
func personalFiles() map[string]string {
	older, newer := newPublication("2026-07-30", 480), newPublication("2026-08-06", 484)
	for _, row := range slices.Concat(older.rows, newer.rows) {
		row["adr_lb_lieu"] = canary
	}
	var names []string
	for _, p := range planted {
		names = append(names, p[0])
	}
	observatory := func(p *publication) string {
		for _, row := range p.rows {
			for _, x := range planted {
				row[x[0]] = x[1]
			}
		}
		return p.text(names...) + broken(";")
	}
	hs := "Contact : " + mail + "\n" +
		plant(fmt.Sprintf(hsHeader, "Orange")+"1;OUI;;63;"+canary+";63113;45.77;3.08;HS;HS;HS;HS;HS;HS;HS;HS;;;;\n",
			";") + broken(";") + "Écrire à " + mail + ";;;\n"
	at := ago(0)
	speed := "id,timestamp,lat,lng,download_mbps,operator,network_type,connection_type,device_type,enb,gnb,cell_id,pci\n" +
		"u-7c0ffee1-planted," + at + ",45.5,3.1,80," + mail + "," + mail + "," + mail + "," + mail + "," + imei +
		"," + imei + "," + imei + "," + imei + "\n" +
		"x," + at + ",45.6,3.1,81," + canary + " Telecom,,,SERIAL-PLANTED-42,,,,\n"
	cover := "id,timestamp,lat,lng,signal_strength,technology,network_type,operator,enb,cell_id\n" +
		"u-7c0ffee1-planted," + at + ",45.5,3.1,-80,LTE," + mail + ",203.0.113.77," + imei + "," + imei + "\n" +
		"x," + at + ",45.6,3.1,-81," + mail + ",," + canary + " Telecom,,\n"
	arcep := "date_start;hour_start;latitude_start;longitude_start;operator;mcc_start;mnc_start;bitrate_dl;bitrate_ul;rsrp;rsrq;pci;cell_id\n05/03/2026;10:03:00;45.5;3.2;Orange;208;1;81,5;;-95;-9.5;;\n"
	survey := "# Created by Network Survey version=1 for " + mail +
		"\n# CSV Version=0.4.0\ndeviceTime,latitude,longitude,missionId,mcc,mnc,tac,eci,pci,rsrp,servingCell,deviceSerialNumber\n" +
		"2026-03-05T10:03:00Z,45.5,3.3,NS SERIAL-PLANTED-42,208,1,310,256001,12,-90,true,SERIAL-PLANTED-42\n"
	tower := "mcc,mnc,lac,cell_id,short_cell_id,rnc,psc,asu,dbm,ta,lat,lon,accuracy,speed,bearing,altitude,measured_at,net_type,neighboring,discovered_at,device,rsrp\n" +
		"208,1,1,256001,,,7,20,-101,,45.5,3.4,5,0,0,100,\"2026-03-05 10:03:00\",LTE,false,x,SERIAL-PLANTED-42,-100\n"
	return map[string]string{
		"observatoire.csv": newer.text(), "older.csv": observatory(older), "log.csv": survey + broken(","), "hs.csv": hs,
		"speedtests.csv": plant(speed, ",") + broken(","), "coverage.csv": plant(cover, ",") + broken(","),
		"arcep.csv": plant(arcep, ";"), "survey.csv": plant(survey, ","), "tower.csv": plant(tower, ","),
		"web.csv": "<html>" + mail + "</html>", "headless.csv": plant(mail+";1;2;3;4\n", ";"),
		"column.csv":  plant("code_site_op;Lon;"+mail+"\n", ";"),
		"cut.csv":     fmt.Sprintf(hsHeader, "Orange") + "1;OUI;" + mail,
		"empty.csv":   plant("timestamp,lat,lng,download_mbps\n", ","),
		"strange.csv": mail + "," + imei + "\n" + mail + "," + imei + "\n",
	}
}

// Data of persons and devices in a file is in no answer, in no file of the folder
// and in no log; nor are reporters, or unknown parameters of a request.
func TestPersonalData(t *testing.T) {
	dir := newFolder(t)
	x := newSearch(t)
	files := t.TempDir()
	for name, text := range personalFiles() {
		filetest.Write(t, filepath.Join(files, name), text)
	}
	exits := func(want int, args ...string) {
		t.Helper()
		args = slices.Concat(args[:2], []string{"--data", dir}, args[2:])
		for i, a := range args {
			if strings.HasSuffix(a, ".csv") {
				args[i] = filepath.Join(files, a)
			}
		}
		out, errs, code := relais(t, args...)
		if code != want {
			t.Errorf("relais %q: exit %d, want %d: %s", args, code, want, errs)
		}
		x.in("what "+strings.Join(args, " ")+" prints", []byte(out+errs))
	}
	exits(0, "ingest", "--json", "FR,DROM", "observatoire.csv", "log.csv")
	s := serve(t, dir)
	exits(0, "archive", "add", "older.csv")
	exits(0, "outage", "import", "--market", "FR", "--operator", "ORANGE", "hs.csv")
	for _, wrong := range []string{"web.csv", "headless.csv", "column.csv", "cut.csv"} {
		exits(1, "outage", "import", "--market", "FR", "--operator", "ORANGE", wrong)
	}
	exits(0, "speedtest", "import", "--market", "FR", "--json", "speedtests.csv", "arcep.csv")
	exits(0, "coverage", "import", "--market", "FR", "coverage.csv", "survey.csv", "tower.csv")
	for _, wrong := range []string{"strange.csv", "empty.csv", "web.csv"} {
		exits(1, "speedtest", "import", "--market", "FR", wrong)
		exits(1, "archive", "add", wrong)
	}
	id := reportOutage(t, dir, "SFR", mail).ID
	for _, p := range planted {
		exits(0, "outage", "confirm", id, "--user", p[1])
	}
	exits(1, "outage", "confirm", id, "--user", strings.Repeat(mail, 20))
	for _, list := range []string{"outage list", "archive list", "snapshot info"} {
		exits(0, strings.Fields(list)...)
	}
	askWith(t, s, x)
	x.folder(dir) // with the files as a running server has them
	s.stop()
	x.in("the log", []byte(s.log.String()))
	x.folder(dir)
	found := fmt.Sprint(x.public)
	for _, where := range []string{"archives.db, unpacked", "sources/", "snapshots/FR.snap", "community.db",
		"measures/", "/sites-hs", "/speedtests?days=365", "/coverage/points?days=365", "/anfr/archive/2026-07-30"} {
		if !strings.Contains(found, where) {
			t.Errorf("public text: got it in %s, want it in %s too", found, where)
		}
	}
}

// askWith asks with what must not be logged, and looks through the answers.
func askWith(t *testing.T, s *server, x *search) {
	t.Helper()
	s.measured()
	get := func(path string) answer {
		return s.get("/external/v1"+path, "X-Forwarded-For", "203.0.113.77", "User-Agent", "u-7c0ffee1-planted "+imei,
			"X-Request-Id", mail, "Referer", "https://example.org/?email="+mail)
	}
	for _, path := range []string{
		"/antennas?limit=1000", "/antennas/export", "/antennas/1003", "/markets", "/anfr/archives",
		"/anfr/archive/2026-08-06", "/anfr/archive/2026-08-06?view=full", "/anfr/archive/2026-07-30",
		"/sites-hs", "/outages", "/speedtests?days=365", "/speedtests/site?enb=1000",
		"/coverage/points?days=365&limit=5000",
	} {
		a := get(path)
		if a.status != 200 {
			t.Errorf("%s: got %s, want 200", path, a)
		}
		x.in(path, a.body)
	}
	for _, path := range []string{"/outages?userId=u-7c0ffee1-planted&email=" + mail, "/antennas/" + mail,
		"/sites/" + imei, "/anfr/archive/" + mail, "/nowhere/" + mail, "/outages?market=" + mail} {
		if a := get(path); a.status == 500 {
			t.Errorf("%s: got %s, want another error", path, a)
		}
	}
}

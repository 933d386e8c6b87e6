package e2e

import (
	"bytes"
	bin "encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"io/fs"
	"math"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/webp"
)

// photographer makes a client that may send photos.
func photographer(t *testing.T, dir string) issued {
	t.Helper()
	return createClient(t, dir, "--name", "Les photographes", "--mode", "server", "--cidr", "127.0.0.1/32", "--scopes",
		"photos:read,photos:write,antennas:read", "--partner", "--minute", "1000000", "--day", "1000000")
}

// isReady waits until the data is loaded.
func isReady(t *testing.T, s *server) {
	t.Helper()
	if !waitFor(func() bool { return s.version("FR") != "" }) {
		t.Fatalf("not ready: %s", s.log)
	}
}

// A sent is the answer to an upload.
type sent struct {
	status int
	Data   struct {
		ID, SiteID, Operator, Caption, ImageURL, ThumbnailURL, OGImageURL string
		PublicMetadata                                                    object
	}
	Code, Error string
}

// photoPath is where photos of the first site go.
const photoPath = "/external/v1/sites/90000010/photos"

// photoForm is the body of an upload, and its type.
func photoForm(file []byte, fields map[string]string) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			return nil, "", err
		}
	}
	part, err := w.CreateFormFile("file", "photo.jpg")
	if err != nil {
		return nil, "", err
	}
	part.Write(file)
	w.Close()
	return b.Bytes(), w.FormDataContentType(), nil
}

// sendPhoto uploads a file as a photo of the first site.
func sendPhoto(s *server, key string, file []byte, fields map[string]string) (*sent, error) {
	body, contentType, err := photoForm(file, fields)
	if err != nil {
		return nil, err
	}
	return postPhoto(s, body, "Content-Type", contentType, "X-API-Key", key)
}

// postPhoto sends the body of an upload.
func postPhoto(s *server, body []byte, headers ...string) (*sent, error) {
	r, err := http.NewRequest(http.MethodPost, s.base+photoPath, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header(headers...)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	up := &sent{status: a.StatusCode}
	return up, json.NewDecoder(a.Body).Decode(up)
}

// picture is a photo as cameras write them: with a GPS position in its Exif.
func picture(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(x ^ y), 255})
		}
	}
	var b bytes.Buffer
	jpeg.Encode(&b, m, nil) // into memory
	return withExif(b.Bytes())
}

// withExif puts Exif behind the first marker: model, date, and a position at 43.5 N,
// 1.25 E, whose bytes a test can look for.
func withExif(file []byte) []byte {
	le := bin.LittleEndian
	tiff := []byte("II*\x00\x08\x00\x00\x00")
	entry := func(b []byte, tag, kind uint16, count, value uint32) []byte {
		return le.AppendUint32(le.AppendUint32(le.AppendUint16(le.AppendUint16(b, tag), kind), count), value)
	}
	const model, date = "PlantedCamera\x00", "2024:05:30 12:34:56\x00"
	const ifd, exif, gps = 8, 8 + 2 + 3*12 + 4, 8 + 2 + 3*12 + 4 + 2 + 12 + 4
	const data = gps + 2 + 4*12 + 4
	tiff = le.AppendUint16(tiff, 3)
	tiff = entry(tiff, 0x0110, 2, uint32(len(model)), data)
	tiff = entry(tiff, 0x8769, 4, 1, exif)
	tiff = entry(tiff, 0x8825, 4, 1, gps)
	tiff = le.AppendUint32(tiff, 0)
	tiff = le.AppendUint16(tiff, 1)
	tiff = entry(tiff, 0x9003, 2, uint32(len(date)), data+uint32(len(model)))
	tiff = le.AppendUint32(tiff, 0)
	tiff = le.AppendUint16(tiff, 4)
	at := data + uint32(len(model)+len(date))
	tiff = entry(tiff, 1, 2, 2, 'N')
	tiff = entry(tiff, 2, 5, 3, at)
	tiff = entry(tiff, 3, 2, 2, 'E')
	tiff = entry(tiff, 4, 5, 3, at+24)
	tiff = le.AppendUint32(tiff, 0)
	tiff = append(append(tiff, model...), date...)
	for _, n := range []uint32{43, 1, 30, 1, 0, 1, 1, 1, 15, 1, 0, 1} {
		tiff = le.AppendUint32(tiff, n)
	}
	segment := append([]byte("Exif\x00\x00"), tiff...)
	head := bin.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(segment)+2))
	return append(append(head, segment...), file[2:]...)
}

// fetchImage reads an image that needs no key; its size is as the decoder of another
// library has it.
func fetchImage(url string) (status int, file []byte, size image.Point, err error) {
	a, err := http.Get(url)
	if err != nil {
		return 0, nil, size, err
	}
	defer a.Body.Close()
	if file, err = io.ReadAll(a.Body); err != nil || a.StatusCode != 200 {
		return a.StatusCode, file, size, err
	}
	c, err := webp.DecodeConfig(bytes.NewReader(file))
	return a.StatusCode, file, image.Pt(c.Width, c.Height), err
}

func TestPhotos(t *testing.T) {
	c := makeCountry(t, 50)
	s := serve(t, nil, "serve", "--data", c.dir)
	isReady(t, s)
	key := photographer(t, c.dir).APIKey
	up, err := sendPhoto(s, key, picture(3000, 1000), map[string]string{"description": "De la rue"})
	if err != nil || up.status != 201 {
		t.Fatalf("upload = %+v, %v; want 201", up, err)
	}
	id := up.Data.ID
	for _, tt := range []struct {
		url  string
		want image.Point
	}{
		{up.Data.ImageURL, image.Point{X: 1920, Y: 640}},
		{up.Data.ThumbnailURL, image.Point{X: 400, Y: 400}},
		{up.Data.OGImageURL, image.Point{X: 1200, Y: 630}},
	} {
		t.Run(tt.url, func(t *testing.T) {
			status, file, size, err := fetchImage(tt.url)
			if status != 200 || size != tt.want || err != nil {
				t.Errorf("%s: %d, %v, %v; want %v", tt.url, status, size, err, tt.want)
			}
			for _, secret := range []string{"EXIF", "XMP ", "ICCP", "Planted"} {
				if bytes.Contains(file, []byte(secret)) {
					t.Errorf("%s has %s", tt.url, secret)
				}
			}
		})
	}
	m := up.Data.PublicMetadata
	if m["cameraModel"] != "PlantedCamera" || m["takenDate"] != "2024-05-30" || m["takenDateLabel"] != "30 mai 2024" ||
		m["orientationDegrees"] != 0.0 {
		t.Errorf("publicMetadata is %v", m)
	}
	where := s.ask("/sites/90000010")["data"].(object)
	want, metres := haversine(43.5, 1.25, where["latitude"].(float64),
		where["longitude"].(float64)), m["distanceToSiteMeters"].(float64)
	if metres < want*0.999-5 || metres > want*1.001+5 || math.Mod(metres, 10) != 0 {
		t.Errorf("%v m from the site, want %.0f in tens", metres, want)
	}
	listed := func() []any { return s.ask("/sites/fr-90000010/photos")["data"].([]any) }
	if l := listed(); len(l) != 1 || l[0].(object)["caption"] != "De la rue" ||
		l[0].(object)["authorName"] != "Les photographes" {
		t.Errorf("the list is %v", l)
	}

	// Reported, and decided on the command line while the server runs.
	r, err := http.NewRequest("POST", s.base+"/api/external/v1/photos/"+id+"/report",
		strings.NewReader(`{"reason":"copyright","description":"Not theirs.\nMine."}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", key)
	a, err := http.DefaultClient.Do(r)
	if err != nil || a.StatusCode != 202 {
		t.Fatalf("report: %v, %v", a, err)
	}
	a.Body.Close()
	out, errs, code := relais(t, "report", "list", "--data", c.dir)
	if code != 0 || !strings.Contains(out, id) || !strings.Contains(out, "copyright") ||
		!strings.Contains(out, `Not theirs.\nMine.`) || !strings.Contains(out, "Les photographes") ||
		!strings.Contains(out, "fr-90000010") {
		t.Errorf("report list: %d %s%s", code, out, errs)
	}
	out, _, _ = relais(t, "report", "list", "--data", c.dir, "--json")
	var queue struct {
		Reports []struct{ Report struct{ ReportID string } }
	}
	if err := json.Unmarshal([]byte(out), &queue); err != nil || len(queue.Reports) != 1 {
		t.Fatalf("report list --json: %v %s", err, out)
	}
	if out, errs, code := relais(t, "report", "accept", "--data", c.dir, queue.Reports[0].Report.ReportID); code != 0 ||
		!strings.Contains(out, "is hidden") {
		t.Errorf("report accept: %d %s%s", code, out, errs)
	}
	if status, _, _, _ := fetchImage(up.Data.ImageURL); status != 404 || len(listed()) != 0 {
		t.Errorf("the hidden photo's image is answered %d, %d are listed", status, len(listed()))
	}
	if out, errs, code := relais(t, "photo", "list", "--data", c.dir, "--hidden"); code != 0 ||
		!strings.Contains(out, id) {
		t.Errorf("photo list: %d %s%s", code, out, errs)
	}
	if _, errs, code := relais(t, "photo", "show", "--data", c.dir, id); code != 0 || len(listed()) != 1 {
		t.Errorf("photo show: %d %s", code, errs)
	}
	if _, errs, code := relais(t, "photo", "hide", "--data", c.dir,
		"01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7"); code != 1 || !strings.Contains(errs, "no such photo") {
		t.Errorf("photo hide of none: %d %s", code, errs)
	}
	out, errs, code = relais(t, "check", "--data", c.dir)
	if code != 0 {
		t.Errorf("check: %d %s%s", code, out, errs)
	}

	// A copy made while serving has the photo; a deleted one is gone from the disk.
	backup := filepath.Join(t.TempDir(), "copy")
	if _, errs, code := relais(t, "backup", "--data", c.dir, backup); code != 0 {
		t.Fatalf("backup: %d %s", code, errs)
	}
	_, kept, _, _ := fetchImage(up.Data.ImageURL)
	if _, errs, code := relais(t, "photo", "delete", "--data", c.dir, id); code != 0 {
		t.Errorf("photo delete: %d %s", code, errs)
	}
	if status, _, _, _ := fetchImage(up.Data.ImageURL); status != 404 || len(listed()) != 0 {
		t.Errorf("the deleted photo's image is answered %d", status)
	}
	if _, errs, code := relais(t, "compact", "--data", c.dir); code != 0 {
		t.Errorf("compact: %d %s", code, errs)
	}
	for _, tt := range []struct {
		what string
		want bool
	}{
		{c.dir, false},
		{backup, true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if got := holds(t, tt.what, kept[100:300]); got != tt.want {
				t.Errorf("%s has the image: %v, want %v", tt.what, got, tt.want)
			}
			if holds(t, tt.what, []byte("PlantedCamera")) != tt.want || holds(t, tt.what, []byte("GPSLatitude")) {
				t.Errorf("%s: metadata", tt.what)
			}
		})
	}
	if s.stop() != 0 {
		t.Error("the server did not end well")
	}
}

// holds reports whether a file below dir has these bytes.
func holds(t *testing.T, dir string, what []byte) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || bytes.Contains(text, what)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

//go:build linux

package e2e

import (
	"bytes"
	bin "encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
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
	return createClient(t, dir, ofBackend("Les photographes", "photos:read,photos:write,antennas:read", "--partner")...)
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
	a, err := exchange(http.DefaultClient, http.MethodPost, s.base+photoPath, body, headers...)
	if err != nil {
		return nil, err
	}
	up := &sent{status: a.status}
	return up, json.Unmarshal(a.body, up)
}

func mustSendPhoto(t *testing.T, s *server, key string, file []byte, fields map[string]string) *sent {
	t.Helper()
	up, err := sendPhoto(s, key, file, fields)
	if err != nil || up.status != http.StatusCreated {
		t.Fatalf("photo: got %+v, %v; want 201", up, err)
	}
	return up
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
func fetchImage(t *testing.T, url string) (a answer, size image.Point) {
	t.Helper()
	a = call(t, http.DefaultClient, http.MethodGet, url, nil)
	c, err := webp.DecodeConfig(bytes.NewReader(a.body))
	if err != nil && a.status == http.StatusOK {
		t.Errorf("%s: got %v, want WebP", url, err)
	}
	return a, image.Pt(c.Width, c.Height)
}

// Images come out of the worker process in the sizes of the API, without metadata.
func TestPhotos(t *testing.T) {
	c := makeCountry(t, 50)
	s := serve(t, c.dir)
	up := mustSendPhoto(t, s, photographer(t, c.dir).APIKey, picture(3000, 1000), nil).Data
	for _, tt := range []struct {
		name, url string
		want      image.Point
	}{
		{"main", up.ImageURL, image.Pt(1920, 640)},
		{"thumb", up.ThumbnailURL, image.Pt(400, 400)},
		{"og", up.OGImageURL, image.Pt(1200, 630)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, size := fetchImage(t, tt.url)
			if a.status != http.StatusOK || size != tt.want {
				t.Errorf("got %d and the size %v, want 200 and %v", a.status, size, tt.want)
			}
			for _, secret := range []string{"EXIF", "XMP ", "ICCP", "Planted"} {
				if bytes.Contains(a.body, []byte(secret)) {
					t.Errorf("got an image with %s, want it without", secret)
				}
			}
		})
	}
	if got := up.PublicMetadata["cameraModel"]; got != "PlantedCamera" {
		t.Errorf("cameraModel: got %v, want PlantedCamera", got)
	}
}

// A photo is reported, and decided on by commands next to the server. A copy has it, and of
// a deleted one nothing stays on the disk.
func TestModeration(t *testing.T) {
	c := makeCountry(t, 50)
	s := serve(t, c.dir)
	key := photographer(t, c.dir).APIKey
	up := mustSendPhoto(t, s, key, picture(640, 480), nil).Data
	id := up.ID
	if a := call(t, http.DefaultClient, http.MethodPost, s.base+"/api/external/v1/photos/"+id+"/report",
		[]byte(`{"reason":"copyright","description":"Not theirs.\nMine."}`), "Content-Type", "application/json",
		"X-API-Key", key); a.status != http.StatusAccepted {
		t.Fatalf("report: got %s, want 202", a)
	}
	again := call(t, http.DefaultClient, http.MethodPost, s.base+"/api/external/v1/photos/"+id+"/report",
		[]byte(`{"reason":"spam"}`), "Content-Type", "application/json", "X-API-Key", key)
	if r := again.object()["data"].(object); again.status != http.StatusAccepted || r["reason"] != "spam" ||
		strings.Contains(string(again.body), "copyright") {
		t.Errorf("another reason of the client: got %s, want the new one alone", again)
	}
	out := run(t, "report", "list", "--data", c.dir, "--reason", "copyright")
	for _, want := range []string{id, "spam,copyright", `Not theirs.\nMine.`, "Les photographes", "fr-90000010"} {
		if !strings.Contains(out, want) {
			t.Errorf("report list: got %s, want %s", out, want)
		}
	}
	var queue struct {
		Reports []struct{ Report struct{ ReportID string } }
	}
	command(t, &queue, "report", "list", "--data", c.dir)
	kept, _ := fetchImage(t, up.ImageURL)
	copied := filepath.Join(t.TempDir(), "copy")
	for _, step := range []struct {
		args, says string
		listed     int
	}{
		{"report accept " + queue.Reports[0].Report.ReportID, "is hidden", 0},
		{"photo list --hidden", id, 0},
		{"photo show " + id, id, 1},
		{"check", "1 photo", 1},
		{"backup " + copied, copied, 1},
		{"photo delete " + id, id, 0},
		{"compact", "photos.db", 0},
	} {
		if out := run(t, append(strings.Fields(step.args), "--data", c.dir)...); !strings.Contains(out, step.says) {
			t.Errorf("relais %s: got %s, want %s", step.args, out, step.says)
		}
		status := map[int]int{0: http.StatusNotFound, 1: http.StatusOK}[step.listed]
		if a, _ := fetchImage(t, up.ImageURL); a.status != status {
			t.Errorf("the image after relais %s: got %d, want %d", step.args, a.status, status)
		}
		if got := len(s.list("/sites/fr-90000010/photos")); got != step.listed {
			t.Errorf("photos after relais %s: got %d, want %d", step.args, got, step.listed)
		}
	}
	fails(t, 1, "no such photo", "photo", "hide", "--data", c.dir, id)
	for dir, want := range map[string]bool{c.dir: false, copied: true} {
		for _, text := range [][]byte{kept.body[100:300], []byte("PlantedCamera")} {
			if got := holds(t, dir, text); got != want {
				t.Errorf("%s has %.20q: got %v, want %v", dir, text, got, want)
			}
		}
		if holds(t, dir, []byte("GPSLatitude")) {
			t.Errorf("%s: got the position, want it nowhere", dir)
		}
	}
	s.stop()
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
	must(t, err)
	return found
}

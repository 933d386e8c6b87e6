package admin

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"relais/auth/access"
	"relais/community/audit"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/measure"
	"relais/photos"
)

func addPhoto(t testing.TB, s *Stores, main string) *photos.Photo {
	t.Helper()
	p, err := s.Photos.Add(context.Background(), newPhoto(main))
	must(t, err)
	return p
}

func newPhoto(main string) photos.New {
	return photos.New{
		SiteKey: "fr-1", ClientID: "c", AuthorName: "Somebody's Name",
		Images: map[photos.Size][]byte{photos.Main: []byte(main), photos.Thumb: []byte("thumb"),
			photos.OG: []byte("og")},
	}
}

// month is the file of the photos that are added now.
func month(t *testing.T, dir folder.Dir) string {
	t.Helper()
	months, err := photos.Months(dir)
	if err != nil || len(months) == 0 {
		t.Fatalf("got %v, %v, want not empty and no error", months, err)
	}
	return photos.FileOf(months[len(months)-1])
}

func problems(t *testing.T, dir folder.Dir) (list []string) {
	t.Helper()
	files, err := checkData(context.Background(), dir)
	must(t, err)
	return problemsOf(files)
}

func problemsOf(files []File) (list []string) {
	for _, f := range files {
		if f.Problem != "" {
			list = append(list, f.Path+": "+f.Problem)
		}
	}
	return list
}

// A backup has each photo whole or not at all, while others are added and deleted.
func TestBackupOfPhotos(t *testing.T) {
	tier.Slow(t)
	dir := folder.Dir(t.TempDir())
	s, stop := serve(t, dir)
	for range 3 {
		addPhoto(t, s, strings.Repeat("x", 100_000))
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				addPhoto(t, s, "stays")
				if _, err := s.Photos.Delete(addPhoto(t, s, "goes").ID, audit.Decision{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 8 {
		if i == 7 {
			close(ended)
			wg.Wait()
			stop() // the last by the command itself
		}
		copied, restored := filepath.Join(t.TempDir(), "backup"), folder.Dir(filepath.Join(t.TempDir(), "restored"))
		must(t, errors.Join(Backup(context.Background(), dir, copied, true, quiet),
			Restore(context.Background(), copied, restored)))
		if list := problems(t, restored); len(list) > 0 {
			t.Errorf("got %q, want none", list)
		}
		again, err := Open(restored, "test", quiet)
		must(t, err)
		l, total, err := again.Photos.List("fr-1", nil, 1e6, 0)
		if err != nil || total < 3 || len(l) != total {
			t.Errorf("got %d of %d, %v, want %d, at least 3 and no error", len(l), total, err, total)
		}
		for _, p := range l {
			if image, err := again.Photos.Image(p.ID, photos.Main); err != nil ||
				len(image) != p.Images[photos.Main].Bytes {
				t.Errorf("got %v, len(image) %v, want no error and len(image) = %v", err, len(image),
					p.Images[photos.Main].Bytes)
			}
		}
		must(t, again.Close())
	}
}

func TestDeletedPhotoIsOffTheDisk(t *testing.T) {
	tier.Slow(t)
	dir := folder.Dir(t.TempDir())
	s, _ := serve(t, dir)
	gone := addPhoto(t, s, "an image that must go")
	compact := func() (paths []string) {
		var list []Compacted
		must(t, Call(context.Background(), dir, CompactStores{}, &list, quiet))
		for _, c := range list {
			paths = append(paths, c.Path)
		}
		return paths
	}
	all := []string{ClientsFile, PhotosFile, CommunityFile, UsersFile, ArchivesFile, OutagesFile, measure.DatabaseName, quotaFile}
	if got := compact(); !slices.Equal(got, all) {
		t.Errorf("nothing deleted: %q, want %q", got, all)
	}
	must(t, errorOf(s.Photos.Delete(gone.ID, audit.Decision{})))
	left := func() bool {
		one, err1 := os.ReadFile(filepath.Join(string(dir), month(t, dir)))
		two, err2 := os.ReadFile(s.path(PhotosFile))
		must(t, errors.Join(err1, err2))
		return bytes.Contains(one, []byte("must go")) || bytes.Contains(two, []byte("Somebody's Name"))
	}
	if !left() {
		t.Error("nothing was left: this proves nothing")
	}
	if got := compact(); !slices.Contains(got, month(t, dir)) || left() {
		t.Errorf("got %q, still on the disk %v, want %s compacted and nothing left", got, left(), month(t, dir))
	}
	must(t, errorOf(s.Photos.Delete(addPhoto(t, s, "another that must go").ID, audit.Decision{})))
	stopKeeping := keep(t, s)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end) && left(); {
		time.Sleep(20 * time.Millisecond)
	}
	stopKeeping()
	if left() {
		t.Error("a server does not compact what is deleted")
	}
}

// A check names the file that is damaged or missing, and says the same whether a
// server has it or not.
func TestCheckOfPhotos(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, stop := serve(t, dir)
	addPhoto(t, s, strings.Repeat("main", 5000))
	name := month(t, dir)
	for range 2 {
		got := holdings(t, dir)
		if got[PhotosFile] != "1 photo, 0 reports" || got[name] != "the images of 1 photo" {
			t.Errorf("got %v, want 1 photo, and its images", got)
		}
		stop()
	}
	path := filepath.Join(string(dir), name)
	whole := filetest.Read(t, path)
	damaged := bytes.Replace(whole, []byte("mainmain"), []byte("mainMain"), 1)
	for _, c := range []struct {
		what string
		do   func() error
		want string
	}{
		{"a letter", func() error { return os.WriteFile(path, damaged, 0o600) }, name + ": photo "},
		{"cut off", func() error { return os.WriteFile(path, whole[:10_000], 0o600) }, name + ": "},
		{"no records", func() error {
			return errors.Join(os.WriteFile(path, whole, 0o600), os.Rename(s.path(PhotosFile), s.path("aside")))
		}, name + ": photos.db is missing"},
		{"no images", func() error {
			return errors.Join(os.Rename(s.path("aside"), s.path(PhotosFile)),
				os.Remove(path))
		}, PhotosFile + ": photo "},
	} {
		must(t, c.do())
		list := slices.DeleteFunc(problems(t, dir),
			func(p string) bool { return strings.Contains(p, "the folder had it") }) // TestMissingStore
		if len(list) != 1 || !strings.HasPrefix(list[0], c.want) {
			t.Errorf("%s: %q, want %q", c.what, list, c.want)
		}
	}
	filetest.Write(t, path, whole[:10_000])
	for _, served := range []bool{false, true} { // the clients are served even so
		if served {
			serve(t, dir)
		}
		var list []*access.Client
		if err := Call(context.Background(), dir, ListClients{}, &list, quiet); err != nil {
			t.Errorf("served %v: %v", served, err)
		}
		err := Backup(context.Background(), dir, filepath.Join(t.TempDir(), "backup"), true, quiet)
		if err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("served %v: %v, want an error with %q", served, err, filepath.Base(name))
		}
	}
}

// What a server sends is written when it is a whole archive of stores, and nowhere else.
func TestUnpack(t *testing.T) {
	archive := func(names ...string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, name := range names {
			err := w.WriteHeader(&tar.Header{Name: name, Size: 2000, Mode: 0o600})
			if _, err2 := w.Write(make([]byte, 2000)); errors.Join(err, err2) != nil {
				t.Fatalf("writing: %v, %v", err, err2)
			}
		}
		must(t, w.Close())
		return b.Bytes()
	}
	good := archive(ClientsFile, "photos/2026-11.db")
	for _, c := range []struct {
		name  string
		text  []byte
		whole bool
	}{
		{"whole", good, true},
		{"cut off", good[:4000], false},
		{"elsewhere", archive("../clients.db"), false},
		{"absolute", archive("/clients.db"), false},
		{"no store", archive("photos/x.db"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			above := t.TempDir()
			dest := filepath.Join(above, "dest")
			err := eachFile(bytes.NewReader(c.text), func(h *tar.Header, r io.Reader) error {
				return writeStore(dest, h.Name, r)
			})
			if (err == nil) != c.whole {
				t.Errorf("%s: got %v, want no error: %v", c.name, err, c.whole)
			}
			if names, err := os.ReadDir(above); err != nil || len(names) > 1 {
				t.Errorf("%s: %v, %v, want no error and len(names) at most 1", c.name, names, err)
			}
			if _, err := os.Stat(filepath.Join(dest, "photos", "2026-11.db")); (err == nil) != c.whole {
				t.Errorf("%s: got %v, want the file there: %v", c.name, err, c.whole)
			}
		})
	}
}

// A server that fails in the middle is not taken for one that is done.
func TestBackupThatBreaksOff(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	l, err := listenPrivately(dir)
	must(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := tar.NewWriter(w)
		err := a.WriteHeader(&tar.Header{Name: ClientsFile, Size: 512, Mode: 0o600})
		if _, err2 := a.Write(make([]byte, 512)); errors.Join(err, err2) != nil {
			t.Errorf("writing: %v, %v", err, err2)
		}
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})}
	go server.Serve(l)
	defer server.Close()
	dest := filepath.Join(t.TempDir(), "backup")
	if err := Backup(context.Background(), dir, dest, true, quiet); err == nil ||
		!strings.Contains(err.Error(), "the server stopped") {
		t.Errorf("got %v, want an error with the server stopped", err)
	}
	if _, err := os.Stat(dest); err == nil {
		t.Error("half a copy stays")
	}
}

// With a photo goes what its client was answered, at once and from the disk.
func TestDeletedPhotoLeavesNoAnswer(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s, _ := serve(t, dir)
	p, other := addPhoto(t, s, "image"), addPhoto(t, s, "image")
	answer := func(photo *photos.Photo) (text string, first bool) {
		t.Helper()
		b, first, err := s.Answers.Once(context.Background(), "client", photo.ID,
			func() ([]byte, bool) { return []byte(`{"id":"` + photo.ID + `","caption":"planted words"}`), true })
		must(t, err)
		return string(b), first
	}
	for _, photo := range []*photos.Photo{p, other} {
		if _, first := answer(photo); !first {
			t.Fatal("it was answered already")
		}
	}
	must(t, errorOf((Decide{Act: "photo.delete", ID: p.ID}).run(context.Background(), s)))
	must(t, errorOf((CompactStores{}).run(context.Background(), s)))
	text := filetest.Read(t, filepath.Join(string(dir), quotaFile))
	if bytes.Contains(text, []byte(p.ID)) || !bytes.Contains(text, []byte(other.ID)) {
		t.Errorf("after the deletion the file has %s, want no %q in it and %q in it", text, []byte(p.ID),
			[]byte(other.ID))
	}
	if _, first := answer(p); !first {
		t.Error("a request that is repeated gets the answer of a photo that is gone")
	}
	if _, first := answer(other); first {
		t.Error("the answer of another photo is gone")
	}
	for _, tt := range []struct {
		name string
		c    Command
	}{
		{"hide", Decide{Act: "photo.hide", ID: p.ID}},
		{"show", Decide{Act: "photo.show", ID: p.ID}},
		{"delete", Decide{Act: "photo.delete", ID: p.ID}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tt.c.run(context.Background(), s); err == nil || !strings.Contains(err.Error(), p.ID) ||
				!strings.Contains(err.Error(), "relais photo list") {
				t.Errorf("%s of a photo that is gone: %v, want an error, %q in it and relais photo list in it",
					tt.name, err, p.ID)
			}
		})
	}
	if _, err := (Decide{Act: "report.dismiss", ID: "\x1b[31m"}).run(context.Background(), s); err == nil ||
		!strings.Contains(err.Error(), "relais report list") {
		t.Errorf("a decision on no report: %v, want an error with relais report list", err)
	}
}

package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"relais/auth/access"
	"relais/internal/filetest"
	"relais/internal/folder"
	"relais/internal/tier"
	"relais/measure"
)

func create(t *testing.T, dir folder.Dir, c CreateClient) (made access.Issued) {
	t.Helper()
	must(t, Call(context.Background(), dir, c, &made, quiet))
	return made
}

// traces are what must not stay of a client in the folder's stores.
func traces(t *testing.T, dir folder.Dir, c access.Issued) (found []string) {
	t.Helper()
	for _, name := range []string{ClientsFile, quotaFile} {
		text := filetest.Read(t, filepath.Join(string(dir), name))
		for _, trace := range []string{c.Name, c.ID, c.Keys[0].Prefix} {
			if bytes.Contains(text, []byte(trace)) {
				found = append(found, name+": "+trace)
			}
		}
	}
	return found
}

// wantCompacted compacts all files and compares the sizes that are told.
func wantCompacted(t *testing.T, dir folder.Dir) {
	t.Helper()
	var list []Compacted
	must(t, Call(t.Context(), dir, CompactStores{}, &list, quiet))
	for _, c := range list {
		info, err := os.Stat(filepath.Join(string(dir), c.Path))
		if err != nil || info.Size() != c.After || c.Before < c.After {
			t.Errorf("got %+v, %v, want no error, Size = %v and Before at least %v", c, err, c.After, c.After)
		}
	}
	if len(list) != ordinary()+1 {
		t.Errorf("got %+v, want len(list) = %v", list, ordinary()+1)
	}
}

// ordinary is the number of databases of a folder that is not a node's.
func ordinary() (n int) {
	for _, d := range databases {
		if !d.nodeOnly && !d.onDemand {
			n++
		}
	}
	return n
}

// Where nobody serves, what is deleted is off the disk when the command ends. Where
// somebody does, it is off the disk with the next compaction, by command or by Keep.
func TestDeletedIsOffTheDisk(t *testing.T) {
	tier.Slow(t)
	for _, how := range []string{"nobody serves", "compact", "keep", "keep after a restart"} {
		dir := folder.Dir(t.TempDir())
		gone, stays := create(t, dir, spec("Somebody's Name")), create(t, dir, spec("Another"))
		var s *Stores
		stop := func() {}
		if how != "nobody serves" {
			s, stop = serve(t, dir)
			g := &access.Gate{Clients: s.Clients, Failures: access.NewFailures()}
			for _, c := range []access.Issued{gone, stays} {
				peer := stays.CIDRs[0].Addr().Next()
				if _, err := g.Check(&access.Request{Time: time.Now(), Method: "GET", Path: "/x", Address: peer,
					Authorization: []string{"Bearer " + c.APIKey}, Scope: access.AntennasRead}); err != nil {
					t.Fatal(err)
				}
			}
			must(t, s.counts.Save(s.Clients))
		}
		must(t, Call(context.Background(), dir, DeleteClient{Client: gone.ID}, new(access.Client),
			quiet))
		if left := traces(t, dir, gone); (len(left) == 0) != (how == "nobody serves") {
			t.Errorf("%s: after deleting: got %v, want none when nobody serves", how, left)
		}
		switch how {
		case "compact":
			wantCompacted(t, dir)
		case "keep after a restart":
			stop()
			s, stop = serve(t, dir)
			fallthrough
		case "keep":
			stopKeeping := keep(t, s)
			for end := time.Now().Add(5 * time.Second); time.Now().Before(end) && len(traces(t, dir, gone)) > 0; {
				time.Sleep(20 * time.Millisecond)
			}
			stopKeeping()
		}
		if left := traces(t, dir, gone); len(left) > 0 {
			t.Errorf("%s: %v, want none", how, left)
		}
		if len(traces(t, dir, stays)) == 0 {
			t.Errorf("%s: the other client is gone as well", how)
		}
		stop()
		var list []*access.Client
		if err := Call(context.Background(), dir, ListClients{}, &list, quiet); err != nil || len(list) != 1 ||
			list[0].ID != stays.ID {
			t.Errorf("%s: %v, %v, want no error, len(list) = 1 and ID = %v", how, list, err, stays.ID)
		}
	}
}

// What a killed compaction leaves has clients in it that may be deleted later.
func TestLeftoversAreSwept(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	left := filepath.Join(string(dir), "."+ClientsFile+".tmp-17")
	filetest.Write(t, left, "clients")
	create(t, dir, spec("one"))
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
}

func TestCompactReadOnly(t *testing.T) {
	if _, err := (CompactStores{}).run(context.Background(), &Stores{Folder: &Folder{Dir: "x"}}); !errors.Is(err, access.ErrReadOnly) {
		t.Errorf("got %v, want access.ErrReadOnly", err)
	}
	must(t, (&Stores{Folder: &Folder{}}).compactDeleted())
}

// A check says the same whether a server has the stores or not, and makes nothing.
func TestCheck(t *testing.T) {
	empty := folder.Dir(t.TempDir())
	if files, err := checkData(context.Background(), empty); err != nil || len(files) != 0 {
		t.Errorf("an empty folder: %+v, %v, want none and no error", files, err)
	}
	if names, _ := os.ReadDir(string(empty)); len(names) != 0 {
		t.Errorf("the check made %v, want none", names)
	}
	for _, served := range []bool{false, true} {
		dir := folder.Dir(t.TempDir())
		for i := range 2 {
			create(t, dir, spec(fmt.Sprint("client ", i)))
		}
		create(t, dir, CreateClient{access.Client{Name: "signs", Mode: access.Mobile, Scopes: access.ReadScopes}})
		if served {
			serve(t, dir)
		}
		files, err := checkData(context.Background(), dir)
		must(t, err)
		want := []string{ClientsFile + ": 3 clients", PhotosFile + ": 0 photos, 0 reports",
			CommunityFile + ": 0 unavailable sites, 0 outage reports, 0 validations, 0 bugs",
			UsersFile + ": 0 accounts, 0 facts", ArchivesFile + ": 0 archives, 0 rows",
			OutagesFile + ": 0 days of unavailable sites, 0 rows",
			measure.DatabaseName + ": 0 files of measures", sealFile + ": seals signing secrets",
			quotaFile + ": 0 counts"}
		if served {
			want = append(want, socketFile+": a server runs")
		}
		var got []string
		for _, f := range files {
			got = append(got, f.Path+": "+f.Detail)
			info, err := os.Stat(filepath.Join(string(dir), f.Path))
			if f.Problem != "" || err != nil || f.Bytes != info.Size() {
				t.Errorf("served %v: %+v, %v, want no error, Problem empty and Bytes = %v", served, f, err,
					info.Size())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("served %v: %q, want %q", served, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want string
	}{{0, "0 sites"}, {1, "1 site"}, {999, "999 sites"}, {1000, "1,000 sites"},
		{69801, "69,801 sites"}, {1234567, "1,234,567 sites"}} {
		if got := Number(tt.n, "site"); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

package httpapi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/archive"
	"relais/internal/filetest"
	"relais/internal/store"
	"relais/internal/store/storetest"
)

// archiveKeys are the keys of the contract's archive records.
var archiveKeys = strings.Fields(
	"id sup_id coordonnees coord lat lon city adm_lb_nom emr_lb_systeme statut emr_dt generation date_maj sta_nm_anfr nat_id sup_nm_haut tpo_id adr_lb_lieu adr_lb_add1 adr_lb_add2 adr_lb_add3 adr_nm_cp sta_nm_dpt code_insee com_cd_insee")

// archiveRows are two publications: support, system and status of each row.
var archiveRows = map[string][]string{
	"2026-08-20": {"90000010 LTE_800 Projet_approuvé", "90000011 LTE_800 En_service", "90000011 LTE_1800 En_service"},
	"2026-08-27": {"90000010 LTE_800 En_service", "90000011 LTE_800 En_service", "90000011 LTE_2600 En_service",
		"7 NR_3500 Projet_approuvé"},
}

// newArchives has the two publications.
func newArchives(t testing.TB) *archive.Store {
	t.Helper()
	s, _ := newArchivesIn(t)
	return s
}

func newArchivesIn(t testing.TB) (*archive.Store, *store.DB) {
	t.Helper()
	s, db := noArchivesIn(t)
	for _, date := range slices.Sorted(maps.Keys(archiveRows)) {
		addArchive(t, s, date, archiveRows[date], archive.Options{})
	}
	return s, db
}

func noArchives(t testing.TB) *archive.Store {
	t.Helper()
	s, _ := noArchivesIn(t)
	return s
}

func noArchivesIn(t testing.TB) (*archive.Store, *store.DB) {
	t.Helper()
	db := storetest.New(t, archive.Buckets...)
	return archive.Open(db, func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }), db
}

func addArchive(t testing.TB, s *archive.Store, date string, rows []string, o archive.Options) {
	t.Helper()
	addArchiveFile(t, s, "observatoire.csv", date, rows, o)
}

func addArchiveFile(t testing.TB, s *archive.Store, name, date string, rows []string, o archive.Options) {
	t.Helper()
	text := "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut\n"
	for i, row := range rows {
		f := strings.Fields(row)
		text += fmt.Sprintf("%d;SFR;%s;%s;2020-01-02;075;75056;4G;%sT16:11:53;075%07s;23;\"27,2\";72;LE \"\"HAUT\"\" <b>;rue;;;75001;75056;\"48.85 , 2.35\";48°;%s\n", i+1, f[0], strings.ReplaceAll(f[1], "_", " "), date, f[0][max(0, len(f[0])-7):], strings.ReplaceAll(f[2], "_", " "))
	}
	path := filetest.New(t, name, text)
	files, err := archive.Files([]string{path})
	must(t, err)
	if _, err := s.Add(context.Background(), &files[0], o); err != nil {
		t.Fatal(err)
	}
}

// archived flattens an archive's data: support, system, status and type of each record.
func archived(t *testing.T, s *Server, target string) (rows []string, meta object) {
	t.Helper()
	answer := parse(t, get(t, s, target), 200)
	for id, site := range answer["data"].(object) {
		info := site.(object)["info"].(object)
		if info["sup_id"] != id || info["coordonnees"] != "48.85 , 2.35" || info["lat"] != "48.85" ||
			info["lon"] != "2.35" || len(info) != 5 {
			t.Errorf("%s of %s: %v, want sup_id = %v, coordonnees = 48.85 , 2.35, lat = 48.85, lon = 2.35 and "+
				"len(info) = 5", target, id, info, id)
		}
		for _, a := range site.(object)["antennas"].([]any) {
			r := a.(object)
			for _, key := range archiveKeys {
				if _, text := r[key].(string); !text {
					t.Errorf("%s: %s is %v, want text", target, key, r[key])
				}
			}
			kind, typed := r["type"].(string)
			if want := len(archiveKeys); len(r) != want && (!typed || len(r) != want+1) {
				t.Errorf("%s: got %d keys: %v, want %d, or one more with a type", target, len(r), r, want)
			}
			rows = append(rows,
				strings.TrimSpace(strings.Join([]string{r["sup_id"].(string), r["emr_lb_systeme"].(string),
					r["statut"].(string), r["date_maj"].(string), kind}, " ")))
		}
	}
	slices.Sort(rows)
	return rows, answer["meta"].(object)
}

func TestArchives(t *testing.T) {
	s := newServer(t)
	before := get(t, s, "/anfr/archives")
	answer := parse(t, before, 200)
	if text := fmt.Sprint(answer["data"]); text != "[2026-08-27 2026-08-20]" ||
		answer["meta"].(object)["current"] != "2026-08-27" {
		t.Errorf("answer = %v, want the dates 2026-08-27 and 2026-08-20, and the first as current", answer)
	}
	for _, tt := range []struct {
		target   string
		want     []string
		previous any
	}{
		{"/anfr/archive/2026-08-27",
			[]string{"7 NR 3500 Projet approuvé 2026-08-27 new", "90000010 LTE 800 En service 2026-08-27 activated",
				"90000011 LTE 1800 En service 2026-08-20 deleted", "90000011 LTE 2600 En service 2026-08-27 added"},
			"2026-08-20"},
		{"/anfr/archive/2026-08-27?view=FULL",
			[]string{"7 NR 3500 Projet approuvé 2026-08-27 new", "90000010 LTE 800 En service 2026-08-27 activated",
				"90000011 LTE 2600 En service 2026-08-27 added", "90000011 LTE 800 En service 2026-08-27"},
			"2026-08-20"},
		{"/anfr/archive/2026-08-20",
			[]string{"90000010 LTE 800 Projet approuvé 2026-08-20 new", "90000011 LTE 1800 En service 2026-08-20 new",
				"90000011 LTE 800 En service 2026-08-20 new"}, nil},
	} {
		rows, meta := archived(t, s, tt.target)
		if !slices.Equal(rows, tt.want) || meta["previous"] != tt.previous ||
			!strings.HasSuffix(tt.target[:24], meta["date"].(string)) {
			t.Errorf("%s: %q, want %q, meta %v", tt.target, rows, tt.want, meta)
		}
	}
	// A commune is known by the register, or not at all.
	site := parse(t, get(t, s, "/anfr/archive/2026-08-27"), 200)["data"].(object)["7"].(object)
	if city := site["info"].(object)["city"]; city != cityOf(t, s, "75056") ||
		city != site["antennas"].([]any)[0].(object)["city"] {
		t.Errorf("the city is %q, want %q and %q", city, cityOf(t, s, "75056"),
			site["antennas"].([]any)[0].(object)["city"])
	}
	// What is added changes the answers' tags, those of earlier dates too.
	tag := before.Header().Get("Etag")
	if w := get(t, s, "/anfr/archives", "If-None-Match", tag); w.Code != 304 {
		t.Errorf("unchanged: %d, want 304", w.Code)
	}
	addArchive(t, s.Archives, "2026-09-03", archiveRows["2026-08-27"], archive.Options{})
	if answer := parse(t, get(t, s, "/anfr/archives", "If-None-Match", tag),
		200); answer["meta"].(object)["current"] != "2026-09-03" {
		t.Errorf("answer = %v, want 2026-09-03 as current", answer)
	}
	if w := get(t, s, "/anfr/archive/2026-09-03"); len(parse(t, w, 200)["data"].(object)) != 0 {
		t.Errorf("a week without changes: %s, data %v, want no data", w.Body, parse(t, w, 200)["data"].(object))
	}
	tag = get(t, s, "/anfr/archive/2026-08-27?view=full").Header().Get("Etag")
	addArchive(t, s.Archives, "2026-08-27", archiveRows["2026-08-27"][:3], archive.Options{Force: true})
	if w := get(t, s, "/anfr/archive/2026-08-27?view=full", "If-None-Match",
		tag); len(parse(t, w, 200)["data"].(object)) != 2 {
		t.Errorf("after it was replaced: got %s, want two rows", w.Body)
	}
}

// cityOf is the name that a site of the register has for a code.
func cityOf(t *testing.T, s *Server, insee string) string {
	t.Helper()
	for m := range s.set.Load().Loaded() {
		for i := range m.Len() {
			if code, name := m.Snap.Commune(i); code == insee {
				return name
			}
		}
	}
	return ""
}

// Archives of a demonstration say so, whatever register is loaded, and others do not.
func TestSyntheticArchives(t *testing.T) {
	s, want := newServer(t), "SYNTHETIC demonstration data, not a register"
	paths := []string{"/anfr/archives", "/anfr/archive/2026-08-20", "/anfr/archive/2026-08-20?view=full"}
	for _, path := range paths {
		if meta := parse(t, get(t, s, path), 200)["meta"].(object); meta["sourceLabel"] == want ||
			meta["sourceLabel"] == "" || meta["sourceAuthority"] != "ANFR" {
			t.Errorf("%s: meta = %v, want the real source of the ANFR", path, meta)
		}
	}
	s.Archives = noArchives(t)
	addArchiveFile(t, s.Archives, "SYNTHETIC_observatoire.csv", "2026-08-20", archiveRows["2026-08-20"],
		archive.Options{})
	for _, path := range paths {
		if meta := parse(t, get(t, s, path), 200)["meta"].(object); meta["sourceLabel"] != want {
			t.Errorf("%s: meta = %v, want the source label %q", path, meta, want)
		}
	}
}

func TestNoArchive(t *testing.T) {
	s := newServer(t)
	for _, date := range []string{"2026-02-30", "26-1-1", "2026-13-01", "2026-1-01", "2026-08-27T00:00:00Z",
		"27%2F08%2F2026", "20260827", "latest", "%00", "%ff", "２026-08-27", "2026-08-27%20", "-2026-08-27",
		strings.Repeat("9", 1<<20)} {
		wantError(t, get(t, s, "/anfr/archive/"+date), 400, "INVALID_DATE", "date: ")
	}
	for _, date := range []string{"2026-08-26", "1800-01-01", "0000-01-01", "9999-12-31"} {
		wantError(t, get(t, s, "/anfr/archive/"+date), 404, "ARCHIVE_NOT_FOUND")
		wantError(t, get(t, s, "/anfr/archive/"+date+"?view=full"), 404, "ARCHIVE_NOT_FOUND")
	}
	wantError(t, get(t, s, "/anfr/archive/2026-08-27?view=whole"), 400, "INVALID_PARAMETER", "view: ", "full")
	wantError(t, get(t, s, "/anfr/archive/"), 404, "NOT_FOUND")
	wantError(t, get(t, s, "/anfr/archive/2026-08-27/"), 404, "NOT_FOUND")
	alone := empty(t) // a server without a register
	if rows, _ := archived(t, alone, "/anfr/archive/2026-08-27"); len(rows) != 4 ||
		len(parse(t, get(t, alone, "/anfr/archives"), 200)["data"].([]any)) != 2 {
		t.Errorf("without a register: got rows %q, want 4 of them and 2 archives", rows)
	}
	s.Archives = archive.Open(nil, time.Now) // a read-only folder without archives
	if answer := parse(t, get(t, s, "/anfr/archives"), 200); len(answer["data"].([]any)) != 0 ||
		answer["meta"].(object)["current"] != nil {
		t.Errorf("answer = %v, want no dates and no current one", answer)
	}
	wantError(t, get(t, s, "/anfr/archive/2026-08-27"), 404, "ARCHIVE_NOT_FOUND")
}

// What cannot be read is a failure, not an answer that ends at once.
func TestDamagedArchive(t *testing.T) {
	s := newServer(t)
	var db *store.DB
	s.Archives, db = newArchivesIn(t)
	for _, damage := range []struct{ bucket, view string }{{"changes", "changes"}, {"rows", "full"},
		{"publications", "full"}} {
		must(t, db.Update(func(tx *store.Tx) error {
			b := tx.Bucket([]byte(damage.bucket))
			k, _ := b.Cursor().Last()
			return b.Put(slices.Clone(k), []byte("no record"))
		}))
		wantError(t, get(t, s, "/anfr/archive/2026-08-27?view="+damage.view), 500, "EXTERNAL_ANFR_ARCHIVE_FAILED")
	}
	wantError(t, get(t, s, "/anfr/archives"), 500, "EXTERNAL_ANFR_ARCHIVES_FAILED")
}

package address

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"relais/geo"
	"relais/internal/fold"
	"relais/internal/folder"
)

var (
	paris  = geo.Point{Lat: 48.87, Lng: 2.33}
	rennes = geo.Point{Lat: 48.11, Lng: -1.68}
	vitre  = geo.Point{Lat: 48.12, Lng: -1.21}
)

// towns is a table of streets that test how texts are read.
func towns() string {
	var b strings.Builder
	b.WriteString(header)
	for _, s := range []struct {
		street, postcode, code, commune string
		at                              geo.Point
		numbers                         int
	}{
		{"Rue de la Paix", "75002", "75102", "Paris 2e Arrondissement", paris, 24},
		{"Rue de Rennes", "75006", "75106", "Paris 6e Arrondissement", paris, 100},
		{"Rue du Bac", "75007", "75107", "Paris 7e Arrondissement", paris, 90},
		{"Rue Roger Henri Guerrand", "35000", "35238", "Rennes", rennes, 12},
		{"Rue de Paris", "35000", "35238", "Rennes", rennes, 80},
		{"Rue de la Paix", "35200", "35238", "Rennes", rennes, 9},
		{"Boulevard de la Liberté", "35000", "35238", "Rennes", rennes, 60},
		{"Avenue du Général de Gaulle", "35200", "35238", "Rennes", rennes, 7},
		{"Rue du 8 Mai 1945", "35000", "35238", "Rennes", rennes, 5},
		{"Rue de la Croix Rouge", "35700", "35238", "Rennes", rennes, 4},
		{"Place de la Gare", "35500", "35360", "Vitré", vitre, 11},
		{"Rue de la Gare", "35500", "35360", "Vitré", vitre, 3},
		{"Rue du Général Leclerc", "44660", "44146", "Rougé", geo.Point{Lat: 47.78, Lng: -1.44}, 3},
		{"Rue de la Croix Blanche", "44660", "44146", "Rougé", geo.Point{Lat: 47.78, Lng: -1.44}, 3},
		{"Rue Sainte-Anne", "97400", "97411", "Saint-Denis", geo.Point{Lat: -20.88, Lng: 55.45}, 30},
		{"Rue de la République", "93200", "93066", "Saint-Denis", geo.Point{Lat: 48.936, Lng: 2.357}, 40},
		{"Quai de l'Horloge", "17000", "17300", "La Rochelle", geo.Point{Lat: 46.16, Lng: -1.15}, 3},
		{"Le Bourg", "35131", "35196", "Mordelles", geo.Point{Lat: 48.075, Lng: -1.845}, 2},
	} {
		for n := range s.numbers {
			b.WriteString(row(n+1, s.street, s.postcode, s.code, s.commune, "", s.at.Lat, s.at.Lng))
		}
	}
	return b.String()
}

func storeOf(t testing.TB, text string) *Store {
	t.Helper()
	dir := folder.Dir(t.TempDir())
	ingested(t, dir, write(t, filepath.Join(t.TempDir(), "adresses-france.csv"), text))
	return NewStore(Path(dir))
}

func TestFind(t *testing.T) {
	s := storeOf(t, towns())
	for _, tt := range []struct {
		text   string
		near   *geo.Point
		want   string // the first: "street, code"; "" for nothing
		number string
		exact  bool
	}{
		{"12 rue de la Paix, Paris", nil, "Rue de la Paix, 75102", "12", true},
		{"12 bis rue de la paix paris", nil, "Rue de la Paix, 75102", "12 bis", true},
		{"12bis, r. de la Paix 75002 PARIS", nil, "Rue de la Paix, 75102", "12bis", true},
		{"rue de la paix 75002", nil, "Rue de la Paix, 75102", "", true},
		{"rue de la paix paris 2e", nil, "Rue de la Paix, 75102", "", true},
		{"rue de la paix, paris 2ème arrondissement", nil, "Rue de la Paix, 75102", "", true},
		{"Paris 2, rue de la Paix", nil, "Rue de la Paix, 75102", "", true},
		{"rue de la paix rennes", nil, "Rue de la Paix, 35238", "", true},
		{"rue roger henri guerrand rennes 35000", nil, "Rue Roger Henri Guerrand, 35238", "", true},
		{"7 B RUE ROGER HENRI GUERRAND 35000 RENNES CEDEX", nil, "Rue Roger Henri Guerrand, 35238", "7 b", true},
		{"RUE ROGER HENRI GUERRAND 35000", nil, "Rue Roger Henri Guerrand, 35238", "", true},
		{"roger henri guer rennes", nil, "", "", false}, // only the last word may be a part
		{"rennes roger henri guer", nil, "Rue Roger Henri Guerrand, 35238", "", false},
		{"place de la gare vitré", nil, "Place de la Gare, 35360", "", true},
		{"pl de la gare, vitre, france", nil, "Place de la Gare, 35360", "", true},
		{"gare vitré", nil, "Place de la Gare, 35360", "", false},
		{"avenue de la gare vitré", nil, "Place de la Gare, 35360", "", false}, // of another kind
		{"rue de paris rennes", nil, "Rue de Paris, 35238", "", true},
		{"rue de rennes paris", nil, "Rue de Rennes, 75106", "", true},
		{"rue de paris", nil, "", "", false},
		{"rue de paris", &rennes, "Rue de Paris, 35238", "", true},
		{"rue de paris", &vitre, "", "", false}, // over 20 km away
		{"bd liberte rennes", nil, "Boulevard de la Liberté, 35238", "", true},
		{"av gal de gaulle rennes", nil, "Avenue du Général de Gaulle, 35238", "", true},
		{"3 rue du 8 mai 1945 rennes", nil, "Rue du 8 Mai 1945, 35238", "3", true},
		{"rue du 8 mai, rennes", nil, "Rue du 8 Mai 1945, 35238", "", false},
		{"rue de la croix rouge", &rennes, "Rue de la Croix Rouge, 35238", "", true},
		{"rue de la croix rouge", nil, "Rue de la Croix Blanche, 44146", "", false},
		{"rue ste anne st denis", nil, "Rue Sainte-Anne, 97411", "", true},
		{"rue de la republique saint-denis", nil, "Rue de la République, 93066", "", true},
		{"quai de l'horloge la rochelle", nil, "Quai de l'Horloge, 17300", "", true},
		{"quai horloge ROCHELLE", nil, "Quai de l'Horloge, 17300", "", true},
		{"le bourg mordelles", nil, "Le Bourg, 35196", "", true},
		{"rennes", nil, "", "", false},
		{"rue rennes", nil, "", "", false},
		{"35000", nil, "", "", false},
		{"12", &rennes, "", "", false},
		{"", &rennes, "", "", false},
		{"rue de nulle part rennes", &rennes, "", "", false},
	} {
		t.Run(fmt.Sprint(tt.text, tt.near != nil), func(t *testing.T) {
			f, err := s.Find(t.Context(), Question{Text: tt.text, Near: tt.near, Limit: 10})
			must(t, err)
			got, exact := "", false
			if len(f.Streets) > 0 {
				got, exact = f.Streets[0].Name+", "+f.Streets[0].Code, f.Streets[0].Exact
			}
			if got != tt.want || f.Number != tt.number || exact != tt.exact {
				t.Errorf("got %q (exact %v), number %q; want %q (%v), %q", got, exact, f.Number, tt.want, tt.exact, tt.number)
			}
		})
	}
}

func TestFindKeepsMarkets(t *testing.T) {
	s := storeOf(t, towns())
	q := Question{Text: "rue sainte anne saint denis", Limit: 10, Keep: func(code string) bool { return code != "97411" }}
	if f, err := s.Find(t.Context(), q); err != nil || f.Total != 0 {
		t.Errorf("got %+v, %v; want nothing of another market", f, err)
	}
}

// A text with the whole name of a street and of its commune finds the streets that a scan of the table finds. Hamlets have
// the names of streets in some communes.
func TestFindAsAScanDoes(t *testing.T) {
	text := header + strings.Join(made(7, 60), "") + strings.TrimPrefix(towns(), header)
	s := storeOf(t, text)
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = ';'
	rows, err := r.ReadAll()
	must(t, err)
	const street, code, commune = 4, 6, 7
	wanted := map[string]map[string]bool{} // question → code and street
	for _, f := range rows[1:] {
		name := fold.String(f[street])
		if question := name + " " + fold.String(f[commune]); !strings.HasPrefix(name, "le hameau") {
			if wanted[question] == nil {
				wanted[question] = map[string]bool{}
			}
			wanted[question][f[code]+name] = true
		}
	}
	for question, want := range wanted {
		found, err := s.Find(t.Context(), Question{Text: question, Limit: 1000})
		must(t, err)
		got := map[string]bool{}
		for _, m := range found.Streets {
			if m.Exact && m.rank == found.Streets[0].rank {
				got[m.Code+fold.String(m.Name)] = true
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: got %v, want %v", question, got, want)
		}
	}
	if len(wanted) < 300 {
		t.Errorf("%d streets were asked for, want hundreds", len(wanted))
	}
}

// With a point, streets within the reach that have the name are found, the nearest first.
func TestFindNear(t *testing.T) {
	var b strings.Builder
	b.WriteString(header)
	for i := range 60 {
		code := fmt.Sprintf("35%03d", i+1)
		b.WriteString(row(1, "Rue des Lilas", "35000", code, "Ville "+code, "", 48.11+float64(i)*0.005, -1.68))
	}
	s := storeOf(t, b.String())
	f, err := s.Find(t.Context(), Question{Text: "rue des lilas", Near: &rennes, Limit: 100})
	must(t, err)
	want := 0
	for i := range 60 {
		if geo.Distance(rennes, geo.Point{Lat: 48.11 + float64(i)*0.005, Lng: -1.68}) <= Reach {
			want++
		}
	}
	if f.Total != want || want >= 60 || !slices.IsSortedFunc(f.Streets, func(a, b Match) int { return int(a.Metres - b.Metres) }) {
		t.Errorf("got %d streets, want %d of 60, the nearest first", f.Total, want)
	}
	if f, err = s.Find(t.Context(), Question{Text: "rue des lilas", Near: &rennes, Limit: 3}); err != nil || len(f.Streets) != 3 ||
		f.Total != want {
		t.Errorf("got %d of %d, %v; want 3 of %d", len(f.Streets), f.Total, err, want)
	}
}

// A question takes the file that is there.
func TestFileIsReplaced(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	s := NewStore(Path(dir))
	ask := func() (*Found, error) { return s.Find(t.Context(), Question{Text: "rue du pont abancourt", Limit: 1}) }
	if _, err := ask(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want that there is no file", err)
	}
	if _, err := (*Store)(nil).Info(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error of no store = %v, want that there is no file", err)
	}
	_ = ingested(t, dir, published+"adresses-01.csv")
	if f, err := ask(); err != nil || f.Total != 0 {
		t.Errorf("got %+v, %v; want nothing", f, err)
	}
	first, err := s.Info()
	must(t, err)
	_, err = Ingest(t.Context(), Options{Dir: dir, Paths: []string{published + "adresses-59.csv"}, Now: time.Now(), Force: true})
	must(t, err)
	if f, err := ask(); err != nil || f.Total != 1 || f.Streets[0].Name != "Rue du Pont" || f.Version == first.Version {
		t.Errorf("got %+v, %v; want the street of the new file", f, err)
	}
	must(t, os.WriteFile(Path(dir), []byte("RELAISAD\x02\x00\x00\x00"+strings.Repeat("x", 100)), 0o600))
	if _, err := ask(); !errors.Is(err, ErrVersion) {
		t.Errorf("error = %v, want ErrVersion", err)
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range []string{"12 rue de la Paix, Paris", "35000", "\x00\xff", strings.Repeat("rue de paris ", 99), "a a a a a"} {
		f.Add(text)
	}
	dir := folder.Dir(f.TempDir())
	path := write(f, filepath.Join(f.TempDir(), "adresses.csv"), towns())
	ingested(f, dir, path)
	s := NewStore(Path(dir))
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.Find(t.Context(), Question{Text: text, Near: &rennes, Limit: 10}); err != nil {
			t.Errorf("Find(%q): %v", text, err)
		}
	})
}

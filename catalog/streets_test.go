package catalog

import (
	"errors"
	"os"
	"testing"
	"time"

	"relais/address"
	"relais/geo"
	"relais/index"
	"relais/index/indextest"
	"relais/internal/errtest"
	"relais/internal/folder"
	"relais/market"
)

// The rows are those of package ban: published ones of the Nord and the Ain.
func TestStreets(t *testing.T) {
	dir := folder.Dir(t.TempDir())
	c := &Catalog{Addresses: address.NewStore(address.Path(dir))}
	asked := Streets{Text: "3 rue du pont, abancourt", Limit: 5}
	if _, err := c.Streets(t.Context(), asked); !errors.Is(err, ErrNoAddresses) {
		t.Errorf("without a file: error = %v, want ErrNoAddresses", err)
	}
	if _, err := (&Catalog{}).Streets(t.Context(), asked); !errors.Is(err, ErrNoAddresses) {
		t.Errorf("without a store: error = %v, want ErrNoAddresses", err)
	}
	before := c.Version(DataAddresses)
	_, err := address.Ingest(t.Context(), address.Options{Dir: dir, Now: time.Now(),
		Paths: []string{"../ingest/ban/testdata/adresses-59.csv", "../ingest/ban/testdata/adresses-01.csv"}})
	errtest.Must(t, err)
	found, err := c.Streets(t.Context(), asked)
	errtest.Must(t, err)
	if found.Total != 1 || found.Number != "3" {
		t.Fatalf("got %+v, want one street, without number 3", found)
	}
	// The street has one number: 2, at 50.235999, 3.214369.
	s := found.Streets[0]
	if s.Name != "Rue du Pont" || s.Commune != "Abancourt" || s.Postcode != "59268" || s.Market.Code != market.FR || !s.Exact ||
		s.Market.Areas[s.Area].Code != "59" || s.Numbers != 1 || geo.Distance(s.At, geo.Point{Lat: 50.235999, Lng: 3.214369}) > 1 {
		t.Errorf("got %+v, want Rue du Pont", s)
	}
	if now := c.Version(DataAddresses); now == before || now != found.Source.Version {
		t.Errorf("version = %q after %q, want %q", now, before, found.Source.Version)
	}
	c.Set = index.NewSet([]*index.Market{indextest.Towns(t)}, nil)
	for text, want := range map[string]string{"3 rue du pont, abancourt": "Rue du Pont", "Orange 5G rue du Pont Abancourt": "Rue du Pont",
		"rue du pont": "", "Rennes": "", "pannes rue du pont abancourt": ""} {
		found := ask(t, c, Find{Text: text, Nearest: true, Limit: 5})
		if s := found.Street(); (s == nil) != (want == "") || s != nil && (s.Name != want || *found.Around != s.At) {
			t.Errorf("%s: street = %+v around %v, want %q", text, s, found.Around, want)
		}
	}
	asked.Market = market.Get(market.DROM)
	if found, err = c.Streets(t.Context(), asked); err != nil || found.Total != 0 || found.Source.Licence != "Licence Ouverte 2.0" {
		t.Errorf("in another market: %+v, %v; want nothing, from the same source", found, err)
	}
	errtest.Must(t, os.WriteFile(address.Path(dir), []byte("RELAISAD and what is not a file of streets"), 0o600))
	if _, err := c.Streets(t.Context(), asked); err == nil {
		t.Error("a damaged file has no error")
	} else if unusable, ok := errors.AsType[*UnusableError](err); !ok || unusable.Data != DataAddresses {
		t.Errorf("error = %v, want that the addresses cannot be used", err)
	}
}

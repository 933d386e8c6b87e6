package api

import (
	"net/url"
	"reflect"
	"testing"

	"relais/api/endpoint"
	"relais/archive/change"
	"relais/catalog"
	"relais/geo"
	"relais/market"
	"relais/site"
)

// The parameters of /changes ask what their names say.
func TestChangesQuestion(t *testing.T) {
	for _, tt := range []struct {
		query string
		want  change.Filter
	}{
		{"", change.Filter{}},
		{"kind=Status-Changed,system-removed", change.Filter{Kinds: []change.Kind{change.StatusChanged, change.SystemRemoved}}},
		{"operator=SFR,Free+Mobile", change.Filter{Operators: []string{"SFR", "FREE"}}},
		{"generation=3g,2G", change.Filter{Generations: []site.Generation{site.G2, site.G3}}},
		{"department=75", change.Filter{Areas: []string{"75"}}}, {"department=Ain", change.Filter{Areas: []string{"01"}}},
		{"lat=48.85&lon=2.35&radiusKm=50", change.Filter{Disc: &geo.Disc{Center: geo.Point{Lat: 48.85, Lng: 2.35}, Radius: 50_000}}},
		{"lat=48.85&lng=2.35&radiusKm=7.5", change.Filter{Disc: &geo.Disc{Center: geo.Point{Lat: 48.85, Lng: 2.35}, Radius: 7_500}}},
		{"bbox=-1,43,6,46.5", change.Filter{Box: &geo.Box{West: -1, South: 43, East: 6, North: 46.5}}},
		{"north=50&south=48&east=4&west=1", change.Filter{Box: &geo.Box{West: 1, South: 48, East: 4, North: 50}}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			values, err := url.ParseQuery(tt.query + "&since=2026-08-20&until=2026-08-27&net=true&technology=lte+800&band=700,800&offset=3")
			if err != nil {
				t.Fatal(err)
			}
			got, err := ChangesQuestion(func(p *endpoint.Param) (string, error) { return values.Get(p.Name), nil })
			want := catalog.Changes{Since: site.DateOf(2026, 8, 20), Until: site.DateOf(2026, 8, 27), Net: true, Offset: 3, Limit: 100,
				ChangeSelection: catalog.ChangeSelection{Market: market.Get(market.FR), Filter: tt.want,
					Technologies: []string{"lte 800"}, Bands: []string{"700", "800"}}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

// A period begins at a day, or so many days before its end.
func TestPeriodStart(t *testing.T) {
	for text, want := range map[string]catalog.Changes{"2026-08-20": {Since: site.DateOf(2026, 8, 20)}, "30d": {Days: 30},
		"1d": {Days: 1}, "3653d": {Days: 3653}} {
		var p Period
		if err := p.Since.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var got catalog.Changes
		if p.Bound(&got); !reflect.DeepEqual(got, want) || p.Check() != nil {
			t.Errorf("%s: got %+v", text, got)
		}
	}
	for _, text := range []string{"0d", "3654d", "-1d", "d", "30", "30 d", "30D", "99999999999999999999d", "2026-13-01", "1.5d"} {
		if new(Period).Since.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

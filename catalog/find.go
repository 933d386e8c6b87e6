package catalog

import (
	"cmp"
	"context"
	"math"
	"slices"

	"relais/geo"
	"relais/index"
	"relais/index/question"
	"relais/internal/fold"
	"relais/market"
)

// Find asks what a text is about, as people type it: 5G Rennes, eNB 28963 Free, gare de Rennes, 48.11, -1.68, words of
// an address.
type Find struct {
	Text string
	// Selection narrows the sites further, and counts more than the text. Without a Market all markets are asked; the
	// rest of the Selection must then be empty.
	Selection
	// Narrow, if not nil, returns the rest of the Selection for each market that is asked. A market for which it fails
	// is left out; if it fails for all of them, its error is that of the question.
	Narrow func(*market.Market) (Selection, error)
	// Prefer is the market whose places come before their namesakes, nil for none.
	Prefer *market.Market
	Near   *geo.Point // the place of who asks, nil if it is unknown
	// Nearest puts sites of the place first, the nearest to its middle before the others, then its neighbours, then
	// sites that have the words. There are no further pages of these, nor of the sites of a landmark.
	Nearest       bool
	Offset, Limit int
}

// Found is what a text is about. A text about outages or changes finds places only.
type Found struct {
	Understood
	Registers []*index.Market // that were asked, the preferred one first
	// Around is the position around which the sites are, nil for none.
	Around *geo.Point
	Radio  []RadioSite // that the identifier names, the most certain first
	Places []Place     // that the text names, the best first
	// Streets are those of addresses that the text names, if it is not the name of a place.
	Streets StreetsFound
	Pages   []SitesFound // parts of one page, each of one market
	Total   int          // of all pages; with Nearest of this one
	// Naming is how many of the first sites have all words of a landmark.
	Naming int
}

// A RadioSite is a site that an identifier names.
type RadioSite struct {
	Register *index.Market
	index.RadioMatch
	// Foreign means that it is of other operators than were asked for. Shared networks use the numbers of one of them.
	Foreign bool
}

// Kinds returns the kinds of identifiers that the value is. A cell has two names.
func (r *RadioSite) Kinds() []string {
	list := []string{}
	for _, t := range r.Types {
		if t != index.LookupCellID {
			list = append(list, string(t))
		}
	}
	return list
}

// RadioFirst reports whether the sites of the identifier are meant rather than a place with that number.
func (f *Found) RadioFirst() bool { return f.Place == nil }

// OperatorKeys returns the keys of the operators that the text names, as the market has them in which the text was
// understood; in other markets the name means others.
func (f *Found) OperatorKeys() []string {
	if s := f.Filters(); len(s.Operators) > 0 {
		return s.Market.KeysOf(s.Operators)
	}
	return f.Operators
}

// Distances in metres: of neighbours from the middle of a place, and of sites from a position.
const (
	neighbourhood = 10_000
	vicinity      = 5_000
)

// Find returns what a text is about. Errors: those of Among and Select.
func (c *Catalog) Find(ctx context.Context, q Find) (*Found, error) {
	registers, err := c.Among(q.Market)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(registers, func(a, b *index.Market) int {
		return cmp.Compare(btoi(b.Table == q.Prefer), btoi(a.Table == q.Prefer))
	})
	found := &Found{Understood: q.understand(registers), Registers: registers}
	// A step that finds nothing leaves Found as it is.
	for _, step := range []func(context.Context, *Find, *Found) error{c.identified, c.places, c.streets, c.sites} {
		if err := step(ctx, &q, found); err != nil {
			return nil, err
		}
	}
	if text, may := question.Postal(q.Text); may && found.Question.Key != "" && found.Total == 0 {
		q.Text = text
		return c.Find(ctx, q)
	}
	return found, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// identified adds the sites that the radio identifier of the text names: of its operators, or else of others.
func (c *Catalog) identified(_ context.Context, q *Find, found *Found) error {
	if found.Identifier == nil {
		return nil
	}
	anybody := *found
	anybody.Operators = nil
	for i, u := range []*Found{found, &anybody} {
		err := c.each(q, u, func(m *index.Market, ask Sites) error {
			for _, match := range m.LookupOf(found.Identifier.Value, radioTypes[found.Identifier.Kind], ask.Operators) {
				found.Radio = append(found.Radio, RadioSite{m, match, i > 0})
			}
			return nil
		})
		if err != nil || found.Radio != nil {
			break // an error is that of the sites too
		}
	}
	slices.SortStableFunc(found.Radio, func(a, b RadioSite) int { return cmp.Compare(btoi(a.Learned), btoi(b.Learned)) })
	found.Radio = found.Radio[:min(len(found.Radio), maxNaming)]
	return nil
}

// radioTypes are the types of look-ups for a kind of identifier.
var radioTypes = map[question.IdentifierKind][]index.RadioType{question.Any: index.RadioTypes,
	question.ENB: {index.LookupENB}, question.GNB: {index.LookupGNB}, question.Cell: {index.LookupCI},
	question.PCI: {index.LookupPCI}}

// places adds the places that the text may name, also those whose names begin with it.
func (c *Catalog) places(_ context.Context, q *Find, found *Found) error {
	text := found.Question.Place
	if text == "" || found.Question.Key != "" {
		return nil
	}
	ask := q.placesOf(found.Operators)
	among := inCountry(found.Registers, found.Country)
	list, _ := ask.named(among, text)
	// Who types only a name may not be at its end yet.
	exact := found.Place != nil && found.Place.Match == 0 && fold.String(q.Text) != fold.String(text)
	for _, p := range list {
		if exact && p.Match > 0 {
			break
		}
		same := slices.ContainsFunc(found.Places, func(other Place) bool { return other.Center == p.Center }) // Bern, Berne
		if !same && (p.Match <= beginsWith || found.Place != nil && p.Match == found.Place.Match) {
			found.Places = append(found.Places, p)
		}
	}
	return nil
}

// placesOf returns the question for places of operators.
func (q *Find) placesOf(operators []string) Places {
	return Places{Limit: bestLimit, Operators: operators, prefer: q.Prefer}
}

// beginsWith is the Match of places whose names begin with a word of the text, and have the others.
const beginsWith = 2

// Filters returns the emissions that the text asks for, as a selection in the market of its place, or else in the first
// register that has them. It has only what the text names, and no Market if no register has it.
func (f *Found) Filters() Selection {
	for _, m := range f.Registers {
		if f.Place != nil && f.Place.Market != m.Table {
			continue
		}
		if q, possible := f.Understood.sites(Selection{}, m); possible || f.Place != nil {
			return q.Selection
		}
	}
	return Selection{}
}

// most is the share of a place's sites that its Bounds have. A register has sites far from the commune that it states.
const most = 0.95

// Bounds returns the box of most sites of a place.
func (f *Found) Bounds(p *Place) (b geo.Box) {
	for _, m := range f.Registers {
		if m.Table != p.Market {
			continue
		}
		where := p.Within()
		where.Filter = index.All
		sites := m.Find(where, 0, int(math.Ceil(most*float64(p.Sites)))).Sites
		for i, at := range sites {
			if x := m.Position(at); i == 0 {
				b = geo.Box{South: x.Lat, North: x.Lat, West: x.Lng, East: x.Lng}
			} else {
				b.South, b.North = min(b.South, x.Lat), max(b.North, x.Lat)
				b.West, b.East = min(b.West, x.Lng), max(b.East, x.Lng)
			}
		}
	}
	return b
}

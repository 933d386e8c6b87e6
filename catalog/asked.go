package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"relais/index"
	"relais/internal/fold"
)

// Asked asks for sites as people type it: 5G Rennes, antenne Orange à Vitré, words of an address.
type Asked struct {
	Text string
	// Selection narrows the sites further, and counts more than the text. Without a Market all markets are asked; the
	// rest of the Selection must then be empty.
	Selection
	// Nearest puts sites of the place first, the nearest to its middle before the others, then its neighbours, then
	// sites that have the words. There are no further pages of these.
	Nearest       bool
	Offset, Limit int
}

// AskedFound are the sites that a text is about.
type AskedFound struct {
	Understood
	Registers []*index.Market // that were asked
	Pages     []SitesFound    // parts of one page, each of one market
	Total     int             // of all pages; with Nearest of this one
}

// neighbourhood is the distance in metres from the middle of a place up to which sites are its neighbours.
const neighbourhood = 10_000

// Asked returns the sites that a text is about. If nothing has all of it and it names no place, the place that a part
// of it names counts. Errors: those of Among and Select.
func (c *Catalog) Asked(ctx context.Context, q Asked) (*AskedFound, error) {
	registers, err := c.Among(q.Market)
	if err != nil {
		return nil, err
	}
	found := &AskedFound{Understood: understand(q.Text, q.Market, registers), Registers: registers}
	ask := c.paged
	if q.Nearest {
		ask = c.nearest
	}
	if err := ask(ctx, &q, found); err != nil || found.Total > 0 || found.Place != nil {
		return found, err
	}
	// Only now: sites that have all of the text come before a place that only a part of it names.
	part := Places{Text: found.Question.Place, Limit: 1}
	places := PlacesFound{Places: part.part(registers), PartOf: part.Text}
	if found.Place = places.Best(); found.Place == nil {
		return found, nil
	}
	if q.Market == nil && !q.Nearest { // where searches for the name of the place, in all markets
		found.Words = strings.Fields(found.Place.Name)
	}
	return found, ask(ctx, &q, found)
}

// paged adds a page of sites, those of one market after those of another.
func (c *Catalog) paged(ctx context.Context, q *Asked, found *AskedFound) error {
	registers, where := found.Registers, found.where(q.Market != nil)
	if q.Market == nil {
		registers = inCountry(registers, found.Country)
	}
	taken := 0
	for _, m := range registers {
		ask, possible := found.sites(q.Selection, m)
		if !possible || where.Place != nil && found.Place.Market != m.Table {
			continue
		}
		ask.Where, ask.Offset, ask.Limit = where, max(0, q.Offset-found.Total), q.Limit-taken
		page, err := c.Sites(ctx, ask)
		if err != nil {
			return err
		}
		found.Total, taken = found.Total+page.Total, taken+len(page.Sites)
		found.Pages = append(found.Pages, page)
	}
	return nil
}

// nearest adds sites of the place, of its neighbourhood, and those that have the words.
func (c *Catalog) nearest(ctx context.Context, q *Asked, found *AskedFound) error {
	if p := found.Place; p != nil {
		if err := c.add(ctx, q, found, p.Within(), q.Limit); err != nil || p.PartOf != "" {
			return err
		}
		// A small place has few sites or none. Its neighbours fill at most half of the page, which leaves room for
		// sites that have the words.
		if found.Total < q.Limit/2 && !p.Wide() {
			if err := c.add(ctx, q, found, p.Near(neighbourhood), q.Limit/2); err != nil {
				return err
			}
		}
	}
	others := &AskedFound{Understood: found.Understood, Registers: found.Registers}
	err := c.paged(ctx, &Asked{Selection: q.Selection, Limit: q.Limit}, others)
	for _, page := range others.Pages {
		found.add(page, q.Limit)
	}
	return err
}

// add adds at most limit sites of the market of the question's place.
func (c *Catalog) add(ctx context.Context, q *Asked, found *AskedFound, where index.Query, limit int) error {
	loaded, _ := c.Register(found.Place.Market) // the place is one of its
	ask, possible := found.sites(q.Selection, loaded)
	if !possible {
		return nil
	}
	ask.Where, ask.Limit = where, limit
	page, err := c.Sites(ctx, ask)
	if err == nil {
		found.add(page, q.Limit)
	}
	return err
}

// add adds the sites that are not there yet, as long as there are less than limit.
func (f *AskedFound) add(page SitesFound, limit int) {
	hits := page.Hits
	page.Hits = index.Hits{}
	for i, at := range hits.Sites {
		there := slices.ContainsFunc(f.Pages, func(p SitesFound) bool {
			return p.Register == page.Register && slices.Contains(p.Sites, at)
		})
		if there || f.Total == limit {
			continue
		}
		if page.Sites = append(page.Sites, at); hits.Metres != nil {
			page.Metres = append(page.Metres, hits.Metres[i])
		}
		f.Total++
	}
	f.Pages = append(f.Pages, page)
}

// sites returns the question for sites of a register with emissions as the text asks for, and whether there can
// be such sites.
func (u *Understood) sites(s Selection, m *index.Market) (q Sites, possible bool) {
	s.Market, possible = m.Table, true
	if len(u.Operators) > 0 && s.Operators == nil {
		for _, key := range u.Operators {
			if i, ok := m.Table.Operator(key); ok {
				s.Operators = append(s.Operators, i)
			}
		}
		possible = s.Operators != nil
	}
	if u.Generation != 0 && s.Generations == nil {
		s.Generations = index.Choice{int(u.Generation)}
	}
	if u.Phase != 0 && s.Status == "" {
		for i, name := range m.Snap.Statuses {
			if m.Table.Phase(i) == u.Phase {
				s.Status = name
			}
		}
		possible = possible && s.Status != ""
	}
	if len(u.Systems)+len(u.Bands) > 0 && s.Technologies == nil && s.Bands == nil {
		s.Technologies = u.systemsOf(m)
		possible = possible && s.Technologies != nil
	}
	return Sites{Selection: s}, possible
}

// systemsOf returns the systems of a register that the text names.
func (u *Understood) systemsOf(m *index.Market) (names []string) {
	for _, name := range m.Snap.Systems {
		folded := fold.String(name)
		isBand := func(mhz int) bool { return strings.HasSuffix(folded, " "+strconv.Itoa(mhz)) }
		if slices.Contains(u.Systems, folded) || slices.ContainsFunc(u.Bands, isBand) {
			names = append(names, name)
		}
	}
	return names
}

// where returns the query for the sites: those that have the words, in a region and, if one market is asked, in the
// place that a part of the text names.
func (u *Understood) where(oneMarket bool) index.Query {
	text := strings.Join(u.Words, " ")
	switch p := u.Place; {
	case p != nil && (p.Kind == index.Region || p.PartOf != "" && oneMarket):
		return index.Query{Place: &p.Place.Place}
	case p != nil && p.Match == 0: // Paris 15e is PARIS 15
		return index.Query{Text: p.Name, Ranked: true, Spoken: true, Whole: true}
	}
	return index.Query{Text: text, Ranked: text != "", Spoken: true}
}

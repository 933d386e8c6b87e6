package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"relais/geo"
	"relais/index"
	"relais/index/question"
	"relais/internal/fold"
	"relais/site"
)

// sites adds the sites that the text is about. If nothing has all of it and it names no place, the place that a part of
// it names counts.
func (c *Catalog) sites(ctx context.Context, q *Find, found *Found) error {
	found.Landmark = found.Landmark && found.Place == nil
	switch u := &found.Understood; {
	case u.Topic != "":
		c.partly(q, found)
		return nil
	case u.Identifier != nil && u.Identifier.Kind != question.Any:
		return nil
	case u.Question.Key != "":
		return c.keyed(ctx, q, found)
	case u.Question.Position != nil:
		return c.around(ctx, q, found, *u.Question.Position)
	case found.Street() != nil:
		return c.around(ctx, q, found, found.Street().At)
	case u.Here && u.Place == nil && q.Near != nil:
		return c.around(ctx, q, found, *q.Near)
	case u.Here && u.Place == nil:
		return nil
	case found.Landmark:
		err := c.landmark(ctx, q, found)
		if found.Naming = found.Total; err != nil || found.Total >= q.Limit {
			return err
		}
	default:
		if err := c.listed(ctx, q, found); err != nil || found.Total > 0 || found.Place != nil {
			return err
		}
	}
	// Only now: sites that have all of the text come before a place that only a part of it names.
	if c.partly(q, found); found.Place == nil {
		return nil
	}
	if q.Market == nil && !q.Nearest { // where searches for the name of the place, in all markets
		found.Words = strings.Fields(found.Place.Name)
	}
	return c.listed(ctx, q, found)
}

// listed adds the sites of the place and those that have the words.
func (c *Catalog) listed(ctx context.Context, q *Find, found *Found) error {
	if q.Nearest || found.Landmark {
		return c.nearest(ctx, q, found)
	}
	return c.paged(ctx, q, found, found.where(q.Market != nil))
}

// partly looks for the place that a part of the text names, if the text names none.
func (c *Catalog) partly(q *Find, found *Found) {
	if found.Place != nil || found.Question.Place == "" {
		return
	}
	part := q.placesOf(found.Operators)
	part.Text = found.Question.Place
	places := PlacesFound{Places: part.part(found.Registers), PartOf: part.Text}
	if found.Place = places.Best(); found.Place != nil {
		found.Places = append([]Place{found.Place.Place}, found.Place.Others...)
	}
}

// each calls yield for each register that can have the sites that are asked for.
func (c *Catalog) each(q *Find, found *Found, yield func(*index.Market, Sites) error) (err error) {
	registers := found.Registers
	if q.Market == nil {
		registers = inCountry(registers, found.Country)
	}
	asked := false
	for _, m := range registers {
		s := q.Selection
		if q.Narrow != nil {
			var failed error
			if s, failed = q.Narrow(m.Table); failed != nil {
				err = cmp.Or(err, failed)
				continue
			}
		}
		asked = true
		if ask, possible := found.sites(s, m); possible {
			if err := yield(m, ask); err != nil {
				return err
			}
		}
	}
	if asked {
		return nil
	}
	return err
}

// keyed adds the site that the text names by its key or number.
func (c *Catalog) keyed(ctx context.Context, q *Find, found *Found) error {
	return c.each(q, found, func(_ *index.Market, ask Sites) error {
		ask.Named, ask.Limit = []string{found.Question.Key}, q.Limit
		page, err := c.Sites(ctx, ask)
		if err == nil {
			found.add(page, q.Limit)
		}
		return err
	})
}

// around adds the sites around a position, the nearest first, whatever their market.
func (c *Catalog) around(ctx context.Context, q *Find, found *Found, p geo.Point) error {
	type hit struct {
		page   *SitesFound
		at     uint32
		metres float64
	}
	var hits []hit
	total := 0
	err := c.each(q, found, func(m *index.Market, ask Sites) error {
		if !m.Table.Contains(p) {
			return nil
		}
		ask.Where, ask.Limit = index.Query{Disc: &geo.Disc{Center: p, Radius: vicinity}}, q.Offset+q.Limit
		page, err := c.Sites(ctx, ask)
		for i, at := range page.Sites {
			hits = append(hits, hit{&page, at, page.Metres[i]})
		}
		total += page.Total
		return err
	})
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.metres, b.metres) })
	hits = hits[min(q.Offset, len(hits)):]
	for _, h := range hits[:min(q.Limit, len(hits))] {
		if n := len(found.Pages); n == 0 || found.Pages[n-1].Register != h.page.Register {
			next := *h.page
			next.Hits = index.Hits{Total: h.page.Total}
			found.Pages = append(found.Pages, next)
		}
		last := &found.Pages[len(found.Pages)-1]
		last.Sites, last.Metres = append(last.Sites, h.at), append(last.Metres, h.metres)
	}
	found.Around, found.Total = &p, total
	if q.Nearest {
		found.Total = min(q.Limit, len(hits))
	}
	return err
}

// maxLandmark is how many sites that have the words of a landmark are read.
const maxLandmark = 500

// landmark adds the sites whose text has all words of a landmark, in any language of registers. First come those that
// have the words in a row: 18 place de la gare is a street. Last come those of the town that a part of the
// text names which have the other words: not all registers state communes.
func (c *Catalog) landmark(ctx context.Context, q *Find, found *Found) error {
	if c.partly(q, found); q.Offset > 0 {
		return nil
	}
	var exact, others, inTown []SitesFound
	for _, text := range question.Spellings(found.Words) {
		if hasSites(exact) || hasSites(others) {
			break // the words as they are given
		}
		err := c.naming(ctx, q, found, index.Query{Text: text}, func(inRow, rest SitesFound) {
			exact, others = append(exact, inRow), append(others, rest)
		})
		if err != nil {
			return err
		}
	}
	for _, text := range found.besidesPlace() {
		if hasSites(exact) || hasSites(others) || hasSites(inTown) {
			break
		}
		where := found.Place.Within()
		where.Text = text
		err := c.naming(ctx, q, found, where, func(inRow, rest SitesFound) { inTown = append(inTown, inRow, rest) })
		if err != nil {
			return err
		}
	}
	for _, page := range slices.Concat(exact, others, inTown) {
		found.add(page, q.Limit)
	}
	return nil
}

func hasSites(pages []SitesFound) bool {
	return slices.ContainsFunc(pages, func(page SitesFound) bool { return len(page.Sites) > 0 })
}

// besidesPlace returns the words of a landmark without those of its town, in any language of registers.
func (f *Found) besidesPlace() []string {
	if f.Place == nil {
		return nil
	}
	town := strings.Fields(fold.String(f.Place.Name))
	words := slices.DeleteFunc(slices.Clone(f.Words), func(word string) bool { return slices.Contains(town, word) })
	if len(words) == 0 {
		return nil
	}
	return question.Spellings(words)
}

// naming calls yield for each register with the sites that have all words of a query's text in a row, and the others
// that have them.
func (c *Catalog) naming(ctx context.Context, q *Find, found *Found, where index.Query,
	yield func(inRow, rest SitesFound)) error {
	return c.each(q, found, func(m *index.Market, ask Sites) error {
		if where.Place != nil && m.Table != found.Place.Market {
			return nil
		}
		ask.Where, ask.Limit = where, maxLandmark
		ask.Where.Spoken, ask.Where.Whole = true, true
		page, err := c.Sites(ctx, ask)
		if err != nil {
			return err
		}
		inRow, rest := page, page
		inRow.Hits, rest.Hits = index.Hits{}, index.Hits{}
		for _, at := range page.Sites {
			if namesInRow(m, at, where.Text) {
				inRow.Sites = append(inRow.Sites, at)
			} else {
				rest.Sites = append(rest.Sites, at)
			}
		}
		yield(inRow, rest)
		return nil
	})
}

// namesInRow reports whether the address of a site has words in a row, with articles between them.
func namesInRow(m *index.Market, at uint32, words string) bool {
	var s site.Site
	m.Site(at, &s)
	for _, text := range append([]string{s.Place}, s.Address[:]...) {
		if strings.Contains(" "+question.WithoutLinks(text)+" ", " "+words+" ") {
			return true
		}
	}
	return false
}

// paged adds a page of sites, those of one market after those of another.
func (c *Catalog) paged(ctx context.Context, q *Find, found *Found, where index.Query) error {
	taken := 0
	return c.each(q, found, func(m *index.Market, ask Sites) error {
		if ask.Where = where; where.Place != nil && found.Place.Market != m.Table {
			return nil
		}
		ask.Offset, ask.Limit = max(0, q.Offset-found.Total), q.Limit-taken
		page, err := c.Sites(ctx, ask)
		if err != nil {
			return err
		}
		found.Total, taken = found.Total+page.Total, taken+len(page.Sites)
		found.Pages = append(found.Pages, page)
		return nil
	})
}

// nearest adds sites of the place, of its neighbourhood, and those that have the words.
func (c *Catalog) nearest(ctx context.Context, q *Find, found *Found) error {
	if q.Offset > 0 {
		return nil
	}
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
	others := &Found{Understood: found.Understood, Registers: found.Registers}
	if found.Place != nil && found.Place.Kind == index.Region {
		return nil // sites name no regions
	}
	err := c.paged(ctx, &Find{Selection: q.Selection, Narrow: q.Narrow, Limit: q.Limit}, others, found.byWords())
	for _, page := range others.Pages {
		found.add(page, q.Limit)
	}
	return err
}

// add adds at most limit sites of the market of the question's place.
func (c *Catalog) add(ctx context.Context, q *Find, found *Found, where index.Query, limit int) error {
	loaded, _ := c.Register(found.Place.Market) // the place is one of its
	s := q.Selection
	if q.Narrow != nil {
		var err error
		if s, err = q.Narrow(loaded.Table); err != nil {
			return nil // the other markets are asked
		}
	}
	ask, possible := found.sites(s, loaded)
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
func (f *Found) add(page SitesFound, limit int) {
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

package address

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"relais/geo"
	"relais/internal/fold"
)

// Reach is how far from a point, in metres, streets are looked for that no town is named with.
const Reach = 20_000.0

// A Question asks for the streets that a text names. Its town may stand anywhere in it, by name or postal code; numbers
// are ignored.
type Question struct {
	Text  string
	Near  *geo.Point // nil: streets without a town are not found
	Limit int        // at least 1
	// Keep, unless nil, reports whether streets of a commune, by INSEE's code, may be in the answer.
	Keep func(code string) bool
}

// Found is streets that a text names, the best first.
type Found struct {
	Info
	Streets []Match
	Total   int
	// Number is the number of a house in the text, which nothing was looked for with; "" for none.
	Number string
}

// A Match is a street that was found.
type Match struct {
	Street
	Exact  bool    // the text has the whole name and nothing else
	Metres float64 // from Near, -1 without
	class  int
	rank   int
	number string
}

// Find answers a question. Errors: fs.ErrNotExist without a file, ErrDamaged, ErrVersion, that of ctx.
func (s *Store) Find(ctx context.Context, q Question) (*Found, error) {
	b, err := s.open()
	if err != nil {
		return nil, err
	}
	defer b.file.Close()
	f := &finding{book: b, Question: q, best: map[key]Match{}}
	words := newQuery(q.Text)
	if err := f.look(ctx, words); err != nil {
		return nil, err
	}
	if n := len(words.words); len(f.best) == 0 && n > 1 && words.words[n-1] == "france" {
		if err := f.look(ctx, words.without(n-1, n)); err != nil {
			return nil, err
		}
	}
	return f.found(), nil
}

// A finding is a question that is being answered.
type finding struct {
	*book
	Question
	best map[key]Match
	read int // communes
}

// A key names a street: a commune, and its place there.
type key struct{ commune, street int32 }

// look looks in the towns that the query names, and near the point.
func (f *finding) look(ctx context.Context, q query) error {
	for _, r := range f.readings(q) {
		if err := f.lookIn(ctx, r); err != nil {
			return err
		}
	}
	if f.Near == nil || !q.says() {
		return nil
	}
	return f.lookIn(ctx, reading{f.around(*f.Near), q, mostReadings + 1})
}

// around returns the communes whose middle is within Reach, the nearest first.
func (f *finding) around(p geo.Point) (list []int32) {
	type near struct {
		n int32
		h float64
	}
	var all []near
	disc := geo.Disc{Center: p, Radius: Reach}
	box, most := disc.Box(), disc.Haversine()
	for n := range f.entries {
		center := f.entries[n].center.degrees()
		if !box.Contains(center) {
			continue
		}
		if h := geo.Haversine(p, center); h <= most {
			all = append(all, near{int32(n), h})
		}
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(a.h, b.h), cmp.Compare(a.n, b.n)) })
	for _, a := range all {
		list = append(list, a.n)
	}
	return list
}

// lookIn adds the streets of a reading. Of a street that two readings find, the better one counts.
func (f *finding) lookIn(ctx context.Context, r reading) error {
	needle, folded := []byte(r.needle()), []byte(nil)
	for _, n := range r.communes {
		if f.Keep != nil && !f.Keep(f.entries[n].code) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.read++; f.read > mostCommunes {
			return nil
		}
		all, err := f.streets(n)
		if err != nil {
			return err
		}
		for i, s := range all {
			if folded = fold.Append(folded[:0], s.Name); !bytes.Contains(folded, needle) {
				continue
			}
			class, number, ok := r.match(wordsOf(s.Name))
			if !ok {
				continue
			}
			m := Match{Street: s, Exact: class == 0, Metres: -1, class: class, rank: r.rank, number: number}
			if f.Near != nil {
				m.Metres = geo.Distance(*f.Near, s.At)
			}
			k := key{n, int32(i)}
			if old, known := f.best[k]; !known || m.better(&old) {
				f.best[k] = m
			}
		}
	}
	return nil
}

func (m *Match) better(than *Match) bool {
	return cmp.Or(cmp.Compare(m.class, than.class), cmp.Compare(m.rank, than.rank)) < 0
}

// found returns the answer.
func (f *finding) found() *Found {
	answer := &Found{Info: f.info, Total: len(f.best)}
	for _, m := range f.best {
		answer.Streets = append(answer.Streets, m)
	}
	slices.SortFunc(answer.Streets, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Metres, b.Metres),
			cmp.Compare(b.Numbers, a.Numbers), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Name, b.Name))
	})
	answer.Streets = answer.Streets[:min(len(answer.Streets), f.Limit)]
	if len(answer.Streets) > 0 {
		answer.Number = answer.Streets[0].number
	}
	return answer
}

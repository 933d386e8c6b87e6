package ingest

import (
	"fmt"
	"os"
	"strings"

	"relais/ingest/source"
	"relais/market"
)

// sourceWith returns the authority's set of files that in is one of, with its kind. It returns nil for
// an unknown file. Tables of cells are of no authority.
func sourceWith(in *source.Input) (*Source, *source.Kind) {
	var all []*source.Kind
	owner := map[*source.Kind]*Source{}
	for _, s := range Sources {
		for _, k := range s.Kinds {
			all = append(all, k)
			owner[k] = s
		}
	}
	found, err := source.Detect(in, all)
	if err != nil || found.Kind == nil {
		return nil, nil
	}
	return owner[found.Kind], found.Kind
}

// Recognise returns the kind of a file, folder or archive, or of the first table in it that relais
// knows, with the markets that it is for. ok is false if nothing is known.
func Recognise(path string) (kind string, markets []market.Code, ok bool) {
	inputs, err := source.Expand([]string{path})
	if err != nil {
		return "", nil, false
	}
	for _, in := range inputs {
		if s, k := sourceWith(in); k != nil {
			return k.Name, s.Markets, true
		}
	}
	return "", nil, false
}

// joined returns markets as the command line has them.
func joined(markets []market.Code) string {
	texts := make([]string, len(markets))
	for i, m := range markets {
		texts[i] = string(m)
	}
	return strings.Join(texts, ",")
}

// unknownFile returns the error for a file, or for a folder or archive without a known table.
func unknownFile(path string, src *Source) error {
	if kind, markets, ok := Recognise(path); ok {
		return fmt.Errorf("%s is the %s of %s, and these files were to be for %s: relais ingest --data DIR %s %s", path,
			kind, joined(markets), joined(src.Markets), joined(markets), path)
	}
	what := "not a file of the register of " + joined(src.Markets)
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		what = "empty"
	}
	return fmt.Errorf("%s is %s; needed is %s (docs/data-sources.md)", path, what, src.Needed)
}

// unknownMember returns the note on a table in a folder or archive that is not read.
func unknownMember(in *source.Input) string {
	if s, k := sourceWith(in); k != nil {
		return fmt.Sprintf("%s is the %s of %s; it was left out", in.Name(), k.Name, joined(s.Markets))
	}
	return in.Name() + " is not a known table; it was left out"
}

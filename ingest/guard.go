package ingest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"relais/ingest/source"
	"relais/snapshot"
)

// minShare is the share of the present sites, or of the sites with an
// enrichment, that a new snapshot must have.
const minShare = 0.95

// guard compares the new snapshots with the present ones and returns those to write. A
// market without a site is not written: an empty register would look like a country
// without antennas. older compares the sources one by one; it returns false if the kept
// ones have no date.
func (r *Report) guard(o Options, builders []*snapshot.Builder, older func() (bool, error)) (write []*snapshot.Builder,
	err error) {
	for _, b := range builders {
		asked := slices.Contains(o.Markets, b.Market)
		if asked {
			r.Markets = append(r.Markets,
				MarketReport{Market: b.Market, SourceDate: b.SourceDate, Synthetic: b.Synthetic,
					Sites: b.Len(), Emissions: b.Emissions(), Enriched: b.Enriched})
		}
		old, err := currentSnapshot(o.Dir, b.Market)
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("the present snapshot cannot be compared: %v", err))
		}
		r.sameDate = r.sameDate || old != nil && old.SourceDate == b.SourceDate
		if b.Len() == 0 {
			if old != nil {
				return nil, fmt.Errorf(
					"%s: the files have no usable site; the present snapshot has %d and stays", b.Market,
					old.Len())
			}
			r.Notes = append(r.Notes,
				fmt.Sprintf("%s: the files have no usable site; no snapshot was written", b.Market))
			continue
		}
		if !o.Force {
			if tomorrow := o.Now.UTC().AddDate(0, 0, 1).Format(time.DateOnly); b.SourceDate > tomorrow {
				return nil, fmt.Errorf(
					"%s: the files say that they are of %s, which is in the future of this machine's clock; "+
						"what is there stays (--force overrides)", b.Market, b.SourceDate)
			}
			if err := r.compare(b, old, older); err != nil {
				return nil, fmt.Errorf("%s: %w; the present snapshot stays (--force overrides)", b.Market, err)
			}
		}
		if asked {
			if old != nil && b.Synthetic == old.Synthetic && b.SourceDate < old.SourceDate {
				r.Notes = append(r.Notes, wentBack(b, old, o.Force))
			}
			write = append(write, b)
		}
	}
	if len(write) == 0 {
		return nil, errors.New("the files have no usable site")
	}
	return write, nil
}

// wentBack explains why a snapshot has an earlier date than the one that it replaces.
func wentBack(b *snapshot.Builder, old *snapshot.Snapshot, forced bool) string {
	note := fmt.Sprintf("%s: sourceDate goes back from %s to %s", b.Market, old.SourceDate, b.SourceDate)
	if forced {
		return note
	}
	return note + ", although no source is older than before: the date is the newest day that names and rows state, " +
		"and a modification time counts only without such a day"
}

// compare returns an error if b must not replace old, which may be nil.
func (r *Report) compare(b *snapshot.Builder, old *snapshot.Snapshot, older func() (bool, error)) error {
	if old == nil {
		return nil
	}
	if b.Synthetic != old.Synthetic {
		if b.Synthetic {
			return fmt.Errorf("demonstration data would replace the register of %s", old.SourceDate)
		}
		return nil // real data replaces a demonstration, whatever its size
	}
	if known, err := older(); err != nil {
		return err
	} else if !known && b.SourceDate < old.SourceDate {
		return fmt.Errorf("the files are of %s, older than the present snapshot of %s", b.SourceDate, old.SourceDate)
	}
	if least := minShare * float64(old.Len()); float64(b.Len()) < least {
		return fmt.Errorf("the files have %d sites, the present snapshot %d: over 5 %% would go", b.Len(), old.Len())
	}
	return r.compareEnriched(b.Enriched, old.Enriched)
}

// fewSites is how many sites may always lose an enrichment, unless these are all that have it: what few sites have
// varies by more than a share.
const fewSites = 10

// compareEnriched returns an error if too many sites would lose an enrichment.
func (r *Report) compareEnriched(now, then map[string]int) error {
	lost := slices.DeleteFunc(slices.Sorted(maps.Keys(then)), func(name string) bool {
		has, had := now[name], then[name]
		return had-has <= fewSites && has > 0 || float64(has) >= minShare*float64(had)
	})
	if len(lost) == 0 {
		return nil
	}
	name, others := lost[0], ""
	if len(lost) > 1 {
		others = "; also " + strings.Join(lost[1:], ", ")
	}
	return fmt.Errorf("%s of %d sites would be lost (%d now, %d then): %s%s", name, then[name]-now[name], now[name],
		then[name], r.whyLost(lost), others)
}

// whyLost explains why the new sites lack enrichments.
func (r *Report) whyLost(names []string) string {
	var why, warnings []string
	for _, f := range r.Files {
		if f.Kept {
			continue
		}
		var lacks []string
		for _, l := range f.Lacks {
			if slices.Contains(names, l.Gives) {
				lacks = append(lacks, l.String())
			}
		}
		if lacks != nil {
			text := strings.Join(lacks, ", ") + " in " + f.Path
			if unknown := source.ListColumns(f.Columns.Unknown); unknown != "" {
				text += ", which has unknown columns: " + unknown
			}
			why = append(why, text)
		}
		if f.Warning != "" {
			warnings = append(warnings, f.Path+": "+f.Warning)
		}
	}
	switch {
	case why != nil:
		return strings.Join(why, "; ")
	case warnings != nil:
		return strings.Join(warnings, "; ")
	}
	return "the files with them are neither given nor kept in sources/, or state fewer of them"
}

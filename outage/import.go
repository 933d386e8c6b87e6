package outage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/store"
	"relais/market"
)

// reportKind is what reports call a file of unavailable sites.
const reportKind = "sites-hs"

// Import replaces an operator's unavailable sites by those in the files (also in a folder or a zip
// archive). Everything is on disk when Import returns nil; nothing changes if it fails or the
// process dies. It returns a report for each file, as far as it was read: rows = served + rejected.
//
// Files without a usable row are refused, because they would say that all sites work; files whose
// rows are all sites of another market are not. A refusedError or an error of opening a file marks
// the feed failed and keeps the last good data. Other errors change nothing: errNoFeed,
// ErrOperator, errReadOnly, fs.ErrNotExist, those of ctx and of the store.
func (s *Store) Import(ctx context.Context, code market.Code, operator string, files ...string) ([]*source.Report,
	error) {
	m, key, err := feedOf(code, operator)
	if err != nil {
		return nil, err
	}
	if s.db == nil || s.db.ReadOnly() {
		return nil, errReadOnly
	}
	p, err := newParser(m, key.operator)
	if err != nil {
		return nil, err
	}
	reports, err := p.files(ctx, files)
	if err != nil {
		return reports, s.refuse(ctx, key, err)
	}
	return reports, s.replace(key, p, reports)
}

// A refusedError says what is wrong with a file. Its feed is marked failed.
type refusedError struct{ error }

// Unwrap returns the error.
func (r refusedError) Unwrap() error { return r.error }

// refuse returns err, after marking the feed failed if the file is at fault.
func (s *Store) refuse(ctx context.Context, key feedKey, err error) error {
	if ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if failed := s.Failed(key.market, key.operator, err); failed != nil {
		return errors.Join(err, failed)
	}
	if _, unread := errors.AsType[*fs.PathError](err); unread {
		return err
	}
	return refusedError{err}
}

func (p *parser) files(ctx context.Context, paths []string) ([]*source.Report, error) {
	inputs, err := source.Expand(paths)
	if err != nil {
		return nil, err
	}
	reports := []*source.Report{}
	for _, in := range inputs {
		report := source.NewReport(&source.Found{Input: in, Kind: &source.Kind{Name: reportKind}})
		reports, p.synthetic = append(reports, report), p.synthetic || in.Synthetic()
		if err := p.file(ctx, in, report); err != nil {
			return reports, err
		}
	}
	switch {
	case len(inputs) == 0:
		return nil, fmt.Errorf("no file: %w", fs.ErrNotExist)
	case len(p.entries) > 0 || p.rejected > 0 && p.rejected == p.abroad:
		return reports, nil
	case p.rejected > 0:
		return reports, noneUsed(reports, p.rejected)
	}
	return reports, fmt.Errorf("%s: the file has no row", inputs[0].Name())
}

// noneUsed returns the error of files without a usable row, with the reason of the first row.
func noneUsed(reports []*source.Report, rows int) error {
	r := reports[slices.IndexFunc(reports, func(r *source.Report) bool { return len(r.Examples) > 0 })]
	return &table.Error{Name: r.Path, Line: r.Examples[0].Line,
		What: fmt.Sprintf("of %d rows, none can be used; the first: %s", rows, r.Examples[0].Reason)}
}

func (p *parser) file(ctx context.Context, in *source.Input, report *source.Report) error {
	r, err := in.Open(nil)
	if err != nil {
		return err
	}
	defer r.Close() // nothing was written
	return p.read(ctx, r, in.Name(), report)
}

// replace stores the good data of a feed, which p read.
func (s *Store) replace(key feedKey, p *parser, reports []*source.Report) error {
	at, entries := s.second(), p.entries
	f := &Feed{Market: key.market, Operator: key.operator, ReadAt: &at, Rejected: map[string]int{},
		Synthetic: p.synthetic}
	for _, r := range reports {
		f.Rows, f.Served = f.Rows+r.Rows, f.Served+r.Served
		for why, n := range r.Rejected {
			f.Rejected[why] += n
		}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return s.update(func(tx *store.Tx) error {
		if err := tx.Bucket([]byte(entriesBucket)).Put(key.bytes(), text); err != nil {
			return err
		}
		return store.PutJSON(tx, feedsBucket, key.bytes(), f)
	})
}

// Failed marks a feed failed because its file could not be fetched or read. Data of earlier reads
// stays. Errors: errNoFeed, ErrOperator, errReadOnly.
func (s *Store) Failed(code market.Code, operator string, why error) error {
	_, key, err := feedOf(code, operator)
	if err != nil {
		return err
	}
	at := s.second()
	return s.alterFeed(key, func(f *Feed) { f.FailedAt, f.Why = &at, reason(why) })
}

// Clear deletes an operator's feed, which is absent then. Compacting community.db removes the last
// traces. Errors: errNoFeed, ErrOperator, errReadOnly.
func (s *Store) Clear(code market.Code, operator string) error {
	_, key, err := feedOf(code, operator)
	if err != nil {
		return err
	}
	return s.update(func(tx *store.Tx) error {
		feeds, entries := tx.Bucket([]byte(feedsBucket)), tx.Bucket([]byte(entriesBucket))
		if !feeds.Has(key.bytes()) && !entries.Has(key.bytes()) {
			return nil
		}
		return errors.Join(entries.Delete(key.bytes()), feeds.Delete(key.bytes()), store.MarkDeleted(tx))
	})
}

// reason returns the text of an error without the folders of this machine.
func reason(err error) string {
	if err == nil {
		return "not known"
	}
	text := err.Error()
	var bad *table.Error
	var at *fs.PathError
	switch {
	case errors.As(err, &bad):
		text = fmt.Sprintf("%s:%d: %s", filepath.Base(bad.Name), bad.Line, bad.What)
	case errors.As(err, &at):
		text = filepath.Base(at.Path) + ": " + at.Err.Error()
	default:
		if path, what, ok := strings.Cut(text, ": "); ok && filepath.IsAbs(path) {
			text = filepath.Base(path) + ": " + what
		}
	}
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// getFeed reads a feed; one that is not stored is absent.
func getFeed(tx *store.Tx, key feedKey) (*Feed, error) {
	f := &Feed{Market: key.market, Operator: key.operator}
	text, err := tx.Bucket([]byte(feedsBucket)).Read(key.bytes())
	if text == nil || err != nil {
		return f, err
	}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("feed %s: %w", feedID(key.market, key.operator), err)
	}
	if (f.Market != key.market) || f.Operator != key.operator {
		return nil, fmt.Errorf("feed %s: it is stored as that of %s", feedID(key.market, key.operator),
			feedID(f.Market, f.Operator))
	}
	return f, nil
}

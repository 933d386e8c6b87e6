package archive

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"relais/ingest/anfr/column"
	"relais/ingest/source"
	"relais/internal/store"
	"relais/site"
)

// CopyTo copies of each publication the supports that keep chooses into another file, archives.db of a
// folder without archives. scratch is a folder for temporary files. It returns how many publications have
// such supports. keep must choose a support in all publications or in none. Errors: errDamaged, errReplaced,
// those of ctx, reading and writing.
func (s *Store) CopyTo(ctx context.Context, db *store.DB, scratch string, keep func(*Site) bool) (n int, err error) {
	all, err := s.List()
	if err != nil {
		return 0, err
	}
	to := Open(db, s.now)
	for _, p := range slices.Backward(all) {
		// The name says whether the data was made up.
		name := p.Date + ".csv"
		if p.Synthetic {
			name = source.Synthetic + "_" + name
		}
		path := filepath.Join(scratch, name)
		rows, err := s.writeTable(p.Date, path, keep)
		if err == nil && rows > 0 {
			err = to.addTable(ctx, path, p.day())
			n++
		}
		if err = errors.Join(err, os.Remove(path), ctx.Err()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// writeTable writes the rows of supports of a publication as its file had them, and returns their number.
func (s *Store) writeTable(date, path string, keep func(*Site) bool) (rows int, err error) {
	v, err := s.Whole(date)
	if err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := csv.NewWriter(f)
	w.Comma = ';'
	columns := slices.Clone(column.Names[:column.Azimuths])
	columns = append(columns, v.site.Columns...)
	w.Write(columns) // an error stays in w
	for support, err := range v.All() {
		if err != nil {
			return 0, err
		}
		if !keep(support) {
			continue
		}
		for i := range support.Records {
			rows++
			w.Write(rowOf(&support.Records[i], columns))
		}
	}
	w.Flush()
	return rows, w.Error()
}

// rowOf returns the values of a row in columns.
func rowOf(r *Record, columns []string) []string {
	row := slices.Clone(r.Values[:column.Azimuths])
	for _, name := range columns[column.Azimuths:] {
		value := ""
		if name == column.Names[column.Azimuths] {
			value = r.Values[column.Azimuths]
		} else if i := slices.IndexFunc(r.More, func(m column.More) bool { return m.Name == name }); i >= 0 {
			value = r.More[i].Value
		}
		row = append(row, value)
	}
	return row
}

// addTable adds a file that writeTable wrote.
func (s *Store) addTable(ctx context.Context, path string, date site.Date) error {
	files, err := Files([]string{path})
	if err == nil {
		_, err = s.Add(ctx, &files[0], Options{Date: date, Force: true})
	}
	return err
}

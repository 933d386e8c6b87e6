package archive

import (
	"context"
	"fmt"

	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/site"
)

// Files returns the observatoires among the files, folders and archives that a user named.
func Files(paths []string) (files []source.Found, err error) {
	inputs, err := source.Expand(paths)
	if err != nil {
		return nil, err
	}
	for _, in := range inputs {
		f, err := source.Detect(in, anfr.Kinds)
		switch {
		case err != nil:
			return nil, err
		case f.Kind != nil && f.Kind.Name == anfr.Observatory:
			files = append(files, f)
		case in.Within == "":
			return nil, fmt.Errorf("%s:1: not an observatoire of the ANFR", in.Name())
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no observatoire of the ANFR is in there", paths)
	}
	return files, nil
}

// dateOf returns the day of a publication: date_maj of the first row, or else the date in the
// file's name.
func dateOf(f *source.Found) (day site.Date, err error) {
	r, err := f.Read(nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if !r.NextRow() {
		if _, err = r.Done(); err == nil { // rows, but broken ones
			err = fmt.Errorf("%s:1: the table has no row that can be read", f.Name())
		}
		return 0, err
	}
	if day = anfr.Updated(r); day == 0 {
		day = f.NameDate()
	}
	if day == 0 {
		return 0, fmt.Errorf("%s:%d: neither the column date_maj nor the file's name says the data's date: state it, or name the file like observatoire_2026-08-27.csv", f.Name(), r.Line())
	}
	return day, nil
}

// readFile reads a publication. Errors: those of reading it and of ctx, and that it has no row or
// is too large.
func readFile(ctx context.Context, f *source.Found) (*file, *source.Report, error) {
	r, err := f.Read(func(int) error { return ctx.Err() })
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var d Draft
	d.Read(r)
	return d.finish()
}

package archive

import (
	"errors"
	"fmt"

	"relais/ingest/anfr"
	"relais/ingest/source"
	"relais/ingest/table"
)

// A Draft is a publication that is read, and may be added. The zero Draft is empty.
type Draft struct {
	row    anfr.PublishedRow
	file   *file
	reader *source.Reader
	err    error // of a row: there is no file then
}

// Read reads the rows that r has. It may be called again with the same r, as source.Found.Second is.
func (d *Draft) Read(r *source.Reader) {
	if d.reader == nil {
		d.file, d.reader = newFile(r.From.Synthetic()), r
		d.file.columns = anfr.FurtherColumns(r)
	}
	switch {
	case d.file == nil:
		return
	case d.reader != r:
		d.file, d.err = nil, errors.New("two readings of a file are not one publication")
		return
	}
	d.err = d.row.Read(r, func() (reason string, err error) {
		if n := d.file.rows.Len(); n%1024 == 0 { // finish looks once more
			err = d.refusal(n + 1)
		}
		if err != nil {
			return "", err
		}
		return d.file.addRow(&d.row), nil
	})
	if d.err != nil {
		d.file = nil // it is large, and nobody needs it
	}
}

// refusal returns an error for a file that cannot be a publication with so many rows.
func (d *Draft) refusal(rows int) error {
	if why := d.file.refusal(rows); why != "" {
		return &table.Error{Name: d.reader.Path, Line: rows, What: why}
	}
	return nil
}

// finish returns the publication, after its last row, and a report. Errors: those of reading it, and that it has no
// row or is too large.
func (d *Draft) finish() (*file, *source.Report, error) {
	if d.reader == nil {
		return nil, nil, errors.New("nothing was read")
	}
	if d.err != nil {
		return nil, nil, d.err
	}
	report, err := d.reader.Done()
	if err != nil {
		return nil, nil, err
	}
	report.CountServed()
	if err := d.refusal(d.file.rows.Len()); err != nil {
		return nil, nil, err
	}
	switch p := d.file; {
	case p.rows.Len() == 0 && len(report.Examples) > 0:
		first := report.Examples[0]
		return nil, nil, &table.Error{Name: d.reader.Path, Line: first.Line,
			What: fmt.Sprintf("%s; none of the %d rows can be kept", first.Reason, report.Rows)}
	case p.rows.Len() == 0:
		return nil, nil, &table.Error{Name: d.reader.Path, Line: 1, What: "no rows"}
	default:
		return p, report, nil
	}
}

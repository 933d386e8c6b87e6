// Package areas reads the areas of authorities' coverage maps: polygons in GeoPackages, alone or in a 7z archive,
// and in GeoJSON, as a stream of edges, and rasters in GeoTIFF. Memory does not grow with the file, even if one
// polygon has hundreds of megabytes. It does not know what the areas mean.
package areas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Why a file is not read. Errors that Open and its methods return say more.
var (
	ErrUnknown     = errors.New("the file is neither a 7z archive, nor a GeoPackage, nor GeoJSON, nor a GeoTIFF that ends in .tif")
	ErrDamaged     = errors.New("the file is damaged or incomplete: fetch it again")
	ErrUnsupported = errors.New("this form is not supported: convert the file with ogr2ogr")
	ErrArchive     = errors.New("the archive cannot be used: unpack it with 7z, and import the GeoPackage")
	ErrTooLarge    = errors.New("it is larger than what may be unpacked")
	ErrNoSpace     = errors.New("the disk has too little space: make room, and try again")
)

// A File is an open file with areas.
type File struct {
	EPSG int // the code of the coordinates' system; 0 if the file states none that EPSG has

	ctx      context.Context
	name     string
	features func(each func(Feature) error) error
	close    func() error
}

// A Feature is an area with attributes. It is valid until the function that got it returns.
type Feature struct {
	// Attributes has the text of each column except the geometry. What is null has no key.
	Attributes map[string]string
	// Edges calls edge for each edge of all rings, of holes too, in order. A ring that is not closed, and a
	// coordinate that is not a finite number, are errors.
	Edges func(edge func(x1, y1, x2, y2 float64)) error
}

// Open recognises a file by its content. An archive is unpacked into a file in the folder tmp, which Close removes, if it
// has at most limit bytes. A file with no layer of areas, or with several, is an error. When ctx ends, reading ends with
// its error, here and in the methods of the File.
func Open(ctx context.Context, path, tmp string, limit int64) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := open(input{in, ctx}, tmp, limit)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), stopped(ctx, err))
	}
	f.name, f.ctx = filepath.Base(path), ctx
	return f, nil
}

// An input is a file that cannot be read after the end of a context.
type input struct {
	*os.File
	ctx context.Context
}

func (in input) ReadAt(b []byte, at int64) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	return in.File.ReadAt(b, at)
}

// stopped returns the error of a context that has ended in the place of what followed from that.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// open returns a File that closes in.
func open(in input, tmp string, limit int64) (*File, error) {
	head := make([]byte, 512)
	n, err := in.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte(signature7z)):
		return openArchive(in, tmp, limit)
	case bytes.HasPrefix(head, []byte(signatureSQLite)):
		return openGeoPackage(in)
	case bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte(mark)), " \t\r\n"), []byte("{")):
		return openGeoJSON(in)
	}
	return nil, ErrUnknown
}

// Features calls each with the features of the layer in order, and stops at its first error.
func (f *File) Features(each func(Feature) error) error {
	if err := stopped(f.ctx, f.features(each)); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// Close closes the file, and removes what was unpacked.
func (f *File) Close() error { return f.close() }

// damaged returns an ErrDamaged with a reason.
func damaged(what string, args ...any) error {
	return fmt.Errorf(what+": %w", append(args, ErrDamaged)...)
}

func unsupported(what string, args ...any) error {
	return fmt.Errorf(what+": %w", append(args, ErrUnsupported)...)
}

// Bounds of the attributes of a feature.
const (
	maxColumns = 200
	maxText    = 64 << 10
)

// attributes collects those of a feature.
type attributes map[string]string

func (a attributes) put(column, text string) error {
	if len(text) > maxText || len(column) > maxText || len(a) == maxColumns {
		return unsupported("column %.40q has over %d bytes, or is one of over %d", column, maxText, maxColumns)
	}
	a[column] = strings.ToValidUTF8(text, "\uFFFD")
	return nil
}

// number returns a text without an exponent.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

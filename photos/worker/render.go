package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"relais/photos/exif"
	"relais/photos/render"
)

// Program returns the command that runs this program as a worker.
func Program() []string { return []string{self(), command} }

// A rendered is a worker's answer: a render.Result without its pictures, which are blobs.
type rendered struct {
	Failure  string // "" for none
	Kind     string // of the failure, one of kinds
	Format   render.Format
	Width    [pictures]int
	Height   [pictures]int
	Rotation int
	Exif     exif.Fields
}

const pictures = 3

// kinds are the failures that callers distinguish.
var kinds = map[string]error{"large": render.ErrTooLarge, "unsupported": render.ErrUnsupported, "heic": render.ErrHEIC}

// Main runs a worker that renders. memory is how many bytes it may have.
func Main(memory int64) error {
	if memory <= 0 {
		return fmt.Errorf("memory of %d bytes: want more than 0", memory)
	}
	r := render.New()
	if memory < mostMemory {
		r.Memory = memory
	}
	return serve(os.Stdin, answers(), memory, func(_ struct{}, file []byte) (rendered, [][]byte) {
		return renderedAs(r.Render(context.Background(), file))
	})
}

func renderedAs(r *render.Result, err error) (rendered, [][]byte) {
	if err != nil {
		failed := rendered{Failure: err.Error()}
		for kind, known := range kinds {
			if errors.Is(err, known) {
				failed.Kind = kind
			}
		}
		return failed, nil
	}
	a := rendered{Format: r.Format, Rotation: r.Rotation, Exif: r.Exif}
	var blobs [][]byte
	for i, p := range []render.Picture{r.Main, r.Thumbnail, r.OpenGraph} {
		a.Width[i], a.Height[i] = p.Width, p.Height
		blobs = append(blobs, p.WebP)
	}
	return a, blobs
}

// A failure is a worker's error, with its text.
type failure struct {
	kinds []error
	text  string
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return f.kinds }

// Render renders an image in a worker. A file that kills its worker counts as unreadable. who is
// the sender; senders take turns. Errors are those of package render, ErrBusy, or a fault of the
// server.
func (p *Pool) Render(ctx context.Context, who string, file io.Reader, size int64) (*render.Result, error) {
	begins := bufio.NewReader(file)
	alone, kind := heifOf(begins)
	if size > maxInput {
		return nil, render.ErrTooLarge
	}
	var a rendered
	blobs, err := p.do(ctx, task{sender: who, payload: struct{}{}, input: begins, size: size, alone: alone}, &a)
	switch {
	case errors.Is(err, errKilled): // more memory may be free later
		return nil, &failure{[]error{ErrBusy, errKilled}, err.Error()}
	case errors.Is(err, errMemory):
		return nil, &failure{[]error{render.ErrTooLarge, errFault},
			"the image is too large: decoding it takes more memory than this server has for an image"}
	case errors.Is(err, errFault):
		return nil, &failure{[]error{kind, errFault}, kind.Error()}
	case err != nil:
		return nil, err
	case a.Kind != "" && kinds[a.Kind] != nil:
		return nil, &failure{[]error{kinds[a.Kind]}, a.Failure}
	case a.Failure != "":
		return nil, errors.New(a.Failure)
	case len(blobs) != pictures:
		return nil, fmt.Errorf("a worker answered with %d pictures, want %d", len(blobs), pictures)
	}
	r := &render.Result{Format: a.Format, Rotation: a.Rotation, Exif: a.Exif}
	for i, to := range []*render.Picture{&r.Main, &r.Thumbnail, &r.OpenGraph} {
		*to = render.Picture{WebP: blobs[i], Width: a.Width[i], Height: a.Height[i]}
	}
	return r, nil
}

// heifOf reports by the first bytes whether a file is HEIC, HEIF or AVIF, whose decoders take the
// most memory. fails is the error of such a file if it kills its worker.
func heifOf(r *bufio.Reader) (heif bool, fails error) {
	begin, _ := r.Peek(64) // shorter files have few brands or none
	if len(begin) < 12 || string(begin[4:8]) != "ftyp" {
		return false, render.ErrUnsupported
	}
	if bytes.Contains(begin[8:], []byte("avif")) || bytes.Contains(begin[8:], []byte("avis")) {
		return true, render.ErrUnsupported
	}
	return true, render.ErrHEIC
}

package endpoint

import (
	"context"
	"io"
)

// JSONType is the content type of answers.
const JSONType = "application/json; charset=utf-8"

// An Answer is a result that writes itself: a JSON object without its end, which is the request id.
type Answer struct {
	ContentType string
	Size        int64 // of what Write writes, in bytes; -1 if unknown
	Write       func(io.Writer) error
	// InMemory means that the bytes are in memory before they are written.
	InMemory bool
	// Whole means that nothing follows what is written, such as a tile. An empty one is an answer without a body.
	Whole      bool
	FileName   string // under which browsers keep it, "" for none
	Compressed bool   // compressing it again would be of no use
	NextOffset int    // of the next page, 0 for none
}

// Encoded returns an answer that is the beginning of a JSON object.
func Encoded(text []byte) *Answer {
	return &Answer{ContentType: JSONType, Size: int64(len(text)), InMemory: true, Write: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}
}

// Stoppable returns the answer, which fails with the error of ctx once that ends.
func (a *Answer) Stoppable(ctx context.Context) *Answer {
	stoppable := *a
	stoppable.Write = func(w io.Writer) error { return a.Write(stoppableWriter{w, ctx}) }
	return &stoppable
}

type stoppableWriter struct {
	io.Writer
	ctx context.Context
}

// Write implements io.Writer.
func (w stoppableWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

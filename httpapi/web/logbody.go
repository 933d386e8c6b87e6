package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
)

// A logBody is the body of a form with a log, up to a bound. Memory is reserved for what came, not for what may come:
// otherwise a few who send slowly would take all of it.
type logBody struct {
	io.LimitedReader
	reserve func(bytes int64) bool
	full    bool // there was no room for what came
}

// perLogByte is the memory for a byte of the file while it grows.
const perLogByte = 3

func (b *logBody) Read(p []byte) (int, error) {
	n, err := b.LimitedReader.Read(p)
	if b.full = b.full || !b.reserve(perLogByte*(maxLog+maxLogForm-b.N)); b.full {
		return 0, errors.New("no room for the body")
	}
	return n, err
}

// logFile returns the file of a form, in memory that was reserved. Its errors are *logError.
func logFile(r *http.Request, reserve func(bytes int64) bool) ([]byte, error) {
	// A file that is too large ends early, whichever bound it meets first.
	body := &logBody{LimitedReader: io.LimitedReader{R: r.Body, N: maxLog + maxLogForm}, reserve: reserve}
	data, err := logPart(r, body)
	if err == nil {
		_, _ = io.Copy(io.Discard, body) // net/http notices a client that goes away only after the whole body
	}
	switch {
	case body.full || err == nil && !reserve(logMemory):
		return nil, &logError{http.StatusServiceUnavailable, "logBusy", nil}
	case err != nil && body.N <= maxLogForm:
		_ = reserve(0)                                  // nothing of it is kept
		_, _ = io.CopyN(io.Discard, r.Body, refusedLog) // whatever fails, the answer is the same
		return nil, &logError{http.StatusRequestEntityTooLarge, "logTooLarge", nil}
	}
	return data, err
}

// logPart returns the file of a form that has it as a part.
func logPart(r *http.Request, body io.Reader) ([]byte, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, &logError{http.StatusUnsupportedMediaType, "logNoFile", nil}
	}
	parts := multipart.NewReader(body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, &logError{http.StatusBadRequest, "logNoFile", nil}
		}
		if part.FormName() != "file" {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(part, maxLog+1))
		switch {
		case err != nil || len(data) > maxLog:
			return nil, &logError{http.StatusBadRequest, "logBroken", nil}
		case len(data) == 0:
			return nil, &logError{http.StatusBadRequest, "logNoFile", nil}
		}
		return data, nil
	}
}

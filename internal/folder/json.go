package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"relais/internal/system"
)

// ErrJSON says that a file is not valid JSON of the wanted shape.
var ErrJSON = errors.New("it is not valid JSON of this kind")

// maxJSON is the most bytes that ReadJSON reads: a list of some 400,000 files.
const maxJSON = 64 << 20

// ReadJSON reads a file of JSON into v. Errors: ErrJSON, and those of reading the file.
func ReadJSON(path string, v any) error {
	f, err := system.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	if err != nil {
		return err
	}
	if len(text) > maxJSON {
		return fmt.Errorf("%w: it has over %d bytes", ErrJSON, maxJSON)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return nil
}

// ReplaceJSON is Replace with v as indented JSON.
func ReplaceJSON(path string, v any) error {
	return Replace(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false) // addresses have & in them
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"unicode/utf8"

	"relais/api"
	"relais/api/endpoint"
	"relais/auth/access"
)

// Bounds of a form, in addition to those of its body.
const (
	maxParts  = 32
	maxField  = 64 << 10 // bytes of a part that is not a file
	maxHeader = 16 << 10 // bytes of a part's header
)

// members are the members of a body, by name.
type members struct {
	texts map[string]string
	wrong map[string]error // of members that are invalid
	file  *api.File
}

func (m *members) get(name string) (string, error) {
	if m == nil {
		return "", nil
	}
	text, given := m.texts[name]
	if err := m.wrong[name]; err != nil {
		return text, err
	}
	if given && text == "" {
		return "", endpoint.ErrEmpty
	}
	return text, nil
}

func (m *members) set(name, value string) {
	if _, known := m.texts[name]; known {
		m.wrong[name] = endpoint.ErrRepeated
		return
	}
	m.texts[name] = value
}

// readMembers reads the body, and parses it if its members are parameters.
func (r *request) readMembers(w *answer, client *access.Client) error {
	if err := r.readBody(w, client); err != nil {
		return err
	}
	m := &members{texts: map[string]string{}, wrong: map[string]error{}}
	switch r.op.Body.Type {
	case endpoint.JSON:
		r.members = m
		return m.readJSON(r.body.reader(), r.op)
	case endpoint.Form:
		_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || params["boundary"] == "" {
			return wrongBody("its Content-Type lacks the boundary")
		}
		// Few at a time: the library reads up to 10 MB for the header of one part.
		turn, err := begin(r.Context(), r.server.forms, one(r.payer()...))
		if err != nil {
			return err
		}
		defer turn.Pause()
		r.members = m
		return m.readForm(r.body, params["boundary"], r.op)
	}
	return nil
}

var errNoText = errors.New("a text")

func wrongBody(why string) error { return &endpoint.ParamError{Param: "the body", Want: why} }

// readJSON reads an object whose members are strings, or lists of objects where the operation has
// such a parameter. A member that is null counts as absent.
func (m *members) readJSON(r io.Reader, o *endpoint.Op[*api.Env]) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return wrongBody("it is not in UTF-8")
	}
	err = endpoint.EachMember(text, func(name string, value json.RawMessage) error {
		m.setJSON(name, value, o)
		return nil
	})
	if err != nil {
		return wrongBody(err.Error())
	}
	return nil
}

// setJSON sets a member to its value in JSON.
func (m *members) setJSON(name string, value json.RawMessage, o *endpoint.Op[*api.Env]) {
	var text string
	switch {
	case string(value) == "null":
	case slices.ContainsFunc(o.Params, func(p endpoint.Param) bool { return p.Name == name && p.Structured() }):
		var compact bytes.Buffer
		if json.Compact(&compact, value) == nil { // always, as it was parsed
			m.set(name, compact.String())
		}
	case json.Unmarshal(value, &text) == nil:
		m.set(name, text)
	default: // an error where it is wanted
		m.wrong[name] = errNoText
	}
}

// readForm reads the parts of a form and notes the position of its file.
func (m *members) readForm(b *body, boundary string, o *endpoint.Op[*api.Env]) error {
	parts := multipart.NewReader(b.reader(), boundary)
	for n := 0; ; n++ {
		p, err := parts.NextPart()
		if err == io.EOF { // the last boundary; a form that was cut off gives a wrapped EOF
			return nil
		}
		if err != nil {
			return wrongBody("it is not a form whose parts end with the boundary")
		}
		if n == maxParts {
			return wrongBody("a form may have at most 32 parts")
		}
		name, err := partName(p)
		switch {
		case err != nil:
		case name == o.Body.File:
			err = m.readFile(b, boundary, n, p, o.Body)
		case slices.ContainsFunc(o.Params, func(p endpoint.Param) bool { return p.In == "body" && p.Name == name }):
			err = m.readText(name, p)
		}
		if err != nil {
			return err
		}
	}
}

// partName returns the name of a part, "" if it has none.
func partName(p *multipart.Part) (string, error) {
	size := 0
	for key, values := range p.Header {
		for _, v := range values {
			size += len(key) + len(v)
		}
	}
	if size > maxHeader {
		return "", wrongBody("the header of a part may have at most 16384 bytes")
	}
	kind, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil || kind != "form-data" {
		return "", wrongBody("the Content-Disposition of a part cannot be read")
	}
	return params["name"], nil
}

func (m *members) readText(name string, p *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(p, maxField+1))
	if err != nil {
		return wrongBody("it ends within a part")
	}
	if len(text) > maxField {
		return &endpoint.ParamError{Param: name, Want: "at most 65536 bytes"}
	}
	m.set(name, string(text))
	return nil
}

// readFile measures the file and notes how to open it again.
func (m *members) readFile(b *body, boundary string, n int, p *multipart.Part, accepts *endpoint.Body) error {
	if m.file != nil {
		return &endpoint.ParamError{Param: accepts.File, Want: endpoint.ErrRepeated.Error()}
	}
	size, err := io.Copy(io.Discard, p)
	if err != nil {
		return wrongBody("it ends within a part")
	}
	if size > accepts.MaxFileBytes {
		return api.TooLarge(accepts.TooLarge, accepts.MaxFileBytes)
	}
	m.file = &api.File{Size: size, Open: func() (io.Reader, error) {
		parts := multipart.NewReader(b.reader(), boundary)
		for range n {
			if _, err := parts.NextPart(); err != nil {
				return nil, err
			}
		}
		return parts.NextPart()
	}}
	return nil
}

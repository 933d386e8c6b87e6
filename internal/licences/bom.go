package licences

import (
	"encoding/json"
	"io"
	"runtime/debug"
	"slices"
	"strings"
)

// bom is a bill of materials: the part of CycloneDX 1.6 (ECMA-424) that is used here.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type        string     `json:"type"`
	Ref         string     `json:"bom-ref"`
	Name        string     `json:"name"`
	Version     string     `json:"version,omitempty"`
	Description string     `json:"description,omitempty"`
	Licenses    []licence  `json:"licenses"`
	URL         string     `json:"purl,omitempty"`
	Properties  []property `json:"properties,omitempty"`
}

// licence has one of its members.
type licence struct {
	License    *licenceID `json:"license,omitempty"`
	Expression string     `json:"expression,omitempty"`
}

type licenceID struct {
	ID string `json:"id"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// settings are those of a build that are in its bill.
var settings = []string{"GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "-tags"}

// WriteBOM writes the bill of materials of a program of that version as CycloneDX 1.6 in JSON. It
// is the same for each call: it has no time and no serial number.
func (t *Table) WriteBOM(w io.Writer, version string, info *debug.BuildInfo, parts []Part) error {
	t.Self.Version = version
	self := t.Self.component("application")
	self.Properties = []property{{"go:version", info.GoVersion}}
	for _, s := range info.Settings {
		if slices.Contains(settings, s.Key) {
			self.Properties = append(self.Properties, property{"go:" + strings.TrimPrefix(s.Key, "-"), s.Value})
		}
	}
	b := bom{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6",
		Version: 1, Metadata: metadata{self}}
	links := dependency{Ref: self.Ref}
	for _, p := range parts {
		kind := "library"
		if strings.HasPrefix(p.Use, "data") {
			kind = "data"
		}
		c := p.component(kind)
		b.Components = append(b.Components, c)
		links.DependsOn = append(links.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{links}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

func (p *Part) component(kind string) component {
	c := component{Type: kind, Ref: p.URL, Name: p.Name, Version: p.Version, Description: p.Use, URL: p.URL}
	if c.Ref == "" {
		c.Ref = p.Name
	}
	if strings.Contains(p.Licence, " ") || strings.HasPrefix(p.Licence, "LicenseRef-") {
		c.Licenses = []licence{{Expression: p.Licence}}
	} else {
		c.Licenses = []licence{{License: &licenceID{p.Licence}}}
	}
	return c
}

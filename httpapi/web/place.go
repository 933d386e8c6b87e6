package web

import (
	"strings"

	"relais/market"
	"relais/site"
	"relais/site/spelling"
)

// A place says where a site is, as people write it; see package spelling.
type place struct {
	Title     string // the street, else the name of the place, the commune or the site's key
	Commune   string // "" if the register does not name it, or if it is the title
	Rest      string // of the address, with the postal code and the commune
	Published string // what the register has, on one line
}

// Name returns the title with the commune.
func (p *place) Name() string {
	if p.Commune == "" {
		return p.Title
	}
	return p.Title + ", " + p.Commune
}

// placeOf returns where a site is.
func placeOf(m *market.Market, s *site.Site, key string) place {
	commune := spelling.Commune(s.Commune, s.CommuneCode, m.Spelling)
	var lines, published []string
	street := -1
	for i, text := range []string{s.Place, s.Address[0], s.Address[1], s.Address[2]} {
		if text == "" {
			continue
		}
		if i > 0 && street < 0 {
			street = len(lines)
		}
		lines, published = append(lines, spelling.Text(text, m.Spelling)), append(published, text)
	}
	var p place
	switch street = max(street, 0); {
	case len(lines) > 0:
		p.Title, p.Commune = lines[street], commune
		lines = append(lines[:street], lines[street+1:]...)
	case commune != "":
		p.Title = commune
	default:
		p.Title = key
	}
	p.Rest = joinTown(lines, s.PostalCode, commune)
	p.Published = joinTown(published, s.PostalCode, s.Commune)
	if p.Rest == p.Title {
		p.Rest = ""
	}
	return p
}

// joinTown writes an address on one line.
func joinTown(lines []string, postal, commune string) string {
	if town := strings.TrimSpace(postal + " " + commune); town != "" {
		lines = append(lines, town)
	}
	return strings.Join(lines, ", ")
}

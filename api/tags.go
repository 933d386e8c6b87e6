package api

import "relais/api/endpoint"

// Tags describes the groups of the operations: the first parts of their paths.
func Tags() []endpoint.Tag {
	return []endpoint.Tag{
		{Name: "antennas", Doc: "Antenna sites: lists, details, search, radio identifiers, exports."},
		{Name: "find", Doc: "Questions as people type them."},
		{Name: "sites", Doc: "A site and its photos."},
		{Name: "photos", Doc: "Reports and deletions of photos."},
		{Name: "stats", Doc: "Counts of sites by area."},
		{Name: "markets", Doc: "What each market has."},
		{Name: "changes", Doc: "What changed between two editions of a register."},
		{Name: "anfr", Doc: "Editions of the ANFR's observatoire."},
		{Name: "outages", Doc: "Outages that operators publish and that people report."},
		{Name: "sites-hs", Doc: "The operators' lists of unavailable sites, as they publish them."},
		{Name: "speedtests", Doc: "Measurements of speed."},
		{Name: "coverage", Doc: "Measurements of the signal."},
		{Name: "tiles", Doc: "Vector tiles for maps."},
		{Name: "style.json", Doc: "A style for maps."},
	}
}

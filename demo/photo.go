package demo

import (
	"strconv"

	"relais/market"
)

// A Photo is a picture of a site for its gallery. It is drawn, and says so in itself and in its caption.
type Photo struct {
	SiteKey, ENB, Operator, Caption, SVG string

	Held   bool   // it waits for a moderator
	Report string // the reason of a report that waits, "" without one
}

// Photos are six of ShownSite and two of each of other sites. The others share a few drawings, because
// making the images of one takes a fifth of a second.
const (
	ofShown      = 6
	drawnShown   = 3 // drawings of them
	ofOthers     = 2
	photographed = 10 // about: other sites with photos
)

// Photos returns the photos of the country, those of ShownSite first.
func (f *France) Photos() []Photo {
	var list []Photo
	models := map[int]scenery{} // by the kind of mast
	for i, s := range testedOf(f.supports, photographed+1) {
		if i == 0 {
			models[mastOf(s.nature)] = scenery{support: s}
			for view := range ofShown {
				list = append(list, s.photo(view, scenery{support: s, seed: uint64(view % drawnShown)}))
			}
			continue
		}
		kind := mastOf(s.nature)
		if models[kind].support == nil {
			models[kind] = scenery{support: s, seed: uint64(i)}
		}
		for view := range ofOthers {
			list = append(list, s.photo(view, models[kind]))
		}
	}
	list[ofShown-2].Report, list[len(list)-2].Report = "privacy", "wrong-location"
	list[ofShown-1].Held, list[len(list)-1].Held = true, true
	return list
}

// photo is a drawing of a support in the gallery of one of its operators.
func (s *support) photo(view int, drawn scenery) Photo {
	o := s.stations[view%len(s.stations)].operator
	return Photo{SiteKey: "fr-" + strconv.Itoa(s.id), ENB: strconv.Itoa(s.node()), Operator: market.ByPLMN(o.plmn),
		Caption: "SYNTHETIC : dessin d'une démonstration, pas une photo (" + s.town.name + ")", SVG: drawn.draw()}
}

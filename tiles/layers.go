package tiles

// A Layer describes a layer of the tiles.
type Layer struct {
	Name           string
	Numbers, Texts []string // keys of its features
	MinZoom        int      // the first zoom that has it
}

// Layers describes the layers.
func Layers() []Layer {
	return []Layer{
		{Name: "sites", Numbers: siteKeys[:siteKey], Texts: siteKeys[siteKey:]},
		{Name: "sectors", Numbers: sectorKeys[:sectorKey], Texts: sectorKeys[sectorKey:], MinZoom: withSector},
		{Name: "places", Numbers: placeKeys[:placeName], Texts: placeKeys[placeName:], MinZoom: withPlaces},
	}
}

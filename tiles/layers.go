package tiles

// A Layer describes a layer of the tiles.
type Layer struct {
	Name           string
	Numbers, Texts []string // keys of its features
	MinZoom        int      // the first zoom that has it
	MaxZoom        int      // the last one, or 0 if all have it from MinZoom on
}

// Names of layers.
const (
	DotsLayer       = "dots"
	SitesLayer      = "sites"
	SectorsLayer    = "sectors"
	PlacesLayer     = "places"
	CoverageLayer   = "coverage"
	SpeedtestsLayer = "speedtests"
	OutagesLayer    = "outages"
	// CoverageMapLayer has official coverage maps.
	CoverageMapLayer = "coverage-map"
)

// Layers describes the layers, in their order in a tile.
func Layers() []Layer {
	return []Layer{
		{Name: DotsLayer, Numbers: dotKeys, MaxZoom: everySite - 1},
		{Name: SitesLayer, Numbers: siteKeys[:siteKey], Texts: siteKeys[siteKey:]},
		{Name: SectorsLayer, Numbers: sectorKeys[:sectorKey], Texts: sectorKeys[sectorKey:], MinZoom: withSector},
		{Name: PlacesLayer, Numbers: placeKeys[:placeName], Texts: placeKeys[placeName:], MinZoom: withPlaces},
		{Name: CoverageMapLayer, Numbers: coverageMapKeys},
		{Name: CoverageLayer, Numbers: coverageKeys, MinZoom: withMeasures},
		{Name: SpeedtestsLayer, Numbers: speedtestKeys, MinZoom: withMeasures},
		{Name: OutagesLayer, Numbers: outageKeys[:outageID], Texts: outageKeys[outageID:]},
	}
}

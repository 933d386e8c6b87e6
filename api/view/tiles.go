package view

// A TileJSON describes vector tiles: https://github.com/mapbox/tilejson-spec/tree/master/3.0.0
type TileJSON struct {
	TileJSON    string      `json:"tilejson" doc:"3.0.0."`
	Name        string      `json:"name" doc:"The market."`
	Attribution string      `json:"attribution" doc:"The register."`
	Scheme      string      `json:"scheme" doc:"xyz."`
	Tiles       []string    `json:"tiles" doc:"Template of the tiles' addresses."`
	Layers      []TileLayer `json:"vector_layers"`
	Bounds      [4]float64  `json:"bounds" doc:"West, south, east and north of the sites, degrees."`
	MinZoom     int         `json:"minzoom"`
	MaxZoom     int         `json:"maxzoom" doc:"Tiles of larger zooms show nothing more."`
	Operators   []string    `json:"operators" doc:"Keys of the operators, in the order of the bits of ops and live, the lowest bit first."`
	DataVersion *string     `json:"dataVersion" doc:"As in /markets; null without an inventory."`
}

// A TileLayer describes a layer of tiles.
type TileLayer struct {
	ID      string            `json:"id"`
	Fields  map[string]string `json:"fields" doc:"Type of each value: Number or String."`
	MinZoom int               `json:"minzoom"`
	MaxZoom int               `json:"maxzoom"`
}

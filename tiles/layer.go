package tiles

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"relais/geo"
)

// A layer is a layer of points. Its format is section 4 of the specification:
// https://github.com/mapbox/vector-tile-spec/tree/master/2.1
type layer struct {
	name     string
	keys     []string
	extent   uint64 // units along a side of the tile
	features []byte
	values   []byte
	numbers  map[uint64]uint32 // positions in values
	decimals map[float64]uint32
	texts    map[string]uint32

	tags, geometry, feature []byte // of one feature
}

// Field numbers of the messages.
const (
	tileLayers = 3

	layerName     = 1
	layerFeatures = 2
	layerKeys     = 3
	layerValues   = 4
	layerExtent   = 5
	layerVersion  = 15

	featureID       = 1
	featureTags     = 2
	featureType     = 3
	featureGeometry = 4

	valueText    = 1
	valueDecimal = 3 // double
	valueNumber  = 5 // uint64

	typePoint   = 1 // of one or several points
	typePolygon = 3

	// Commands, with the number of points from the fourth bit on.
	moveTo    = 1
	lineTo    = 2
	closePath = 7 | 1<<3
)

// newLayer returns an empty layer whose features have values of these keys, in this order.
func newLayer(name string, keys ...string) *layer {
	return &layer{name: name, keys: keys, extent: Extent, numbers: map[uint64]uint32{}, decimals: map[float64]uint32{},
		texts: map[string]uint32{}}
}

// nextValue is the position of the next value.
func (l *layer) nextValue() uint32 { return uint32(len(l.numbers) + len(l.decimals) + len(l.texts)) }

// tag adds a value of the next feature. key is a position in keys.
func (l *layer) tag(key int, value uint32) {
	l.tags = protowire.AppendVarint(protowire.AppendVarint(l.tags, uint64(key)), uint64(value))
}

// number adds a number to the next feature.
func (l *layer) number(key int, n uint64) {
	at, known := l.numbers[n]
	if !known {
		at = l.nextValue()
		l.numbers[n] = at
		value := protowire.AppendVarint(protowire.AppendTag(nil, valueNumber, protowire.VarintType), n)
		l.values = appendMessage(l.values, layerValues, value)
	}
	l.tag(key, at)
}

// decimal adds a number with decimals to the next feature. It must not be NaN.
func (l *layer) decimal(key int, v float64) {
	at, known := l.decimals[v]
	if !known {
		at = l.nextValue()
		l.decimals[v] = at
		value := protowire.AppendFixed64(protowire.AppendTag(nil, valueDecimal, protowire.Fixed64Type), math.Float64bits(v))
		l.values = appendMessage(l.values, layerValues, value)
	}
	l.tag(key, at)
}

// text adds a text to the next feature.
func (l *layer) text(key int, s string) {
	at, known := l.texts[s]
	if !known {
		at = l.nextValue()
		l.texts[s] = at
		value := protowire.AppendString(protowire.AppendTag(nil, valueText, protowire.BytesType), s)
		l.values = appendMessage(l.values, layerValues, value)
	}
	l.tag(key, at)
}

// point ends a feature of one point with the values that were added. Without an id it is 0.
func (l *layer) point(id uint64, x, y uint32) { l.points(id, geo.Spot{X: x, Y: y}) }

// points is point for several points, in units of the tile.
func (l *layer) points(id uint64, at ...geo.Spot) {
	g := protowire.AppendVarint(l.geometry[:0], moveTo|uint64(len(at))<<3)
	var last geo.Spot
	for _, p := range at {
		g = protowire.AppendVarint(g, protowire.EncodeZigZag(int64(p.X)-int64(last.X)))
		g = protowire.AppendVarint(g, protowire.EncodeZigZag(int64(p.Y)-int64(last.Y)))
		last = p
	}
	l.end(id, typePoint, g)
}

// square ends a feature of a square with the values that were added.
func (l *layer) square(x, y, side int64) {
	r := rectangles{g: l.geometry[:0]}
	r.add(x, y, side, side)
	l.end(0, typePolygon, r.g)
}

// end ends a feature with its geometry and the values that were added.
func (l *layer) end(id, kind uint64, g []byte) {
	f := l.feature[:0]
	if id != 0 {
		f = protowire.AppendVarint(protowire.AppendTag(f, featureID, protowire.VarintType), id)
	}
	f = appendMessage(f, featureTags, l.tags)
	f = protowire.AppendVarint(protowire.AppendTag(f, featureType, protowire.VarintType), kind)
	f = appendMessage(f, featureGeometry, g)
	l.features = appendMessage(l.features, layerFeatures, f)
	l.tags, l.geometry, l.feature = l.tags[:0], g, f
}

// appendTo appends the layer to a tile. A layer without features is left out.
func (l *layer) appendTo(tile []byte) []byte {
	if len(l.features) == 0 {
		return tile
	}
	var m []byte
	m = protowire.AppendVarint(protowire.AppendTag(m, layerVersion, protowire.VarintType), 2)
	m = appendMessage(m, layerName, []byte(l.name))
	m = append(m, l.features...)
	for _, key := range l.keys {
		m = appendMessage(m, layerKeys, []byte(key))
	}
	m = append(m, l.values...)
	m = protowire.AppendVarint(protowire.AppendTag(m, layerExtent, protowire.VarintType), l.extent)
	return appendMessage(tile, tileLayers, m)
}

// appendMessage appends a field with a message, packed numbers or a text.
func appendMessage(dst []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), m)
}

package archive

import (
	"testing"

	"relais/ingest/anfr/column"
)

// The position of a record without coordonnees is that of coord.
func TestCoord(t *testing.T) {
	var r Record
	r.Values[column.Coord] = "46°30'00''N 3°06'00''W"
	if p, ok := r.Point(); !ok || p.Lat != 46.5 || p.Lng != -3.1 {
		t.Errorf("coord alone: %v, %v, want true, Lat = 46.5 and Lng = -3.1", p, ok)
	}
	r.Values[column.Position] = "46.25 , 3.5"
	if p, ok := r.Point(); !ok || p.Lat != 46.25 || p.Lng != 3.5 {
		t.Errorf("both: %v, %v, want true, Lat = 46.25 and Lng = 3.5", p, ok)
	}
}

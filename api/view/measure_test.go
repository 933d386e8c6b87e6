package view

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"relais/geo"
	"relais/measure"
)

var stated = measure.Measurement{ID: "0123456789abcdef", Time: time.Date(2026, 3, 5, 10, 3, 0, 0, time.UTC),
	Position: geo.Point{Lat: 45.1234567, Lng: -0.0000001},
	MCC:      208, MNC: 0, OperatorName: `Tom's "A" & B\ é`, Technology: "LTE", NetworkType: "CELLULAR",
	Radio: measure.Radio{ENB: 1048575, GNB: 4294967295, Cell: 1<<36 - 1, PCI: 0, RSRP: -80.25, RSRQ: 0, SNR: -0.5}}

var silent = measure.Measurement{ID: "x", MCC: -1, MNC: -1,
	Radio: measure.Radio{PCI: -1, RSRP: math.NaN(), RSRQ: math.NaN(), SNR: math.NaN()}}

// What is written by hand is what the shape says: every member, in its order.
func TestMeasuresAreTheirShapes(t *testing.T) {
	nan := math.NaN()
	test := AppendSpeedtest(nil,
		&measure.Test{Measurement: stated, Download: 1000.125, Average: 0, Max: 100000, Upload: 0.001, Ping: 600000,
			DeviceType: "phone"})
	point := AppendPoint(nil, &measure.Point{Measurement: stated, Signal: -60})
	for _, tt := range []struct {
		text  []byte
		shape any
	}{
		{test, &Speedtest{}}, {point, &Point{}},
		{AppendSpeedtest(nil, &measure.Test{Measurement: silent, Download: nan, Average: nan, Max: nan, Upload: nan,
			Ping: nan}), &Speedtest{}},
		{AppendPoint(nil, &measure.Point{Measurement: silent, Signal: nan}), &Point{}},
	} {
		d := json.NewDecoder(bytes.NewReader(tt.text))
		d.DisallowUnknownFields()
		if err := d.Decode(tt.shape); err != nil {
			t.Fatalf("decoding: %v: %s", err, tt.text)
		}
		again, err := JSON(tt.shape)
		var a, b any
		if err != nil || json.Unmarshal(again, &a) != nil || json.Unmarshal(tt.text, &b) != nil ||
			!reflect.DeepEqual(a, b) {
			t.Errorf("got %s, %v, want the same as %s", again, err, tt.text)
		}
	}
	var s Speedtest
	if err := json.Unmarshal(test, &s); err != nil {
		t.Fatal(err)
	}
	if s.Coordinates.Lng != -0.0000001 || *s.DownloadSpeed != 1000.125 || *s.UploadSpeed != 0.001 ||
		*s.Ping != 600000 || *s.AverageSpeed != 0 || *s.MNC != 0 || *s.Radio.PCI != 0 ||
		*s.Radio.GNB != "4294967295" || s.Radio.CellID != "68719476735" || s.MobileOperator != stated.OperatorName ||
		s.Timestamp != "2026-03-05T10:03:00.000Z" {
		t.Errorf("speedtest = %s, want the stated values", test)
	}
}

func BenchmarkAppendPoint(b *testing.B) {
	p := &measure.Point{Measurement: stated, Signal: -60}
	p.OperatorName = "Orange"
	text := make([]byte, 0, 1<<22)
	for b.Loop() {
		text = text[:0]
		for range 5000 {
			text = AppendPoint(text, p)
		}
	}
	b.SetBytes(int64(len(text)))
}

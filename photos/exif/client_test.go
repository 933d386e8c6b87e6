package exif

import (
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"decimal", `{"Make":"NIKON","Model":"COOLPIX","DateTimeOriginal":"2008:10:22 16:28:39","GPSLatitude":43.5,"GPSLongitude":-11.25,"GPSImgDirection":7,"Orientation":6}`},
		{"with refs", `{"Make":"NIKON","Model":"COOLPIX","DateTimeOriginal":"2008-10-22T16:28:39.000Z","GPSLatitude":"43.5","GPSLatitudeRef":"N","GPSLongitude":11.25,"GPSLongitudeRef":"W","GPSImgDirection":"7/1"}`},
		{"parts", `{"make":"NIKON","model":"COOLPIX","dateTimeOriginal":"2008:10:22","GPSLatitude":[43,30,0],"GPSLatitudeRef":"N","GPSLongitude":"11/1,15/1,0/100","GPSLongitudeRef":"West","GPSImgDirection":7}`},
		{"groups", `{"IFD0":{"Make":"NIKON","Model":"COOLPIX"},"{Exif}":{"DateTimeOriginal":"2008:10:22 16:28:39"},"gps":{"GPS_Latitude":43.5,"gps_longitude":-11.25,"GPSImgDirection":7.0}}`},
		{"group names", `{"EXIF:Make":"NIKON","IFD0:Model":"COOLPIX","ExifIFD:DateTimeOriginal":"2008:10:22 16:28:39","Composite:GPSLatitude":43.5,"Composite:GPSLongitude":-11.25,"GPS:GPSImgDirection":7}`},
		{"first counts", `{"Make":"NIKON","make":"X","Model":"COOLPIX","DateTimeOriginal":"2008:10:22","latitude":43.5,"longitude":-11.25,"GPSLatitude":[43,30,0],"GPSImgDirection":7,"GPSImgDirection":8}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Client([]byte(tt.text))
			if err != nil || f.Position == nil || f.Direction == nil {
				t.Errorf("%s: %+v, %v, want no error, Position set and Direction set", tt.name, f, err)
				return
			}
			if f.Make != "NIKON" || f.Model != "COOLPIX" || f.Day() != "2008-10-22" || *f.Direction != 7 ||
				f.Orientation != 0 {
				t.Errorf("%s: %+v, direction %v, want 7, Make = NIKON, Model = COOLPIX, Day = 2008-10-22 and "+
					"Orientation = 0", tt.name, f, *f.Direction)
			}
			if f.Position.Lat != 43.5 || f.Position.Lon != -11.25 {
				t.Errorf("%s: position %v, want Lat = 43.5 and Lon = -11.25", tt.name, *f.Position)
			}
		})
	}
}

func TestClientHostile(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"empty", ""},
		{"1 MB", `{"Make":"` + strings.Repeat("x", 1<<20) + `"}`},
		{"deep", strings.Repeat(`{"exif":`, 5000)},
		{"depth 9", `{"a":` + strings.Repeat("[", 8) + strings.Repeat("]", 8) + "}"},
		{"array", `[]`},
		{"cut off", `{"Make":"a"`},
		{"trailer", `{} {}`},
		{"value", `{"Make":01}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if f, err := Client([]byte(tt.text)); err == nil || f != (Fields{}) {
				t.Errorf("%s: %+v, %v, want %+v and an error", tt.name, f, err, Fields{})
			}
		})
	}
	for _, text := range []string{
		`{}`, `{"Make":1,"Model":[],"DateTimeOriginal":{},"GPSLatitude":null}`,
		`{"GPSLatitude":1e308,"GPSLongitude":1e308,"GPSImgDirection":1e999}`,
		`{"GPSLatitude":"NaN","GPSLongitude":"Inf","GPSImgDirection":"NaN"}`,
		`{"GPSLatitude":"0x10","GPSLongitude":"1_0","GPSImgDirection":"7/0"}`,
		`{"GPSLatitude":0,"GPSLongitude":0,"GPSImgDirection":-1}`,
		`{"GPSLatitude":[43,30,0],"GPSLongitude":[1,2,3]}`,
		`{"GPSLatitude":43,"GPSLatitudeRef":"up","GPSLongitude":3}`,
		`{"GPSLatitude":43}`, `{"thumbnail":{"Make":"x"}}`,
	} {
		if f, err := Client([]byte(text)); err != nil || f != (Fields{}) {
			t.Errorf("%s: %+v, %v, want %+v and no error", text, f, err, Fields{})
		}
	}
}

func TestFill(t *testing.T) {
	seven, eight := 7.0, 8.0
	f := Fields{Model: "m", Direction: &seven}
	f.Fill(Fields{Orientation: 6, Make: "k", Model: "x", Position: &Position{1, 2}, Direction: &eight,
		Taken: moment("2024:01:02")})
	if f.Make != "k" || f.Model != "m" || f.Orientation != 0 || *f.Direction != 7 || *f.Position != (Position{1, 2}) ||
		f.Day() != "2024-01-02" {
		t.Errorf("fields = %+v, want Make = k, Model = m, Orientation = 0, Direction = 7, Position = %v and Day = "+
			"2024-01-02", f, Position{1, 2})
	}
}

func FuzzClient(f *testing.F) {
	f.Add([]byte(`{"Make":"a\u0000\ud800","gps":{"GPSLatitude":[43,30,0],"GPSLatitudeRef":"N","GPSLongitude":"11/1,15/1,0/100","GPSLongitudeRef":"W"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fields, _ := Client(text)
		check(t, fields)
		if fields.Orientation != 0 {
			t.Errorf("orientation = %d, want 0", fields.Orientation)
		}
	})
}

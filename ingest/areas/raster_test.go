package areas

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/errtest"
	"relais/internal/filetest"
	"relais/internal/tier"
)

// grid is 30 × 20 cells of 100 m in Switzerland, as Esri's ASCII grid.
func grid(t *testing.T) (path string) {
	var b strings.Builder
	b.WriteString("ncols 30\nnrows 20\nxllcorner 2600000\nyllcorner 1200000\ncellsize 100\nNODATA_value 9\n")
	for row := range 20 {
		for col := range 30 {
			fmt.Fprint(&b, cellOf(col, row), " ")
		}
		b.WriteByte('\n')
	}
	return filetest.New(t, "grid.asc", b.String())
}

func cellOf(col, row int) uint16 { return []uint16{9, 1, 2, 3}[(col*col+row)%4] }

// palette is the grid with colours, as a virtual raster of GDAL.
const palette = `<VRTDataset rasterXSize="30" rasterYSize="20"><SRS>EPSG:2056</SRS><GeoTransform>2600000,100,0,1202000,0,-100</GeoTransform>
<VRTRasterBand dataType="Byte" band="1"><NoDataValue>9</NoDataValue><ColorInterp>Palette</ColorInterp><ColorTable>%s</ColorTable>
<SimpleSource><SourceFilename>%s</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>`

func TestRasters(t *testing.T) {
	tier.Slow(t)
	source := grid(t)
	coloured := filetest.New(t, "coloured.vrt", fmt.Sprintf(palette, strings.Repeat(`<Entry c1="1" c2="2" c3="3" c4="255"/>`, 10), source))
	for _, tt := range []struct{ name, source, options string }{
		{"plain", source, "-ot Byte"},
		{"LZW", source, "-ot Byte -co COMPRESS=LZW"},
		{"LZW with a predictor", source, "-ot UInt16 -co COMPRESS=LZW -co PREDICTOR=2"},
		{"deflate", source, "-ot UInt16 -co COMPRESS=DEFLATE"},
		{"tiles", source, "-ot Byte -co TILED=YES -co BLOCKXSIZE=16 -co BLOCKYSIZE=16 -co COMPRESS=LZW"},
		{"big endian", source, "-ot UInt16 -co ENDIANNESS=BIG"},
		{"point", source, "-ot Byte -mo AREA_OR_POINT=Point"},
		{"GeoTIFF 1.1", source, "-ot Byte -co GEOTIFF_VERSION=1.1"},
		{"colours", coloured, "-co COMPRESS=LZW"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "grid.tif")
			run(t, "gdal_translate", append(strings.Fields("-q -a_srs EPSG:2056 "+tt.options), tt.source, path)...)
			r, err := OpenRaster(path)
			errtest.Must(t, err)
			if r.EPSG != 2056 || r.X0 != 2600000 || r.Y0 != 1202000 || r.Cell != 100 || r.Cols != 30 || r.Rows != 20 ||
				r.NoData == nil || *r.NoData != 9 {
				t.Errorf("got %+v", r)
			}
			for row := range r.Rows {
				for col := range r.Cols {
					if got, want := r.At(col, row), cellOf(col, row); got != want {
						t.Fatalf("cell %d, %d: got %d, want %d", col, row, got, want)
					}
				}
			}
		})
	}
}

func TestRastersThatAreNotRead(t *testing.T) {
	tier.Slow(t)
	for _, tt := range []struct{ name, options, want string }{
		{"no place", "-ot Byte -co PROFILE=BASELINE", "does not say where"},
		{"oblong cells", "-ot Byte -a_ullr 0 10 10 0", "cells are"},
		{"other numbers", "-ot Float32", "sample"},
		{"several bands", "-ot Byte -b 1 -b 1", "extra samples"},
		{"BigTIFF", "-ot Byte -co BIGTIFF=YES", "not a TIFF"},
		{"inverted", "-ot Byte -co PHOTOMETRIC=MINISWHITE", "inverted"},
		{"few bits", "-ot Byte -co NBITS=1", "1 bits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "grid.tif")
			run(t, "gdal_translate", append(strings.Fields("-q -a_srs EPSG:2056 "+tt.options), grid(t), path)...)
			if _, err := OpenRaster(path); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "grid.tif")
	run(t, "gdal_translate", "-q", "-ot", "Byte", "-co", "COMPRESS=LZW", "-a_srs", "EPSG:2056", grid(t), path)
	whole, path := filetest.Read(t, path), filepath.Join(t.TempDir(), "damaged.tif")
	for n := range len(whole) {
		changed := append([]byte(nil), whole...)
		changed[n] ^= 0xa5
		filetest.Write(t, path, changed)
		OpenRaster(path) // an error, or not: it must come back
		filetest.Write(t, path, whole[:n])
		if _, err := OpenRaster(path); err == nil && n < 100 {
			t.Errorf("%d of %d bytes are read", n, len(whole))
		}
	}
}

package render

import (
	"image"
	"image/color"
	"testing"
)

// Most files are written by libtiff, through ImageMagick or GDAL.
func tiffVariants(t *testing.T) formatTest {
	t.Helper()
	m := sample(96, 64)
	seeThrough := sample(96, 64)
	for i := 3; i < len(seeThrough.Pix); i += 4 {
		seeThrough.Pix[i] = uint8(255 - i/4%96*2)
	}
	two := image.NewPaletted(m.Rect, color.Palette{color.Black, color.White})
	for y := range 64 {
		for x := range 96 {
			two.Set(x, y, m.At(x, y))
		}
	}
	sources := map[string]image.Image{"photo.png": m, "alpha.png": seeThrough, "two.png": two}
	gdal := "gdal_translate -q --config GDAL_PAM_ENABLED NO -of GTiff "
	return formatTest{sources: sources, variants: []variant{
		{name: "tif none", make: "convert photo.png -compress none OUT"},
		{name: "tif LZW", make: "convert photo.png -compress LZW OUT"},
		{name: "tif Deflate", make: "convert photo.png -compress Zip OUT"},
		{name: "tif PackBits", make: "convert photo.png -compress RLE OUT"},
		{name: "tif Zstandard", make: gdal + "-co COMPRESS=ZSTD photo.png OUT"},
		{name: "tif JPEG, RGB", make: "convert photo.png -compress JPEG -quality 95 OUT"},
		{name: "tif JPEG, YCbCr", make: gdal + "-co COMPRESS=JPEG -co PHOTOMETRIC=YCBCR -co JPEG_QUALITY=95 photo.png OUT", bound: 2},
		{name: "tif JPEG, tiles", make: gdal + "-co COMPRESS=JPEG -co TILED=YES -co BLOCKXSIZE=64 -co BLOCKYSIZE=64 photo.png OUT"},
		{name: "tif JPEG, tables in all tiles", make: gdal + "-co COMPRESS=JPEG -co JPEGTABLESMODE=0 photo.png OUT"},
		{name: "tif JPEG, grey", make: gdal + "-b 1 -co COMPRESS=JPEG photo.png OUT"},
		{name: "tif JPEG, planes", make: gdal + "-co COMPRESS=JPEG -co INTERLEAVE=BAND photo.png OUT"},
		{name: "tif JPEG with opacity", make: gdal + "-co COMPRESS=JPEG alpha.png OUT",
			words: "JPEG with 4 channels"},
		{name: "tif WebP", make: gdal + "-co COMPRESS=WEBP photo.png OUT", bound: 3},
		{name: "tif WebP with opacity", make: gdal + "-co COMPRESS=WEBP -co WEBP_LOSSLESS=YES alpha.png OUT"},
		{name: "tif LZMA", make: gdal + "-co COMPRESS=LZMA photo.png OUT", words: "compressed as LZMA"},
		{name: "tif LERC", make: gdal + "-co COMPRESS=LERC photo.png OUT", words: "compressed as LERC"},
		{name: "tif CCITT Huffman", make: gdal + "-co COMPRESS=CCITTRLE -co NBITS=1 two.png OUT",
			words: "compressed as CCITT Huffman"},
		{name: "tif CCITT Group 3, fill bits", make: "convert two.png -compress Fax OUT",
			words: "CCITT Group 3 with options"},
		{name: "tif CCITT Group 3", make: gdal + "-co COMPRESS=CCITTFAX3 -co NBITS=1 two.png OUT"},
		{name: "tif CCITT Group 4", make: "convert two.png -compress Group4 OUT"},
		{name: "tif CCITT Group 4, black is zero",
			make: "convert two.png -define quantum:polarity=min-is-black -compress Group4 OUT"},
		{name: "tif CCITT Group 4, low bits first",
			make: "convert two.png -define tiff:fill-order=lsb -compress Group4 OUT"},
		{name: "tif low bits first", make: "convert photo.png -define tiff:fill-order=lsb -compress LZW OUT"},
		{name: "tif low bits first, none", make: "convert photo.png -define tiff:fill-order=lsb -compress none OUT"},

		{name: "tif white is zero",
			make: "convert photo.png -colorspace gray -define quantum:polarity=min-is-white OUT"},
		{name: "tif black is zero", make: "convert photo.png -colorspace gray OUT"},
		{name: "tif grey of 1 bit", make: "convert two.png -depth 1 OUT"},
		{name: "tif grey of 2 bits", make: gdal + "-b 1 -scale 0 255 0 3 -co NBITS=2 photo.png OUT"},
		{name: "tif grey of 4 bits", make: gdal + "-b 1 -scale 0 255 0 15 -co NBITS=4 photo.png OUT"},
		{name: "tif grey of 16 bits", make: "convert photo.png -colorspace gray -depth 16 OUT"},
		{name: "tif grey with opacity", make: "convert alpha.png -colorspace gray OUT"},
		{name: "tif grey of 32 bits", make: "convert photo.png -colorspace gray -depth 32 OUT",
			words: "32 bits a channel"},
		{name: "tif RGB of 4 bits", make: gdal + "-scale 0 255 0 15 -co NBITS=4 photo.png OUT"},
		{name: "tif RGB of 12 bits", make: gdal + "-ot UInt16 -scale 0 255 0 4095 -co NBITS=12 photo.png OUT",
			words: "12 bits a channel"},
		{name: "tif RGB of 16 bits", make: "convert photo.png -depth 16 -compress LZW OUT"},
		{name: "tif float", make: gdal + "-ot Float32 photo.png OUT", words: "floating-point numbers"},
		{name: "tif float, predictor 3", make: gdal + "-ot Float32 -co COMPRESS=LZW -co PREDICTOR=3 photo.png OUT",
			words: "floating-point numbers"},
		{name: "tif signed", make: gdal + "-ot Int16 photo.png OUT", words: "signed numbers"},
		{name: "tif palette", make: "convert photo.png +dither -colors 200 -type palette OUT"},
		{name: "tif palette of 4 bits", make: "convert photo.png +dither -colors 16 -type palette -depth 4 OUT"},
		{name: "tif CMYK", make: "convert photo.png -colorspace CMYK OUT"},
		{name: "tif CMYK, planes, 16 bits",
			make: "convert photo.png -colorspace CMYK -interlace plane -depth 16 OUT"},
		{name: "tif CMYK, JPEG", make: "convert photo.png -colorspace CMYK -compress JPEG OUT",
			words: "JPEG with 4 channels"},
		{name: "tif Lab", make: "convert photo.png -colorspace Lab OUT", words: "CIE L*a*b*"},
		{name: "tif YCbCr", make: "convert photo.png -colorspace YCbCr -compress none OUT",
			words: "YCbCr without JPEG"},
		{name: "tif opacity", make: "convert alpha.png OUT"},
		{name: "tif opacity, premultiplied", make: "convert alpha.png -define tiff:alpha=associated OUT"},
		{name: "tif opacity, planes", make: "convert alpha.png -interlace plane OUT"},
		{name: "tif opacity of 16 bits", make: "convert alpha.png -depth 16 OUT"},
		{name: "tif a fourth channel of no meaning", make: gdal + "-co ALPHA=UNSPECIFIED alpha.png OUT",
			look: "convert photo.png WANT"},

		{name: "tif planes", make: "convert photo.png -interlace plane -compress none OUT"},
		{name: "tif planes, LZW", make: "convert photo.png -interlace plane -compress LZW OUT"},
		{name: "tif planes in tiles",
			make: gdal + "-co INTERLEAVE=BAND -co TILED=YES -co BLOCKXSIZE=16 -co BLOCKYSIZE=32 photo.png OUT"},
		{name: "tif planes in tiles, Deflate",
			make: gdal + "-co INTERLEAVE=BAND -co TILED=YES -co BLOCKXSIZE=128 -co BLOCKYSIZE=128 -co COMPRESS=DEFLATE photo.png OUT"},
		{name: "tif tiles", make: "convert photo.png -define tiff:tile-geometry=32x16 OUT"},
		{name: "tif tile larger than the picture", make: "convert photo.png -define tiff:tile-geometry=256x256 OUT"},
		{name: "tif tile much larger than the picture",
			make: gdal + "-co TILED=YES -co BLOCKXSIZE=2048 -co BLOCKYSIZE=2048 -co COMPRESS=LZW photo.png OUT"},
		{name: "tif strips", make: "convert photo.png -define tiff:rows-per-strip=7 OUT"},
		{name: "tif predictor 2", make: "convert photo.png -define tiff:predictor=2 -compress LZW OUT"},
		{name: "tif predictor 2, 16 bits",
			make: gdal + "-ot UInt16 -scale 0 255 0 65535 -co COMPRESS=DEFLATE -co PREDICTOR=2 photo.png OUT"},
		{name: "tif predictor 2, planes in tiles",
			make: gdal + "-co COMPRESS=LZW -co PREDICTOR=2 " +
				"-co INTERLEAVE=BAND -co TILED=YES -co BLOCKXSIZE=32 -co BLOCKYSIZE=32 photo.png OUT"},
		{name: "tif big-endian", make: "convert photo.png -endian MSB OUT"},
		{name: "tif big-endian, 16 bits, predictor 2",
			make: gdal + "-ot UInt16 -scale 0 255 0 65535 -co ENDIANNESS=BIG -co COMPRESS=LZW -co PREDICTOR=2 photo.png OUT"},
		{name: "tif BigTIFF", make: "convert photo.png -compress LZW TIFF64:OUT"},
		{name: "tif BigTIFF, big-endian",
			make: gdal + "-co BIGTIFF=YES -co ENDIANNESS=BIG -co TILED=YES -co BLOCKXSIZE=32 -co BLOCKYSIZE=32 photo.png OUT"},
		{name: "tif BigTIFF on its side", make: "convert photo.png -orient RightTop TIFF64:OUT"},
		{name: "tif on its side", make: "convert photo.png -orient LeftBottom OUT"},
		{name: "tif mirrored", make: "convert photo.png -orient TopRight OUT"},
		{name: "tif two pages", make: "convert photo.png alpha.png OUT"},
		{name: "tif with a profile", make: "convert photo.png -profile " + displayP3(t) + " OUT",
			look: "convert photo.png -profile " + displayP3(t) + " -profile " + sRGB(t) + " WANT"},
	}}
}

package render

import (
	"bytes"
	"slices"
	"testing"

	"relais/photos/heif"
)

// renamed renames the boxes of a kind, so that they are passed over.
func renamed(kind string) func([]byte) []byte {
	return func(file []byte) []byte { return bytes.ReplaceAll(file, []byte(kind), []byte("free")) }
}

// Files are written by libavif; Chromium shows them.
func avifVariants(t *testing.T) formatTest {
	t.Helper()
	sources := pictures(128, 96)
	sources["odd.png"] = sample(95, 63)
	const enc, avifdec = "avifenc -s 9 -j 1 --min 0 --max 8 ", "avifdec -j 1 -d 8 IN WANT"
	var variants []variant
	add := func(name, from, options string) *variant {
		variants = append(variants, variant{name: "avif " + name, make: enc + options + " " + from + ".png OUT",
			look: byBrowser})
		return &variants[len(variants)-1]
	}
	add("4:2:0", "photo", "-y 420")
	add("4:2:2", "photo", "-y 422")
	add("4:4:4", "photo", "-y 444")
	add("4:0:0", "photo", "-y 400")
	add("limited", "photo", "-y 444 -r limited")
	add("grey, limited", "photo", "-y 400 -r limited")
	add("10 bits", "photo", "-y 420 -d 10")
	add("12 bits, limited", "photo", "-y 444 -d 12 -r limited").bound = 2
	add("odd size", "odd", "-y 420 -d 10")
	for _, matrix := range []string{"0", "1", "4", "5", "6", "7", "8", "9", "12"} {
		add("matrix "+matrix, "photo", "-y 444 -d 10 --cicp 1/13/"+matrix)
	}
	// Chromium leaves out primaries and transfer where the matrix is 12: it shows the same colours of another one.
	add("matrix 12 of P3", "photo", "-y 444 --cicp 12/13/12").twin = enc + "-y 444 --cicp 12/13/1 photo.png TWIN"
	add("matrix 12 of BT.2020, 4:2:0", "photo", "-y 420 -r limited --cicp 9/13/12").twin =
		enc + "-y 420 --cicp 9/13/9 photo.png TWIN"
	add("matrix 12 of P3, PQ", "dim", "-y 444 -d 10 --cicp 12/16/12").twin =
		enc + "-y 444 -d 10 --cicp 12/16/1 dim.png TWIN"
	for _, transfer := range []string{"1", "4", "5", "6", "7", "8", "14", "15"} {
		add("transfer "+transfer, "photo", "-y 444 --cicp 1/"+transfer+"/1")
	}
	for _, primaries := range []string{"4", "5", "6", "8", "9", "11", "12", "22"} {
		add("primaries "+primaries, "photo", "-y 444 --cicp "+primaries+"/13/1")
	}
	add("primaries and transfer of cinema", "dim", "-y 444 --cicp 11/17/1")
	add("PQ", "dim", "-y 444 -d 10 --cicp 9/16/9")
	add("PQ, bright", "photo", "-y 444 -d 10 --cicp 9/16/9").bound = 3
	add("PQ, 12 bits, limited", "dim", "-y 420 -d 12 -r limited --cicp 9/16/9")
	add("PQ of P3", "dim", "-y 444 -d 10 --cicp 12/16/1")
	add("HLG", "photo", "-y 444 -d 10 --cicp 9/18/9").bound = 3
	add("PQ that only the AV1 states", "dim", "-y 444 -d 10 --cicp 9/16/9").change = renamed("colr")
	add("P3 that only the AV1 states", "photo", "-y 444 --cicp 12/13/1").change = renamed("colr")
	add("ICC", "photo", "-y 444 --icc "+displayP3(t))
	add("ICC and PQ", "photo", "-y 444 --cicp 9/16/9 --icc "+displayP3(t))
	add("opacity", "alpha", "-y 420").look = avifdec
	add("opacity, 10 bits", "alpha", "-y 444 -d 10").look = avifdec
	add("opacity, premultiplied", "alpha", "-y 444 -p").look = avifdec
	unsized := add("opacity without a size", "alpha", "-y 444")
	unsized.look, unsized.change = "convert alpha.png WANT", func(file []byte) []byte { return withoutSize(t, file) }
	add("grid", "photo", "-y 420 --grid 2x1")
	add("turned", "photo", "--irot 1")
	add("mirrored", "photo", "--imir 1")
	add("turned and mirrored", "photo", "--irot 3 --imir 0")
	variants = append(variants,
		variant{name: "avif two pictures", make: enc + "photo.png dim.png OUT", look: avifdec},
		variant{name: "avif film without a still picture", make: enc + "photo.png dim.png OUT", change: renamed("meta"),
			words: "a film without a still picture"},
		variant{name: "avif transfer 9", make: enc + "--cicp 1/9/1 photo.png OUT", words: "transfer characteristics 9"},
	)
	return formatTest{sources: sources, variants: variants}
}

// Files are written by libheif and x265. libheif shows those of ordinary colours; Chromium shows AVIF of the same
// colours in the place of the others. libheif 1.15 repeats chroma samples where other programs interpolate.
func heicVariants(t *testing.T) formatTest {
	t.Helper()
	if !sandboxed {
		return formatTest{} // this build has no decoder
	}
	enc, look := "heif-enc -q 95 ", "heif-convert IN WANT"
	deep := "convert dim.png PNG48:deep.png && heif-enc -q 95 -b 10 -p chroma=444 "
	twin := "avifenc -s 9 -j 1 --min 0 --max 4 -y 444 -d 10 --cicp "
	return formatTest{sources: pictures(160, 144), variants: []variant{
		{name: "heic 4:2:0", make: enc + "photo.png -o OUT", look: look, bound: 4},
		{name: "heic 4:2:2", make: enc + "-p chroma=422 photo.png -o OUT", look: look, bound: 4},
		{name: "heic 4:4:4", make: enc + "-p chroma=444 photo.png -o OUT", look: look},
		{name: "heic limited", make: enc + "--full_range_flag=0 photo.png -o OUT", look: look, bound: 4},
		{name: "heic matrix 1", make: enc + "-p chroma=444 --matrix_coefficients=1 photo.png -o OUT", look: look},
		{name: "heic matrix 1, limited", make: enc + "--matrix_coefficients=1 --full_range_flag=0 photo.png -o OUT",
			look: look, bound: 4},
		{name: "heic matrix 9", make: enc + "--matrix_coefficients=9 photo.png -o OUT", look: look, bound: 4},
		{name: "heic matrix 0", make: "heif-enc -L -p chroma=444 --matrix_coefficients=0 photo.png -o OUT",
			look: look},
		{name: "heic matrix 1, opacity", make: enc + "--matrix_coefficients=1 alpha.png -o OUT", look: look},
		{name: "heic opacity", make: enc + "alpha.png -o OUT", look: look},
		{name: "heic 10 bits", make: deep + "deep.png -o OUT", look: look},
		{name: "heic 10 bits, 4:2:0",
			make: "convert photo.png PNG48:deep.png && heif-enc -q 95 -b 10 deep.png -o OUT", look: look, bound: 4},
		{name: "heic nclx, matrix 1", make: enc + "-p chroma=444 --matrix_coefficients=1 photo.png -o OUT",
			look:   look,
			change: stated(1, 13, 1, true)},
		{name: "heic nclx, matrix 1, limited",
			make: enc + "-p chroma=444 --matrix_coefficients=1 --full_range_flag=0 photo.png -o OUT",
			look: look, change: stated(1, 13, 1, false)},
		{name: "heic nclx, limited", make: enc + "-p chroma=444 --full_range_flag=0 photo.png -o OUT", look: look,
			bound:  3,
			change: stated(1, 13, 6, false)},
		{name: "heic nclx, P3", make: enc + "-p chroma=444 photo.png -o OUT", change: stated(12, 13, 6, true),
			twin: twin + "12/13/6 photo.png TWIN"},
		{name: "heic nclx, PQ", make: deep + "--matrix_coefficients=9 deep.png -o OUT",
			change: stated(9, 16, 9, true),
			twin:   twin + "9/16/9 dim.png TWIN"},
		{name: "heic nclx, HLG", make: deep + "--matrix_coefficients=9 deep.png -o OUT",
			change: stated(9, 18, 9, true),
			twin:   twin + "9/18/9 dim.png TWIN"},
		{name: "heic P3 in HEVC",
			make: enc + "-p chroma=444 -p x265:colorprim=smpte432 -p x265:transfer=iec61966-2-1 photo.png -o OUT",
			twin: twin + "12/13/6 photo.png TWIN"},
		{name: "heic PQ in HEVC",
			make: deep + "-p x265:colorprim=bt2020 -p x265:transfer=smpte2084 -p x265:colormatrix=bt2020nc deep.png -o OUT",
			twin: twin + "9/16/9 dim.png TWIN"},
		{name: "heic limited in HEVC", make: enc + "-p chroma=444 -p x265:range=limited photo.png -o OUT", look: look,
			bound: 3},
		{name: "heic BT.709 in HEVC", make: enc + "-p chroma=444 -p x265:colormatrix=bt709 photo.png -o OUT",
			look: look},
	}}
}

// stated puts the picture of a file of libheif, which leaves this out for programs of Apple, into one that states
// its colours in a colr box.
func stated(primaries, transfer, matrix int, full bool) func([]byte) []byte {
	return func(file []byte) []byte {
		f, err := heif.Parse(file)
		if err != nil {
			return nil
		}
		it := f.Primary()
		data, err := it.Data()
		if err != nil {
			return nil
		}
		properties := slices.Concat(box("ispe", u32(0, it.Width, it.Height)), box("hvcC", it.HEVC),
			box("colr", []byte("nclx"), u16(primaries, transfer, matrix), []byte{map[bool]byte{true: 0x80}[full]}))
		begin := func(at int) []byte {
			return append(box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), box("meta", u32(0),
				box("hdlr", u32(0, 0), []byte("pict"), make([]byte, 13)),
				box("pitm", u32(0), u16(1)),
				box("iinf", u32(0), u16(1), box("infe", u32(2<<24), u16(1, 0), []byte("hvc1\x00"))),
				box("iprp", box("ipco", properties), box("ipma", u32(0, 1), u16(1), []byte{3, 1, 0x82, 3})),
				box("iloc", u32(0), u16(0x4400, 1, 1, 0, 1), u32(uint32(at), uint32(len(data)))))...)
		}
		return append(begin(len(begin(0))+8), box("mdat", data)...)
	}
}

// withoutSize takes the size (ispe) from the second item that ipma gives properties: the opacity, in libavif's files.
func withoutSize(t *testing.T, file []byte) []byte {
	t.Helper()
	at := bytes.Index(file, []byte("ipma"))
	if at < 0 {
		t.Fatal("the file of the test has no ipma")
	}
	entries := file[at+12:] // version, flags and count
	first := int(entries[2])
	second := entries[3+first:]
	if entries[1] != 1 || second[1] != 2 {
		t.Fatal("the file of the test has other items")
	}
	second[3] = 0 // no property
	return file
}

package licences

// webpModule is the only one with C. Programs without it have none.
const webpModule = "github.com/chai2010/webp"

// sandboxModule has the same library as WebAssembly.
const sandboxModule = "github.com/gen2brain/webp"

// foreign is what Go does not know about. The texts are files: of texts/, of this repository (/…) or
// of a module (module:file).
var foreign = []struct {
	Part
	files []string
}{
	{Part{Name: "libwebp", Version: "1.4.0", Licence: "BSD-3-Clause", URL: "pkg:github/webmproject/libwebp@v1.4.0",
		Use: "C, linked in", Module: webpModule},
		[]string{"github.com/chai2010/webp:internal/libwebp-1.4.0/COPYING",
			"github.com/chai2010/webp:internal/libwebp-1.4.0/PATENTS"}},
	{Part{Name: "libwebp", Version: "1.4.0", Licence: "BSD-3-Clause", URL: "pkg:github/webmproject/libwebp@v1.4.0",
		Use: "WebAssembly, embedded by github.com/gen2brain/webp", Module: sandboxModule},
		[]string{"github.com/gen2brain/webp:lib/LICENSE.libwebp", "github.com/chai2010/webp:internal/libwebp-1.4.0/PATENTS"}},
	{Part{Name: "libheif", Version: "1.18.2", Licence: "LGPL-3.0-or-later",
		URL: "pkg:github/strukturag/libheif@v1.18.2", Use: "WebAssembly, embedded by github.com/gen2brain/heic"},
		[]string{"github.com/gen2brain/heic:lib/LICENSE.libheif"}},
	{Part{Name: "libde265", Version: "1.0.15", Licence: "LGPL-3.0-or-later",
		URL: "pkg:github/strukturag/libde265@v1.0.15", Use: "WebAssembly, embedded by github.com/gen2brain/heic"},
		[]string{"github.com/gen2brain/heic:lib/LICENSE.libde265"}},
	{Part{Name: "dav1d", Version: "1.0.0-2+deb12u1", Licence: "BSD-2-Clause",
		URL: "pkg:deb/debian/dav1d@1.0.0-2%2Bdeb12u1?arch=source", Use: "WebAssembly, embedded by relais/photos/avif"},
		[]string{"/photos/avif/codec/dav1d.LICENSE"}},
	{Part{Name: "wasi-libc", Licence: "Apache-2.0 WITH LLVM-exception AND MIT AND BSD-2-Clause AND CC0-1.0",
		URL: "pkg:github/WebAssembly/wasi-libc", Use: "WebAssembly, in dav1d, libheif and libde265"},
		[]string{"wasi-libc.txt", "/photos/avif/codec/musl.LICENSE", "apache-2.0.txt", "cc0-1.0.txt"}},
	{Part{Name: "llvm-runtimes", Licence: "Apache-2.0 WITH LLVM-exception", URL: "pkg:github/llvm/llvm-project",
		Use: "WebAssembly: compiler-rt in dav1d, and with libc++ in libheif and libde265"},
		[]string{"llvm.txt", "apache-2.0.txt"}},
	{Part{Name: "glibc", Licence: "LGPL-2.1-or-later", URL: "pkg:deb/debian/glibc", Use: "C, linked in statically",
		Module: webpModule}, []string{"glibc.txt", "lgpl-2.1.txt"}},
	{Part{Name: "libgcc", Licence: "GPL-3.0-or-later WITH GCC-exception-3.1", URL: "pkg:deb/debian/gcc-12",
		Use: "C, linked in statically", Module: webpModule}, []string{"gcc-exception.txt", "gpl-3.0.txt"}},
	{Part{Name: "maplibre-gl", Version: "6.17.0", Licence: "BSD-3-Clause", URL: "pkg:npm/maplibre-gl@6.17.0",
		Use: "JavaScript of the map"}, []string{"/httpapi/web/vendor/maplibre-gl.LICENSE.txt"}},
	{Part{Name: "pmtiles", Version: "4.5.0", Licence: "BSD-3-Clause", URL: "pkg:npm/pmtiles@4.5.0",
		Use: "JavaScript of the map"}, []string{"/httpapi/web/vendor/pmtiles.LICENSE.txt"}},
	{Part{Name: "@protomaps/basemaps", Version: "5.7.2", Licence: "BSD-3-Clause",
		URL: "pkg:npm/%40protomaps/basemaps@5.7.2", Use: "JavaScript of the map"},
		[]string{"/httpapi/web/vendor/protomaps-basemaps.LICENSE.txt"}},
	{Part{Name: "lean-qr", Version: "2.7.4", Licence: "MIT", URL: "pkg:npm/lean-qr@2.7.4",
		Use: "JavaScript of the map"}, []string{"/httpapi/web/vendor/lean-qr.LICENSE.txt"}},
	{Part{Name: "Mozilla's CA certificates", Licence: "MPL-2.0",
		Use: "data in golang.org/x/crypto/x509roots/fallback"}, []string{"mpl-2.0.txt"}},
	{Part{Name: "Natural Earth", Licence: "LicenseRef-public-domain", Use: "data of the map"},
		[]string{"natural-earth.txt"}},
	{Part{Name: "GeoNames", Licence: "CC-BY-4.0", Use: "data of the map"}, []string{"geonames.txt"}},
	{Part{Name: "ANFR reference tables", Licence: "etalab-2.0", Use: "data of the markets FR and DROM"},
		[]string{"anfr.txt"}},
	{Part{Name: "@etalab/decoupage-administratif", Version: "6.0.0", Licence: "etalab-2.0",
		URL: "pkg:npm/%40etalab/decoupage-administratif@6.0.0", Use: "data: names of the communes of France"},
		[]string{"communes.txt"}},
}

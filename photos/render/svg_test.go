package render

import (
	"context"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"relais/internal/tier"
)

func TestSVGSize(t *testing.T) {
	tier.Slow(t)
	for _, tt := range []struct {
		attributes string
		want       [2]int
	}{
		{`width="100" height="50"`, [2]int{100, 50}},
		{`width="1in" height="48px"`, [2]int{96, 48}},
		{`viewBox="0 0 200 100"`, [2]int{200, 100}},
		{`viewBox="0 0 200 100" width="50"`, [2]int{50, 25}},
		{`viewBox="0,0,200,100" height="50"`, [2]int{100, 50}},
		{`viewBox="0 0 200 100" width="100%" height="100%"`, [2]int{200, 100}},
		{`width="1000000" height="500000"`, [2]int{1920, 960}},
		{`width="1000000" height="1"`, [2]int{1920, 1}},
	} {
		t.Run(tt.attributes, func(t *testing.T) {
			res := rendered(t,
				[]byte("\ufeff<?xml version='1.0' encoding='ISO-8859-1'?><!-- <a> --><!DOCTYPE svg>\n<svg xmlns='http://www.w3.org/2000/svg' "+tt.attributes+"><rect width='1e6' height='1e6' fill='red'/></svg>"))
			if res.Format != SVG || res.Main.Width != tt.want[0] || res.Main.Height != tt.want[1] {
				t.Errorf("%s: wrong size: %s, %d × %d, want %s, %d and %d", tt.attributes, res.Format,
					res.Main.Width, res.Main.Height, SVG, tt.want[0], tt.want[1])
			}
			if got := shown(t, res.Main).NRGBAAt(0, 0); tt.want[1] > 1 && !near(got, color.NRGBA{255, 0, 0, 255}, 4) {
				t.Errorf("%s: got colour %v, want red", tt.attributes, got)
			}
		})
	}
	for _, file := range []string{
		`<svg/>`, `<svg width="0" height="0"/>`, `<svg viewBox="0 0 1e99 1"/>`, `<svg viewBox="NaN NaN NaN NaN"/>`,
		`<svg viewBox="0 0 0 0"/>`, `<svg width="Inf" height="1"/>`,
		`<svg width="9" height="9"><g></svg>`, `x<svg width="9" height="9"/>`,
		`<html><svg width="9" height="9"/></html>`, `<svg width="9" height="9"`,
		strings.Repeat(" ", prologue) + `<svg width="9" height="9"/>`,
		`<svg width="9" height="9">` + strings.Repeat("<g>", 5000) + strings.Repeat("</g>", 5000) + `</svg>`,
		`<svg width="9" height="9">` + strings.Repeat("<g/>", maxElements) + `</svg>`,
	} {
		if _, err := (Renderer{}).Render(context.Background(), []byte(file)); !typed(err) {
			t.Errorf("%.60s: error = %v, want one of the package's", file, err)
		}
	}
}

// The view box keeps its shape, in the middle, on a transparent ground.
func TestSVGViewBox(t *testing.T) {
	res := rendered(t, []byte(
		`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="10 10 50 50" fill="blue"><rect x="10" y="10" width="50" height="50"/></svg>`))
	m := shown(t, res.Main)
	for _, tt := range []struct {
		x      int
		opaque bool
	}{{20, false}, {100, true}, {75, true}, {125, true}, {180, false}} {
		if got := m.NRGBAAt(tt.x, 50); (got.A == 255) != tt.opaque ||
			tt.opaque && !near(got, color.NRGBA{0, 0, 255, 255}, 4) {
			t.Errorf("colour at %d = %v, want blue = %t, else transparent", tt.x, got, tt.opaque)
		}
	}
}

func TestSVGFetchesNothing(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	start := `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20">`
	for _, file := range []string{
		start + fmt.Sprintf(`<image href="%[1]s/a.png" width="9" height="9"/><image xlink:href="%[1]s/b.svg" width="9" height="9"/></svg>`, server.URL),
		start + fmt.Sprintf(`<script href="%[1]s/a.js">fetch("%[1]s/b")</script><style>@import url(%[1]s/c.css); rect{fill:url(%[1]s/d#e)}</style><rect width="9" height="9"/></svg>`, server.URL),
		start + fmt.Sprintf(`<foreignObject><img src="%[1]s/a"/><iframe src="%[1]s/b"/></foreignObject><use href="%[1]s/c#d"/></svg>`, server.URL),
		start + fmt.Sprintf(`<rect width="9" height="9" fill="url(%[1]s/a#b)" filter="url(%[1]s/c#d)"/><feImage href="%[1]s/e"/></svg>`, server.URL),
		fmt.Sprintf(`<?xml-stylesheet href="%[1]s/a.css"?><!DOCTYPE svg SYSTEM "%[1]s/b.dtd" [<!ENTITY x SYSTEM "%[1]s/c">]>`, server.URL) + start + `<text>&x;</text></svg>`,
		`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname">]>` + start + `<text>&x;</text></svg>`,
		`<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>` + start + `<text>&c;</text></svg>`,
	} {
		if _, err := (Renderer{}).Render(context.Background(), []byte(file)); err != nil && !typed(err) {
			t.Errorf("%.200s: error = %v, want nil or one of the package's", file, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

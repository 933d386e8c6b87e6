package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"relais/api"
	"relais/api/view"
	"relais/catalog"
	"relais/geo"
	"relais/httpapi/web/sketch"
	"relais/index"
	"relais/market"
	"relais/site"
)

// baseMap is the map without streets under the drawings.
var baseMap = sync.OnceValue(func() *sketch.Base {
	assets, _ := readAssets()
	r, err := gzip.NewReader(bytes.NewReader(assets["base.json"].packed))
	var base *sketch.Base
	if err == nil {
		base, err = sketch.ReadBase(r)
	}
	if err != nil {
		panic("web: base.json: " + err.Error()) // the file is in the program
	}
	return base
})

// The size of the drawing on the page of a site.
const (
	sketchWidth  = 560
	sketchHeight = 420
)

// A siteSketch is the drawing of the surroundings of a site, with its text for those who do not see it.
type siteSketch struct {
	*sketch.Drawing
	Text    string
	Sectors bool // some are drawn
}

// newSketch draws the surroundings of a site.
func newSketch(w words, scene *sketch.Scene, s *sitePage) *siteSketch {
	d := &siteSketch{Drawing: sketch.New(scene, baseMap(), sketchWidth, sketchHeight)}
	d.Sectors = len(d.Wedges) > 0
	parts := []string{w["sketchText"]}
	for i, o := range scene.Operators {
		var azimuths []uint16
		for _, one := range o.Sectors {
			if !slices.Contains(azimuths, one.Azimuth) {
				azimuths = append(azimuths, one.Azimuth)
			}
		}
		slices.Sort(azimuths)
		if len(azimuths) > 0 {
			parts = append(parts, s.Operators[i].Label+w["colon"]+" "+strings.Join(w.Azimuths(azimuths), ", "))
		}
	}
	d.Text = strings.Join(append(parts, w.Count("sketchSites", len(d.Dots))), ". ")
	return d
}

// mostNeighbours are the sites that a drawing shows, and farthest in metres the corner of the widest drawing.
const (
	mostNeighbours = 80
	farthest       = 1700
)

// newScene returns what a drawing of a site shows.
func newScene(ctx context.Context, env *api.Env, w words, m *market.Market, d *view.Detail) (*sketch.Scene, error) {
	scene := &sketch.Scene{Center: geo.Point{Lat: d.Coordinates.Lat, Lng: d.Coordinates.Lng}}
	for _, key := range d.Operators {
		scene.Operators = append(scene.Operators, sketch.Operator{Key: key, Sectors: sectorsOf(m, d, key)})
	}
	found, err := env.Sites(ctx, catalog.Sites{Selection: catalog.Selection{Market: m}, Limit: mostNeighbours,
		Where: index.Query{Disc: &geo.Disc{Center: scene.Center, Radius: farthest}}})
	if err != nil {
		return nil, err
	}
	for i, at := range found.Sites {
		var stored site.Site
		found.Register.Site(at, &stored)
		if stored.ID == d.ID {
			continue
		}
		where := placeOf(m, &stored, index.Key(m.Code, stored.ID))
		scene.Neighbours = append(scene.Neighbours, sketch.Neighbour{At: stored.Position,
			Title: where.Name() + ", " + w.Distance(int(math.Round(found.Metres[i])))})
	}
	return scene, nil
}

// sectorsOf returns the directions of an operator, each once for a group of bands.
func sectorsOf(m *market.Market, d *view.Detail, operator string) (list []sketch.Sector) {
	for i := range d.Emissions {
		e := &d.Emissions[i]
		if e.Operator != operator || e.Azimuts == nil {
			continue
		}
		planned, group := plans(m, e), sketch.GroupOf(site.Band(e.Technology))
		for _, azimuth := range *e.Azimuts {
			at := slices.IndexFunc(list, func(s sketch.Sector) bool { return s.Azimuth == azimuth && s.Group == group })
			if at < 0 {
				at, list = len(list), append(list, sketch.Sector{Azimuth: azimuth, Group: group, Planned: true})
			}
			list[at].Planned = list[at].Planned && planned
		}
	}
	return list
}

// pictureExt ends the path of the picture of a site, after that of its page.
const pictureExt = ".png"

// picture answers the picture of a site for previews of its page elsewhere.
func (p sites) picture(w http.ResponseWriter, r *http.Request) {
	escaped := strings.TrimSuffix(strings.TrimPrefix(r.URL.EscapedPath(), view.SitePagePath), pictureExt)
	key, err := url.PathUnescape(escaped)
	if err != nil || len(key) > maxKey {
		p.fail(w, r, http.StatusNotFound)
		return
	}
	env, words := p.Env(), wordsFor(r)
	found, err := findSite(env, key)
	if err != nil {
		status, text := p.failure(words, err, words["site"])
		retryAfter(w.Header(), err)
		p.failWith(w, r, status, text)
		return
	}
	_, assets := readAssets()
	sum := sha256.Sum256([]byte(strings.Join([]string{env.Catalog.Version(catalog.Registers), assets, wordsVersion, words["lang"],
		found.Key()}, "\n")))
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("Etag", tag)
	h.Set("Vary", "Accept-Language")
	h.Set("Cache-Control", "public, max-age=3600")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, err := p.pictures.Make(r.Context(), tag, func(ctx context.Context) ([]byte, error) {
		return p.paint(ctx, r, env, words, &found)
	})
	if err != nil {
		h.Del("Etag")
		p.failFigures(w, r, err)
		return
	}
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	send(w, r, http.StatusOK, body)
}

// paint makes the picture of a site.
func (p sites) paint(ctx context.Context, r *http.Request, env *api.Env, w words, found *catalog.SiteFound) ([]byte, error) {
	s := p.newSitePage(r, env, w, found.Register, found.At)
	m := found.Register.Table
	scene, err := newScene(ctx, env, w, m, s.Site)
	if err != nil {
		return nil, err
	}
	card := &sketch.Card{Title: s.Title, Town: s.Commune,
		Notes: []string{s.Site.SourceAuthority + ", " + w.Date(s.Date), s.Key + " · relais"}}
	if s.Synthetic {
		card.Warning = w["synthetic"]
	}
	colors := pictureColors()
	for _, o := range s.Operators {
		b := sketch.Badge{Key: o.Key, Label: o.Label, Best: o.Best}
		if o.Best == "" && o.Next != "" {
			b.Best = w.Fill("plannedGeneration", o.Next)
		}
		if i, ok := m.Operator(o.Key); ok {
			b.Shape, colors.Operators[o.Key] = m.Operators[i].Shape, m.Operators[i].Light
		}
		card.Who = append(card.Who, b)
	}
	return sketch.Picture(scene, baseMap(), card, colors)
}

// pictureColors are the light colours of tokens.css, without operators.
func pictureColors() *sketch.Colors {
	return &sketch.Colors{Paper: "#ffffff", Ink: "#1c2321", Quiet: "#55605d", Warn: "#8a4b00", Land: "#f5f4f0",
		Water: "#d6e0e5", Border: "#9aa3a0", Operators: map[string]string{}}
}

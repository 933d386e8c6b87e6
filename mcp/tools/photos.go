package tools

import (
	"context"
	"slices"
	"strings"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/photos"
)

var photoTools = []*Tool{sitesGetPhotos, sitesGetPhotoGallery, photosSearch}

var sitesGetPhotos = endpoint.New(endpoint.Decl{
	Name: "sites_get_photos", Title: "Photos of a site",
	Summary: "Photos that people sent of a site, the newest first, with captions and addresses of the images.",
}, listPhotos)

type sitePhotosParams struct {
	siteParams
	operatorParams
	pageParams
}

// A Photo is a photo of a site.
type Photo struct {
	ID         string        `json:"id"`
	SiteKey    string        `json:"siteKey"`
	ImageURL   string        `json:"imageUrl" doc:"WebP that fits 1920×1920 pixels; needs no key."`
	Thumbnail  string        `json:"thumbnailUrl" doc:"WebP of 400×400 pixels."`
	Caption    string        `json:"captionByUser"`
	Author     string        `json:"authorName" doc:"Name of the client that sent it."`
	Operator   string        `json:"operator" doc:"Empty when it is not known."`
	UploadedAt string        `json:"uploadedAt" doc:"ISO 8601, UTC."`
	Metadata   PhotoMetadata `json:"publicMetadata"`
	ByUsers
}

// A PhotoList is a page of photos.
type PhotoList struct {
	List[Photo]
	Sourced
}

func listPhotos(r *Reading, _ context.Context, p *sitePhotosParams) (*PhotoList, error) {
	_, found, err := r.photosOf(p)
	if err != nil {
		return nil, err
	}
	// No source: nothing in the answer comes from a register.
	return &PhotoList{listOf(each(found.Items, r.photo), p.Offset, found.Total), Sourced{[]Source{}}}, nil
}

// photosOf returns a site and a page of its photos.
func (r *Reading) photosOf(p *sitePhotosParams) (at catalog.SiteFound, found catalog.Page[*photos.Photo], err error) {
	if at.Register, at.At, err = p.find(r); err != nil {
		return at, found, err
	}
	operators, err := p.Operator.Positions(at.Register.Table)
	if err != nil {
		return at, found, err
	}
	found, err = r.SitePhotos(catalog.SitePhotos{Site: at, Operators: operators, Limit: p.Limit, Offset: p.Offset})
	return at, found, err
}

func (r *Reading) photo(p *photos.Photo) Photo {
	v := view.NewPhoto(r.BaseURL, p)
	return Photo{ID: v.ID, SiteKey: p.SiteKey, ImageURL: v.ImageURL, Thumbnail: v.ThumbnailURL, Caption: v.Caption,
		Author: v.AuthorName, Operator: v.Operator, UploadedAt: v.UploadedAt, Metadata: PhotoMetadata{metadataByUser(v.Metadata), byUsers},
		ByUsers: byUsers}
}

var sitesGetPhotoGallery = endpoint.New(endpoint.Decl{
	Name: "sites_get_photo_gallery", Title: "Gallery of a site",
	Summary: "The photos of a site as a gallery: where the site is, and for each photo its images in all sizes and a line to show below it. Use sites_get_photos for the metadata.",
}, photoGallery)

// A Gallery is the photos of a site, to be shown.
type Gallery struct {
	Site Site `json:"site"`
	List[GalleryPhoto]
	Sourced
}

// A GalleryPhoto is a photo to be shown.
type GalleryPhoto struct {
	view.PhotoURLs
	Line string `json:"lineByUser" doc:"Caption, author and day."`
	ByUsers
}

func photoGallery(r *Reading, _ context.Context, p *sitePhotosParams) (*Gallery, error) {
	at, found, err := r.photosOf(p)
	if err != nil {
		return nil, err
	}
	items := each(found.Items, func(photo *photos.Photo) GalleryPhoto {
		v := view.NewPhoto(r.BaseURL, photo)
		line := v.AuthorName + ", " + v.UploadedAt[:10] // the day
		if v.Caption != "" {
			line = v.Caption + " (" + line + ")"
		}
		return GalleryPhoto{v.PhotoURLs, line, byUsers}
	})
	return &Gallery{r.site(at.Register, at.At, -1), listOf(items, p.Offset, found.Total), sourced(at.Register.Table, at.Register)}, nil
}

var photosSearch = endpoint.New(endpoint.Decl{
	Name: "photos_search", Title: "Search photos",
	Summary: "Finds photos of sites by words of the caption, by operator and by department, territory or province, the newest first.",
}, searchPhotos)

type photosSearchParams struct {
	Query    string        `param:"query" max:"200" doc:"Words that must all occur in the caption, without regard to case and accents."`
	Market   *market.Code  `param:"market" doc:"Only sites of this market; needed with operator and areas."`
	Operator api.Operators `param:"operator" default:"ALL" doc:"Only photos of this operator of the market." example:"ORANGE"`
	api.AreaParams
	pageParams
}

// Check holds the rules over several parameters.
func (p *photosSearchParams) Check() error {
	if p.Market == nil && (p.Operator.Texts() != nil || p.AreaParams != api.AreaParams{}) {
		return &endpoint.ParamError{Param: "market",
			Want: "missing: operator, department, territory and province are those of a market"}
	}
	return nil
}

func searchPhotos(r *Reading, _ context.Context, p *photosSearchParams) (*PhotoList, error) {
	keep, from, err := r.photoFilter(p)
	if err != nil {
		return nil, err
	}
	list, total, err := r.Photos.Find(keep, p.Limit, p.Offset)
	if err != nil {
		return nil, err
	}
	// Nothing in the answer comes from a register. A source that says why a market has none stays.
	from.Sources = slices.DeleteFunc(from.Sources, func(s Source) bool { return s.Unavailable == nil })
	return &PhotoList{listOf(each(list, r.photo), p.Offset, total), from}, nil
}

// photoFilter returns a function that reports whether a photo is wanted, and the sources of the markets.
func (r *Reading) photoFilter(p *photosSearchParams) (func(*photos.Brief) bool, Sourced, error) {
	registers, err := r.Among(marketOf(p.Market))
	if err != nil {
		return nil, Sourced{}, err
	}
	from := sourcesOf(p.Market, registers)
	operators, area := []string(nil), ""
	if p.Market != nil {
		m := market.Get(*p.Market)
		choice, err := p.Operator.Positions(m)
		if err != nil {
			return nil, from, err
		}
		operators = m.KeysOf(choice)
		if area, err = p.AreaParams.Code(m); err != nil {
			return nil, from, err
		}
	}
	words := fold.Words(p.Query)
	return func(photo *photos.Brief) bool {
		lacks := func(word string) bool { return !strings.Contains(photo.Caption, word) } // both are folded
		if operators != nil && !slices.Contains(operators, photo.Operator) || slices.ContainsFunc(words, lacks) {
			return false
		}
		return slices.ContainsFunc(registers, func(m *index.Market) bool { return inArea(m, photo.SiteKey, area) })
	}, from, nil
}

// inArea reports whether a register has a site in the area with a code, "" for any.
func inArea(m *index.Market, siteKey, area string) bool {
	at, ok := m.ByID(siteKey)
	if !ok || area == "" {
		return ok
	}
	i := m.Snap.Area(int(at))
	return i >= 0 && m.Table.Areas[i].Code == area
}

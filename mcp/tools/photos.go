package tools

import (
	"context"
	"slices"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
	"relais/photos"
)

var photoTools = []*Tool{sitesGetPhotos, sitesGetPhotoGallery, photosSearch}

var sitesGetPhotos = endpoint.New(endpoint.Decl{
	Name: "sites_get_photos", Title: "Photos of a site",
	Summary: "Photos that people sent of a site, the newest first, with captions and addresses of the images.",
}, (*Reading).sitesGetPhotos)

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

func (r *Reading) sitesGetPhotos(_ context.Context, p *sitePhotosParams) (*PhotoList, error) {
	_, list, total, err := r.photosOf(p)
	if err != nil {
		return nil, err
	}
	items := []Photo{}
	for _, photo := range list {
		items = append(items, r.photo(photo))
	}
	return &PhotoList{listOf(items, p.Offset, total), Sourced{[]Source{}}}, nil // nothing is the register's
}

// photosOf is a page of the photos of a site.
func (r *Reading) photosOf(p *sitePhotosParams) (*index.Market, []*photos.Photo, int, error) {
	loaded, at, err := r.Locate(p.Site, p.Market)
	if err != nil {
		return nil, nil, 0, err
	}
	operator, err := p.Operator.Position(loaded.Table)
	if err != nil {
		return nil, nil, 0, err
	}
	key := ""
	if operator != index.Any {
		key = loaded.Table.Operators[operator].Key
	}
	list, total, err := r.Photos.List(index.Key(loaded.Table.Code, loaded.Snap.ID(int(at))), key, p.Limit, p.Offset)
	return loaded, list, total, err
}

func (r *Reading) photo(p *photos.Photo) Photo {
	v := view.NewPhoto(r.BaseURL, p)
	return Photo{ID: v.ID, SiteKey: p.SiteKey, ImageURL: v.ImageURL, Thumbnail: v.ThumbnailURL, Caption: v.Caption,
		Author:   v.AuthorName,
		Operator: v.Operator, UploadedAt: v.UploadedAt, Metadata: PhotoMetadata{metadataByUser(v.Metadata), byUsers},
		ByUsers: byUsers}
}

var sitesGetPhotoGallery = endpoint.New(endpoint.Decl{
	Name: "sites_get_photo_gallery", Title: "Gallery of a site",
	Summary: "The photos of a site as a gallery: where the site is, and for each photo its images in all sizes and a line to show below it. Use sites_get_photos for the metadata.",
}, (*Reading).sitesGetPhotoGallery)

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

func (r *Reading) sitesGetPhotoGallery(_ context.Context, p *sitePhotosParams) (*Gallery, error) {
	loaded, list, total, err := r.photosOf(p)
	if err != nil {
		return nil, err
	}
	items := []GalleryPhoto{}
	for _, photo := range list {
		v := view.NewPhoto(r.BaseURL, photo)
		line := v.AuthorName + ", " + v.UploadedAt[:10]
		if v.Caption != "" {
			line = v.Caption + " (" + line + ")"
		}
		items = append(items, GalleryPhoto{v.PhotoURLs, line, byUsers})
	}
	_, at, err := r.Locate(p.Site, p.Market)
	if err != nil {
		return nil, err
	}
	return &Gallery{r.site(loaded, at, -1), listOf(items, p.Offset, total), sourced(loaded.Table, loaded)}, nil
}

var photosSearch = endpoint.New(endpoint.Decl{
	Name: "photos_search", Title: "Search photos",
	Summary: "Finds photos of sites by words of the caption, by operator and by department, territory or province, the newest first.",
}, (*Reading).photosSearch)

type photosSearchParams struct {
	Query    string       `param:"query" max:"200" doc:"Words that must all occur in the caption, without regard to case and accents."`
	Market   *market.Code `param:"market" doc:"Only sites of this market; needed with operator and areas."`
	Operator api.Operator `param:"operator" default:"ALL" doc:"Only photos of this operator of the market." example:"ORANGE"`
	api.AreaParams
	pageParams
}

// Check holds the rules over several parameters.
func (p *photosSearchParams) Check() error {
	if p.Market == nil && (p.Operator != market.AllOperators || p.AreaParams != api.AreaParams{}) {
		return &endpoint.ParamError{Param: "market",
			Want: "missing: operator, department, territory and province are those of a market"}
	}
	return nil
}

func (r *Reading) photosSearch(_ context.Context, p *photosSearchParams) (*PhotoList, error) {
	keep, from, err := r.photoFilter(p)
	if err != nil {
		return nil, err
	}
	list, total, err := r.Photos.Find(keep, p.Limit, p.Offset)
	if err != nil {
		return nil, err
	}
	items := []Photo{}
	for _, photo := range list {
		items = append(items, r.photo(photo))
	}
	// nothing is a register's
	from.Sources = slices.DeleteFunc(from.Sources, func(s Source) bool { return s.Unavailable == nil })
	return &PhotoList{listOf(items, p.Offset, total), from}, nil
}

// photoFilter tells which photos are wanted.
func (r *Reading) photoFilter(p *photosSearchParams) (func(*photos.Brief) bool, Sourced, error) {
	among, from, err := r.registers(p.Market)
	if err != nil {
		return nil, Sourced{}, err
	}
	operator, area := "", ""
	if p.Market != nil {
		m := market.Get(*p.Market)
		o, err := p.Operator.Position(m)
		if err != nil {
			return nil, from, err
		}
		if o != index.Any {
			operator = m.Operators[o].Key
		}
		if area, err = p.AreaParams.Code(m); err != nil {
			return nil, from, err
		}
	}
	words := fold.Words(p.Query)
	return func(photo *photos.Brief) bool {
		if operator != "" && photo.Operator != operator || !hasWords(photo.Caption, words) {
			return false
		}
		return slices.ContainsFunc(among, func(m *index.Market) bool { return inArea(m, photo.SiteKey, area) })
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

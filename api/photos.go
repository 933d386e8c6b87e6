package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
	"relais/catalog"
	"relais/index"
	"relais/market"
	"relais/photos"
	"relais/photos/exif"
	"relais/photos/render"
	"relais/photos/worker"
	"relais/site"
)

// Uploads processes the photos that clients send.
type Uploads struct {
	// Render makes the images of a file. Senders, identified by who, take turns.
	Render func(ctx context.Context, who string, image io.Reader, size int64) (*render.Result, error)
	Hold   bool // photos that are sent wait for a moderator
	// Forget removes the kept answers about a photo that was deleted; nil where none are kept.
	Forget func(id string) error
}

var listPhotos = endpoint.New(endpoint.Decl{
	Name: "photos.list", Path: "/sites/{siteId}/photos", Scope: "photos:read", FailureName: "SITE_PHOTOS", MaxAge: 60,
	Example:    endpoint.Request{Target: "/sites/fr-90000010/photos?limit=1"},
	DependsOn:  []string{catalog.Registers, catalog.DataPhotos},
	Summary:    "Photos of a site, the newest first.",
	Doc:        "Only photos that are shown: those that a moderator hides or has not approved yet are left out. The addresses of images need no key.",
	ErrorCodes: []string{codeNoSite, codeInvalidOperator},
}, (*Env).photos)

type photosParams struct {
	ID       string        `param:"siteId" max:"128" code:"SITE_NOT_FOUND" doc:"Site id (sup_id), siteKey, national code or station number." example:"fr-90000010"`
	Market   *market.Code  `param:"market" doc:"Only this market."`
	Operator operatorNames `param:"operator" default:"ALL" doc:"Only photos of these operators, several with commas."`
	Limit    int           `param:"limit" default:"20" min:"1" max:"100" doc:"Most items to answer."`
	Offset   int           `param:"offset" default:"0" min:"0" doc:"Items to pass over."`
}

func (r *Env) photos(_ context.Context, p *photosParams) (*view.Body[[]view.Photo, view.PhotosMeta], error) {
	found, err := r.findSite(p.ID, p.Market, nil)
	if err != nil {
		return nil, err
	}
	operators, err := p.Operator.Positions(found.Register.Table)
	if err != nil {
		return nil, err
	}
	list, err := r.SitePhotos(catalog.SitePhotos{Site: found, Operators: operators, Offset: p.Offset, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	s := new(site.Site)
	found.Register.Site(found.At, s)
	answer := &view.Body[[]view.Photo, view.PhotosMeta]{Data: []view.Photo{}}
	for _, photo := range list.Items {
		answer.Data = append(answer.Data, view.NewPhoto(r.BaseURL, photo))
	}
	answer.Meta = view.PhotosMeta{DataVersion: &list.Version, Total: list.Total, Limit: p.Limit, Offset: p.Offset,
		HasMore: list.Next(p.Offset) != nil, Site: view.NewPhotoSite(found.Register.Snap, s)}
	return answer, nil
}

// Bounds of an upload.
const (
	maxImage  = 20 << 20         // bytes of the file
	maxUpload = maxImage + 1<<20 // bytes of the form
)

var uploadPhoto = endpoint.New(endpoint.Decl{
	Name: "photos.upload", Method: "POST", Path: "/sites/{siteId}/photos", Scope: "photos:write", FailureName: "SITE_PHOTOS",
	Example:     endpoint.Request{Target: "/sites/fr-90000010/photos", Upload: "photo.jpg"},
	FailureCode: codeUploadFailed, Status: 201,
	Body: &endpoint.Body{Type: endpoint.Form, MaxBytes: maxUpload, TooLarge: codeImageTooLarge, File: "file",
		MaxFileBytes: maxImage,
		FileDoc:      "JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, HEIF, AVIF or SVG, by its content; at most 20 MiB and 120 megapixels. Of its metadata, only publicMetadata is kept."},
	Summary: "Send a photo of a site; it is shown at once, or when a moderator has approved it.",
	Doc:     "For clients that may write. The image is written again as WebP in three sizes, without its metadata.",
	ErrorCodes: []string{codeNoSite, codeInvalidOperator, codeMissingFile, codeUnsupportedImage, codeImageTooLarge,
		codeHEIC, codeNotWritable},
	DependsOn: []string{catalog.DataPhotos},
	Location:  func(result any) string { return result.(*Uploaded).Data.ImageURL },
}, (*Env).upload)

type uploadParams struct {
	ID           string        `param:"siteId" max:"128" code:"SITE_NOT_FOUND" doc:"Site id (sup_id), siteKey, national code or station number." example:"fr-90000010"`
	Market       *market.Code  `param:"market" doc:"Only this market."`
	Description  string        `param:"description" in:"body" max:"1000" lines:"true" doc:"Caption."`
	Operator     *operatorName `param:"operator" in:"body" doc:"Operator of the site whose antennas are seen, or ALL; without it the site's only one."`
	ANFRCode     string        `param:"anfrCode" in:"body" max:"128" doc:"Legacy: a code of the site, which must be that of the path."`
	NationalCode string        `param:"nationalSiteCode" in:"body" max:"128" doc:"The same."`
	SourceCode   string        `param:"sourceCode" in:"body" max:"128" doc:"The same."`
	EXIF         string        `param:"exifMetadata" in:"body" max:"65536" lines:"true" private:"true" doc:"JSON object of the Exif that the client has read; it fills in what the file lacks."`
	ClientEXIF   string        `param:"clientExifMetadata" in:"body" max:"65536" lines:"true" private:"true" doc:"The same as exifMetadata."`
}

// An Uploaded is the answer of upload.
type Uploaded struct {
	view.Body[view.UploadedPhoto, view.UploadMeta]
}

func (r *Env) upload(ctx context.Context, p *uploadParams) (*Uploaded, error) {
	if r.File == nil {
		return nil, ErrMissingFile
	}
	if r.Photos.ReadOnly() { // before the costly rendering
		return nil, photos.ErrReadOnly
	}
	if r.Uploads.Render == nil {
		return nil, errNoUploads
	}
	client, err := p.clientEXIF()
	if err != nil {
		return nil, err
	}
	found, err := r.findSite(p.ID, p.Market, nil)
	if err != nil {
		return nil, err
	}
	if err := checkCodes(found, "the site in the path", siteCode{"anfrCode", p.ANFRCode},
		siteCode{"nationalSiteCode", p.NationalCode}, siteCode{"sourceCode", p.SourceCode}); err != nil {
		return nil, err
	}
	s := new(site.Site)
	found.Register.Site(found.At, s)
	operator, err := p.operatorOf(found)
	if err != nil {
		return nil, err
	}
	image, err := r.render(ctx)
	if err != nil {
		return nil, err
	}
	image.Exif.Fill(client)
	token := deleteToken(r)
	photo, err := r.Photos.Add(ctx, photos.New{
		SiteKey: found.Key(), ENB: enbOf(s, operator), Operator: keyOf(found.Register.Table, operator),
		Caption:  p.Description,
		ClientID: r.Client.ID, AuthorName: r.Client.Name,
		Metadata: publicMetadata(&image.Exif, image.Rotation, s.Position, r.Now),
		Images: map[photos.Size][]byte{photos.Main: image.Main.WebP, photos.Thumb: image.Thumbnail.WebP,
			photos.OG: image.OpenGraph.WebP},
		Held: r.Uploads.Hold, DeleteToken: token,
	})
	if err != nil {
		return nil, err
	}
	return &Uploaded{view.Body[view.UploadedPhoto, view.UploadMeta]{
		Data: view.NewUploadedPhoto(r.BaseURL, photo, token),
		Meta: view.UploadMeta{Source: "api_client", ClientID: r.Client.ID, ClientName: r.Client.Name},
	}}, nil
}

// clientEXIF reads the Exif fields that the client sent.
func (p *uploadParams) clientEXIF() (exif.Fields, error) {
	name, text := "exifMetadata", p.EXIF
	if p.ClientEXIF != "" {
		if text != "" {
			return exif.Fields{},
				&endpoint.ParamError{Param: "clientExifMetadata", Want: "exifMetadata is the same: give one of them"}
		}
		name, text = "clientExifMetadata", p.ClientEXIF
	}
	if text == "" {
		return exif.Fields{}, nil
	}
	f, err := exif.Client([]byte(text))
	if err != nil {
		return exif.Fields{}, &endpoint.ParamError{Param: name,
			Want: "not a JSON object that can be used: " + err.Error()}
	}
	return f, nil
}

// operatorOf returns the position of the photo's operator, index.Any if it is unknown.
func (p *uploadParams) operatorOf(found catalog.SiteFound) (int, error) {
	asked := operatorName(market.AllOperators)
	if p.Operator != nil {
		asked = *p.Operator
	}
	operator, err := asked.Position(found.Register.Table)
	if err != nil {
		return 0, err
	}
	there := found.Operators()
	switch {
	case operator == index.Any && len(there) == 1:
		return there[0], nil
	case operator != index.Any && !slices.Contains(there, operator):
		keys := found.Register.Table.KeysOf(there)
		return 0, &endpoint.ParamError{Param: "operator", Value: string(asked), Code: codeInvalidOperator,
			Allowed: keys, Want: "the site has " + strings.Join(keys, ", ")}
	}
	return operator, nil
}

func keyOf(m *market.Market, operator int) string {
	if operator == index.Any {
		return ""
	}
	return m.Operators[operator].Key
}

// enbOf returns the eNB that the data states for the operator's LTE at the site, "" unless
// it states exactly one.
func enbOf(s *site.Site, operator int) string {
	node := ""
	for _, id := range s.Radio {
		if id.Kind == site.ENB && id.Operator == operator {
			if node != "" {
				return ""
			}
			node = fmt.Sprint(id.Value)
		}
	}
	return node
}

// render makes the images of the request's file.
func (r *Env) render(ctx context.Context) (*render.Result, error) {
	file, err := r.File.Open()
	if err != nil {
		return nil, err
	}
	image, err := r.Uploads.Render(ctx, sender(r), file, r.File.Size)
	switch {
	case errors.Is(err, worker.ErrBusy):
		return nil, errImagesBusy
	case errors.Is(err, render.ErrTooLarge):
		return nil, imageError(codeImageTooLarge, err)
	case errors.Is(err, render.ErrHEIC):
		return nil, imageError(codeHEIC, err)
	case errors.Is(err, render.ErrUnsupported):
		return nil, imageError(codeUnsupportedImage, err)
	}
	return image, err
}

// sender identifies who takes turns: a client, or a visitor of a page, since all visitors
// share the key of the page.
func sender(r *Env) string {
	if r.Client.Mode != access.Browser {
		return r.Client.ID
	}
	return r.Client.ID + " " + access.Shorten(r.Address)
}

func imageError(code string, err error) *Error {
	return &Error{Status: 400, Code: code, Message: "file: " + err.Error(), cause: err}
}

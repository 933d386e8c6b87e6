package view

import (
	"strings"

	"relais/photos"
	"relais/site"
	"relais/snapshot"
)

// PhotoMetadata is the public part of a photo's metadata. Members that are not stated are
// null or empty.
type PhotoMetadata struct {
	CameraModel            string   `json:"cameraModel" doc:"Empty when it is not stated."`
	DistanceToSiteMeters   *float64 `json:"distanceToSiteMeters" doc:"From where the photo was taken to the site, metres, rounded to 10."`
	TakenDate              *string  `json:"takenDate" doc:"Day on which it was taken, YYYY-MM-DD."`
	TakenDateLabel         *string  `json:"takenDateLabel" doc:"The same in French."`
	TakenMonth             string   `json:"takenMonth" doc:"YYYY-MM; empty when it is not stated."`
	TakenMonthLabel        string   `json:"takenMonthLabel" doc:"The same in French."`
	GPSImgDirectionDegrees *float64 `json:"gpsImgDirectionDegrees" doc:"Where the camera looked, degrees from north."`
	OrientationDegrees     *float64 `json:"orientationDegrees" doc:"By how much the image was turned: 0, 90, 180 or 270."`
}

// PhotoURLs are the addresses of a photo's images, which need no key.
type PhotoURLs struct {
	ImageURL     string `json:"imageUrl" doc:"WebP that fits 1920×1920 pixels."`
	ThumbnailURL string `json:"thumbnailUrl" doc:"WebP of 400×400 pixels."`
	OGImageURL   string `json:"ogImageUrl" doc:"Open Graph: WebP of 1200×630 pixels."`
}

// A Photo is a photo of a site.
type Photo struct {
	ID     string `json:"id"`
	SiteID string `json:"siteId" doc:"The source's site id."`
	PhotoURLs
	Caption      string        `json:"caption"`
	AuthorName   string        `json:"authorName" doc:"Name of the client that sent it."`
	LikeCount    int           `json:"likeCount" doc:"Always 0: nobody can like."`
	CommentCount int           `json:"commentCount" doc:"Always 0: nobody can comment."`
	Operator     string        `json:"operator" doc:"Key of the operator; empty when it is not known."`
	UploadedAt   string        `json:"uploadedAt" doc:"ISO 8601, UTC."`
	Metadata     PhotoMetadata `json:"publicMetadata"`
}

// PhotosMeta is the meta of a site's photos.
type PhotosMeta struct {
	Total       int       `json:"total" doc:"Photos that match."`
	Limit       int       `json:"limit"`
	Offset      int       `json:"offset"`
	HasMore     bool      `json:"hasMore"`
	Site        PhotoSite `json:"site"`
	DataVersion *string   `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// A PhotoSite is the site of a list of photos.
type PhotoSite struct {
	SiteID      string   `json:"siteId" doc:"The source's site id."`
	ANFRCode    string   `json:"anfrCode" doc:"Legacy: the lowest ANFR station number; empty outside FR and DROM."`
	Operators   []string `json:"operators"`
	OperatorTag string   `json:"operatorTag" doc:"The operator's key, or SHARED when there are several."`
	FullAddress string   `json:"fullAddress"`
	Commune     string   `json:"commune"`
	PostalCode  string   `json:"postalCode"`
}

// An UploadedPhoto is a photo that was just sent.
type UploadedPhoto struct {
	ID     string `json:"id"`
	SiteID string `json:"siteId" doc:"The source's site id."`
	ENB    string `json:"enb" doc:"eNB that the site's data states for the operator; empty when it states none."`
	PhotoURLs
	Caption    string        `json:"caption"`
	Approved   bool          `json:"approved" doc:"Whether the photo is shown. A server may have moderators approve photos first."`
	Operator   string        `json:"operator" doc:"Key of the operator; empty when it is not known."`
	AuthorName string        `json:"authorName" doc:"Name of the client."`
	UploadedAt string        `json:"uploadedAt" doc:"ISO 8601, UTC."`
	Metadata   PhotoMetadata `json:"publicMetadata"`
	// DeleteToken is for who sent the photo alone.
	DeleteToken string `json:"deleteToken,omitempty" doc:"Deletes the photo. Only this answer has it, and only for BROWSER and MOBILE."`
}

// A DeletedPhoto is a photo that was just deleted.
type DeletedPhoto struct {
	ID      string `json:"id"`
	SiteID  string `json:"siteId" doc:"The source's site id."`
	Deleted bool   `json:"deleted" doc:"Always true."`
}

// NewDeletedPhoto returns a photo that was just deleted.
func NewDeletedPhoto(p *photos.Photo) DeletedPhoto {
	return DeletedPhoto{p.ID, siteID(p.SiteKey), true}
}

// UploadMeta is the meta of an UploadedPhoto.
type UploadMeta struct {
	Source     string `json:"source" doc:"api_client"`
	ClientID   string `json:"clientId"`
	ClientName string `json:"clientName"`
}

// A PhotoReport is what a client reported about a photo.
type PhotoReport struct {
	ReportID    string        `json:"reportId" doc:"The same for every report of this client on this photo."`
	PhotoID     string        `json:"photoId"`
	SiteID      string        `json:"siteId" doc:"The source's site id."`
	Reason      photos.Reason `json:"reason"`
	Description string        `json:"description"`
	Status      string        `json:"status" doc:"pending: a moderator decides."`
	CreatedAt   string        `json:"createdAt" doc:"ISO 8601, UTC."`
}

// A Filed is the answer to a report. It has no meta.
type Filed[D any] struct {
	Data D `json:"data"`
}

// mediaPath is where images are, below the base URL.
const mediaPath = "/media/photos/"

// imageURL returns the address of an image.
func imageURL(base, photoID string, size photos.Size) string {
	return base + mediaPath + photoID + "/" + string(size) + ".webp"
}

func photoURLs(base, photoID string) PhotoURLs {
	return PhotoURLs{imageURL(base, photoID, photos.Main), imageURL(base, photoID, photos.Thumb),
		imageURL(base, photoID, photos.OG)}
}

func photoMetadata(m *photos.Metadata) PhotoMetadata {
	return PhotoMetadata{
		CameraModel: orEmpty(m.CameraModel), DistanceToSiteMeters: m.DistanceToSiteMeters,
		TakenDate: m.TakenDate, TakenDateLabel: m.TakenDateLabel,
		TakenMonth: orEmpty(m.TakenMonth), TakenMonthLabel: orEmpty(m.TakenMonthLabel),
		GPSImgDirectionDegrees: m.GPSImgDirectionDegrees, OrientationDegrees: m.OrientationDegrees,
	}
}

// orEmpty returns *s, or "" for nil.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// NewPhoto returns a photo; base is the beginning of its addresses.
func NewPhoto(base string, p *photos.Photo) Photo {
	return Photo{ID: p.ID, SiteID: siteID(p.SiteKey), PhotoURLs: photoURLs(base, p.ID), Caption: p.Caption,
		AuthorName: p.AuthorName, Operator: p.Operator,
		UploadedAt: Moment(p.UploadedAt), Metadata: photoMetadata(&p.Metadata)}
}

// NewUploadedPhoto returns a photo that was just sent, with the token that deletes it, or "".
func NewUploadedPhoto(base string, p *photos.Photo, token string) UploadedPhoto {
	return UploadedPhoto{ID: p.ID, SiteID: siteID(p.SiteKey), ENB: p.ENB, PhotoURLs: photoURLs(base, p.ID),
		Caption: p.Caption, Approved: p.Hidden == nil, Operator: p.Operator,
		AuthorName: p.AuthorName, UploadedAt: Moment(p.UploadedAt), Metadata: photoMetadata(&p.Metadata),
		DeleteToken: token}
}

// NewPhotoReport returns a report.
func NewPhotoReport(r *photos.Report) PhotoReport {
	return PhotoReport{r.ID, r.PhotoID, siteID(r.SiteKey), r.Reason, r.Description, string(r.Status),
		Moment(r.CreatedAt)}
}

// NewPhotoSite returns the site of a list of photos.
func NewPhotoSite(snap *snapshot.Snapshot, s *site.Site) PhotoSite {
	v := NewSite(snap, s, -1)
	return PhotoSite{v.SiteID, v.ANFRCode, v.Operators, v.OperatorTag, v.FullAddress, v.Commune, v.PostalCode}
}

// siteID returns the site id in a siteKey.
func siteID(siteKey string) string {
	_, id, _ := strings.Cut(siteKey, "-")
	return id
}

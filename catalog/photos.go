package catalog

import (
	"relais/index"
	"relais/photos"
)

// SitePhotos asks for the photos of a site that are shown, the newest first.
type SitePhotos struct {
	Site          SiteFound
	Operators     index.Choice // nil for any
	Offset, Limit int
}

// SitePhotos returns a page of the photos of a site.
func (c *Catalog) SitePhotos(q SitePhotos) (found Page[*photos.Photo], err error) {
	found.Version = c.Photos.Version()
	keys := q.Site.Register.Table.KeysOf(q.Operators)
	found.Items, found.Total, err = c.Photos.List(q.Site.Key(), keys, q.Limit, q.Offset)
	return found, err
}

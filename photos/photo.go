package photos

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"relais/internal/store"
)

// A Size is one of the image sizes of a photo.
type Size string

// The sizes of api.md.
const (
	Main  Size = "main"
	Thumb Size = "thumb"
	OG    Size = "og" // Open Graph
)

// Sizes are the sizes of every photo.
var Sizes = []Size{Main, Thumb, OG}

// A Photo is the record of a photo. It is shown unless it is hidden.
type Photo struct {
	ID         string         `json:"id"`
	SiteKey    string         `json:"siteKey"`
	ENB        string         `json:"enb"`
	Operator   string         `json:"operator"`
	Caption    string         `json:"caption"`
	ClientID   string         `json:"clientId"`
	AuthorName string         `json:"authorName"` // the client's name at that time
	UploadedAt time.Time      `json:"uploadedAt"` // UTC, to the millisecond
	Month      string         `json:"month"`      // whose file has the images: 2026-11
	Metadata   Metadata       `json:"publicMetadata"`
	Images     map[Size]Image `json:"images"`
	Hidden     *Hidden        `json:"hidden,omitempty"`
	// Decided counts the changes of what is hidden, so that each state has a version of its own.
	Decided int `json:"decided,omitempty"`
	// DeleteHash is the SHA-256 of the token that deletes the photo, nil if none was given.
	DeleteHash []byte `json:"deleteHash,omitempty"`
}

// A State says whether a photo is shown.
type State string

// The states.
const (
	Shown     State = "shown"
	Held      State = "held"   // it waits for a moderator, who has not seen it
	Concealed State = "hidden" // a moderator hid it
)

// State returns the state of the photo.
func (p *Photo) State() State {
	switch {
	case p.Hidden == nil:
		return Shown
	case p.Hidden.Held:
		return Held
	}
	return Concealed
}

// Metadata is the image's metadata that may be shown; nil is not stated.
// It does not include the position of the camera, only its distance from the site.
type Metadata struct {
	CameraModel            *string  `json:"cameraModel"`
	DistanceToSiteMeters   *float64 `json:"distanceToSiteMeters"`
	TakenDate              *string  `json:"takenDate"` // YYYY-MM-DD
	TakenDateLabel         *string  `json:"takenDateLabel"`
	TakenMonth             *string  `json:"takenMonth"` // YYYY-MM
	TakenMonthLabel        *string  `json:"takenMonthLabel"`
	GPSImgDirectionDegrees *float64 `json:"gpsImgDirectionDegrees"`
	OrientationDegrees     *float64 `json:"orientationDegrees"`
}

// An Image is the expected size and digest of an image.
type Image struct {
	Bytes  int    `json:"bytes"`
	SHA256 []byte `json:"sha256"`
}

// Hidden is since when and why a photo is hidden. A photo that is held is hidden too, also for
// programs that do not know Held.
type Hidden struct {
	At  time.Time `json:"at"`
	Why string    `json:"why"`
	// Held means that the photo waits for a moderator. WasHeld means that it did when it was hidden.
	Held    bool `json:"held,omitempty"`
	WasHeld bool `json:"wasHeld,omitempty"`
}

// New is a photo to add. SiteKey, ClientID and AuthorName are required.
type New struct {
	SiteKey, ENB, Operator, Caption, ClientID, AuthorName string
	Metadata                                              Metadata
	Images                                                map[Size][]byte // one of each of Sizes
	Held                                                  bool            // it is not shown before Show
	DeleteToken                                           string          // "" for none
}

// Limits of a record. Stricter ones apply to requests of clients.
const (
	maxText  = 16 << 10 // bytes
	maxImage = 32 << 20 // bytes
	maxKey   = 1 << 10  // bytes of what is part of a key
)

func (n *New) check() error {
	switch {
	case n.SiteKey == "" || n.ClientID == "" || n.AuthorName == "":
		return fmt.Errorf("a photo needs a site and a client")
	case len(n.SiteKey) > maxKey || len(n.Operator) > maxKey || strings.Contains(n.SiteKey, "\x00"):
		return fmt.Errorf("site %.50q, operator %.50q", n.SiteKey, n.Operator)
	case len(n.Images) != len(Sizes):
		return fmt.Errorf("a photo has %d images, not %d", len(Sizes), len(n.Images))
	}
	for _, text := range []string{n.SiteKey, n.ENB, n.Operator, n.Caption, n.ClientID, n.AuthorName} {
		if len(text) > maxText || !utf8.ValidString(text) {
			return fmt.Errorf("a text of %d bytes, of at most %d, in UTF-8: %.50q", len(text), maxText, text)
		}
	}
	for _, size := range Sizes {
		if b := len(n.Images[size]); b == 0 || b > maxImage {
			return fmt.Errorf("the image %s has %d bytes, of 1 to %d", size, b, maxImage)
		}
	}
	return nil
}

// First bytes of the values in sitesBucket.
const (
	visible = 'v'
	hidden  = 'h'
)

// siteEntry returns the key and value of a photo in sitesBucket.
func (p *Photo) siteEntry() (k, v []byte) {
	v = append(v, visible)
	if p.Hidden != nil {
		v[0] = hidden
	}
	return append(sitePrefix(p.SiteKey), key(p.ID)...), append(v, p.Operator...)
}

func sitePrefix(siteKey string) []byte { return append([]byte(siteKey), 0) }

// listedAs returns the value of a photo in hiddenBucket.
func (p *Photo) listedAs() string {
	if p.State() == Held {
		return string(Held)
	}
	return ""
}

// put stores a photo and its index entries.
func (p *Photo) put(tx *store.Tx) error {
	k, v := p.siteEntry()
	if err := tx.Bucket([]byte(sitesBucket)).Put(k, v); err != nil {
		return err
	}
	b := tx.Bucket([]byte(hiddenBucket))
	change := func() error { return b.Delete(key(p.ID)) }
	if p.Hidden != nil {
		change = func() error { return b.Put(key(p.ID), []byte(p.listedAs())) }
	}
	if err := change(); err != nil {
		return err
	}
	return putJSON(tx, photosBucket, key(p.ID), p)
}

// remove removes a photo and its index entries.
func (p *Photo) remove(tx *store.Tx) error {
	k, _ := p.siteEntry()
	if err := tx.Bucket([]byte(sitesBucket)).Delete(k); err != nil {
		return err
	}
	if err := tx.Bucket([]byte(hiddenBucket)).Delete(key(p.ID)); err != nil {
		return err
	}
	return tx.Bucket([]byte(photosBucket)).Delete(key(p.ID))
}

// get reads a photo. Error: ErrNoPhoto.
func get(tx *store.Tx, key []byte) (*Photo, error) {
	b := tx.Bucket([]byte(photosBucket))
	if b == nil || len(key) == 0 {
		return nil, ErrNoPhoto
	}
	text, err := b.Read(key)
	if err != nil {
		return nil, fmt.Errorf("photo %s: %w", id(key), err)
	}
	if text == nil {
		return nil, ErrNoPhoto
	}
	p := &Photo{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("photo %s: %w", id(key), err)
	}
	if p.ID != id(key) {
		return nil, fmt.Errorf("photo %s: it is stored as that of %q", id(key), p.ID)
	}
	return p, nil
}

// get returns a photo, also a hidden one. Error: ErrNoPhoto.
func (s *Store) get(id string) (p *Photo, err error) { return s.find(s.view, id) }

func (s *Store) find(view func(func(*store.Tx) error) error, id string) (p *Photo, err error) {
	p, err = nil, ErrNoPhoto
	if viewed := view(func(tx *store.Tx) error {
		p, err = get(tx, key(id))
		return nil
	}); viewed != nil {
		return nil, viewed
	}
	return p, err
}

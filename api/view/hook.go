package view

import (
	"relais/community"
	"relais/market"
	"relais/photos"
)

// A HookPhoto is the data of photo.uploaded.
type HookPhoto struct {
	ID       string      `json:"id"`
	SiteKey  string      `json:"siteKey"`
	Market   market.Code `json:"market"`
	Operator string      `json:"operator" doc:"Key of the operator; empty when it is not known."`
	PhotoURLs
	Caption    string `json:"caption"`
	UploadedAt string `json:"uploadedAt" doc:"ISO 8601, UTC."`
}

// NewHookPhoto returns the data about a photo; base is the beginning of its addresses.
func NewHookPhoto(base string, m market.Code, p *photos.Photo) HookPhoto {
	return HookPhoto{p.ID, p.SiteKey, m, p.Operator, photoURLs(base, p.ID), p.Caption, Moment(p.UploadedAt)}
}

// A HookHeldPhoto is the data of photo.held: a photo that a moderator is to approve. Nothing of it is
// shown before.
type HookHeldPhoto struct {
	ID         string      `json:"id"`
	SiteKey    string      `json:"siteKey"`
	Market     market.Code `json:"market"`
	Operator   string      `json:"operator" doc:"Key of the operator; empty when it is not known."`
	UploadedAt string      `json:"uploadedAt" doc:"ISO 8601, UTC."`
	QueueURL   string      `json:"queueUrl" doc:"Where moderators decide."`
}

// NewHookHeldPhoto returns the data about a photo that is held; base is the beginning of addresses.
func NewHookHeldPhoto(base string, m market.Code, p *photos.Photo) HookHeldPhoto {
	return HookHeldPhoto{p.ID, p.SiteKey, m, p.Operator, Moment(p.UploadedAt), base + "/moderation"}
}

// A HookReport is the data of photo.reported. What the client wrote is for the moderator: relais
// report list shows it.
type HookReport struct {
	ReportID string      `json:"reportId"`
	PhotoID  string      `json:"photoId"`
	SiteKey  string      `json:"siteKey"`
	Market   market.Code `json:"market"`
	Operator string      `json:"operator" doc:"Key of the photo's operator; empty when it is not known."`
	PhotoURLs
	Reason    photos.Reason `json:"reason"`
	Status    string        `json:"status" doc:"pending: a moderator decides."`
	CreatedAt string        `json:"createdAt" doc:"ISO 8601, UTC."`
}

// NewHookReport returns the data about a report of a photo; base is the beginning of its addresses.
func NewHookReport(base string, m market.Code, p *photos.Photo, r *photos.Report) HookReport {
	return HookReport{r.ID, p.ID, p.SiteKey, m, p.Operator, photoURLs(base, p.ID), r.Reason, string(r.Status),
		Moment(r.CreatedAt)}
}

// NewHookOutage returns the data of outage.reported, outage.confirmed, outage.resolved and
// outage.rejected: a report in a state, which it may have left since.
func NewHookOutage(r *community.Report, state string) Outage {
	o := NewOutage(community.Outage{Report: r}, OrNull(&r.SiteKey))
	o.State = &state
	return o
}

// A HookBug is the data of bug.filed. What the person wrote is for the operator: relais bug list
// shows it.
type HookBug struct {
	ID        string `json:"id"`
	State     string `json:"state" doc:"open or closed."`
	CreatedAt string `json:"createdAt" doc:"ISO 8601, UTC."`
}

// NewHookBug returns the data about a bug.
func NewHookBug(b *community.Bug) HookBug { return HookBug{b.ID, string(b.State), Moment(b.Created)} }

// A HookUpdate is the data of update.failed. The server's log has the reason.
type HookUpdate struct {
	Markets []market.Code `json:"markets"`
	Files   string        `json:"files" doc:"What failed: registers; outages, the operators' files of unavailable sites; outage-days, the daily lists of all operators; or measures."`
}

// HookChanges are the data of changes.noted: what an edition of a market's register changed, under the
// hook's filter.
type HookChanges struct {
	Market       market.Code `json:"market"`
	Date         string      `json:"date" doc:"Of the edition, YYYY-MM-DD."`
	PreviousDate string      `json:"previousDate" doc:"Of the edition that it is compared with, YYYY-MM-DD."`
	Corrects     bool        `json:"corrects" doc:"true: the newest edition was replaced by another form of it, and these are its differences from the form before. previousDate is then its own date."`
	Total        int         `json:"total" doc:"Changes of the market."`
	TotalMatched int         `json:"totalMatched" doc:"Changes that match."`
	Kinds        ChangeKinds `json:"kinds" doc:"Changes that match, by kind."`
	Changes      []Change    `json:"changes" doc:"The first 100 that match, in the order of /changes."`
	URL          string      `json:"url" doc:"All that match, of a correction those of the edition as it is now; needs a key."`
	Attribution
}

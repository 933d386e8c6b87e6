package api

import (
	"context"
	"errors"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/photos"
)

var reportPhoto = endpoint.New(endpoint.Decl{
	Name: "photos.report", Method: "POST", Path: "/photos/{photoId}/report", Scope: "photos:write",
	Example: endpoint.Request{Target: "/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7/report",
		JSON: `{"reason": "quality", "description": "Too dark to see the antennas."}`},
	FailureName: "PHOTO_REPORT", Status: 202,
	Body:       &endpoint.Body{Type: endpoint.JSON, MaxBytes: 64 << 10},
	Summary:    "Report a photo to the moderators.",
	Doc:        "The photo stays until a moderator decides. A client has one report for a photo: another one changes its reason, and its description where it has one.",
	ErrorCodes: []string{codeNoPhoto, codeNotWritable},
	DependsOn:  []string{catalog.DataPhotos},
}, (*Env).reportPhoto)

type reportParams struct {
	ID          string        `param:"photoId" max:"64" code:"PHOTO_NOT_FOUND" doc:"Id of the photo."`
	Reason      photos.Reason `param:"reason" in:"body" required:"true" doc:"Why."`
	Description *string       `param:"description" in:"body" max:"2000" lines:"true" empty:"true" doc:"Detail for the moderators. Without it, a report that is made again keeps what it had; an empty one removes it."`
}

func (r *Env) reportPhoto(_ context.Context, p *reportParams) (*view.Filed[view.PhotoReport], error) {
	report, err := r.Photos.Report(photos.NewReport{PhotoID: p.ID, ClientID: r.Client.ID, ClientName: r.Client.Name,
		Reason: p.Reason, Description: p.Description})
	if errors.Is(err, photos.ErrNoPhoto) {
		return nil, ErrNoPhoto
	}
	if err != nil {
		return nil, err
	}
	return &view.Filed[view.PhotoReport]{Data: view.NewPhotoReport(report)}, nil
}

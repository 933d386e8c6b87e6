package api

import (
	"context"
	"crypto/rand"
	"errors"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/auth/access"
	"relais/catalog"
	"relais/photos"
)

var deletePhoto = endpoint.New(endpoint.Decl{
	Name: "photos.delete", Method: "DELETE", Path: "/photos/{photoId}", Scope: "photos:write",
	Example:     endpoint.Request{Target: "/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7"},
	FailureName: "PHOTO_DELETE",
	Summary:     "Delete a photo that you sent, and the reports about it.",
	Doc: "A SERVER client deletes the photos that it sent itself. Any other client needs the deleteToken of the " +
		"upload's answer. Another client's photo, a photo that does not exist and one that is deleted already are " +
		"PHOTO_NOT_FOUND, so that a second request changes nothing; only the same signed request gets its first answer " +
		"again. Shared caches may keep an image for five minutes.",
	ErrorCodes: []string{codeNoPhoto, codeNotWritable},
	DependsOn:  []string{catalog.DataPhotos},
}, (*Env).deletePhoto)

type deleteParams struct {
	ID    string `param:"photoId" max:"64" code:"PHOTO_NOT_FOUND" doc:"Id of the photo."`
	Token string `param:"deleteToken" max:"64" private:"true" doc:"That of the upload's answer. A SERVER client needs none."`
}

func (r *Env) deletePhoto(_ context.Context, p *deleteParams) (*view.Filed[view.DeletedPhoto], error) {
	own := ""
	if r.Client.Mode == access.Server {
		own = r.Client.ID
	}
	photo, err := r.Photos.Withdraw(p.ID, own, p.Token)
	if errors.Is(err, photos.ErrNoPhoto) {
		return nil, ErrNoPhoto
	}
	if err == nil && r.Uploads.Forget != nil {
		err = r.Uploads.Forget(p.ID)
	}
	if err != nil {
		return nil, err
	}
	return &view.Filed[view.DeletedPhoto]{Data: view.NewDeletedPhoto(photo)}, nil
}

// deleteToken returns a new token for a photo of the client, "" if the client needs none.
func deleteToken(r *Env) string {
	if r.Client.Mode == access.Server {
		return ""
	}
	return rand.Text()
}

package tools

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"relais/api"
	"relais/catalog"
)

// Who submits to a disk that is full is told so.
func TestSubmitOnAFullDisk(t *testing.T) {
	err := submissionError(fmt.Errorf("community.db: %w",
		&os.PathError{Op: "write", Path: "/data/community.db", Err: syscall.ENOSPC}))
	if message, cause := api.PublicMessage(err); cause != nil ||
		!strings.Contains(message, "disk of this server is full") || strings.Contains(message, "/data") {
		t.Errorf("got %q, %v, want disk of this server is full in it, no /data in it and none", message, cause)
	}
}

// Every tool that would show an unusable dataset as empty needs it.
func TestNeeds(t *testing.T) {
	for _, tt := range []struct{ name, data string }{
		{"sites_get_photos", catalog.DataPhotos},
		{"anfr_list_archives", catalog.Archives},
		{"sites_hs_list", catalog.DataOutages},
		{"community_list_observations_nearby", catalog.DataOutages},
		{"me_whoami", api.DataPeople},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := (*Tool)(nil)
			for _, t := range All() {
				if t.Name == tt.name {
					tool = t
				}
			}
			if tool == nil {
				t.Errorf("tool %s is missing", tt.name)
				return
			}
			r := &Reading{Env: &api.Env{Catalog: catalog.Catalog{Failed: func(data string) error {
				return map[string]error{tt.data: os.ErrInvalid}[data]
			}}}}
			if err := r.Usable(tool); err == nil {
				t.Errorf("%s answers without %s", tt.name, tt.data)
			}
			r.Failed = nil
			if err := r.Usable(tool); err != nil {
				t.Errorf("%s: %v, want no error", tt.name, err)
			}
		})
	}
}

package api

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"relais/auth/access"
	"relais/catalog"
	"relais/internal/store"
	"relais/photos"
)

// What cannot be written for a reason of the server's is 503 and says the reason; an error
// of a question is not one of these.
func TestNotWritable(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/data/photos.db", Err: syscall.ENOSPC}
	tests := []struct {
		name   string
		err    error
		read   bool // by an operation that changes nothing
		status int
		code   string
		says   string
	}{
		{"a full disk", fmt.Errorf("photos.db: %w", full), false, 503, "NOT_WRITABLE", "disk of this server is full"},
		{"a read-only folder", photos.ErrReadOnly, false, 503, "NOT_WRITABLE", "cannot be written to"},
		{"a read-only file system", syscall.EROFS, false, 503, "NOT_WRITABLE", "cannot be written to"},
		{"another error", syscall.EIO, false, 500, uploadPhoto.FailureCode, "internal error"},
		{"a question on a full disk", full, true, 500, listOutages.FailureCode, "internal error"},
		{"no keys", fmt.Errorf("%w: damaged", access.ErrUnavailable), true, 503, "NOT_READY", "API keys"},
		{"an engine that is away", fmt.Errorf("%w: dial /data", store.ErrAway), false, 503, "BUSY", "nothing was done"},
		{"a question that must ask it", store.ErrAway, true, 503, "BUSY", "nothing was done"},
		{"a rewound engine", store.ErrRewound, false, 503, "BUSY", "nothing was done"},
		{"an unknown outcome", store.ErrUnknown, false, 503, "BUSY", "may have been done"},
		{"no month", fmt.Errorf("photos/2026-11.db: %w", photos.ErrMonthLost), false, 503, "NOT_READY", "photos"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op := uploadPhoto
			if tt.read {
				op = listOutages
			}
			e := PublicError(op, tt.err)
			if e.Status != tt.status || e.Code != tt.code || !strings.Contains(e.Message, tt.says) ||
				strings.Contains(e.Message, "/data") {
				t.Errorf("got %d %s: %s; want %d %s: %s", e.Status, e.Code, e.Message, tt.status, tt.code, tt.says)
			}
			if (e.RetryAfter > 0) != (tt.status == 503) {
				t.Errorf("Retry-After = %d, want it with 503 alone", e.RetryAfter)
			}
		})
	}
}

// A dataset that cannot be used is an error for those who need it.
func TestUsable(t *testing.T) {
	r := &Env{Catalog: catalog.Catalog{Failed: func(data string) error {
		return map[string]error{catalog.DataPhotos: errors.New("damaged")}[data]
	}}}
	if err := r.Usable(catalog.DataOutages, catalog.Archives); err != nil {
		t.Error(err)
	}
	if err := r.Usable(catalog.DataOutages, catalog.DataPhotos); err == nil || strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v, want an error that does not say damaged", err)
	}
}

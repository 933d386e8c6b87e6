//go:build !linux

package worker

// tryForbidden tries nothing: this system cannot confine.
func tryForbidden(string) map[string]string { return nil }

//go:build unix

package ingest

import (
	"path/filepath"
	"syscall"
)

func pipes(k kit) []refusal {
	pipe := filepath.Join(k.src, "pipe")
	must(k.t, syscall.Mkfifo(pipe, 0o644))
	return []refusal{{"a pipe", both, []string{pipe}, "pipe: neither a file nor a folder", false}}
}

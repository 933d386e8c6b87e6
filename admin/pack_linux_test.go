package admin

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/folder"
	"relais/market"
)

// A node that does not follow its cluster says that its pack may lack something.
func TestPackOfADetachedNode(t *testing.T) {
	server, start := nodes(t)
	s, stop := start("a")
	defer stop()
	writeRegister(t, s.Dir, market.BE, "2026-01-01", nil, "a")
	leftOut := func() []string {
		to := folder.Dir(t.TempDir())
		r := &PackReport{}
		must(t, errors.Join(s.pack(t.Context(), PackSpec{Market: market.BE}, to),
			folder.ReadJSON(filepath.Join(string(to), folder.PackName), r)))
		return r.LeftOut
	}
	soon(t, "the node follows", func() bool { return len(leftOut()) == 0 })
	server.Stop()
	soon(t, "the pack says what it lacks", func() bool {
		list := leftOut()
		return len(list) == 1 && strings.Contains(list[0], "detached")
	})
	server.Restart()
}

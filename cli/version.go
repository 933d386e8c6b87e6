package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"relais/snapshot"
)

// Version is set by the linker; a build from a checkout says its commit.
var Version = ""

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the version.
func (c *versionCommand) Run(streams Streams) error {
	if c.JSON {
		return printJSON(streams.Out,
			map[string]any{"version": version(), "go": runtime.Version(), "snapshotFormat": snapshot.Version})
	}
	_, err := fmt.Fprintf(streams.Out, "relais %s (%s, snapshot format %d)\n", version(), runtime.Version(),
		snapshot.Version)
	return err
}

func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return "devel"
}

package cli

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"relais/internal/licences"
	"relais/snapshot"
)

// Version is set by the linker; a build from a checkout says its commit.
var Version = ""

// CLibrary is the version of the C library in the program. The build sets it with the linker's -X: Go's build
// information does not have it.
var CLibrary = ""

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
	SBOM bool `name:"sbom" help:"Print everything that is in the program: CycloneDX 1.6 in JSON."`
	described
}

// described says which program a command is about: this one, or one that was built with it for another machine,
// which cannot run here.
type described struct {
	Program string `type:"path" hidden:"" help:"A program that was built with this one for another machine."`
	LibC    string `name:"libc" hidden:"" help:"With --program: the version of its C library."`
}

// contents returns the modules and libraries in the program, with their licences.
func (d *described) contents() (*licences.Table, *debug.BuildInfo, []licences.Part, error) {
	info, err := readBuildInfo()
	libc := CLibrary
	if d.Program != "" {
		info, err = buildinfo.ReadFile(d.Program)
		libc = d.LibC
	}
	if err != nil {
		return nil, nil, nil, err
	}
	table, err := licences.Load()
	if err != nil {
		return nil, nil, nil, err
	}
	parts, err := table.Of(info, libc)
	return table, info, parts, err
}

// Run prints the version.
func (c *versionCommand) Run(streams Streams) error {
	if c.SBOM {
		return c.bill(streams)
	}
	if c.JSON {
		return printJSON(streams.Out,
			map[string]any{"version": version(), "go": runtime.Version(), "snapshotFormat": snapshot.Version})
	}
	_, err := fmt.Fprintf(streams.Out, "relais %s (%s, snapshot format %d)\n", version(), runtime.Version(),
		snapshot.Version)
	return err
}

// bill prints the bill of materials.
func (c *versionCommand) bill(streams Streams) error {
	table, info, parts, err := c.contents()
	if err != nil {
		return err
	}
	return table.WriteBOM(streams.Out, version(), info, parts)
}

// readBuildInfo reads the modules of this program.
func readBuildInfo() (*debug.BuildInfo, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info, nil
	}
	name, _ := os.Executable() // an empty name says enough
	return nil, errors.New(name + " does not say which modules it has: build it with Go modules")
}

// version returns the version that the build set, else the commit of the checkout.
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

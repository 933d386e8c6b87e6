package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// The public daily builds of a map of the world, by Protomaps from OpenStreetMap: their list, and where they are.
const (
	buildList = "https://build-metadata.protomaps.dev/builds.json"
	buildRoot = "https://build.protomaps.com/"
)

// A build of the list. Its other members are size, md5sum, b3sum and uploaded.
type build struct {
	Key     string // "20260921.pmtiles"
	Version string // of the layers and their values: "4.15.2"
}

// dayBuild matches the names of daily builds, which ascend with their days.
var dayBuild = regexp.MustCompile(`^\d{8}\.pmtiles$`)

// buildLayers begins the versions of the builds that the style of the map can draw.
const buildLayers = "4."

// NewestBuild returns the address of the newest public build. If the list still has the build at the address earlier, it
// is that one: what was read of it is of use.
func NewestBuild(ctx context.Context, program, earlier string) (string, error) {
	c := newClient("relais/"+program, DefaultLimits, nil)
	defer c.close()
	text, _, err := c.document(ctx, buildList)
	if err == nil {
		var name string
		if name, err = newestBuild(text, strings.TrimPrefix(earlier, buildRoot)); err == nil {
			return buildRoot + name, nil
		}
	}
	return "", fmt.Errorf("the list of builds %s: %w", buildList, err)
}

// newestBuild returns the name of a build of the list.
func newestBuild(text []byte, earlier string) (newest string, err error) {
	var all list[build]
	if err := json.Unmarshal(text, &all); err != nil {
		return "", fmt.Errorf("not a list of builds: %w", err)
	}
	for _, b := range all {
		if !dayBuild.MatchString(b.Key) || !strings.HasPrefix(b.Version, buildLayers) {
			continue
		}
		if b.Key == earlier {
			return earlier, nil
		}
		newest = max(newest, b.Key)
	}
	if newest == "" {
		return "", errors.New("it has no build whose layers this version of relais can draw")
	}
	return newest, nil
}

// HostOf returns the host of an address, for people.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

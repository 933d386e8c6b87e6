package catalog

import (
	"fmt"
	"strings"
	"time"
)

// The datasets of answers.
const (
	Registers     = "registers"
	Learned       = "registers and learned radio identifiers"
	Archives      = "archives"
	DataOutages   = "outages" // with validations and bugs, which are in the same file
	DataHistory   = "days of outages"
	DataMeasures  = "measures"
	Recent        = "recent measures" // of the last days: it also changes with the time
	DataPhotos    = "photos"
	DataAddresses = "addresses"
	DataCoverage  = "coverage maps"
)

// Version returns the version of datasets, "" while one of them is loading. While it is the same, so are answers from
// them to the same kind of caller: with a key or without.
func (c *Catalog) Version(data ...string) string {
	versions := make([]string, len(data))
	for i, name := range data {
		if versions[i] = c.version(name); versions[i] == "" {
			return ""
		}
	}
	if c.restricted() {
		versions = append(versions, "keyless")
	}
	return strings.Join(versions, " ")
}

// version returns the version of a dataset, "" while it is loading.
func (c *Catalog) version(data string) string {
	switch data {
	case Registers:
		if c.Set == nil {
			return ""
		}
		return c.Set.Version
	case Learned:
		if c.Set == nil {
			return ""
		}
		return c.Set.Version + " learned " + c.Set.Learned
	case DataOutages: // with keys of sites
		return c.withRegisters(c.Outages.Version())
	case DataHistory: // with keys of sites
		return c.withRegisters(c.History.Version())
	case Archives: // with names of communes
		return c.withRegisters(c.Archives.Version())
	case DataMeasures:
		return c.measuresVersion()
	case Recent:
		return c.measuresVersion() + " minute " + c.Minute().UTC().Format(time.RFC3339)
	case DataPhotos:
		return c.Photos.Version()
	case DataAddresses:
		info, err := c.Addresses.Info()
		if err != nil {
			return "no addresses"
		}
		return info.Version
	case DataCoverage:
		if c.Keyless { // without the maps that may not be redistributed
			return c.Coverage.Version() + " keyless"
		}
		return c.Coverage.Version()
	}
	panic(fmt.Sprintf("catalog: no dataset %q", data))
}

// withRegisters returns the version of data whose answers also have something of the registers, as far
// as these are loaded.
func (c *Catalog) withRegisters(version string) string {
	if c.Set == nil {
		return version
	}
	return version + " " + c.Set.Version
}

func (c *Catalog) measuresVersion() (version string) {
	if c.Set != nil {
		version = c.Set.Version
	}
	if c.Measures != nil {
		version += " measures " + c.Measures.Version()
	}
	return version
}

// restricted reports whether some of the registers are not for the caller.
func (c *Catalog) restricted() bool {
	if c.Set != nil {
		for loaded := range c.Set.Loaded() {
			if c.withholds(loaded.Table, loaded.Snap.Registers) {
				return true
			}
		}
	}
	return false
}

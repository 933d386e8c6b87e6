package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"path"
	"strings"
)

// mount is the path prefix of the operations.
const mount = "/external/v1"

// A Request is the example of an operation: its code lines send it, and its answer is shown.
type Request struct {
	Target string // below the mount, with the query
	JSON   string // body
	Upload string // name of a file to send in a form
}

// Requests are the examples by the names of the operations.
var Requests = map[string]Request{
	"antennas.list":   {Target: "/antennas?lat=48.8566&lon=2.3522&radiusKm=10&operator=ORANGE&limit=1"},
	"antennas.export": {Target: "/antennas/export?department=75"},
	"antennas.search": {Target: "/antennas/search?q=paris&generation=5G&limit=1"},
	"antennas.lookup": {Target: "/antennas/lookup-by-radio?enb=100007&limit=1"},
	"antennas.cells": {Target: "/antennas/lookup?limit=1",
		JSON: `{"cells": [{"mcc": 208, "mnc": 20, "enb": "100007"}, {"mcc": 208, "mnc": 1, "ci": "1"}]}`},
	"antennas.get":      {Target: "/antennas/fr-90000010"},
	"sites.get":         {Target: "/sites/fr-90000010"},
	"stats.departments": {Target: "/stats/departments?operator=ORANGE"},
	"markets.list":      {Target: "/markets"},
	"photos.list":       {Target: "/sites/fr-90000010/photos?limit=1"},
	"photos.upload":     {Target: "/sites/fr-90000010/photos", Upload: "photo.jpg"},
	"photos.report": {Target: "/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7/report",
		JSON: `{"reason": "quality", "description": "Too dark to see the antennas."}`},
	"photos.delete":   {Target: "/photos/01a1fe0a-f5d7-7aa6-b32f-fd73a4e1e2c7"},
	"outages.list":    {Target: "/outages?operator=ORANGE&limit=2"},
	"sites-hs.list":   {Target: "/sites-hs?operator=ORANGE"},
	"anfr.archives":   {Target: "/anfr/archives"},
	"anfr.archive":    {Target: "/anfr/archive/2026-01-15"},
	"speedtests.list": {Target: "/speedtests?limit=1"},
	"speedtests.site": {Target: "/speedtests/site?siteId=fr-90000001&bestOnly=true"},
	"coverage.points": {Target: "/coverage/points?technology=LTE&limit=1"},
	"tiles.get":       {Target: "/tiles/FR/9/259/176.mvt?operator=ORANGE"},
	"tiles.describe":  {Target: "/tiles/FR.json"},
	"changes.list":    {Target: "/changes?department=35&generation=4G"},
}

//go:embed examples/*.json
var exampleFiles embed.FS

// Example returns the answer of a server with this base URL to an operation's Request, as the
// demonstration has it, shortened. It is nil for an answer that is not JSON. TestDemo of package
// e2e writes the files.
func Example(name, baseURL string) json.RawMessage {
	text, err := exampleFiles.ReadFile("examples/" + name + ".json")
	if err != nil {
		return nil
	}
	return bytes.ReplaceAll(bytes.TrimSpace(text), []byte("{{base}}"), []byte(baseURL))
}

// ExampleNames lists the operations that have an Example.
func ExampleNames() (names []string) {
	files, err := exampleFiles.ReadDir("examples")
	if err != nil {
		panic("docs: " + err.Error()) // the files are in the program
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), path.Ext(f.Name())))
	}
	return names
}

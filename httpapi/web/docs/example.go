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

//go:embed examples/*.json
var exampleFiles embed.FS

// Example returns the answer of a server with this base URL to an operation's example, as the
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

package cli

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"relais/internal/folder"
)

// packPrograms are the programs that a pack may have, by the names that a release gives them.
var packPrograms = []string{"relais-linux-amd64", "relais-linux-arm64", "relais-windows-amd64.exe", "relais-darwin-arm64",
	"relais-darwin-amd64"}

// programs returns the files of the programs for the stick by their names there. It reads what they are for: a wrong
// file would be noticed only where the stick is used, without a network.
func (c *packCommand) programs() (map[string]string, error) {
	if c.Programs == "" {
		own := program()
		name, err := programName(own)
		if err != nil {
			return nil, err
		}
		return map[string]string{name: own}, nil
	}
	files := map[string]string{}
	for _, name := range packPrograms {
		path, err := c.find(name)
		if err != nil {
			return nil, err
		}
		if path != "" {
			files[name] = path
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no program: want %s, or the unpacked archives of a release", c.Programs,
			strings.Join(packPrograms, ", "))
	}
	return files, nil
}

// find returns the file of a program, "" for none. It has the program's name, or is where a release's archive was
// unpacked: relais-VERSION-linux-amd64/relais.
func (c *packCommand) find(name string) (path string, err error) {
	system, exe := strings.CutSuffix(strings.TrimPrefix(name, "relais"), ".exe")
	unpacked := "relais-*" + system + "/relais"
	if exe {
		unpacked += ".exe"
	}
	var found []string
	for _, pattern := range []string{name, unpacked} {
		list, err := fs.Glob(os.DirFS(c.Programs), pattern)
		if err != nil {
			return "", err
		}
		found = append(found, list...)
	}
	if len(found) > 1 {
		return "", fmt.Errorf("%s has %s: leave one of them", c.Programs, strings.Join(found, " and "))
	}
	if len(found) == 0 {
		return "", nil
	}
	path = filepath.Join(c.Programs, filepath.FromSlash(found[0]))
	kind, err := programName(path)
	if err == nil && kind != name {
		err = fmt.Errorf("%s is the program %s: its name says another system or machine", path, kind)
	}
	return path, err
}

// programName returns the name that a relais program has on a stick, which says its system and machine.
func programName(path string) (string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s is not a program that can be packed: %w", path, err)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if info.Path != "relais" {
		return "", fmt.Errorf("%s is the program %s, not relais", path, info.Path)
	}
	name := "relais-" + settings["GOOS"] + "-" + settings["GOARCH"]
	if settings["GOOS"] == "windows" {
		name += ".exe"
	}
	return name, nil
}

func copyProgram(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	err = folder.Replace(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chmod(to, 0o755)
}

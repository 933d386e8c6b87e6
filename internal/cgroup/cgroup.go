// Package cgroup reads how much memory the control groups of this process allow. It
// supports versions 1 and 2, sets nothing, and reads no other resource.
package cgroup

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// unlimited is the least limit that means "none": version 1 states the largest
// number of whole pages.
const unlimited = 1 << 60

// MemoryLimit returns the least memory, in bytes, that this process's control group or
// one above it allows to all of its members together. ok is false without a limit.
func MemoryLimit() (bytes int64, ok bool) { return memoryLimitIn(os.DirFS("/")) }

// memoryLimitIn is MemoryLimit with the files of fsys for those below /.
func memoryLimitIn(fsys fs.FS) (bytes int64, ok bool) {
	groups := memberships(fsys)
	for _, m := range mounts(fsys) {
		group, member := groups[m.version]
		if !member {
			continue
		}
		for _, dir := range m.dirs(group) {
			for _, name := range limits[m.version] {
				if n, found := readLimit(fsys, path.Join(dir, name)); found && (!ok || n < bytes) {
					bytes, ok = n, true
				}
			}
		}
	}
	return bytes, ok
}

// limits are the files that state a limit, by version. A group of version 2 becomes very
// slow at memory.high, so it counts too.
var limits = map[int][]string{1: {"memory.limit_in_bytes"}, 2: {"memory.max", "memory.high"}}

func readLimit(fsys fs.FS, name string) (bytes int64, ok bool) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is not a number
	return n, err == nil && n > 0 && n < unlimited
}

// memberships returns the group of this process that bounds memory in each version
// (cgroups(7): hierarchy, controllers and path, separated by colons).
func memberships(fsys fs.FS) map[int]string {
	groups := map[int]string{}
	text, _ := fs.ReadFile(fsys, "proc/self/cgroup") // /proc may be missing
	for line := range strings.Lines(string(text)) {
		hierarchy, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		switch {
		case !ok:
		case hierarchy == "0" && controllers == "":
			groups[2] = group
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			groups[1] = group
		}
	}
	return groups
}

// A mount is a mount point of the groups of a version.
type mount struct {
	version int
	root    string // group that is mounted at point
	point   string
}

// mounts reads where control groups are mounted (proc_pid_mountinfo(5)).
func mounts(fsys fs.FS) []mount {
	var all []mount
	text, _ := fs.ReadFile(fsys, "proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		switch m := (mount{root: left[3], point: left[4]}); {
		case right[0] == "cgroup2":
			m.version = 2
			all = append(all, m)
		case right[0] == "cgroup" && slices.Contains(strings.Split(right[2], ","), "memory"):
			m.version = 1
			all = append(all, m)
		}
	}
	return all
}

// dirs returns the folders of the group and of its visible parents. A
// container may see its own group as the root while the path is that of the host.
func (m mount) dirs(group string) []string {
	inside, ok := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(m.root, "/"))
	if !ok || inside != "" && inside[0] != '/' {
		inside = ""
	}
	var all []string
	for inside = path.Join("/", inside); ; inside = path.Dir(inside) {
		all = append(all, strings.TrimPrefix(path.Join(m.point, inside), "/"))
		if inside == "/" {
			return all
		}
	}
}

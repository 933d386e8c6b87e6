package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"relais/internal/folder"
	"relais/internal/system"
)

// A contents has the findings of one walk through a folder, for several checks.
type contents struct {
	exposed    []exposed
	unreadable []error // of files and folders that could not be looked at
	largest    uint64  // bytes of the largest store
	newest     time.Time
	name       string // of the newest file
}

// An exposed is a file or folder with a wrong mode.
type exposed struct {
	severity   Severity
	mend, text string
}

// contents looks at every file of the folder. It goes on after errors.
func (d *doctor) contents() *contents {
	c := &contents{}
	_ = filepath.WalkDir(string(d.dir), func(path string, e fs.DirEntry, err error) error { // which returns no error
		if e != nil && e.Name() == folder.LostAndFound { // of a file system's root, and always root's
			return fs.SkipDir
		}
		var info fs.FileInfo
		if err == nil {
			info, err = e.Info()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was just removed
		case err != nil:
			c.unreadable = append(c.unreadable, err)
		case e.Type()&fs.ModeSymlink == 0:
			c.add(path, info, d.dir.IsPack())
		}
		return nil
	})
	return c
}

func (c *contents) add(path string, info fs.FileInfo, pack bool) {
	if c.newest.IsZero() || info.ModTime().After(c.newest) {
		c.newest, c.name = info.ModTime(), path
	}
	name, mode := filepath.Base(path), system.Mode(info)
	store := strings.HasSuffix(name, ".db")
	if store {
		c.largest = max(c.largest, uint64(info.Size()))
	}
	expose := func(severity Severity, mend, format string) {
		c.exposed = append(c.exposed, exposed{severity, fmt.Sprintf(mend, path), fmt.Sprintf(format, path, mode)})
	}
	// The first case that fits is the worst: a file that others may write needs no second finding.
	switch {
	case info.Mode()&fs.ModeSocket != 0, name == sealFile && mode&0o077 != 0: // checkOthers says it
	case mode&0o022 != 0:
		expose(Wrong, "chmod go-w '%s'", "others may write to %s (mode %04o)")
	case store && mode&0o077 != 0:
		expose(Warning, "chmod 600 '%s'", "others may read %s (mode %04o)")
	case info.IsDir() && mode&0o700 != 0o700, info.Mode().IsRegular() && mode&0o600 != 0o600 && !pack:
		expose(Wrong, "chmod -R u+rwX '%s'", "its owner may not read and write %s (mode %04o)")
	}
}

// mostNamedFiles is how many files a check names.
const mostNamedFiles = 5

// modes reports wrong modes, and files that could not be looked at.
func (d *doctor) modes(c *contents) {
	for _, e := range c.exposed[:min(len(c.exposed), mostNamedFiles)] {
		d.add("modes", e.severity, e.mend, "%s", e.text)
	}
	if more := len(c.exposed) - mostNamedFiles; more > 0 {
		d.add("modes", Wrong, fmt.Sprintf("chmod -R u+rwX,go-rwx '%s'", d.dir), "and %d more", more)
	}
	for _, err := range c.unreadable[:min(len(c.unreadable), mostNamedFiles)] {
		d.add("modes", Wrong, "", "%v", err) // the owner and the modes, above, have the advice
	}
	if more := len(c.unreadable) - mostNamedFiles; more > 0 {
		d.add("modes", Wrong, "", "and %d more that cannot be looked at", more)
	}
	if len(c.exposed)+len(c.unreadable) == 0 && system.HasModes {
		d.add("modes", Fine, "", "nobody else may write, or read keys and stores")
	}
}

// Room that is needed: an update downloads and unpacks, and a store is compacted next to itself.
const (
	leastRoom   = 100 << 20 // with less, changes fail soon
	enoughRoom  = 1 << 30   // for an update
	leastInodes = 1000
)

// space reports how much room the disk has.
func (d *doctor) space(c *contents) {
	free, inodes, err := d.room(string(d.dir))
	if err != nil {
		d.add("space", Warning, "", "it is not known: %v", err)
		return
	}
	const mend = "free some space, or move the folder to a larger disk"
	switch wanted := max(enoughRoom, c.largest+leastRoom); {
	case d.dir.IsPack():
	case free < leastRoom || inodes < leastInodes:
		d.add("space", Wrong, mend, "%d MB and %d files are free: changes will fail", free>>20, inodes)
	case free < wanted:
		d.add("space", Warning, mend, "%d MB are free; an update, or compacting the largest store, may need %d MB",
			free>>20, wanted>>20)
	default:
		d.add("space", Fine, "", "%d MB are free", free>>20)
	}
}

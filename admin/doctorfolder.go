package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/internal/folder"
	"relais/internal/store"
	"relais/internal/system"
	"relais/market"
	"relais/outage"
	"relais/snapshot"
)

// folder reports whether there is a folder to look at.
func (d *doctor) folder() bool {
	err := isFolder(d.dir)
	unfinished := refuseUnfinished(string(d.dir))
	switch {
	case errors.Is(err, errNoFolder):
		d.add("folder", Wrong, fmt.Sprintf("relais update --data %s FR", d.dir), "%v", err)
	case err != nil:
		d.add("folder", Wrong, "", "%v", d.dir.OwnerAdvice(err))
	case unfinished != nil:
		d.add("folder", Wrong, "empty the folder, and restore again", "%v", unfinished)
	case d.dir.IsPack():
		d.add("folder", Note, "", "it is a pack: it is only read")
		return true
	default:
		return true
	}
	return false
}

// files reports the problems that relais check finds, without reading the stores to their end. A running server says
// itself which stores it cannot use.
func (d *doctor) files() {
	files := checkOthers(d.dir)
	if d.Server == nil {
		closed, held, err := checkClosed(d.dir, false)
		switch {
		case held: // by another command
			closed = nil
		case err != nil:
			closed = append(closed, File{Path: "stores", Problem: oneLine(d.dir.OwnerAdvice(err))})
		}
		files = append(closed, files...)
	}
	key := ""
	if _, err := os.Lstat(filepath.Join(string(d.dir), sealFile)); errors.Is(err, fs.ErrNotExist) {
		key = "it is made when a server starts, or with the first client that signs"
	}
	for _, f := range files {
		switch {
		case f.Path == sealFile && f.Kind == "missing":
			key = ""
			d.add(sealFile, Wrong, f.remedy, "it is missing: clients that sign are refused")
		case f.Problem != "":
			text := strings.TrimPrefix(f.Problem, f.Path+": ") // the finding begins with the file
			if rest, ok := strings.CutPrefix(text, f.Path+" "); ok {
				text = "it " + rest
			}
			d.add(f.Path, Wrong, cmp.Or(f.remedy, "relais check --data "+string(d.dir)), "%s", text)
		case f.Path == sealFile:
			key = "it can be read"
		}
	}
	if key != "" {
		d.add(sealFile, Fine, "", "%s", key)
	}
}

// owner looks for files of other users: a command that root ran once leaves files that the service cannot write.
func (d *doctor) owner() {
	name, mine := d.dir.Owner()
	if path, other, command := d.dir.Foreign(); path != "" {
		d.add("owner", Wrong, command, "%s belongs to %s, and the folder to %s", path, other, name)
		return
	}
	switch {
	case name == "": // the system does not say who may use a file by its owner
	case !mine && d.euid != 0:
		d.add("owner", Wrong, fmt.Sprintf("sudo -u %s relais doctor --data %s", name, d.dir),
			"the folder belongs to %s: run every command of relais as %[1]s", name)
	case mine && d.euid == 0:
		d.add("owner", Note, "", "the folder belongs to root: a service should have a user of its own")
	default:
		d.add("owner", Fine, "", "everything belongs to %s", name)
	}
}

// clock compares the clock with the newest file of the folder: a clock that is late by more than an hour is wrong. One
// that is ahead cannot be told from an old folder.
func (d *doctor) clock(c *contents) {
	const mend = "set the clock, such as with: " + system.SetClock
	if c.newest.Sub(d.now) > time.Hour {
		d.add("clock", Wrong, mend, "the clock says %s, and %s is of %s", d.now.UTC().Format(time.RFC3339), c.name,
			c.newest.UTC().Format(time.RFC3339))
		return
	}
	d.add("clock", Fine, "", "%s, as far as the data can tell", d.now.UTC().Format(time.RFC3339))
}

// registers looks at each market's snapshot.
func (d *doctor) registers() {
	served := 0
	for _, m := range market.All {
		check, mend := "data "+string(m.Code), fmt.Sprintf("relais update --data %s %s", d.dir, m.Code)
		s, err := snapshot.ReadFile(d.dir.Snapshot(string(m.Code)), m.Code)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		served++
		if err != nil {
			d.add(check, Wrong, mend, "%v", d.dir.OwnerAdvice(err))
			continue
		}
		date, err := time.Parse(time.DateOnly, s.SourceDate)
		age := d.now.Sub(date)
		text := fmt.Sprintf("%s of %s", Number(s.Len(), "site"), s.SourceDate)
		switch {
		case s.Synthetic:
			d.add(check, Note, "", "%s, which are synthetic", text)
		case err != nil:
			d.add(check, Note, "", "%s", text)
		case age < -48*time.Hour:
			d.add(check, Wrong, "set the clock", "%s: that is in the future", text)
		case age > m.FreshFor && !d.dir.IsPack():
			d.add(check, Warning, mend+", or serve with --update-every 24h", "%s: %s old", text,
				Number(int(age.Hours()/24), "day"))
		default:
			d.add(check, Fine, "", "%s", text)
		}
	}
	if served == 0 {
		d.add("data", Wrong, fmt.Sprintf("relais update --data %s FR", d.dir), "the folder has no register")
	}
}

// streets looks at the file with streets for the map, which is not needed.
func (d *doctor) streets(ctx context.Context) {
	mend := fmt.Sprintf("relais basemap --data %s %s, or a department, or LAT,LON,KM", d.dir, market.Default)
	h, err := ReadBasemap(ctx, d.dir.Basemap())
	switch {
	case err == nil:
		d.add(folder.BasemapName, Fine, "", "%s", streetsText(h))
	case !errors.Is(err, fs.ErrNotExist):
		d.add(folder.BasemapName, Wrong, mend, "%v", d.dir.OwnerAdvice(err))
	case d.dir.IsPack():
	case UnfinishedBasemap(d.dir) != "":
		d.add(folder.BasemapName, Note, "run the same relais basemap again: it goes on", "it is not complete yet")
	default:
		d.add(folder.BasemapName, Note, mend, "the folder has no streets for the map")
	}
}

// feeds looks at the operators' lists of unavailable sites.
func (d *doctor) feeds() {
	if d.Server != nil { // it has the store open, and says the state of the lists
		d.say(d.Server.Feeds)
		return
	}
	db, err := store.OpenReadOnly(filepath.Join(string(d.dir), CommunityFile))
	if err != nil {
		return // it is missing, or one of the files
	}
	defer db.Close()
	if feeds, err := outage.Open(db, func() time.Time { return d.now }); err == nil {
		d.say(feedStates(feeds, d.now))
	} else {
		d.add("outages", Wrong, "relais check --data "+string(d.dir), "%v", err)
	}
}

// A FeedState is how old an operator's list is.
type FeedState struct {
	Feed   string     `json:"feed"` // "FR ORANGE"
	ReadAt *time.Time `json:"readAt"`
	Old    bool       `json:"old"`
	Failed string     `json:"failed,omitempty"` // why it could not be read since
}

// feedStates lists the feeds that were read, or tried, once.
func feedStates(s *outage.Store, now time.Time) []FeedState {
	list := []FeedState{}
	for _, m := range market.All {
		for _, f := range s.Feeds(m.Code) {
			if f.State() == outage.Absent && f.FailedAt == nil {
				continue
			}
			state := FeedState{Feed: string(m.Code) + " " + f.Operator, ReadAt: f.ReadAt, Old: !f.Available(now)}
			if f.FailedAt != nil {
				state.Failed = f.Why
			}
			list = append(list, state)
		}
	}
	return list
}

// say reports the age of each operator's list.
func (d *doctor) say(feeds []FeedState) {
	for _, f := range feeds {
		read := "never"
		if f.ReadAt != nil {
			read = f.ReadAt.UTC().Format(time.RFC3339)
		}
		switch {
		case f.Failed != "":
			d.add("outages "+f.Feed, Warning, "relais update --data "+string(d.dir), "last read %s; since then: %s", read,
				f.Failed)
		case f.Old:
			d.add("outages "+f.Feed, Warning, "relais update --data "+string(d.dir)+", or serve with --update-every 1h",
				"last read %s: it is not shown as known any more", read)
		default:
			d.add("outages "+f.Feed, Fine, "", "read %s", read)
		}
	}
}

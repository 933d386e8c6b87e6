package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"time"

	"relais/internal/folder"
	"relais/internal/system"
)

// A Severity says how bad a finding is.
type Severity string

// The severities. Warning and Wrong need a change.
const (
	Fine    Severity = "ok"
	Note    Severity = "note"    // good to know
	Warning Severity = "warning" // it works, and will not always
	Wrong   Severity = "wrong"   // something does not work, or is open to others
)

// A Finding is the result of one check.
type Finding struct {
	Check    string   `json:"check"` // its name: "owner", "data FR"
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Mend     string   `json:"mend,omitempty"` // advice: a command or a setting
}

// A Diagnosis is the answer of Doctor.
type Diagnosis struct {
	Data     string       `json:"data"`
	OK       bool         `json:"ok"` // no finding needs a change
	Server   *ServerState `json:"server,omitempty"`
	Findings []Finding    `json:"findings"`
}

func (d *Diagnosis) add(check string, severity Severity, mend, format string, args ...any) {
	d.Findings = append(d.Findings, Finding{check, severity, fmt.Sprintf(format, args...), mend})
	d.OK = d.OK && (severity == Fine || severity == Note)
}

// ToMend returns the number of findings that need a change.
func (d *Diagnosis) ToMend() (n int) {
	for _, f := range d.Findings {
		if f.Severity == Warning || f.Severity == Wrong {
			n++
		}
	}
	return n
}

// A doctor examines a folder on a machine. Tests have other machines.
type doctor struct {
	*Diagnosis
	dir  folder.Dir
	now  time.Time
	euid int
	room func(path string) (free, inodes uint64, err error)
	ask  func(ctx context.Context, base string) error // whether this server answers at its base URL
}

// Doctor returns the problems of a data folder, and of its server if one runs, each with advice. It changes
// nothing, and does not read the content of the stores: CheckFolder does.
func Doctor(ctx context.Context, dir folder.Dir, ask func(ctx context.Context, base string) error) (*Diagnosis, error) {
	d := &doctor{dir: dir, now: time.Now(), euid: os.Geteuid(), room: system.Free, ask: ask}
	return d.examine(ctx)
}

func (d *doctor) examine(ctx context.Context) (*Diagnosis, error) {
	d.Diagnosis = &Diagnosis{Data: string(d.dir), OK: true, Findings: []Finding{}}
	if !d.folder() {
		return d.Diagnosis, nil
	}
	d.owner() // before modes, which refers to its advice
	c := d.contents()
	d.modes(c)
	d.space(c)
	d.clock(c)
	d.registers()
	d.addresses()
	d.coverageMaps()
	d.streets(ctx)
	var err error
	if d.Server, err = serverOf(ctx, d.dir); err != nil {
		d.add("server", Wrong, "", "it does not answer over %s: %v", socketName, err)
	} else {
		d.server(ctx)
	}
	d.files()
	d.feeds()
	return d.Diagnosis, ctx.Err()
}

// serverOf asks the folder's server for its state; nil if none runs. A socket that may not be used says nothing about
// that: it is an error, with the user who may.
func serverOf(ctx context.Context, dir folder.Dir) (*ServerState, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	text, err := call(ctx, dir, Diagnose{})
	_, unreachable := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, dir.OwnerAdvice(err)
	case unreachable:
		return nil, nil
	case err != nil:
		return nil, err
	}
	s := &ServerState{}
	return s, json.Unmarshal(text, s)
}

// Sorted returns the findings, the worst first.
func (d *Diagnosis) Sorted() []Finding {
	order := []Severity{Wrong, Warning, Note, Fine}
	list := slices.Clone(d.Findings)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	return list
}

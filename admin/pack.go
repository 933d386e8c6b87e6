package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"relais/address"
	"relais/geo"
	"relais/internal/folder"
	"relais/market"
	"relais/measure"
	"relais/snapshot"
)

// A PackSpec chooses the part of a data folder that a pack has: the sites of some areas of a market, of a market, or of
// a disc, with their archives, photos and measurements.
type PackSpec struct {
	Market   market.Code `json:"market,omitempty"` // "" with a disc, which is of all markets
	Areas    []string    `json:"areas,omitempty"`  // codes of the market's table; none: all of the market
	Disc     *geo.Disc   `json:"disc,omitempty"`
	Photos   bool        `json:"photos"`
	Measures bool        `json:"measures"` // speedtests and coverage points
	Basemap  bool        `json:"basemap"`  // streets, which the folder has
	// Restricted also packs rows that nobody may redistribute without their publisher's permission.
	Restricted bool `json:"restricted"`
	// Program is the version of relais, for the report.
	Program string `json:"program,omitempty"`
}

// A PackReport lists the content of a pack. It is the file pack.json of the pack's data.
type PackReport struct {
	Format   int          `json:"format"`
	Made     time.Time    `json:"made"`
	Program  string       `json:"program"` // version of relais
	Spec     PackSpec     `json:"area"`
	Markets  []PackMarket `json:"markets"`
	Archives int          `json:"archives"` // dated publications
	Editions int          `json:"editions"` // of markets without archives
	Photos   int          `json:"photos"`
	Streets  int64        `json:"streets"` // bytes of basemap.pmtiles
	// Addresses are the streets of the area, nil without any.
	Addresses *address.Info `json:"addresses,omitempty"`
	// Coverage is the official coverage maps of the area, nil without any.
	Coverage *PackCoverage `json:"coverage,omitempty"`
	// Speedtests and CoveragePoints were measured by people.
	Speedtests     int `json:"speedtests"`
	CoveragePoints int `json:"coveragePoints"`
	// Campaigns of authorities are among them, with their licences.
	Campaigns []string `json:"campaigns,omitempty"`
	// LeftOut lists data of the area that the pack lacks, with the reasons.
	LeftOut []string `json:"leftOut"`
}

// A PackMarket is a register in a pack.
type PackMarket struct {
	Market     market.Code `json:"market"`
	SourceDate string      `json:"sourceDate"`
	Version    string      `json:"version"` // of the register that the sites are from
	Sites      int         `json:"sites"`
	Authority  string      `json:"authority"`
	Source     string      `json:"source"`
	Licence    string      `json:"licence"`
	Synthetic  bool        `json:"synthetic,omitempty"`
}

const packFormat = 1

// Pack writes the data of an area from a folder, served or not, into a folder that is missing or empty. It
// copies no clients, accounts, secrets, counts, hooks, reports and outages: a pack is given away, and outages are old
// within two days. Errors: those of reading and writing, and that no site is in the area.
func Pack(ctx context.Context, dir folder.Dir, spec PackSpec, to folder.Dir, log *slog.Logger) (*PackReport, error) {
	if err := refuseUnfinished(string(dir)); err != nil {
		return nil, err
	}
	unlock, err := holdIngest(ctx, dir, "relais pack", log)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r := &PackReport{}
	err = callServerOrHere(ctx, func() error { return fetchPack(ctx, dir, spec, to) }, func() error {
		s, err := Open(dir, "relais pack", log)
		if err != nil {
			return err
		}
		return errors.Join(s.pack(ctx, spec, to), s.Close())
	})
	if err == nil {
		err = errors.Join(readable(to), folder.ReadJSON(filepath.Join(string(to), folder.PackName), r))
	}
	return r, err
}

// pack writes the data of an area into a folder, pack.json last: a folder that has it is complete. The registers come
// before the steps that choose by their sites.
func (s *Stores) pack(ctx context.Context, spec PackSpec, to folder.Dir) error {
	program := spec.Program
	spec.Program = ""
	p := packing{Stores: s, spec: spec, to: to, chosen: map[market.Code]*packChoice{},
		report: &PackReport{Format: packFormat, Made: s.now().UTC().Truncate(time.Second), Program: program, Spec: spec,
			Markets: []PackMarket{}, LeftOut: []string{}}}
	for _, step := range []func(context.Context) error{p.following, p.streets, p.registers, p.addresses, p.coverageMaps,
		p.archives, p.measures, p.photos, p.outageDays} {
		if err := errors.Join(step(ctx), ctx.Err()); err != nil {
			return err
		}
	}
	if err := noteCopy(to); err != nil {
		return err
	}
	return folder.ReplaceJSON(filepath.Join(string(to), folder.PackName), p.report)
}

// A packing is a pack that is being made.
type packing struct {
	*Stores
	spec   PackSpec
	to     folder.Dir
	chosen map[market.Code]*packChoice
	report *PackReport
}

func (p *packing) leftOut(format string, args ...any) {
	p.report.LeftOut = append(p.report.LeftOut, fmt.Sprintf(format, args...))
}

// following notes that a node of a cluster may lack data that others have. It leaves out the reason: errors name
// machines, and pack.json is given away.
func (p *packing) following(context.Context) error {
	if p.node == nil {
		return nil
	}
	if h := p.node.replicas.Health(0); h.State != "following" {
		p.leftOut("what other nodes of the cluster have and this node, which is %s, does not have yet", h.State)
	}
	return nil
}

// outageDays notes that a pack has no days of unavailable sites: of a day without the other sites of an operator, nobody
// could tell a gap from a day without an outage.
func (p *packing) outageDays(ctx context.Context) error {
	for code := range p.chosen {
		if o, err := p.History.Overview(ctx, code); err != nil || o.Read > 0 {
			p.leftOut("%s: the days of unavailable sites", code)
		}
	}
	return nil
}

// registers writes the snapshots of the area's sites.
func (p *packing) registers(context.Context) error {
	hasRegister := false
	for _, m := range market.All {
		if p.spec.Market != "" && p.spec.Market != m.Code {
			continue
		}
		snap, err := snapshot.ReadFile(p.Dir.Snapshot(string(m.Code)), m.Code)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		hasRegister = true
		c, err := newPackChoice(p.spec, m, snap)
		if err != nil {
			return err
		}
		if err := p.register(m, snap, c); err != nil {
			return err
		}
	}
	switch {
	case len(p.chosen) > 0:
		return nil
	case hasRegister:
		return p.nothing("no site of the folder is in the area")
	case p.spec.Market != "":
		return p.nothing("the folder has no register of %s: run relais ingest or relais update", p.spec.Market)
	}
	return p.nothing("the folder has no register: run relais ingest or relais update")
}

// nothing returns the error of a pack that would be empty.
func (p *packing) nothing(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	for _, what := range p.report.LeftOut {
		text += "\nleft out: " + what
	}
	return errors.New(text)
}

// register writes the snapshot of a market's chosen sites.
func (p *packing) register(m *market.Market, snap *snapshot.Snapshot, c *packChoice) error {
	b, err := snapshot.Select(snap, c.has)
	if err != nil || b.Len() == 0 {
		return err
	}
	if m.NeedsPermission(snap.Registers) && !p.spec.Restricted {
		return p.publicPart(m, snap)
	}
	if _, err := b.Write(p.to.Snapshot(string(m.Code))); err != nil {
		return err
	}
	p.chosen[m.Code] = c
	from := m.Attribution(snap.Registers)
	p.report.Markets = append(p.report.Markets, PackMarket{Market: m.Code, SourceDate: snap.SourceDate,
		Version: snap.Version, Sites: b.Len(), Authority: from.Authority, Source: from.Source, Licence: from.Licence,
		Synthetic: snap.Synthetic})
	return nil
}

// publicPart writes the snapshot of what may be redistributed of a register, if that can be told from the rest.
func (p *packing) publicPart(m *market.Market, snap *snapshot.Snapshot) error {
	public, err := snapshot.Public(snap)
	if err != nil {
		return err
	}
	withheld := slices.DeleteFunc(slices.Clone(snap.Registers), func(name string) bool {
		return public != nil && slices.Contains(public.Registers, name)
	})
	p.leftOut("%s: %s may not be redistributed without its publisher's permission", m.Code, m.Attribution(withheld).Source)
	if public == nil {
		return nil
	}
	c, err := newPackChoice(p.spec, m, public)
	if err != nil {
		return err
	}
	return p.register(m, public, c)
}

// measures writes the measurements of the area.
func (p *packing) measures(ctx context.Context) error {
	if !p.spec.Measures {
		return nil
	}
	all, err := p.Measures()
	if err != nil {
		p.leftOut("measurements: %v", err)
		return nil
	}
	n, campaigns, err := all.CopyTo(ctx, p.to, func(code market.Code, at geo.Point) bool {
		c := p.chosen[code]
		return c != nil && c.holds(at)
	})
	for _, problem := range all.Problems() {
		p.leftOut("measurements: %v", problem)
	}
	for _, e := range campaigns {
		p.report.Campaigns = append(p.report.Campaigns, e.Name()+" ("+e.Campaign.Licence+")")
	}
	for kind, rows := range n {
		if kind == measure.Speedtest {
			p.report.Speedtests += rows
		} else {
			p.report.CoveragePoints += rows
		}
	}
	return err
}

// photos writes the photos of the area's sites that are shown.
func (p *packing) photos(ctx context.Context) error {
	if !p.spec.Photos {
		return nil
	}
	if err := p.failed[PhotosFile]; err != nil {
		p.leftOut("photos: %v", err)
		return nil
	}
	keys := map[string]bool{}
	for code, c := range p.chosen {
		c.addKeys(keys, code)
	}
	n, lost, err := p.Photos.CopyShown(ctx, p.to, func(key string) bool { return keys[key] })
	if p.report.Photos = n; lost != nil {
		p.leftOut("photos: %v", lost)
	}
	return err
}

// readable lets everybody read the files: a stick may be another user's, and nothing in it is private.
func readable(dir folder.Dir) error {
	return filepath.WalkDir(string(dir), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

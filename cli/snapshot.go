package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"relais/internal/folder"
	"relais/market"
	"relais/snapshot"
)

type snapshotCommand struct {
	Info   snapshotInfo   `cmd:"" help:"Say what each snapshot holds."`
	Verify snapshotVerify `cmd:"" help:"Read each snapshot whole and check it; fails when one is damaged."`
}

type snapshotFlags struct {
	folderFlags
	Market []market.Code `arg:"" optional:"" name:"market" help:"Only these markets."`
}

type snapshotInfo struct{ snapshotFlags }

type snapshotVerify struct{ snapshotFlags }

// snapshotState is one line of both commands.
type snapshotState struct {
	Market     market.Code    `json:"market"`
	Path       string         `json:"path"`
	Error      string         `json:"error,omitempty"`
	Version    string         `json:"version,omitempty"`
	SourceDate string         `json:"sourceDate,omitempty"`
	Synthetic  bool           `json:"synthetic,omitempty"`
	Sites      int            `json:"sites"`
	Emissions  int            `json:"emissions"`
	Bytes      int64          `json:"bytes"`
	Enriched   map[string]int `json:"enriched,omitempty"`
}

// Run prints the content of the snapshots.
func (c *snapshotInfo) Run(streams Streams) error {
	_, err := c.print(streams)
	return err
}

// Run fails when a snapshot is damaged.
func (c *snapshotVerify) Run(streams Streams) error {
	states, err := c.print(streams)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.Error != "" {
			return errors.New(s.Error)
		}
	}
	return nil
}

// print prints the states of the snapshots. A damaged one has its line, and is not an error.
func (c *snapshotFlags) print(streams Streams) ([]snapshotState, error) {
	states := snapshotStates(c.dir(), c.Market)
	if len(states) == 0 {
		return nil, fmt.Errorf("%s holds no snapshot: run relais ingest, or relais demo", c.dir().Snapshots())
	}
	if c.JSON {
		return states, printJSON(streams.Out, map[string]any{"snapshots": states})
	}
	t := newTable(streams.Out, "MARKET", "DATE", "SITES", "EMISSIONS", "BYTES", "VERSION")
	for _, s := range states {
		if s.Error != "" {
			t.row(s.Market, s.Error)
			continue
		}
		t.row(s.Market, s.SourceDate, s.Sites, s.Emissions, s.Bytes, s.Version)
	}
	return states, t.Flush()
}

// snapshotStates reads the snapshots of the markets in only, or of all markets if it is empty.
// Markets that were not named and have no snapshot are left out.
func snapshotStates(dir folder.Dir, only []market.Code) (states []snapshotState) {
	codes := only
	if len(codes) == 0 {
		for _, m := range market.All {
			codes = append(codes, m.Code)
		}
	}
	for _, code := range codes {
		st := snapshotState{Market: code, Path: dir.Snapshot(string(code))}
		s, err := snapshot.ReadFile(st.Path, code)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(only) == 0: // most folders have some of the markets
			continue
		case err != nil:
			st.Error = err.Error()
		default:
			st.Version, st.SourceDate, st.Synthetic, st.Sites = s.Version, s.SourceDate, s.Synthetic, s.Len()
			st.Emissions, st.Bytes, st.Enriched = s.Emissions(), s.Bytes, s.Enriched
		}
		states = append(states, st)
	}
	return states
}

package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"relais/address"
	"relais/admin"
	"relais/ingest"
	"relais/ingest/ban"
)

// An ingested is the report of an ingest, with that of the addresses among its files.
type ingested struct {
	*ingest.Report
	Addresses *address.Report `json:"addresses,omitempty"`
}

// ingestAddresses reads the tables of addresses among the files, and leaves the others in c.Files. Without such
// tables the report is nil.
func (c *ingestCommand) ingestAddresses(ctx context.Context, streams Streams) (*address.Report, error) {
	tables, others := ban.Split(c.Files)
	if len(tables) == 0 {
		return nil, nil
	}
	for _, m := range c.Markets {
		if !slices.Contains(ban.Markets, m) {
			return nil, usageError{fmt.Errorf("%s has the addresses of %s, and not of %s", tables[0], join(ban.Markets), m)}
		}
	}
	c.Files = others
	return address.Ingest(ctx, address.Options{Dir: c.dir(), Paths: tables, Force: c.Force, Now: time.Now(),
		Progress: progress(streams.Err, "reading addresses")})
}

// printAddresses prints a report.
func printAddresses(w io.Writer, r *address.Report) error {
	if err := printImported(w, r.Files); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "addresses: %s with %s in %s of %s, in %s (%d bytes): streets, not numbers\n"+
		"source: %s, %s, %s\ndone in %.1f s\n", admin.Number(r.Streets, "street"), admin.Number(r.Addresses, "number"),
		admin.Number(r.Communes, "commune"), r.Date, filepath.Base(r.Path), r.Bytes, ban.Authority, ban.Source, ban.Licence, r.Seconds)
	return err
}

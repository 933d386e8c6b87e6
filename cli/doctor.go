package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"relais/admin"
)

type doctorCommand struct {
	dataFlag
	Offline bool `help:"Do not ask the base URL of the server."`
	JSON    bool `name:"json" help:"Print one JSON object."`
}

// Run examines the folder.
func (c *doctorCommand) Run(ctx context.Context, streams Streams) error {
	ask := leadsHere
	if c.Offline {
		ask = nil
	}
	d, err := admin.Doctor(ctx, c.dir(), ask)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(streams.Out, d)
	} else {
		err = printDiagnosis(streams.Out, d)
	}
	if n := d.ToMend(); err == nil && n > 0 {
		err = fmt.Errorf("%s: %s", c.Data, admin.Number(n, "problem"))
	}
	return err
}

func printDiagnosis(w io.Writer, d *admin.Diagnosis) error {
	for _, f := range d.Sorted() {
		if _, err := fmt.Fprintf(w, "%-8s %s: %s\n", f.Severity, f.Check, visible(f.Text, "")); err != nil {
			return err
		}
		if f.Mend != "" {
			fmt.Fprintf(w, "         → %s\n", visible(f.Mend, ""))
		}
	}
	return nil
}

// leadsHere returns an error if no server of relais answers at a base URL. It does
// not ask for /healthz, which --ops-listen moves to an address of its own.
func leadsHere(ctx context.Context, base string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/openapi.json", nil)
	if err != nil {
		return err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("%s/openapi.json answers %s", base, a.Status)
	}
	return nil
}

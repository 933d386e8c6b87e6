package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"relais/admin"
	"relais/auth/access"
)

type clientCommand struct {
	Create clientCreate `cmd:"" help:"Make a client and its first key; secrets are shown once."`
	List   clientList   `cmd:"" help:"List the clients."`
	Show   clientShow   `cmd:"" help:"Show a client and its keys."`
	Usage  clientUsage  `cmd:"" help:"Say what is left of a client's limits."`
	Set    clientSet    `cmd:"" help:"Change a client: its name, origins, CIDRs, scopes, limits, end; keys stay."`
	Rotate clientRotate `cmd:"" help:"Give a client another key; the present ones end after the overlap."`
	Revoke clientRevoke `cmd:"" help:"End a client's keys, or one of them, at once."`
	Delete clientDelete `cmd:"" help:"Remove a client and its keys."`
	Sign   clientSign   `cmd:"" help:"Print the headers of a signed request, to find out why one is refused."`
}

type clientCreate struct {
	dataFlag
	Name               string      `required:"" help:"What people call it."`
	Mode               access.Mode `required:"" placeholder:"MODE" help:"browser, server or mobile."`
	Scopes             string      `required:"" placeholder:"SCOPE,…" help:"Scopes such as antennas:read, or all-read."`
	Origin             []string    `sep:"none" placeholder:"ORIGIN" help:"BROWSER: origin that may call: https://map.example; may repeat."`
	CIDR               []string    `name:"cidr" placeholder:"CIDR" help:"Addresses that may call, such as 192.0.2.0/24; may repeat."`
	RequireSignature   bool        `help:"SERVER: every request must be signed. MOBILE clients always sign."`
	RequireAttestation bool        `help:"Every request must bring a device attestation."`
	Partner            bool        `help:"May write, where its scopes say so."`
	Minute             int         `default:"60" placeholder:"N" help:"Requests a minute (${default})."`
	Day                int         `default:"10000" placeholder:"N" help:"Requests a day (${default})."`
	VisitorMinute      int         `placeholder:"N" help:"BROWSER, MOBILE: of these, a minute for one visitor (default: no limit)."`
	VisitorDay         int         `placeholder:"N" help:"BROWSER, MOBILE: of these, a day for one visitor (default: no limit)."`
	Expires            *days       `placeholder:"TIME" help:"Until when it may call, from now: 90d, 12h."`
	JSON               bool        `name:"json" help:"Print one JSON object."`
}

// Run makes the client.
func (c *clientCreate) Run(ctx context.Context, streams Streams) error {
	spec := access.Client{Name: c.Name, Mode: c.Mode, RequireSignature: c.RequireSignature,
		RequireAttestation: c.RequireAttestation, Partner: c.Partner,
		Limits: access.Limits{Minute: c.Minute, Day: c.Day, VisitorMinute: c.VisitorMinute, VisitorDay: c.VisitorDay}}
	var err error
	if spec.Scopes, err = access.ParseScopes(c.Scopes); err != nil {
		return usageError{err}
	}
	if spec.CIDRs, err = access.ParsePrefixes(c.CIDR); err != nil {
		return usageError{err}
	}
	if spec.Origins, err = parseOrigins(c.Origin); err != nil {
		return usageError{err}
	}
	if c.Expires != nil {
		if *c.Expires <= 0 {
			return usageError{errors.New("--expires: want a time in the future, such as 90d")}
		}
		end := time.Now().Add(time.Duration(*c.Expires)).UTC().Truncate(time.Second)
		spec.Expires = &end
	}
	if err := spec.Check(); err != nil {
		return usageError{err}
	}
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(streams.Err, "relais: creating %s\n", c.Data)
	}
	// Both are allowed, and probably a mistake: the scope alone does not let a client write.
	if slices.Contains(spec.Scopes, access.PhotosWrite) && !spec.Partner {
		fmt.Fprintf(streams.Err, "relais: without --partner the client has the scope %s and may not write\n",
			access.PhotosWrite)
	}
	if slices.Contains(spec.Scopes, access.InternalAI) && !spec.Partner {
		fmt.Fprintf(streams.Err,
			"relais: without --partner the client may use only the tools that read, not those that submit\n")
	}
	command := admin.CreateClient{Client: spec}
	return printAnswer(ctx, c.dataFlag, streams, command, false, func(i *access.Issued) error {
		if c.JSON {
			return printJSON(streams.Out, createdClient{i, i.Mode != access.Server})
		}
		if err := streams.printIssued(i); err != nil {
			return err
		}
		return noteShared(streams.Out, &i.Client)
	})
}

// A createdClient is the answer in JSON.
type createdClient struct {
	*access.Issued
	SharedLimits bool `json:"sharedLimits"` // by the visitors of a page, or the users of an app
}

// noteShared warns that all visitors of a page, or users of an app, share the default limits,
// which are meant for one program.
func noteShared(w io.Writer, c *access.Client) error {
	if c.Mode == access.Server || c.Limits.Minute != access.DefaultLimits.Minute ||
		c.Limits.Day != access.DefaultLimits.Day {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nAll its visitors share %d requests a minute and %d a day. relais client set gives it "+
		"more with --minute\nand --day, and bounds what one visitor's address may use of them with --visitor-minute "+
		"and --visitor-day.\n", c.Limits.Minute,
		c.Limits.Day)
	return err
}

// printIssued prints a client with its secrets. Stores keep only hashes of keys, so nothing can print them
// again.
func (s Streams) printIssued(i *access.Issued) error {
	w := s.Out
	fmt.Fprintf(w, "%s (%s, %s)\n\n  API key         %s\n", i.Name, i.Mode, i.ID, i.APIKey)
	if i.SigningSecret != "" {
		fmt.Fprintf(w, "  signing secret  %s\n", i.SigningSecret)
	}
	_, err := fmt.Fprintln(w, "\nKeep them now: they are not shown again.")
	return err
}

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"relais/admin"
	"relais/auth/access"
)

type clientRotate struct {
	oneClient
	Overlap days `default:"1d" placeholder:"TIME" help:"How long the present keys go on (${default}); 0 ends them at once."`
}

// Run gives the client another key.
func (c *clientRotate) Run(ctx context.Context, streams Streams) error {
	command := admin.RotateClient{Client: c.Client, Overlap: time.Duration(c.Overlap)}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, streams.printIssued)
}

type clientRevoke struct {
	oneClient
	// The environment is ignored: RELAIS_KEY is a key to sign with.
	Key string `env:"-" placeholder:"PREFIX" help:"Only this key: the whole, or the part between rk_ and the second underscore."`
}

// Run ends keys.
func (c *clientRevoke) Run(ctx context.Context, streams Streams) error {
	command := admin.RevokeClient{Client: c.Client, Key: access.Prefix(c.Key)}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(r *admin.Revoked) error {
		if len(r.Unconfirmed) > 0 {
			fmt.Fprintf(streams.Err, "not confirmed yet by: %s\n", strings.Join(r.Unconfirmed, ", "))
		}
		return streams.printClient(r.Client)
	})
}

type clientDelete struct{ oneClient }

// Run removes the client.
func (c *clientDelete) Run(ctx context.Context, streams Streams) error {
	var x access.Client
	if err := call(ctx, c.dataFlag, streams, admin.DeleteClient{Client: c.Client}, &x); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"deleted": x.ID})
	}
	_, err := fmt.Fprintf(streams.Out, "deleted %s (%s)\n", x.Name, x.ID)
	return err
}

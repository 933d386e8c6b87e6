package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"relais/admin"
	"relais/auth/access"
)

type clientList struct{ folderFlags }

// Run lists the clients.
func (c *clientList) Run(ctx context.Context, streams Streams) error {
	var list []*access.Client
	if err := call(ctx, c.dataFlag, streams, admin.ListClients{}, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"clients": list})
	}
	return printClients(streams.Out, list)
}

// printClients prints a line for each client. Its last use is that of the key that was used last.
func printClients(w io.Writer, list []*access.Client) error {
	t := newTable(w, "ID", "NAME", "MODE", "SCOPES", "MINUTE, DAY", "VISITOR MINUTE, DAY", "LIVE KEYS", "EXPIRES",
		"LAST USED")
	for _, x := range list {
		used := ""
		for _, k := range x.Keys {
			if k.LastUsed != nil {
				used = max(used, shortTime(*k.LastUsed))
			}
		}
		expires := "never"
		if x.Expires != nil {
			expires = shortTime(*x.Expires)
		}
		t.row(x.ID, x.Name, x.Mode, join(access.ShortScopes(x.Scopes)),
			fmt.Sprintf("%d, %d", x.Limits.Minute, x.Limits.Day),
			visitorLimit(x.Limits.VisitorMinute)+", "+visitorLimit(x.Limits.VisitorDay), x.LiveKeys(time.Now()),
			expires, used)
	}
	return t.Flush()
}

// oneClient is the flags of commands on one client.
type oneClient struct {
	folderFlags
	Client string `arg:"" name:"client" help:"Name or id of the client, or the first characters of the id."`
}

type clientShow struct{ oneClient }

// Run shows the client.
func (c *clientShow) Run(ctx context.Context, streams Streams) error {
	return printAnswer(ctx, c.dataFlag, streams, admin.ShowClient{Client: c.Client}, c.JSON, streams.printClient)
}

func (s Streams) printClient(x *access.Client) error {
	t := newTable(s.Out)
	t.row("id", x.ID)
	t.row("name", x.Name)
	t.row("mode", x.Mode)
	t.row("scopes", join(x.Scopes))
	t.row("origins", strings.Join(x.Origins, ","))
	t.row("CIDRs", x.CIDRs)
	t.row("limits", fmt.Sprintf("%d a minute, %d a day", x.Limits.Minute, x.Limits.Day))
	t.row("limits of a visitor",
		fmt.Sprintf("%s a minute, %s a day", visitorLimit(x.Limits.VisitorMinute), visitorLimit(x.Limits.VisitorDay)))
	t.row("signs", x.Signs())
	t.row("attestation", x.RequireAttestation)
	t.row("partner", x.Partner)
	t.row("created", x.Created.Format(time.RFC3339))
	t.row("expires", timeOrNever(x.Expires))
	for _, k := range x.Keys {
		t.row("key", fmt.Sprintf("rk_%s_…  created %s  expires %s  revoked %s  last used %s", k.Prefix,
			k.Created.Format(time.RFC3339), timeOrNever(k.Expires), timeOrNever(k.Revoked), timeOrNever(k.LastUsed)))
	}
	return t.Flush()
}

// visitorLimit formats a limit of visitors.
func visitorLimit(limit int) string {
	if limit == 0 {
		return "any"
	}
	return strconv.Itoa(limit)
}

type clientUsage struct{ oneClient }

// Run prints the remaining requests.
func (c *clientUsage) Run(ctx context.Context, streams Streams) error {
	command := admin.UsageOfClient{Client: c.Client}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(u admin.ClientUsage) error {
		_, err := fmt.Fprintf(streams.Out, "%s (%s)\nminute  %d of %d left until %s\nday     %d of %d left until %s\n",
			u.Name, u.ID,
			u.Minute.Remaining, u.Minute.Limit, u.Minute.Reset.UTC().Format(time.RFC3339), u.Day.Remaining, u.Day.Limit,
			u.Day.Reset.UTC().Format(time.RFC3339))
		return err
	})
}

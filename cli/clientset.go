package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"relais/admin"
	"relais/auth/access"
)

type clientSet struct {
	oneClient
	Name          *string  `help:"Another name."`
	Origin        []string `sep:"none" placeholder:"ORIGIN" help:"BROWSER: origin that may call, instead of the present ones; may repeat."`
	AddOrigin     []string `sep:"none" placeholder:"ORIGIN" help:"One origin more; repeat for more."`
	RemoveOrigin  []string `sep:"none" placeholder:"ORIGIN" help:"One origin less; repeat for more."`
	CIDR          []string `name:"cidr" placeholder:"CIDR" help:"Addresses that may call instead of the present ones; may repeat; or none."`
	AddCIDR       []string `name:"add-cidr" placeholder:"CIDR" help:"One CIDR more; repeat for more."`
	RemoveCIDR    []string `name:"remove-cidr" placeholder:"CIDR" help:"One CIDR less; repeat for more."`
	Scopes        string   `placeholder:"SCOPE,…" help:"Scopes instead of the present ones, such as antennas:read, or all-read."`
	AddScopes     string   `placeholder:"SCOPE,…" help:"Scopes to add."`
	RemoveScopes  string   `placeholder:"SCOPE,…" help:"Scopes to take away."`
	Minute        *int     `placeholder:"N" help:"Requests a minute."`
	Day           *int     `placeholder:"N" help:"Requests a day."`
	VisitorMinute *int     `placeholder:"N" help:"BROWSER and MOBILE: requests a minute from one visitor's address; 0 for no such limit."`
	VisitorDay    *int     `placeholder:"N" help:"BROWSER and MOBILE: requests a day from one visitor's address; 0 for no such limit."`
	Expires       string   `placeholder:"TIME" help:"Until when it may call, from now: 90d, 12h; or never."`
	Partner       *bool    `negatable:"" help:"May write, where its scopes say so."`
}

// Run changes the client.
func (c *clientSet) Run(ctx context.Context, streams Streams) error {
	change, err := c.change(time.Now())
	if err != nil {
		return usageError{err}
	}
	if change.IsEmpty() {
		return usageError{errors.New("nothing to change: relais client set --help has the flags, such as --add-origin")}
	}
	command := admin.SetClient{Client: c.Client, Change: *change}
	return printAnswer(ctx, c.dataFlag, streams, command, c.JSON, func(r admin.ClientChanged) error {
		if len(r.Unconfirmed) > 0 {
			fmt.Fprintf(streams.Err, "not confirmed yet by: %s\n", strings.Join(r.Unconfirmed, ", "))
		}
		return printChanged(streams.Out, r)
	})
}

// change returns the change that the flags ask for. It reads all of them, to name every mistake at once.
func (c *clientSet) change(now time.Time) (*access.Change, error) {
	change := &access.Change{Name: c.Name, Minute: c.Minute, Day: c.Day, VisitorMinute: c.VisitorMinute,
		VisitorDay: c.VisitorDay, Partner: c.Partner}
	var errs [10]error
	change.Origins.Set, errs[0] = parseOrigins(c.Origin)
	change.Origins.Add, errs[1] = parseOrigins(c.AddOrigin)
	change.Origins.Remove, errs[2] = parseOrigins(c.RemoveOrigin)
	change.CIDRs.Set, errs[3] = parseCIDRs(c.CIDR)
	change.CIDRs.Add, errs[4] = parseCIDRs(c.AddCIDR)
	change.CIDRs.Remove, errs[5] = parseCIDRs(c.RemoveCIDR)
	change.Scopes.Set, errs[6] = parseScopes(c.Scopes)
	change.Scopes.Add, errs[7] = parseScopes(c.AddScopes)
	change.Scopes.Remove, errs[8] = parseScopes(c.RemoveScopes)
	change.Expires, errs[9] = parseEnd(c.Expires, now)
	return change, errors.Join(errs[:]...)
}

// parseOrigins parses origins, nil for no flag.
func parseOrigins(texts []string) (list []string, err error) {
	for _, text := range texts {
		origin, err := access.ParseOrigin(text)
		if err != nil {
			return nil, err
		}
		list = append(list, origin)
	}
	return list, nil
}

// parseCIDRs returns nil for no flag, and an empty list for none.
func parseCIDRs(texts []string) ([]netip.Prefix, error) {
	switch {
	case len(texts) == 0:
		return nil, nil
	case len(texts) == 1 && texts[0] == "none":
		return []netip.Prefix{}, nil
	}
	return access.ParsePrefixes(texts)
}

// parseScopes parses scopes, nil for no flag.
func parseScopes(text string) ([]access.Scope, error) {
	if text == "" {
		return nil, nil
	}
	return access.ParseScopes(text)
}

// parseEnd returns the end of a client: nil for no flag, the zero time for never.
func parseEnd(text string, now time.Time) (*time.Time, error) {
	var after days
	switch text {
	case "":
		return nil, nil
	case "never":
		return new(time.Time), nil
	}
	if err := after.UnmarshalText([]byte(text)); err != nil || after <= 0 {
		return nil, fmt.Errorf("--expires %q: want a time from now, such as 90d, or never", text)
	}
	end := now.Add(time.Duration(after)).UTC().Truncate(time.Second)
	return &end, nil
}

func printChanged(w io.Writer, r admin.ClientChanged) error {
	if len(r.Changed) == 0 {
		_, err := fmt.Fprintf(w, "%s (%s) is as it was\n", visible(r.Name, ""), r.ID)
		return err
	}
	if _, err := fmt.Fprintf(w, "%s (%s) is changed\n", visible(r.Name, ""), r.ID); err != nil {
		return err
	}
	t := newTable(w)
	for _, d := range r.Changed {
		t.row("  "+d.Member, jsonText(d.From)+" → "+jsonText(d.To))
	}
	return t.Flush()
}

// jsonText formats a value of JSON for people: nil is the end of a client that has none.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return "never"
	case string:
		return visible(v, "")
	case []any:
		texts := make([]string, len(v))
		for i, x := range v {
			texts[i] = jsonText(x)
		}
		if len(v) == 0 {
			return "none"
		}
		return strings.Join(texts, ",")
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprint(v)
}

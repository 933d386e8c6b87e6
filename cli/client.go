package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"relais/access"
	"relais/admin"
)

type clientCommand struct {
	Create clientCreate `cmd:"" help:"Make a client and its first key; secrets are shown once."`
	List   clientList   `cmd:"" help:"List the clients."`
	Show   clientShow   `cmd:"" help:"Show a client and its keys."`
	Usage  clientUsage  `cmd:"" help:"Say what is left of a client's limits."`
	Rotate clientRotate `cmd:"" help:"Give a client another key; the present ones end after the overlap."`
	Revoke clientRevoke `cmd:"" help:"End a client's keys, or one of them, at once."`
	Delete clientDelete `cmd:"" help:"Remove a client and its keys."`
	Sign   clientSign   `cmd:"" help:"Print the headers of a signed request, to find out why one is refused."`
}

// Help is shown below the commands.
func (*clientCommand) Help() string {
	return `A client is a program that may call, with its keys, scopes and limits. While a server runs, changes take effect on its next request.

Examples:
  relais client create --data DIR --name "Web map" --mode browser --origin https://map.example --scopes all-read
  relais client create --data DIR --name Backend --mode server --cidr 192.0.2.0/24 --scopes antennas:read --json
  relais client rotate --data DIR Backend --overlap 7d`
}

// call runs a command of the folder.
func call(ctx context.Context, d dataFlag, streams Streams, c admin.Command, answer any) error {
	return admin.Call(ctx, d.dir(), c, answer, slog.New(slog.NewTextHandler(streams.Err, &slog.HandlerOptions{Level: slog.LevelWarn})))
}

type clientCreate struct {
	dataFlag
	Name               string      `required:"" help:"What people call it."`
	Mode               access.Mode `required:"" placeholder:"MODE" help:"browser, server or mobile."`
	Scopes             string      `required:"" placeholder:"SCOPE,…" help:"Scopes such as antennas:read, or all-read."`
	Origin             []string    `sep:"none" placeholder:"ORIGIN" help:"BROWSER: an origin whose pages may call, such as https://map.example; repeat for more."`
	CIDR               []string    `name:"cidr" placeholder:"CIDR" help:"SERVER, and MOBILE where wanted: addresses that may call, such as 192.0.2.0/24; repeat for more."`
	RequireSignature   bool        `help:"SERVER: every request must be signed. MOBILE clients always sign."`
	RequireAttestation bool        `help:"Every request must bring a device attestation."`
	Partner            bool        `help:"May write, where its scopes say so."`
	Minute             int         `default:"60" help:"Requests a minute (${default})."`
	Day                int         `default:"10000" help:"Requests a day (${default})."`
	VisitorMinute      int         `placeholder:"N" help:"BROWSER and MOBILE: of these, requests a minute from one visitor's address (default: no such limit)."`
	VisitorDay         int         `placeholder:"N" help:"BROWSER and MOBILE: of these, requests a day from one visitor's address (default: no such limit)."`
	Expires            *days       `placeholder:"TIME" help:"Until when it may call, from now: 90d, 12h."`
	JSON               bool        `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*clientCreate) Help() string {
	return `Examples:
  relais client create --data DIR --name "Web map" --mode browser --origin https://map.example --scopes all-read
  relais client create --data DIR --name Backend --mode server --cidr 192.0.2.0/24 --cidr 2001:db8::/48 --scopes antennas:read --json
  relais client create --data DIR --name App --mode mobile --scopes antennas:read,stats:read --minute 6000 --day 500000 --visitor-minute 60 --expires 90d`
}

// Run makes the client.
func (c *clientCreate) Run(ctx context.Context, streams Streams) error {
	spec := access.Client{Name: c.Name, Mode: c.Mode, RequireSignature: c.RequireSignature, RequireAttestation: c.RequireAttestation, Partner: c.Partner,
		Limits: access.Limits{Minute: c.Minute, Day: c.Day, VisitorMinute: c.VisitorMinute, VisitorDay: c.VisitorDay}}
	var err error
	if spec.Scopes, err = access.ParseScopes(c.Scopes); err != nil {
		return usageError{err}
	}
	if spec.CIDRs, err = access.ParsePrefixes(c.CIDR); err != nil {
		return usageError{err}
	}
	for _, text := range c.Origin {
		origin, err := access.ParseOrigin(text)
		if err != nil {
			return usageError{err}
		}
		spec.Origins = append(spec.Origins, origin)
	}
	if c.Expires != nil {
		if *c.Expires <= 0 {
			return usageError{errors.New("--expires: the client would be over at once")}
		}
		end := time.Now().Add(time.Duration(*c.Expires)).UTC().Truncate(time.Second)
		spec.Expires = &end
	}
	if err := spec.CheckNew(); err != nil {
		return usageError{err}
	}
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(streams.Err, "relais: %s was not there and is made\n", c.Data)
	}
	if slices.Contains(spec.Scopes, access.PhotosWrite) && !spec.Partner {
		fmt.Fprintf(streams.Err, "relais: without --partner the client has the scope %s and may not write\n", access.PhotosWrite)
	}
	if slices.Contains(spec.Scopes, access.InternalAI) && !spec.Partner {
		fmt.Fprintf(streams.Err, "relais: without --partner the client may use the tools that read, and not those that submit\n")
	}
	var issued access.Issued
	if err := call(ctx, c.dataFlag, streams, admin.CreateClient{Client: spec}, &issued); err != nil {
		return err
	}
	if err := printIssued(streams.Out, &issued, c.JSON); err != nil || c.JSON {
		return err
	}
	return noteShared(streams.Out, &issued.Client)
}

// noteShared says that the default limits, which are for one program, are shared by all who
// visit a page or have an app.
func noteShared(w io.Writer, c *access.Client) error {
	if c.Mode == access.Server || c.Limits.Minute != access.DefaultLimits.Minute || c.Limits.Day != access.DefaultLimits.Day {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nAll its visitors share %d requests a minute and %d a day. Create it with --minute and --day for more, and with\n"+
		"--visitor-minute and --visitor-day to bound what one visitor's address may use of them.\n", c.Limits.Minute, c.Limits.Day)
	return err
}

func printIssued(w io.Writer, i *access.Issued, asJSON bool) error {
	if asJSON {
		return printJSON(w, i)
	}
	fmt.Fprintf(w, "%s (%s, %s)\n\n  API key         %s\n", i.Name, i.Mode, i.ID, i.APIKey)
	if i.SigningSecret != "" {
		fmt.Fprintf(w, "  signing secret  %s\n", i.SigningSecret)
	}
	_, err := fmt.Fprintln(w, "\nKeep them now: they are not shown again.")
	return err
}

type clientList struct {
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the flags.
func (*clientList) Help() string {
	return `Example:
  relais client list --data DIR --json`
}

// Run lists the clients.
func (c *clientList) Run(ctx context.Context, streams Streams) error {
	var list []*access.Client
	if err := call(ctx, c.dataFlag, streams, admin.ListClients{}, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, map[string]any{"clients": list})
	}
	t := newTable(streams.Out, "ID", "NAME", "MODE", "SCOPES", "MINUTE", "DAY", "VISITOR MINUTE", "VISITOR DAY", "LIVE KEYS", "EXPIRES", "LAST USED")
	for _, x := range list {
		used := ""
		for _, k := range x.Keys {
			if k.LastUsed != nil {
				used = max(used, k.LastUsed.Format(time.RFC3339))
			}
		}
		t.row(x.ID, x.Name, x.Mode, join(x.Scopes), x.Limits.Minute, x.Limits.Day,
			visitorLimit(x.Limits.VisitorMinute), visitorLimit(x.Limits.VisitorDay), x.LiveKeys(time.Now()), moment(x.Expires), used)
	}
	return t.Flush()
}

func join[S ~string](list []S) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return strings.Join(texts, ",")
}

// oneClient are the flags of commands on one client.
type oneClient struct {
	dataFlag
	Client string `arg:"" name:"client" help:"Id or name of the client."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

type clientShow struct{ oneClient }

// Help is shown below the flags.
func (*clientShow) Help() string {
	return `Example:
  relais client show --data DIR Backend`
}

// Run shows the client.
func (c *clientShow) Run(ctx context.Context, streams Streams) error {
	var x access.Client
	if err := call(ctx, c.dataFlag, streams, admin.ShowClient{Client: c.Client}, &x); err != nil {
		return err
	}
	return printClient(streams.Out, &x, c.JSON)
}

func printClient(w io.Writer, x *access.Client, asJSON bool) error {
	if asJSON {
		return printJSON(w, x)
	}
	t := newTable(w)
	t.row("id", x.ID)
	t.row("name", x.Name)
	t.row("mode", x.Mode)
	t.row("scopes", join(x.Scopes))
	t.row("origins", strings.Join(x.Origins, ","))
	t.row("CIDRs", x.CIDRs)
	t.row("limits", fmt.Sprintf("%d a minute, %d a day", x.Limits.Minute, x.Limits.Day))
	t.row("limits of a visitor", fmt.Sprintf("%s a minute, %s a day", visitorLimit(x.Limits.VisitorMinute), visitorLimit(x.Limits.VisitorDay)))
	t.row("signs", x.Signs())
	t.row("attestation", x.RequireAttestation)
	t.row("partner", x.Partner)
	t.row("created", x.Created.Format(time.RFC3339))
	t.row("expires", moment(x.Expires))
	for _, k := range x.Keys {
		t.row("key", fmt.Sprintf("rk_%s_…  created %s  expires %s  revoked %s  last used %s", k.Prefix, k.Created.Format(time.RFC3339), moment(k.Expires), moment(k.Revoked), moment(k.LastUsed)))
	}
	return t.Flush()
}

// visitorLimit is a limit of visitors as people read it.
func visitorLimit(limit int) string {
	if limit == 0 {
		return "any"
	}
	return strconv.Itoa(limit)
}

func moment(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.RFC3339)
}

type clientUsage struct{ oneClient }

// Help is shown below the flags.
func (*clientUsage) Help() string {
	return `Example:
  relais client usage --data DIR Backend`
}

// Run says what is left.
func (c *clientUsage) Run(ctx context.Context, streams Streams) error {
	var u admin.ClientUsage
	if err := call(ctx, c.dataFlag, streams, admin.UsageOfClient{Client: c.Client}, &u); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(streams.Out, u)
	}
	_, err := fmt.Fprintf(streams.Out, "%s (%s)\nminute  %d of %d left until %s\nday     %d of %d left until %s\n", u.Name, u.ID,
		u.Minute.Remaining, u.Minute.Limit, u.Minute.Reset.UTC().Format(time.RFC3339), u.Day.Remaining, u.Day.Limit, u.Day.Reset.UTC().Format(time.RFC3339))
	return err
}

type clientRotate struct {
	oneClient
	Overlap days `default:"1d" help:"How long the present keys go on (${default}); 0 ends them at once."`
}

// Help is shown below the flags.
func (*clientRotate) Help() string {
	return `The signing secret stays: for another one, make another client and delete this one.

Examples:
  relais client rotate --data DIR Backend --overlap 7d
  relais client rotate --data DIR Backend --overlap 0s --json`
}

// Run gives the client another key.
func (c *clientRotate) Run(ctx context.Context, streams Streams) error {
	var issued access.Issued
	if err := call(ctx, c.dataFlag, streams, admin.RotateClient{Client: c.Client, Overlap: time.Duration(c.Overlap)}, &issued); err != nil {
		return err
	}
	return printIssued(streams.Out, &issued, c.JSON)
}

type clientRevoke struct {
	oneClient
	// RELAIS_KEY is a key to sign with, and must not narrow what is revoked.
	Key string `env:"-" placeholder:"PREFIX" help:"Only the key with this public prefix, the part between rk_ and the second underscore; the whole key does as well."`
}

// Help is shown below the flags.
func (*clientRevoke) Help() string {
	return `Examples:
  relais client revoke --data DIR Backend
  relais client revoke --data DIR Backend --key 0123456789ab`
}

// Run ends keys.
func (c *clientRevoke) Run(ctx context.Context, streams Streams) error {
	var x access.Client
	if err := call(ctx, c.dataFlag, streams, admin.RevokeClient{Client: c.Client, Key: access.Prefix(c.Key)}, &x); err != nil {
		return err
	}
	return printClient(streams.Out, &x, c.JSON)
}

type clientDelete struct{ oneClient }

// Help is shown below the flags.
func (*clientDelete) Help() string {
	return `Example:
  relais client delete --data DIR Backend`
}

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

type clientSign struct {
	Secret string   `required:"" help:"The client's signing secret; in RELAIS_SECRET other users of the machine do not see it."`
	Key    string   `help:"The client's API key; printed as the header Authorization."`
	Body   *os.File `placeholder:"FILE" help:"The body of the request; - is standard input."`
	JSON   bool     `name:"json" help:"Print one JSON object."`
	Method string   `arg:"" help:"GET, POST …"`
	URL    *url.URL `arg:"" name:"url" help:"The URL that is asked for; its query is not signed."`
}

// Help is shown below the flags.
func (*clientSign) Help() string {
	return `Example:
  relais client sign --key rk_… --secret … GET http://127.0.0.1:8080/external/v1/antennas | curl -H @- http://127.0.0.1:8080/external/v1/antennas`
}

// Validate refuses what no client could ask for.
func (c *clientSign) Validate() error {
	switch {
	case c.Secret == "":
		return errors.New("--secret: it is empty")
	case c.Method == "" || strings.Trim(strings.ToUpper(c.Method), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return fmt.Errorf("%q is no method, such as GET", c.Method)
	case c.URL.Scheme != "http" && c.URL.Scheme != "https" || c.URL.Host == "":
		return fmt.Errorf("%q is no URL, such as https://antennas.example/external/v1/antennas", c.URL)
	}
	return nil
}

// Run prints the headers.
func (c *clientSign) Run(streams Streams) error {
	sum := access.EmptyBody
	if c.Body != nil {
		h := sha256.New()
		if _, err := io.Copy(h, c.Body); err != nil {
			return err
		}
		sum = [sha256.Size]byte(h.Sum(nil))
	}
	headers := [][2]string{{"X-Sq-Signature", access.Sign(c.Secret, time.Now(), c.Method, cmp.Or(access.SentPath(c.URL), "/"), sum)}}
	if c.Key != "" {
		headers = slices.Insert(headers, 0, [2]string{"Authorization", "Bearer " + c.Key})
	}
	if c.JSON {
		object := map[string]string{}
		for _, h := range headers {
			object[h[0]] = h[1]
		}
		return printJSON(streams.Out, object)
	}
	for _, h := range headers {
		if _, err := fmt.Fprintf(streams.Out, "%s: %s\n", h[0], h[1]); err != nil {
			return err
		}
	}
	return nil
}

// days is a time such as 90d, 12h or 30m.
type days time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *days) UnmarshalText(b []byte) error {
	text := string(b)
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 0 || count > 36500 {
			return fmt.Errorf("%q is no number of days, such as 90d", text)
		}
		*d = days(time.Duration(count) * 24 * time.Hour)
		return nil
	}
	t, err := time.ParseDuration(text)
	if err != nil || t < 0 {
		return fmt.Errorf("%q is no time, such as 90d, 12h or 30m", text)
	}
	*d = days(t)
	return nil
}

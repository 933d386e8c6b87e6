// Package cli is the command line: it parses flags, runs one operation of the
// packages below and prints the outcome. It also builds a server from its parts.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"relais/admin"
	"relais/auth/access"
	"relais/ingest"
	"relais/internal/folder"
	"relais/market"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Streams are the outputs of a command: results go to Out, progress and errors to
// Err.
type Streams struct{ Out, Err io.Writer }

// commands declares the subcommands; each is in its own file.
type commands struct {
	Demo       demoCommand       `cmd:"" help:"Make a synthetic country and serve it: the first thing to try."`
	Serve      serveCommand      `cmd:"" help:"Serve the API from a data folder."`
	Ingest     ingestCommand     `cmd:"" help:"Read authority files once and write each market's snapshot."`
	Update     updateCommand     `cmd:"" help:"Download the authorities' current files, then ingest them."`
	Client     clientCommand     `cmd:"" help:"Who may call: clients, keys, limits."`
	User       userCommand       `cmd:"" help:"Who may sign in: accounts of people."`
	Photo      photoCommand      `cmd:"" help:"Photos of sites: list, approve, hide, show, delete."`
	Report     reportCommand     `cmd:"" help:"Reports of clients about photos: list, accept, dismiss, reopen."`
	Audit      auditCommand      `cmd:"" help:"What moderators decided: who, when, what, why."`
	Outage     outageCommand     `cmd:"" help:"Outages: what operators publish, what people report."`
	Bug        bugCommand        `cmd:"" help:"Bugs that people filed: list, close."`
	Hook       hookCommand       `cmd:"" help:"Webhooks: who is told what happens, and how that goes."`
	Archive    archiveCommand    `cmd:"" help:"Dated publications of the ANFR's observatoire: add, list."`
	Export     exportCommand     `cmd:"" help:"Write the sites of a market to a file: CSV, GeoJSON, Parquet, KMZ."`
	Backup     backupCommand     `cmd:"" help:"Copy the data folder, while it is served or not."`
	Restore    restoreCommand    `cmd:"" help:"Copy a backup into an empty data folder."`
	Pack       packCommand       `cmd:"" help:"Make a stick for an area: its data, and programs that show the map on any laptop."`
	Open       openCommand       `cmd:"" help:"Show the map of a stick: serve it to this machine alone, and open a browser."`
	Basemap    basemapCommand    `cmd:"" help:"Fetch streets for the map: an area of a PMTiles archive, by ranges."`
	Check      checkCommand      `cmd:"" help:"Read and verify everything in the data folder; fails when something is wrong."`
	Doctor     doctorCommand     `cmd:"" help:"List problems of the folder, the machine and the server, with their remedies."`
	Compact    compactCommand    `cmd:"" help:"Rewrite the stores without what was deleted, while they are served or not."`
	Cluster    clusterCommand    `cmd:"" help:"Several servers as one: make a cluster, look at it, leave it."`
	Snapshot   snapshotCommand   `cmd:"" help:"Look at the snapshots of a data folder."`
	Health     healthCommand     `cmd:"" help:"Ask whether a server answers: for containers and monitoring."`
	Licences   licencesCommand   `cmd:"" help:"Print the licences of everything that is in this program."`
	Version    versionCommand    `cmd:"" help:"Print the version of this program, or its bill of materials."`
	Completion completionCommand `cmd:"" help:"Print a script with which a shell completes commands and options."`
	Man        manCommand        `cmd:"" help:"Print the page of the manual."`
	Help       helpCommand       `cmd:"" help:"Print the help of a command."`
	Worker     workerCommand     `cmd:"" hidden:"" name:"photo-worker"`
	Complete   completeCommand   `cmd:"" hidden:"" name:"complete-words"`
	Speedtest  speedtestCommand  `cmd:"" help:"Speedtests that people measured: import."`
	Coverage   coverageCommand   `cmd:"" help:"Coverage points that people measured, and official coverage maps: import."`
}

const description = `The national registers of mobile-network antennas as a fast public API, from one folder.

Start with:
  relais demo
  relais ingest --data DIR FR,DROM observatoire.csv SUP_tables.zip
  relais serve --data DIR

Every flag can be an environment variable: --data is RELAIS_DATA. relais help COMMAND, or COMMAND --help,
has the flags and examples.`

// Main runs the command line and returns the exit code. A program without arguments shows the stick that it is on.
func Main(ctx context.Context, args []string, streams Streams) int {
	if len(args) == 0 {
		return doubleClicked(ctx, streams)
	}
	return parseAndRun(ctx, args, streams)
}

func parseAndRun(ctx context.Context, args []string, streams Streams) int {
	var c commands
	exit := -1
	parser, err := kong.New(&c, kong.Name("relais"), kong.Description(description),
		kong.Writers(streams.Out, streams.Err), kong.Exit(func(code int) { exit = code }),
		kong.DefaultEnvars("RELAIS"), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(streams))
	if err == nil {
		err = describe(parser.Model)
	}
	if err != nil {
		fmt.Fprintln(streams.Err, "relais:", err)
		return exitFailed
	}
	groupCommands(parser.Model)
	k, err := parser.Parse(expandAliases(args))
	if exit >= 0 { // --help: kong printed it, and asked to exit
		return exit
	}
	if err != nil {
		return streams.misuse(err)
	}
	return exitCode(adviseOwner(dataOf(k), k.Run(), streams.Err, k.Command() != "doctor"), streams)
}

// adviseOwner adds a remedy to an error about permissions. If look is true, it also warns when a command that
// root ran has left files of root in the folder of another user: the server of that user could not write them.
func adviseOwner(dir folder.Dir, err error, say io.Writer, look bool) error {
	// A store of another user's folder is opened read-only, without an error. A change of it then fails for
	// want of permission, which OwnerAdvice looks for.
	if errors.Is(err, access.ErrReadOnly) && !dir.IsPack() && !errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: %w", err, fs.ErrPermission)
	}
	if owner, mine := dir.Owner(); look && dir != "" && !mine && os.Geteuid() == 0 {
		if path, root, command := dir.Foreign(); path != "" {
			fmt.Fprintf(say, "relais: %s belongs to %s, and the folder to %s, who may not be able to use it; mend it "+
				"with: %s\n", path, root, owner, command)
		}
	}
	return dir.OwnerAdvice(err)
}

// dataOf returns the data folder of a command, or "". The commands have their own types, with the flag at
// different depths.
func dataOf(k *kong.Context) folder.Dir {
	for _, f := range k.Flags() {
		if f.Name == "data" {
			return folder.Dir(f.Target.String())
		}
	}
	return ""
}

// A usageError is a wrong use that the flag parser cannot detect.
type usageError struct{ error }

// exitCode prints an error and returns the exit code: 2 for wrong use, so that scripts can tell it from a
// failure.
func exitCode(err error, streams Streams) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(streams.Err, "relais: stopped; the folder is as it was")
		return exitFailed
	}
	fmt.Fprintf(streams.Err, "relais: %s\n", visible(err.Error(), "\n"))
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// visible escapes characters that a terminal would obey instead of printing, such as an escape sequence in a
// name of an authority's file. The characters in keep stay.
func visible(text, keep string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		part := text[:n]
		text = text[n:]
		if invalid := r == utf8.RuneError && n == 1; (invalid || !strconv.IsGraphic(r)) &&
			!strings.Contains(keep, part) {
			part = strings.Trim(strconv.Quote(part), `"`)
		}
		b.WriteString(part)
	}
	return b.String()
}

// dataFlag is the data folder, a flag of most commands.
type dataFlag struct {
	Data string `required:"" placeholder:"DIR" help:"The data folder."`
}

func (d dataFlag) dir() folder.Dir { return folder.Dir(d.Data) }

// Validate refuses an empty name, which kong takes for a given one. As a path it would be the working
// directory.
func (d dataFlag) Validate() error {
	if d.Data == "" {
		return errors.New("--data: no folder named")
	}
	return nil
}

// folderFlags are the flags of commands that print something of a folder.
type folderFlags struct {
	dataFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// A marketList is MARKET[,MARKET].
type marketList []market.Code

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *marketList) UnmarshalText(b []byte) error {
	*l = nil
	for _, name := range strings.Split(string(b), ",") {
		var c market.Code
		if err := c.UnmarshalText([]byte(strings.TrimSpace(name))); err != nil {
			return notMarket(name, err)
		}
		*l = append(*l, c)
	}
	return nil
}

// notMarket returns the error for a text that is not a market. It often is the name of a file, because
// the market was left out or comes after the files: then the error has the right command.
func notMarket(text string, err error) error {
	var kind string
	var markets []market.Code
	info, missing := os.Stat(text)
	if missing == nil && info.Mode().IsRegular() {
		kind, markets, _ = ingest.Recognise(text)
	}
	switch {
	case kind != "":
		return fmt.Errorf("%q is not a market: it is the %s of %s, and files come after the market: "+
			"relais ingest --data DIR %s %s", text, kind, join(markets), join(markets), text)
	case missing == nil || strings.ContainsAny(text, `./\`):
		return fmt.Errorf("%q is not a market, which comes before the files: relais ingest --data DIR FR,DROM FILE…; "+
			"want %w", text, err)
	}
	return fmt.Errorf("%q is not a market: want %w", text, err)
}

// days is a duration such as 90d, 12h or 30m. time.ParseDuration has no days.
type days time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *days) UnmarshalText(b []byte) error {
	text := string(b)
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 0 || count > 36500 {
			return fmt.Errorf("%q is not a number of days, such as 90d", text)
		}
		*d = days(time.Duration(count) * 24 * time.Hour)
		return nil
	}
	t, err := time.ParseDuration(text)
	if err != nil || t < 0 {
		return fmt.Errorf("%q is not a time, such as 90d, 12h or 30m", text)
	}
	*d = days(t)
	return nil
}

// printJSON writes one JSON object for scripts, with & and < as they are: nothing puts it into HTML.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// warnings returns a log of warnings and errors.
func (s Streams) warnings() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// call has the folder's server run a command, or runs it here if no server has the folder. Only one
// process may have its stores open.
func call(ctx context.Context, d dataFlag, streams Streams, c admin.Command, answer any) error {
	return admin.Call(ctx, d.dir(), c, answer, streams.warnings())
}

// printAnswer runs a command as call does, and prints the answer: as JSON, or with text.
func printAnswer[T any](ctx context.Context, d dataFlag, streams Streams, c admin.Command, asJSON bool,
	text func(T) error) error {
	var answer T
	if err := call(ctx, d, streams, c, &answer); err != nil {
		return err
	}
	if asJSON {
		return printJSON(streams.Out, answer)
	}
	return text(answer)
}

// printAnswerList is printAnswer for a list, which is the member name of the JSON object.
func printAnswerList[T any](ctx context.Context, d dataFlag, streams Streams, c admin.Command, asJSON bool,
	name string, text func([]T) error) error {
	var list []T
	if err := call(ctx, d, streams, c, &list); err != nil {
		return err
	}
	if asJSON {
		return printJSON(streams.Out, map[string]any{name: list})
	}
	return text(list)
}

package cli

import (
	_ "embed" // help.txt
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// groups are the commands by their use, in the order of the help.
var groups = []struct {
	title    string
	commands []string
}{
	{"Try and run:", []string{"demo", "serve", "open", "health"}},
	{"Data:", []string{"update", "ingest", "basemap", "archive", "outage", "speedtest", "coverage", "snapshot", "export", "pack"}},
	{"Clients and webhooks:", []string{"client", "hook"}},
	{"People and what they submit:", []string{"user", "photo", "report", "bug", "audit"}},
	{"Upkeep:", []string{"doctor", "check", "backup", "restore", "compact", "cluster"}},
	{"This program:", []string{"help", "version", "licences", "completion", "man"}},
}

// helpTexts has the texts below the flags of commands: sections that begin with "# COMMAND, COMMAND".
//
//go:embed help.txt
var helpTexts string

// describe adds the texts of commands. A name that is not a command's is an error in help.txt.
func describe(app *kong.Application) error {
	for section := range strings.SplitSeq(strings.TrimPrefix(helpTexts, "# "), "\n# ") {
		names, text, _ := strings.Cut(section, "\n")
		for name := range strings.SplitSeq(names, ", ") {
			n := app.Node
			for word := range strings.SplitSeq(name, " ") {
				at := slices.IndexFunc(n.Children, func(n *kong.Node) bool { return n.Name == word })
				if at < 0 {
					return fmt.Errorf("help.txt: %q is not a command", name)
				}
				n = n.Children[at]
			}
			n.Detail = strings.TrimSpace(text)
		}
	}
	return nil
}

// groupCommands puts the commands of the help in order.
func groupCommands(app *kong.Application) {
	order := map[string]int{}
	for i, g := range groups {
		for _, name := range g.commands {
			order[name] = len(order)
			if at := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == name }); at >= 0 {
				app.Children[at].Group = &kong.Group{Key: fmt.Sprint(i), Title: g.title}
			}
		}
	}
	for _, n := range app.Children {
		if n.Hidden { // a group of hidden commands alone would be shown, empty
			n.Group = &kong.Group{Key: "0", Title: groups[0].title}
		}
		for _, child := range n.Children { // else they have their parent's
			child.Group = &kong.Group{Key: "commands", Title: "Commands:"}
		}
	}
	slices.SortStableFunc(app.Children, func(a, b *kong.Node) int { return order[a.Name] - order[b.Name] })
}

// helpCommand is in the list of commands only: Main reads it as COMMAND --help.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command, such as client create."`
}

// Run is never called.
func (*helpCommand) Run() error { return errors.New("relais help stands before the command") }

// expandAliases replaces spellings that people know from other programs: help COMMAND, --version, and health --url.
func expandAliases(args []string) []string {
	switch {
	case len(args) == 0:
	case args[0] == "--version" || args[0] == "-v" || args[0] == "-V":
		return append([]string{"version"}, args[1:]...)
	case args[0] == "health":
		args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--url" })
		for i, arg := range args {
			args[i] = strings.TrimPrefix(arg, "--url=")
		}
	case args[0] == "help" && !slices.Contains(args, "--help"):
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// misuse prints the mistake in the flags and arguments, and returns the exit code. For a command that
// lacks its subcommand it prints the help.
func (s Streams) misuse(err error) int {
	parse, ok := errors.AsType[*kong.ParseError](err)
	// kong has no type for a missing subcommand.
	if ok && strings.HasPrefix(err.Error(), "expected one of ") {
		if err := parse.Context.PrintUsage(false); err != nil {
			return exitFailed
		}
		return exitUsage
	}
	fmt.Fprintf(s.Err, "relais: %s\n", visible(err.Error(), "\n"))
	if !ok {
		return exitUsage
	}
	path := "relais"
	if node := parse.Context.Selected(); node != nil {
		path = node.FullPath()
		if _, examples, ok := strings.Cut(node.Detail, "Example"); ok {
			fmt.Fprintf(s.Err, "Example%s\n", examples)
		}
	}
	fmt.Fprintf(s.Err, "Run %s --help for usage.\n", path)
	return exitUsage
}

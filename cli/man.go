package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

type manCommand struct{}

// Run prints the page.
func (*manCommand) Run(app *kong.Kong, streams Streams) error {
	b := &strings.Builder{}
	manPage(b, app.Model)
	_, err := io.WriteString(streams.Out, b.String())
	return err
}

// manDate is the date of the commands, not of the build: a build must not differ from day to day.
const manDate = "November 23, 2026"

// manPage writes the page of the manual in mdoc. It is made of the commands, so that it cannot lag behind
// them.
func manPage(b io.Writer, app *kong.Application) {
	fmt.Fprintf(b, ".Dd %s\n.Dt RELAIS 1\n.Os\n.Sh NAME\n.Nm relais\n.Nd the national registers of mobile-network "+
		"antennas as an API\n.Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar options\n.Sh DESCRIPTION\n", manDate)
	roffText(b, description)
	for _, g := range groups {
		fmt.Fprintf(b, ".Sh %s\n", strings.ToUpper(strings.TrimSuffix(g.title, ":")))
		for _, n := range app.Children {
			if n.Group != nil && n.Group.Title == g.title && !n.Hidden {
				manCommandText(b, "relais", n)
			}
		}
	}
	fmt.Fprint(b, `.Sh ENVIRONMENT
Every option can be a variable:
.Ev RELAIS_DATA
is
.Fl Fl data ,
and
.Ev RELAIS_BASE_URL
is
.Fl Fl base-url .
.Ev TMPDIR
and
.Ev GOMEMLIMIT
are read as usual.
.Sh EXIT STATUS
0 is done, 1 is failed, 2 is wrong use.
`)
}

// manCommandText writes a command of parent, and those below it.
func manCommandText(b io.Writer, parent string, n *kong.Node) {
	path := parent + " " + n.Name
	fmt.Fprintf(b, ".Ss %s\n", roff(path))
	roffText(b, n.Help)
	if n.Detail != "" {
		fmt.Fprint(b, ".Pp\n")
		roffText(b, n.Detail)
	}
	if len(n.Positional)+len(n.Flags) > 0 {
		manOptions(b, n)
	}
	for _, child := range n.Children {
		if !child.Hidden {
			manCommandText(b, path, child)
		}
	}
}

func manOptions(b io.Writer, n *kong.Node) {
	fmt.Fprint(b, ".Bl -tag -width Ds\n")
	for _, p := range n.Positional {
		fmt.Fprintf(b, ".It Ar %s\n", roff(p.Name))
		roffText(b, p.Help)
	}
	for _, f := range n.Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		name := f.Name
		if f.Negated || f.Tag.Negatable != "" {
			name = "[no-]" + name
		}
		fmt.Fprintf(b, ".It Fl Fl %s", roff(name))
		if !f.IsBool() {
			fmt.Fprintf(b, " Ar %s", roff(f.FormatPlaceHolder()))
		}
		fmt.Fprintln(b)
		roffText(b, f.Help)
	}
	fmt.Fprint(b, ".El\n")
}

var sentenceEnd = regexp.MustCompile(`([.!?][)"]*) +`)

// roffText writes a text of the help: lines that are indented stand as they are.
func roffText(b io.Writer, text string) {
	literal, paragraph := false, false // paragraph: it begins with the next line
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		if paragraph && !indented && line != "" {
			fmt.Fprint(b, ".Pp\n")
		}
		paragraph = line == "" && !indented
		switch {
		case indented && !literal:
			fmt.Fprint(b, ".Bd -literal\n")
		case !indented && literal:
			fmt.Fprint(b, ".Ed\n")
		}
		literal = indented
		switch {
		case line == "":
		case literal:
			fmt.Fprintln(b, roff(line))
		default: // mdoc wants each sentence on a line of its own
			fmt.Fprintln(b, sentenceEnd.ReplaceAllString(roff(line), "$1\n"))
		}
	}
	if literal {
		fmt.Fprint(b, ".Ed\n")
	}
}

// roff escapes a line of text: the backslash and the hyphen, which roff would print as another sign, and a
// dot or quote at the beginning, which would make the line a request.
func roff(line string) string {
	line = strings.ReplaceAll(line, `\`, `\e`)
	line = strings.ReplaceAll(line, "-", `\-`)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}

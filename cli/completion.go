package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed completion
var completionScripts embed.FS

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script.
func (c *completionCommand) Run(streams Streams) error {
	text, err := completionScripts.ReadFile("completion/relais." + c.Shell)
	if err != nil {
		return err
	}
	_, err = streams.Out.Write(text)
	return err
}

// completeCommand prints the candidates for the last of the words. The scripts call it, so that they
// need not know the commands and never lag behind the program.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints a line for each candidate, with its help after a tab.
func (c *completeCommand) Run(app *kong.Kong, streams Streams) error {
	for _, line := range candidates(app.Model.Node, c.Words) {
		if _, err := fmt.Fprintln(streams.Out, line); err != nil {
			return err
		}
	}
	return nil
}

// candidates returns the lines that the shell offers, or ":files" for the names of files.
func candidates(app *kong.Node, words []string) (list []string) {
	// preceding are the words before the one that is being typed.
	preceding, last, prefix := slices.Clone(words), "", ""
	if n := len(words); n > 0 {
		preceding, last = preceding[:n-1], words[n-1]
	}
	if option, _, ok := strings.Cut(last, "="); ok && option != "" {
		preceding, prefix = append(preceding, option), option+"="
	}
	preceding = slices.DeleteFunc(preceding, func(w string) bool { return w == "=" }) // a word of its own in bash
	node := commandOf(app, preceding)
	options := slices.Concat(node.AllFlags(true)...)
	if n := len(preceding); n > 0 {
		at := slices.IndexFunc(options, func(f *kong.Flag) bool { return "--"+f.Name == preceding[n-1] })
		if at >= 0 && !options[at].IsBool() {
			return valuesOf(options[at], prefix)
		}
	}
	if strings.HasPrefix(last, "-") {
		for _, f := range options {
			list = append(list, "--"+f.Name+"\t"+f.Help)
		}
		return list
	}
	for _, child := range node.Children {
		if !child.Hidden {
			list = append(list, child.Name+"\t"+child.Help)
		}
	}
	for _, p := range node.Positional {
		list = append(list, enumOf(p)...)
	}
	if list == nil {
		return []string{":files"}
	}
	return list
}

// commandOf returns the command that the words name. It passes over the word help: "help client" completes as
// "client" does.
func commandOf(app *kong.Node, words []string) *kong.Node {
	node := app
	for _, w := range words {
		at := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == w && w != "help" })
		if at >= 0 {
			node = node.Children[at]
		}
	}
	return node
}

// valuesOf returns the values that an option takes, each after prefix. An option that takes anything has none.
func valuesOf(f *kong.Flag, prefix string) (list []string) {
	if slices.Contains([]string{"DIR", "FILE", "COPY"}, f.PlaceHolder) {
		return []string{":files"}
	}
	for _, v := range enumOf(f.Value) {
		list = append(list, prefix+v)
	}
	return list
}

func enumOf(v *kong.Value) []string {
	return slices.DeleteFunc(v.EnumSlice(), func(text string) bool { return text == "" })
}

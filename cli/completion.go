package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown below the flags.
func (*completionCommand) Help() string {
	return `Prints a script with which the shell completes commands, options and their values.

Examples:
  source <(relais completion bash)
  relais completion bash | sudo tee /usr/share/bash-completion/completions/relais
  relais completion zsh > "${fpath[1]}/_relais"
  relais completion fish > ~/.config/fish/completions/relais.fish`
}

// Run prints the script.
func (c *completionCommand) Run(app *kong.Kong, streams Streams) error {
	scripts := map[string]func(io.Writer, []completion){"bash": bashCompletion, "zsh": zshCompletion,
		"fish": fishCompletion}
	b := &strings.Builder{}
	scripts[c.Shell](b, completions(app.Model.Node))
	_, err := io.WriteString(streams.Out, b.String())
	return err
}

// A completion is what may follow a command.
type completion struct {
	path  string // "", "client", "client create"
	words []completionWord
}

// A completionWord is a command, an option or a value of the argument. An option with a value takes one of
// values, a file or a folder, or anything.
type completionWord struct {
	text, help string
	takes      bool
	values     []string
	files      bool
}

// completions lists the commands below a node, the node itself first.
func completions(n *kong.Node) (list []completion) {
	c := completion{path: commandPath(n)}
	for _, child := range n.Children {
		if !child.Hidden {
			c.words = append(c.words, completionWord{text: child.Name, help: child.Help})
		}
	}
	for _, p := range n.Positional {
		for _, v := range enumOf(p) {
			c.words = append(c.words, completionWord{text: v, help: p.Help})
		}
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			w := completionWord{text: "--" + f.Name, help: f.Help, takes: !f.IsBool(), values: enumOf(f.Value)}
			w.files = w.takes && (f.PlaceHolder == "DIR" || f.PlaceHolder == "FILE" || f.PlaceHolder == "COPY")
			c.words = append(c.words, w)
		}
	}
	list = append(list, c)
	for _, child := range n.Children {
		if !child.Hidden {
			list = append(list, completions(child)...)
		}
	}
	if n.Type == kong.ApplicationNode { // help takes what relais takes
		for i := range list {
			if list[i].path == "help" {
				list[i].words = slices.Clone(c.words)
			}
		}
	}
	return list
}

// commandPath returns the words of a command after the name of the program.
func commandPath(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimSpace(commandPath(n.Parent) + " " + n.Name)
}

func enumOf(v *kong.Value) (list []string) {
	for _, text := range v.EnumSlice() {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// words joins the texts of words that want selects.
func wordsOf(c completion, want func(w completionWord) bool) string {
	var list []string
	for _, w := range c.words {
		if want(w) {
			list = append(list, w.text)
		}
	}
	return strings.Join(list, " ")
}

func isOption(w completionWord) bool { return strings.HasPrefix(w.text, "--") }

// bashCompletion writes a function for bash 4 and newer, which needs no other package.
func bashCompletion(b io.Writer, list []completion) {
	fmt.Fprint(b, `# bash completion of relais
_relais() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= word i words= options= taking= files=0
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case " $(_relais_words "$path") " in
		*" $word "*) case $word in -*) ;; *) path="${path:+$path }$word" ;; esac ;;
		esac
	done
	# --option=value comes as three words
	if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
	case "$path:$prev" in
`)
	for _, c := range list {
		for _, w := range c.words {
			switch {
			case !w.takes:
			case w.files:
				fmt.Fprintf(b, "\t%q) COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames 2>/dev/null; return ;;\n",
					c.path+":"+w.text)
			default:
				fmt.Fprintf(b, "\t%q) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", c.path+":"+w.text,
					strings.Join(w.values, " "))
			}
		}
	}
	fmt.Fprint(b, `	esac
	words=$(_relais_words "$path")
	case $cur in
	-*) COMPREPLY=($(compgen -W "$(_relais_options "$path")" -- "$cur")) ;;
	*)
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		if [[ -z $words ]]; then COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null; fi
		;;
	esac
}
_relais_words() {
	case $1 in
`)
	for _, c := range list {
		fmt.Fprintf(b, "\t%q) echo %q ;;\n", c.path, wordsOf(c, func(w completionWord) bool { return !isOption(w) }))
	}
	fmt.Fprint(b, "\tesac\n}\n_relais_options() {\n\tcase $1 in\n")
	for _, c := range list {
		fmt.Fprintf(b, "\t%q) echo %q ;;\n", c.path, wordsOf(c, isOption))
	}
	fmt.Fprint(b, "\tesac\n}\ncomplete -F _relais relais\n")
}

// zshCompletion writes a function for compsys.
func zshCompletion(b io.Writer, list []completion) {
	fmt.Fprint(b, `#compdef relais
# zsh completion of relais
_relais() {
	local path= word prev=${words[CURRENT-1]} cur=${words[CURRENT]}
	local -a known=() commands=() options=()
	integer i
	for ((i = 2; i < CURRENT; i++)); do
		word=${words[i]}
		_relais_known "$path"
		if [[ $word != -* && -n ${known[(r)$word]} ]]; then path="${path:+$path }$word"; fi
	done
	if [[ $cur == --*=* ]]; then prev=${cur%%=*}; compset -P '*='; fi
	case "$path:$prev" in
`)
	for _, c := range list {
		for _, w := range c.words {
			switch {
			case !w.takes:
			case w.files:
				fmt.Fprintf(b, "\t%s) _files; return ;;\n", shellQuote(c.path+":"+w.text))
			case len(w.values) > 0:
				fmt.Fprintf(b, "\t%s) compadd -- %s; return ;;\n", shellQuote(c.path+":"+w.text), strings.Join(w.values, " "))
			default:
				fmt.Fprintf(b, "\t%s) _message value; return ;;\n", shellQuote(c.path+":"+w.text))
			}
		}
	}
	fmt.Fprint(b, "\tesac\n\tcase $path in\n")
	for _, c := range list {
		fmt.Fprintf(b, "\t%s)", shellQuote(c.path))
		for _, w := range c.words {
			array := "commands"
			if isOption(w) {
				array = "options"
			}
			fmt.Fprintf(b, "\n\t\t%s+=(%s)", array, shellQuote(w.text+":"+w.help))
		}
		fmt.Fprint(b, " ;;\n")
	}
	fmt.Fprint(b, `	esac
	if [[ $cur == -* ]]; then _describe option options; return; fi
	if (( $#commands )); then _describe command commands; else _files; fi
}
_relais_known() {
	case $1 in
`)
	for _, c := range list {
		fmt.Fprintf(b, "\t%s) known=(%s) ;;\n", shellQuote(c.path),
			wordsOf(c, func(w completionWord) bool { return !isOption(w) }))
	}
	fmt.Fprint(b, "\tesac\n}\nif [[ $funcstack[1] == _relais ]]; then _relais \"$@\"; else compdef _relais relais; fi\n")
}

// fishCompletion writes one line for each word.
func fishCompletion(b io.Writer, list []completion) {
	fmt.Fprint(b, `# fish completion of relais
function __relais_at
	set -l words (commandline -opc)
	set -e words[1]
	set -l path
	for word in $words
		set -l next $path $word
		if contains -- "$next" $__relais_paths
			set path $next
		end
	end
	test "$path" = "$argv[1]"
end
`)
	fmt.Fprint(b, "set -g __relais_paths")
	for _, c := range list[1:] {
		fmt.Fprint(b, " ", fishQuote(c.path))
	}
	fmt.Fprintln(b)
	for _, c := range list {
		at := "-n " + fishQuote("__relais_at "+fishQuote(c.path))
		commands := false
		for _, w := range c.words {
			if isOption(w) {
				value := ""
				switch {
				case w.files:
					value = " -r -F"
				case w.takes:
					value = " -x -a " + fishQuote(strings.Join(w.values, " "))
				}
				fmt.Fprintf(b, "complete -c relais %s -l %s%s -d %s\n", at, w.text[2:], value, fishQuote(w.help))
				continue
			}
			commands = true
			fmt.Fprintf(b, "complete -c relais %s -f -a %s -d %s\n", at, w.text, fishQuote(w.help))
		}
		if commands {
			fmt.Fprintf(b, "complete -c relais %s -f\n", at)
		}
	}
}

// shellQuote quotes a text for bash and zsh.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// fishQuote quotes a text for fish.
func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// People type what they know from other programs.
func TestFamiliar(t *testing.T) {
	plain, _, _ := command(context.Background(), "--help")
	clients, _, _ := command(context.Background(), "client", "--help")
	create, _, _ := command(context.Background(), "client", "create", "--help")
	version, _, _ := command(context.Background(), "version")
	for name, text := range map[string]string{"--help": plain, "client --help": clients, "create --help": create,
		"version": version} {
		if len(text) < 10 {
			t.Fatalf("%s prints %q", name, text)
		}
	}
	for _, tt := range []struct {
		args string
		want string
		code int
	}{
		{"", plain, exitUsage}, // nothing was done
		{"help", plain, exitDone},
		{"-h", plain, exitDone},
		{"help client", clients, exitDone},
		{"client", clients, exitUsage},
		{"help client create", create, exitDone},
		{"client create --help", create, exitDone},
		{"--version", version, exitDone},
		{"-v", version, exitDone},
	} {
		t.Run(tt.args, func(t *testing.T) {
			out, errs, code := command(context.Background(), strings.Fields(tt.args)...)
			if out != tt.want || code != tt.code || errs != "" {
				t.Errorf("relais %s: exit %d, want %d; %q on the error output, want none; output %q, want %q", tt.args,
					code, tt.code, errs, out, tt.want)
			}
		})
	}
}

// What is wrong is said with examples, and exit code 2.
func TestMisuse(t *testing.T) {
	for _, tt := range []struct {
		args string
		says []string
	}{
		{"nosuch", []string{"nosuch", "relais --help"}},
		{"help nosuch", []string{"nosuch", "relais --help"}},
		{"client create --data /nowhere", []string{"--name", "Examples:", "--mode browser --origin",
			"relais client create --help"}},
		{"photo hide --data /nowhere", []string{"<photo>", "Example:", "relais photo hide --data DIR"}},
		{"serve --data /nowhere --nosuch", []string{"--nosuch", "relais serve --help"}},
	} {
		t.Run(tt.args, func(t *testing.T) {
			out, errs, code := command(context.Background(), strings.Fields(tt.args)...)
			if code != exitUsage || out != "" {
				t.Errorf("exit %d with output %q, want %d and no output", code, out, exitUsage)
			}
			for _, want := range tt.says {
				if !strings.Contains(errs, want) {
					t.Errorf("error output %q, want %q in it", errs, want)
				}
			}
		})
	}
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	parser, err := kong.New(new(commands), kong.Name("relais"))
	must(t, err)
	groupCommands(parser.Model)
	return parser.Model
}

// Every command is in a group, and the groups are in order.
func TestGroups(t *testing.T) {
	var titles []string
	for _, n := range model(t).Children {
		switch {
		case n.Hidden:
		case n.Group == nil:
			t.Errorf("relais %s is in no group: add it to groups", n.Name)
		case !slices.Contains(titles, n.Group.Title):
			titles = append(titles, n.Group.Title)
		}
	}
	for i, g := range groups {
		if i >= len(titles) || titles[i] != g.title {
			t.Fatalf("groups = %q, want those of the table in order", titles)
		}
	}
	out, _, _ := command(context.Background(), "--help")
	for _, g := range groups {
		if !strings.Contains(out, "\n"+g.title+"\n") {
			t.Errorf("--help has no %q:\n%s", g.title, out)
		}
	}
}

// No default is said twice.
func TestHelpTexts(t *testing.T) {
	stated := regexp.MustCompile(`\(\$\{default\}\)`)
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			if stated.MatchString(f.OrigHelp) && f.PlaceHolder == "" {
				t.Errorf("%s --%s says its default twice: give it a placeholder", n.FullPath(), f.Name)
			}
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(model(t).Node)
}

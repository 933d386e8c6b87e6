package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"relais/admin"
	"relais/internal/folder"
)

type openCommand struct {
	Stick string `arg:"" optional:"" name:"stick" help:"The folder that relais pack made; default: the one that this program is in."`
}

// Run serves a stick to this machine alone, and opens the map in a browser.
func (c *openCommand) Run(ctx context.Context, streams Streams) error {
	if c.Stick == "" {
		if c.Stick = stickOf(program()); c.Stick == "" {
			return usageError{errors.New("this program is not on a stick of relais pack: name one, such as relais open /media/stick")}
		}
	}
	dir := folder.Dir(filepath.Join(c.Stick, "data"))
	var made admin.PackReport
	if err := folder.ReadJSON(filepath.Join(string(dir), folder.PackName), &made); err != nil {
		return fmt.Errorf("%s is not a stick of relais pack, or was not completed: %w", c.Stick, err)
	}
	s := serveCommand{dataFlag: dataFlag{string(dir)}, Listen: "127.0.0.1:0", logFlags: logFlags{LogLevel: "warn"},
		webFlags: webFlags{Map: "on", Pages: "on", MapAll: made.Spec.Restricted}}
	return s.serve(ctx, streams, nil, func(base string, _ *admin.Stores) error {
		fmt.Fprintf(streams.Out, openText, base)
		go func() {
			awaitData(ctx, base)
			if ctx.Err() != nil || !hasScreen() {
				return
			}
			if err := openBrowser(base + "/"); err != nil {
				fmt.Fprintln(streams.Err, "relais:", err)
			}
		}()
		return nil
	})
}

// openText is in both languages of a stick: nobody has chosen one of them.
const openText = `
The map is at %[1]s/
Close this window or press Ctrl-C to stop. Nothing is written to the stick.

La carte est à l’adresse %[1]s/
Fermez cette fenêtre ou appuyez sur Ctrl-C pour arrêter. Rien n’est écrit sur la clé.

`

// awaitData waits until the server has loaded its data, for a minute at most. After that, the page says what is missing.
func awaitData(ctx context.Context, base string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	client := http.Client{Transport: &http.Transport{Proxy: nil}} // a proxy cannot reach this machine's own address
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
		if err != nil {
			return
		}
		if answer, err := client.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stickOf returns the stick that a program is on: the folder of the program, or the one above. It is "" for none.
func stickOf(program string) string {
	dir := filepath.Dir(program)
	for _, stick := range []string{dir, filepath.Dir(dir)} {
		if folder.Dir(filepath.Join(stick, "data")).IsPack() {
			return stick
		}
	}
	return ""
}

// doubleClicked runs a program that was given no arguments: on a stick it shows the map, elsewhere it prints the help.
// If the window would close at the end, what was printed stays until somebody has read it.
func doubleClicked(ctx context.Context, streams Streams) int {
	var args []string
	if stick := stickOf(program()); stick != "" {
		args = []string{"open", stick}
	}
	code := parseAndRun(ctx, args, streams)
	if code != exitDone && ownsWindow() {
		fmt.Fprint(streams.Err, "\nPress Enter to close this window. / Appuyez sur Entrée pour fermer cette fenêtre. ")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
	return code
}

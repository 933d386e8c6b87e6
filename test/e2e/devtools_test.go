//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// headless prepares Chromium without a window. Its helpers end with it when ctx does.
func headless(ctx context.Context, chromium, profile string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, chromium,
		append([]string{"--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
			"--disable-breakpad",
			"--disable-background-networking", "--no-first-run", "--no-proxy-server", "--user-data-dir=" + profile},
			args...)...)
	cmd.Env = append(os.Environ(), "HOME="+profile)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// A tab is a page of Chromium, driven over the DevTools protocol as somebody drives it with a
// keyboard. Messages go through pipes, each with a NUL at its end.
type tab struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	last    int
	log     bytes.Buffer
	heard   func(method string, params json.RawMessage) // nil: what happens is passed over
}

// openTab opens a page in which scripts do not run.
func openTab(t *testing.T) *tab {
	t.Helper()
	b := openBrowser(t)
	b.must("Emulation.setScriptExecutionDisabled", object{"value": true}, nil)
	return b
}

// openBrowser opens an empty page, in a browser with these further arguments.
func openBrowser(t *testing.T, args ...string) *tab {
	t.Helper()
	chromium := needChromium(t)
	profile, err := os.MkdirTemp("", "relais-tab-")
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
	read, to, err1 := os.Pipe()
	from, write, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	b := &tab{t: t, to: to, from: bufio.NewReader(from)}
	cmd := headless(ctx, chromium, profile, append(args, "--remote-debugging-pipe", "about:blank")...)
	cmd.ExtraFiles = []*os.File{read, write} // 3 and 4, as the protocol wants them
	cmd.Stdout, cmd.Stderr = &b.log, &b.log
	err = cmd.Start()
	read.Close()
	write.Close()
	t.Cleanup(func() {
		cancel()
		if err == nil {
			cmd.Wait()
		}
		to.Close()
		from.Close()
		os.RemoveAll(profile)
	})
	must(t, err)
	var made struct{ TargetID, SessionID string }
	b.must("Target.createTarget", object{"url": "about:blank"}, &made)
	b.must("Target.attachToTarget", object{"targetId": made.TargetID, "flatten": true}, &made)
	b.session = made.SessionID
	return b
}

// call calls a method, and tells heard what happens meanwhile. Its error is what the browser says
// is wrong.
func (b *tab) call(method string, params object, result any) error {
	b.t.Helper()
	b.last++
	message := object{"id": b.last, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	for err == nil {
		var answer struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if text, err = b.from.ReadBytes(0); err == nil {
			err = json.Unmarshal(text[:len(text)-1], &answer)
		}
		switch {
		case err == nil && answer.Method != "" && b.heard != nil:
			b.heard(answer.Method, answer.Params)
		case err != nil || answer.ID != b.last:
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
	b.t.Fatalf("Chromium ended: %v", err)
	return nil
}

func (b *tab) must(method string, params object, result any) {
	b.t.Helper()
	if err := b.call(method, params, result); err != nil {
		b.t.Fatal(err)
	}
}

// node looks for an element as the page is now.
func (b *tab) node(selector string) (object, error) {
	b.t.Helper()
	var found struct {
		Root   struct{ NodeID int }
		NodeID int
	}
	err := b.call("DOM.getDocument", object{"depth": 0}, &found)
	if err == nil {
		err = b.call("DOM.querySelector", object{"nodeId": found.Root.NodeID, "selector": selector}, &found)
	}
	if err == nil && found.NodeID == 0 {
		err = fmt.Errorf("%s is not there", selector)
	}
	return object{"nodeId": found.NodeID}, err
}

// on calls a method with an element, once it is there and can be used.
func (b *tab) on(selector, method string, result any) {
	b.t.Helper()
	var err error
	if waitFor(func() bool {
		var node object
		if node, err = b.node(selector); err == nil {
			err = b.call(method, node, result)
		}
		return err == nil
	}) {
		return
	}
	var page struct{ OuterHTML string }
	if html, none := b.node("html"); none == nil {
		b.must("DOM.getOuterHTML", html, &page)
	}
	b.t.Fatalf("%v: %s", err, page.OuterHTML)
}

// html is an element as it stands in the page.
func (b *tab) html(selector string) string {
	b.t.Helper()
	var element struct{ OuterHTML string }
	b.on(selector, "DOM.getOuterHTML", &element)
	return element.OuterHTML
}

func (b *tab) open(address string) {
	b.t.Helper()
	b.must("Page.navigate", object{"url": address}, nil)
}

func (b *tab) focus(selector string) {
	b.t.Helper()
	b.on(selector, "DOM.focus", nil)
}

func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.focus(selector)
	b.must("Input.insertText", object{"text": text}, nil)
}

// press presses a button with the Enter key.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.focus(selector)
	key := object{"type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13}
	b.must("Input.dispatchKeyEvent", key, nil)
	key["type"] = "keyUp"
	delete(key, "text")
	_ = b.call("Input.dispatchKeyEvent", key, nil) // the page may be gone
}

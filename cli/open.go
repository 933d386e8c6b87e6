package cli

import (
	"fmt"
	"os/exec"
	"runtime"
)

// openers are the programs that show an address in the person's browser, by operating system.
var openers = map[string][]string{
	"linux":   {"xdg-open"},
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// openBrowser shows an address in the person's browser, and does not wait for it.
func openBrowser(address string) error {
	opener, ok := openers[runtime.GOOS]
	if !ok {
		opener = openers["linux"]
	}
	cmd := exec.Command(opener[0], append(opener[1:], address)...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("--open: no browser was started (%w): open %s yourself", err, address)
	}
	go func() { _ = cmd.Wait() }() // how the browser ends is its own business
	return nil
}

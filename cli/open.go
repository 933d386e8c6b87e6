package cli

import (
	"fmt"
	"os/exec"
)

// openBrowser shows an address in the person's browser, and does not wait for it.
func openBrowser(address string) error {
	cmd := exec.Command(opener[0], append(opener[1:], address)...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("no browser was started (%w): open %s yourself", err, address)
	}
	go func() { _ = cmd.Wait() }() // how the browser ends is its own business
	return nil
}

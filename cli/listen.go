package cli

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"relais/folder"
)

// holding begins what a server says of itself to others who want its folder; its address
// follows.
const holding = "relais serve on "

// listen tells a wrong address from one that cannot be had, and says what to do about one
// that is in use.
func listen(flag, address string, dir folder.Dir) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s %s: %w", flag, address, err)}
	}
	listener, err := net.ListenTCP("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by %s: stop it, or listen elsewhere%s", addr, holderOf(dir, address),
			elsewhere(flag, *addr))
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// holderOf names the program that has an address: the one that serves the folder, where it
// says so, and else another one.
func holderOf(dir folder.Dir, address string) string {
	if _, err := os.Stat(string(dir)); err != nil {
		return "another program"
	}
	lock, err := dir.LockQuietly("serve")
	if err == nil {
		lock.Unlock()
	}
	held, ok := errors.AsType[*folder.HeldError](err)
	if !ok || !strings.HasSuffix(held.Holder.What, " on "+address) {
		return "another program"
	}
	return fmt.Sprintf("%s (process %d)", held.Holder.What, held.Holder.PID)
}

// elsewhere is how to listen on one of the next ports that is free now, "" when none is.
func elsewhere(flag string, addr net.TCPAddr) string {
	for range 20 {
		addr.Port++
		if free, err := net.ListenTCP("tcp", &addr); err == nil {
			free.Close()
			return fmt.Sprintf(", such as %s %s", flag, &addr)
		}
	}
	return fmt.Sprintf(" with %s", flag)
}

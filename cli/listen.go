package cli

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"relais/internal/folder"
	"relais/internal/system"
)

// serverHolder begins the name under which a server holds its folder; its address follows. portHolder finds
// the address there.
const serverHolder = "relais serve on "

// listen opens the address that a flag states. A malformed address is a usageError. The
// error for an address in use suggests what to do.
func listen(flag, address string, dir folder.Dir) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if _, short := strconv.ParseUint(address, 10, 16); short == nil {
		return nil, usageError{fmt.Errorf("%s %s is a port: want an address, such as %[1]s 127.0.0.1:%[2]s", flag, address)}
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("%s %s: %w", flag, address, err)}
	}
	listener, err := net.ListenTCP("tcp", addr)
	if system.AddressInUse(err) {
		return nil, fmt.Errorf("%s is in use by %s: stop it, or listen elsewhere%s", addr, portHolder(dir, address),
			suggestPort(flag, *addr))
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// portHolder names the program that has an address: the server of the folder if that states
// this address, else "another program".
func portHolder(dir folder.Dir, address string) string {
	if _, err := os.Stat(string(dir)); err != nil {
		return "another program"
	}
	// The lock is tried to learn its holder. Quietly: this command will not serve, so its name must not
	// stay in the file.
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

// suggestPort suggests a flag for one of the next ports that is free now, or returns "".
func suggestPort(flag string, addr net.TCPAddr) string {
	for range 20 {
		addr.Port++
		if free, err := net.ListenTCP("tcp", &addr); err == nil {
			free.Close()
			return fmt.Sprintf(", such as %s %s", flag, &addr)
		}
	}
	return fmt.Sprintf(" with %s", flag)
}

package update

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// lookUpTime is how long the hosts' names may take. Name servers answer within a second, and a resolver
// without a network gives up after ten.
const lookUpTime = 8 * time.Second

var errOffline = errors.New("its host cannot be found, nor any other: no internet?")

// checkNetwork returns an error if none of the hosts of the addresses can be looked up: so it is on a
// machine without internet, where all the tries would only take time. It returns at the first that can.
// A proxy knows hosts that this machine does not, and numbers need no looking up.
func (c *client) checkNetwork(ctx context.Context, addresses []string) error {
	hosts := map[string]bool{}
	for _, address := range addresses {
		u, err := parseAddress(address)
		if err != nil {
			return nil // the error about it says more
		}
		proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
		_, number := netip.ParseAddr(u.Hostname())
		if proxy != nil || err != nil || number == nil {
			return nil
		}
		hosts[u.Hostname()] = true
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	answers := make(chan error, len(hosts))
	for host := range hosts {
		go func() {
			_, err := c.lookup(ctx, "ip", host)
			answers <- err
		}()
	}
	for range hosts {
		if _, failed := errors.AsType[*net.DNSError](<-answers); !failed {
			return nil
		}
	}
	return errOffline
}

// addresses returns the addresses that the groups' files are asked for at first.
func addresses(groups []group) (all []string) {
	for _, g := range groups {
		for _, f := range g.files {
			all = append(all, f.URL)
		}
	}
	return all
}

// fileNames returns the names of the groups' files.
func fileNames(groups []group) (names []string) {
	for _, g := range groups {
		for _, f := range g.files {
			names = append(names, f.Name)
		}
	}
	return names
}

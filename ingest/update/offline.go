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

// checkNetwork returns an error if no host of the files can be looked up: on a machine
// without internet, all the tries would only take time. It returns at the first host that
// can be. A proxy knows hosts that this machine does not, and numbers need no looking up.
func (c *client) checkNetwork(ctx context.Context, files []*File) error {
	hosts := map[string]bool{}
	for _, f := range files {
		u, err := parseAddress(f.URL)
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
			_, err := c.guard.lookup(ctx, "ip", host)
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

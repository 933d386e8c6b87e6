package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"relais/admin"
	"relais/auth/access"
	"relais/httpapi"
	"relais/httpapi/web"
	"relais/ingest/update"
	"relais/internal/folder"
)

type serveCommand struct {
	dataFlag
	Listen  string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Where to listen (${default})."`
	BaseURL string `name:"base-url" placeholder:"URL" help:"Origin and prefix for clients; default: the listen address."`
	proxyFlags
	tlsFlags
	OpsListen      string        `placeholder:"ADDR" help:"Where /healthz, /readyz and /metrics listen instead, such as 127.0.0.1:8081."`
	AttestationKey string        `type:"path" placeholder:"FILE" help:"Public key (PEM) that device attestations are checked with."`
	Markets        marketList    `placeholder:"MARKET,…" help:"Load only these markets, such as FR,DROM; other servers have the rest."`
	UpdateEvery    time.Duration `placeholder:"DURATION" help:"Fetch the authorities' files that often, such as 24h; default: never."`
	Sources        string        `type:"path" placeholder:"FILE" help:"With --update-every: your own table of the files' addresses."`
	mcpFlags
	webFlags
	clusterFlags
	HookPrivate bool `help:"Also send webhooks to private addresses, and without TLS."`
	PhotosHold  bool `help:"Show a photo that is sent only when a moderator has approved it."`
	// AcceptUnconfinedUploads is for systems that package confine does not know.
	AcceptUnconfinedUploads bool `help:"Also take photos on a system that cannot confine what decodes them (Windows, macOS)."`
	KeepMeasures            days `default:"365d" placeholder:"TIME" help:"How long measurements are kept (${default}); 0 keeps them all."`
	logFlags
	LogAddress string `enum:"short,full" default:"short" help:"Client addresses in the log: shortened to /24 and /48, or full."`
}

// proxyFlags describe the proxies in front of the server.
type proxyFlags struct {
	TrustedProxy []string `placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed, such as 127.0.0.1/32."`
	PublicPrefix string   `placeholder:"/PREFIX" help:"What the proxy takes off the path; clients sign the path with it."`
}

// Limits against clients that are slow or send too much: each connection takes memory until it ends.
const (
	headerTime  = 10 * time.Second
	readTime    = 30 * time.Second
	writeTime   = 60 * time.Second
	idleTime    = 120 * time.Second
	headerBytes = 64 << 10
	stopTime    = 10 * time.Second // for requests that run when the server is told to stop
)

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, streams Streams) error {
	return c.serve(ctx, streams, nil, nil)
}

// settings are the checked values of the flags.
type settings struct {
	dir      folder.Dir
	base     string // "" for the address of the listener
	prefix   string
	proxies  []netip.Prefix
	attestor *access.Attestor // nil without a key
	keeper   *update.Keeper   // nil without updates
	node     admin.Node       // zero without a cluster
}

// check reads the files that the flags name, and refuses wrong flags. It opens no store, so that a wrong
// flag is answered at once and changes nothing.
func (c *serveCommand) check() (s settings, err error) {
	s.dir = c.dir()
	if _, err := os.Stat(string(s.dir)); errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%s: the data folder does not exist: make it with relais update or relais ingest, or try relais demo",
			s.dir)
	} else if err != nil {
		return s, err
	}
	if s.base, err = baseURL(c.BaseURL); err != nil {
		return s, err
	}
	if err := c.checkTLS(); err != nil {
		return s, err
	}
	if c.PublicPrefix != "" && !strings.HasPrefix(c.PublicPrefix, "/") {
		return s, usageError{fmt.Errorf("--public-prefix %q: want a slash at the beginning, such as /antennes",
			c.PublicPrefix)}
	}
	s.prefix = strings.TrimSuffix(c.PublicPrefix, "/")
	if err := c.pages(new(web.Options)); err != nil { // only to check the flags: mountPages sets the options
		return s, err
	}
	if s.proxies, err = access.ParsePrefixes(c.TrustedProxy); err != nil {
		return s, usageError{fmt.Errorf("--trusted-proxy: %w", err)}
	}
	if c.AttestationKey != "" {
		if s.attestor, err = access.ReadAttestor(c.AttestationKey); err != nil {
			return s, err
		}
	}
	if s.node, err = c.node(s.dir); err != nil {
		return s, err
	}
	s.keeper, err = c.newKeeper(s.dir)
	return s, err
}

// baseURL checks the address under which clients reach the service; "" means the address
// where it listens.
func baseURL(text string) (string, error) {
	text = strings.TrimSuffix(text, "/")
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	wrong := err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil || !plainPath.MatchString(u.EscapedPath())
	if wrong || strings.HasSuffix(u.Path, "/external/v1") {
		return "", usageError{
			fmt.Errorf("--base-url %q: want the origin and prefix of the service, such as https://antennas.example, "+
				"without external/v1; the prefix has letters, digits, and - . _ ~", text)}
	}
	return text, nil
}

// plainPath matches a path that is the same in an address, a cookie and a route: nothing in it is escaped, and
// no part has only dots, which clients resolve.
var plainPath = regexp.MustCompile(`^(?:/\.*[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*$`)

// servingAt is a handler and its listener.
type servingAt struct {
	listener net.Listener
	handler  http.Handler
	tls      *tls.Config // nil: plain HTTP
}

// run serves until ctx ends or one of the servers fails. After ctx it calls drain, and lets running requests
// finish, for stopTime.
func run(ctx context.Context, list []servingAt, drain func(), log *slog.Logger) error {
	failed := make(chan error, len(list)) // with room for all: nobody reads it after the first
	servers := make([]*http.Server, len(list))
	for i, at := range list {
		servers[i] = &http.Server{
			Handler: at.handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime,
			IdleTimeout:    idleTime,
			MaxHeaderBytes: headerBytes, ErrorLog: newErrorLog(log),
			TLSConfig: at.tls, HTTP2: http2Limits(),
		}
		go func() {
			listener := httpapi.LimitUnsent(at.listener)
			if at.tls != nil {
				failed <- servers[i].ServeTLS(listener, "", "")
				return
			}
			failed <- servers[i].Serve(listener)
		}()
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("stopping")
		drain()
	}
	// ctx has ended, and would end Shutdown at once.
	ending, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	for _, server := range servers {
		if server.Shutdown(ending) != nil {
			server.Close()
			log.Warn("running requests were cut off", "after", stopTime)
		}
	}
	return err
}

package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// healthTime is how long a server may take to answer.
const healthTime = 5 * time.Second

type healthCommand struct {
	URL       string `arg:"" optional:"" name:"url" help:"Address, such as https://antennas.example; default: that of --listen."`
	Listen    string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Where the server listens (${default})."`
	OpsListen string `placeholder:"ADDR" help:"Where its /healthz listens instead, if serve has --ops-listen."`
	TLSCert   string `name:"tls-cert" placeholder:"FILE" help:"As of serve: if it is set, ask by HTTPS."`
}

// Run asks the server.
func (c *healthCommand) Run(ctx context.Context, streams Streams) error {
	address, verify, err := c.address()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usageError{err}
	}
	// The proxy of the environment cannot reach an address of this machine. Here a certificate is not
	// verified either: it does not name localhost.
	client := http.Client{Transport: &http.Transport{Proxy: nil,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: !verify}}}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", address, err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // the status decides
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", address, answer.Status, strings.TrimSpace(string(text)))
	}
	_, err = fmt.Fprintf(streams.Out, "%s answers %s\n", address, answer.Status)
	return err
}

// address returns the address of /healthz, and whether the certificate there must be valid.
func (c *healthCommand) address() (address string, verify bool, err error) {
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return "", false, usageError{fmt.Errorf("%q is not a URL, such as http://127.0.0.1:8080", c.URL)}
		}
		return u.JoinPath("healthz").String(), true, nil
	}
	flag, listen, scheme := "--listen", c.Listen, "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	if c.OpsListen != "" {
		flag, listen, scheme = "--ops-listen", c.OpsListen, "http"
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", false, usageError{fmt.Errorf("%s %q: %w", flag, listen, err)}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // either family may be the one that listens
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/healthz", false, nil
}

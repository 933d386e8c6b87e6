package cluster

import (
	"context"
	"net"
	"net/http"
	"time"
)

// s3Limits bound the time that a store of S3 may take.
type s3Limits struct {
	connect time.Duration // each for TCP and TLS
	header  time.Duration // for the answer to begin, once the request is sent
	stall   time.Duration // without a byte in either direction
	slowest int64         // bytes a second
}

var usualLimits = s3Limits{connect: connectTime, header: 5 * time.Second, stall: 10 * time.Second, slowest: 64 << 10}

// total returns the longest time for a number of bytes.
func (l s3Limits) total(size int64) time.Duration {
	return 6*(l.header+l.stall) + time.Duration(size/l.slowest)*time.Second
}

// newS3Transport returns a transport whose requests end, whatever the server does.
func newS3Transport(limits s3Limits) http.RoundTripper {
	long := limits
	long.header, long.stall = 6*limits.header, 3*limits.stall // megabytes that were sent may still be on their way
	return s3Transport{limitedTransport(limits), limitedTransport(long)}
}

func limitedTransport(limits s3Limits) http.RoundTripper {
	dialer := &net.Dialer{Timeout: limits.connect}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &movingConn{conn, limits.stall}, nil
		},
		TLSHandshakeTimeout:    limits.connect,
		ResponseHeaderTimeout:  limits.header,
		IdleConnTimeout:        limits.stall / 2, // the pending Read of an idle connection ends it after stall
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}
}

// A movingConn ends when no bytes have passed for some time.
type movingConn struct {
	net.Conn
	stall time.Duration
}

func (c *movingConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write gives the Read that already waits for the answer more time, too: net/http reads in the background from the
// beginning of a request, however long the body is.
func (c *movingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// A s3Transport waits longer for the answer to a PUT.
type s3Transport struct{ ask, put http.RoundTripper }

func (t s3Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPut {
		return t.put.RoundTrip(r)
	}
	return t.ask.RoundTrip(r)
}

package cluster

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// s3Limits are what a store of S3 may take.
type s3Limits struct {
	connect time.Duration // each for TCP and TLS
	header  time.Duration // for the answer to begin, once the request is sent
	stall   time.Duration // without a byte in either direction
	slowest int64         // bytes a second
}

var usualLimits = s3Limits{connect: connectTime, header: 5 * time.Second, stall: 10 * time.Second, slowest: 64 << 10}

// total is the most time for bytes.
func (l s3Limits) total(size int64) time.Duration {
	return 6*(l.header+l.stall) + time.Duration(size/l.slowest)*time.Second
}

// newS3Transport returns a transport whose requests end, whatever the server does.
func newS3Transport(limits s3Limits) http.RoundTripper {
	long := limits
	long.header, long.stall = 6*limits.header, 3*limits.stall // megabytes that were sent may still be on their way
	return strictTransport{limitedTransport(limits), limitedTransport(long)}
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
		IdleConnTimeout:        limits.stall / 2, // so that none is used that is about to end
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

// Write gives the Read that already waits for the answer more time, too.
func (c *movingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// A strictTransport believes that something is missing only if the store says so: proxies say it of
// stores that they do not find. What is not an object is read here, because minio-go reads all of
// it, however long it is.
type strictTransport struct{ ask, put http.RoundTripper }

const mostAnswer = 64 << 10 // bytes of what is not an object

func (t strictTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	way := t.ask
	if r.Method == http.MethodPut {
		way = t.put
	}
	resp, err := way.RoundTrip(r)
	if err != nil || r.Method == http.MethodHead || r.Method == http.MethodGet && resp.Header.Get(sumHeader) != "" {
		return resp, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return nil, err
	}
	var answer struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}
	if resp.StatusCode == http.StatusNotFound && (xml.Unmarshal(text, &answer) != nil || answer.Code == "") {
		return nil, fmt.Errorf("%s, but not from a store of S3: %.80q", resp.Status, text)
	}
	if resp.StatusCode/100 == 2 && r.Method == http.MethodDelete && resp.StatusCode != http.StatusNoContent {
		return nil, fmt.Errorf("%s to a DELETE, which is not from a store of S3: %.80q", resp.Status, text)
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	return resp, nil
}

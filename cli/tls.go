package cli

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relais/internal/certificate"
)

// tlsFlags name the certificate of a server without a proxy.
type tlsFlags struct {
	TLSCert    string `name:"tls-cert" type:"path" placeholder:"FILE" help:"Speak HTTPS with this certificate and chain (PEM)."`
	TLSKey     string `name:"tls-key" type:"path" placeholder:"FILE" help:"The certificate's key (PEM)."`
	SelfSigned bool   `kong:"-"` // with a certificate that is made at the start
}

// certificateEvery is how often the files of the certificate are looked at: programs that renew it need not
// restart the server.
const certificateEvery = 2 * time.Second

// speaksTLS reports whether the server has a certificate.
func (f *tlsFlags) speaksTLS() bool { return f.TLSCert != "" || f.SelfSigned }

// checkTLS refuses flags that lack each other.
func (f *tlsFlags) checkTLS() error {
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return usageError{errors.New("--tls-cert and --tls-key: want both, or none")}
	}
	return nil
}

// certificates has the certificate of a server: from files, or a self-signed one. Both may be nil.
type certificates struct {
	files *certificate.Files
	own   *tls.Certificate
}

// openCertificates reads the certificate of the flags, or makes one for the addresses of the listener.
func (f *tlsFlags) openCertificates(listener net.Listener, log *slog.Logger) (c certificates, err error) {
	switch {
	case f.TLSCert != "":
		c.files, err = certificate.Open(f.TLSCert, f.TLSKey, log)
	case f.SelfSigned:
		c.own, err = certificate.SelfSigned(addressesOf(listener), time.Now())
	}
	return c, err
}

// addressesOf returns the addresses under which a listener is reached, for a self-signed certificate to name.
func addressesOf(listener net.Listener) (list []net.IP) {
	at, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	if !at.IP.IsUnspecified() {
		return []net.IP{at.IP}
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			list = append(list, n.IP)
		}
	}
	return list
}

// config returns the configuration of TLS, nil for a server that speaks plain HTTP. Files are asked for at
// each handshake, since they may be renewed.
func (c certificates) config() *tls.Config {
	switch {
	case c.files != nil:
		return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.files.Get}
	case c.own != nil:
		return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*c.own}}
	}
	return nil
}

// follow loads the files again when they change, until ctx ends.
func (c certificates) follow(ctx context.Context) {
	if c.files != nil {
		c.files.Follow(ctx, certificateEvery)
	}
}

func (c certificates) warnings() []string {
	if c.files == nil {
		return nil
	}
	return c.files.Warnings(time.Now())
}

// fingerprint returns the SHA-256 of the self-signed certificate, "" without one. Browsers show it too, so
// a person can compare them before trusting it.
func (c certificates) fingerprint() string {
	if c.own == nil {
		return ""
	}
	return fmt.Sprintf("%X", sha256.Sum256(c.own.Certificate[0]))
}

// collectors has the metric of the certificate's end.
func (c certificates) collectors() []prometheus.Collector {
	if c.files == nil {
		return nil
	}
	return []prometheus.Collector{prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "relais_tls_certificate_expiry_timestamp_seconds",
		Help: "When the certificate ends: seconds since 1970."},
		func() float64 { return float64(c.files.Expires().Unix()) })}
}

// http2Limits bounds the requests of one connection at once, and the bytes that it can send before they are read.
// Each of its streams has the deadlines of a connection of HTTP/1.
func http2Limits() *http.HTTP2Config {
	return &http.HTTP2Config{MaxConcurrentStreams: 64, MaxReceiveBufferPerConnection: 256 << 10,
		MaxReceiveBufferPerStream: 64 << 10, WriteByteTimeout: readTime, SendPingTimeout: readTime, PingTimeout: readTime}
}

// Command conformance is the tool server of relais in front of two others, which have what the official conformance
// suite calls: one with sessions, for older versions of the protocol, and one without. make conformance runs it on the
// everything-server of the SDK.
package main

import (
	"log"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"

	"relais/mcp"
)

// sessionless is the first version of the protocol without sessions.
const sessionless = "2026-07-28"

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: conformance ADDRESS ADDRESS-WITH-SESSIONS ADDRESS-WITHOUT")
	}
	sessions := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: os.Args[2]})
	without := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: os.Args[3]})
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			without.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	log.Fatal(http.ListenAndServe(os.Args[1], mcp.New(mcp.Options{Stream: stream, BaseURL: "http://" + os.Args[1],
		Address: func(*http.Request) netip.Addr { return netip.IPv6Loopback() }, Minute: 1e6, Log: slog.Default()})))
}

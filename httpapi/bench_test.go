package httpapi

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
)

// benchServer writes its log, as a served one does. Below /open stands one site
// without access: no key, no quota, no rate headers.
func benchServer(b *testing.B) (s *Server, key string) {
	b.Helper()
	s = newServer(b)
	s.Requests = slog.New(slog.NewTextHandler(io.Discard, nil))
	o, _ := s.public.handlers[mount+"/antennas/{id}"].methods["GET"].(*operation)
	s.public.handle("/open/antennas/{id}", "GET", fixedRoute(func(w *answer, r *request) { r.op = o.Op; o.read(w, r) }))
	k, _ := testKeys.Load(s.Gate)
	return s, k.(string)
}

// One site over the network, on one connection for each core, with and without
// what says who may ask.
func BenchmarkByID(b *testing.B) {
	s, key := benchServer(b)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: s}
	go server.Serve(listener)
	b.Cleanup(func() { server.Close() })
	for _, tt := range []struct{ name, path string }{{"access", mount}, {"open", "/open"}} {
		b.Run(tt.name, func(b *testing.B) {
			request := []byte("GET " + tt.path + "/antennas/90000010 HTTP/1.1\r\nHost: x\r\nX-API-Key: " + key +
				"\r\n\r\n")
			b.RunParallel(func(pb *testing.PB) {
				c, err := net.Dial("tcp", listener.Addr().String())
				if err != nil {
					b.Error(err)
					return
				}
				defer c.Close()
				answers := bufio.NewReaderSize(c, 64<<10)
				for pb.Next() {
					if _, err := c.Write(request); err != nil {
						b.Error(err)
						return
					}
					a, err := http.ReadResponse(answers, nil)
					if err != nil || a.StatusCode != 200 {
						b.Errorf("got %v %v, want no error and StatusCode = 200", a, err)
						return
					}
					io.Copy(io.Discard, a.Body)
				}
			})
		})
	}
}

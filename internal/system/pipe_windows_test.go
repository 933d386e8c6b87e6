package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// A pipe carries HTTP for several clients at a time, answers that are larger than its buffers included.
func TestPipe(t *testing.T) {
	name := fmt.Sprintf(`\\.\pipe\relais-test-%d`, os.Getpid())
	if _, err := DialPipe(t.Context(), name); !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		t.Errorf("nobody listens: got %v, want ERROR_FILE_NOT_FOUND", err)
	}
	l, err := ListenPipe(name)
	if err != nil {
		t.Fatal(err)
	}
	hasty, err := DialPipe(t.Context(), name) // gone before it is accepted
	if err != nil {
		t.Fatal(err)
	}
	hasty.Close()
	large := bytes.Repeat([]byte("relais "), 1<<18)
	ended := make(chan error, 1)
	go func() {
		ended <- http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Write(append(body, large...))
		}))
	}()
	client := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return DialPipe(ctx, name) }}}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			own := bytes.Repeat([]byte{byte(i)}, 100_000)
			a, err := client.Post("http://pipe/", "text/plain", bytes.NewReader(own))
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Body.Close()
			if got, err := io.ReadAll(a.Body); err != nil || !bytes.Equal(got, append(own, large...)) {
				t.Errorf("client %d: got %d bytes, %v; want its own and %d", i, len(got), err, len(large))
			}
		})
	}
	group.Wait()
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: got %v, want net.ErrClosed", err)
	}
}

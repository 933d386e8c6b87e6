package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func zipped(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, "in "+name)
		}
		must(t, err)
	}
	must(t, z.Close())
	return b.Bytes()
}

// What is in memory is read like a file, up to a bound of what it unpacks to.
func TestInMemory(t *testing.T) {
	long := strings.Repeat("wing;bird\n", 10)
	packed := gzipped(t, long)
	most := int64(len(long) + len(packed))
	for _, tt := range []struct {
		name string
		data []byte
		most int64
		want string // the contents, separated by |
		err  error
	}{
		{"plain", []byte(long), 100, long, nil},
		{"gzip", packed, most, long, nil},
		{"too long", []byte(long), 99, "", ErrUnpacked},
		{"gzip that unpacks to too much", packed, most - 1, "", ErrUnpacked},
		{"gzip that unpacks to nothing, for long", bytes.Repeat(gzipped(t, ""), 1000), 1000, "", ErrUnpacked},
		{"zip", zipped(t, "a.csv", "./b.csv"), 18, "in a.csv|in ./b.csv", nil},
		{"zip with a member that is too long", zipped(t, "a.csv"), 7, "", ErrUnpacked},
		{"zip with members that are too long together", zipped(t, "a.csv", "./b.csv"), 17, "", ErrUnpacked},
		{"short", []byte("x"), 100, "x", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inputs, err := InMemory(t.Context(), tt.data, tt.most)
			must(t, err)
			var got []string
			for _, in := range inputs {
				var text string
				if text, err = contentOf(t, in); err != nil {
					break
				}
				got = append(got, text)
			}
			if all := strings.Join(got, "|"); !errors.Is(err, tt.err) || tt.err == nil && all != tt.want {
				t.Errorf("got %q, %v; want %q, %v", all, err, tt.want, tt.err)
			}
		})
	}
	if _, err := InMemory(t.Context(), zipped(t, "../a.csv"), 100); err == nil {
		t.Error("an archive with a member that points outside was taken")
	}
	if _, err := InMemory(t.Context(), zipped(t, "a.csv")[:40], 100); err == nil {
		t.Error("half of an archive was taken")
	}
	many := zipped(t, slices.Repeat([]string{"a.csv"}, 20*maxMembers)...)
	if n := testing.AllocsPerRun(1, func() {
		if _, err := InMemory(t.Context(), many, 1000); err == nil {
			t.Error("an archive of very many files was taken")
		}
	}); n > 10*maxMembers {
		t.Errorf("%v allocations for a directory that is too large", n)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	inputs, err := InMemory(ended, []byte(long), 1000)
	must(t, err)
	if _, err := contentOf(t, inputs[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the request", err)
	}
}

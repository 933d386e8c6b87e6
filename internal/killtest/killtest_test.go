package killtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main(m, func(args []string) error {
		for _, a := range args {
			fmt.Println(a)
		}
		if args[0] == "end" {
			return errors.New("this is said by a test")
		}
		time.Sleep(time.Hour)
		return nil
	})
}

// A failing is a testing.TB that records its failure.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Fatal(...any) { f.failed = true }

// A child that works is killed. One that ends before that fails the test.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		within time.Duration
		args   []string
		ends   bool
	}{{200 * time.Millisecond, []string{"go on", "b"}, false}, {1000 * time.Hour, []string{"end", "c"}, true}} {
		var lines []string
		f := &failing{TB: t}
		Run(f, tt.within, func(line string) { lines = append(lines, line) }, tt.args...)
		if f.failed != tt.ends || tt.ends && len(lines) != 2 || !slices.Equal(lines, tt.args[:len(lines)]) {
			t.Errorf("child %q: got lines %q, failure %v; want those lines, failure %v", tt.args, lines, f.failed,
				tt.ends)
		}
	}
}

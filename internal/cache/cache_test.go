package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errFailed = errors.New("failed")

func making[V any](v V, err error) func(context.Context) (V, error) {
	return func(context.Context) (V, error) { return v, err }
}

// A step asks for a value of a size. made says whether it should not have been kept.
type step struct {
	key, size int
	made      bool
}

// What was not asked for longest goes first.
func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		max     int
		maxSize int64
		steps   []step
		values  int
		size    int64
		left    string // by eviction, in order
	}{
		{"number", 2, 1000, []step{{1, 9, true}, {2, 9, true}, {1, 9, false}, {3, 9, true}, {1, 9, false}, {2, 9, true}}, 2, 18,
			"[2 3]"},
		{"size", 99, 100, []step{{1, 40, true}, {2, 40, true}, {1, 40, false}, {3, 40, true}, {1, 40, false}, {2, 40, true}},
			2, 80, "[2 3]"},
		{"a large value alone", 99, 100, []step{{1, 40, true}, {2, 500, true}, {2, 500, false}}, 1, 500, "[1]"},
		{"after a large value", 99, 100, []step{{2, 500, true}, {1, 40, true}}, 1, 40, "[2]"},
		{"no room", 99, 0, []step{{1, 1, true}, {1, 1, true}}, 0, 0, "[1 1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			left := []int{}
			c := New(Options[int, int]{Max: tt.max, MaxSize: tt.maxSize, Size: func(_, v int) int64 { return int64(v) },
				Evicted: func(k, _ int) { left = append(left, k) }})
			for i, s := range tt.steps {
				made := false
				v, err := c.Make(t.Context(), s.key, func(context.Context) (int, error) { made = true; return s.size, nil })
				if v != s.size || err != nil || made != s.made {
					t.Errorf("step %d: got %d, %v, made %t; want %d, made %t", i, v, err, made, s.size, s.made)
				}
			}
			if values, size := c.Usage(); values != tt.values || size != tt.size || fmt.Sprint(left) != tt.left {
				t.Errorf("%d values of %d units, %v left; want %d of %d, %s", values, size, left, tt.values, tt.size, tt.left)
			}
		})
	}
}

func TestAddAndRemove(t *testing.T) {
	c := New(Options[string, string]{Max: 9, MaxSize: 10, Size: func(k, v string) int64 { return int64(len(k + v)) }})
	c.Add("a", "long value")
	c.Add("a", "v")
	if v, ok := c.Get("a"); v != "v" || !ok {
		t.Errorf("Get = %q, %t; want the value that was added last", v, ok)
	}
	c.Add("b", "v")
	for _, r := range []struct {
		n, size int64
		fits    bool
		values  int
	}{{6, 10, true, 2}, {1, 9, true, 1}, {4, 11, false, 0}, {-11, 0, true, 0}} {
		fits := c.Reserve(r.n)
		if values, size := c.Usage(); fits != r.fits || values != r.values || size != r.size {
			t.Errorf("Reserve(%d) = %t, %d values and %d units; want %t, %d and %d", r.n, fits, values, size, r.fits, r.values,
				r.size)
		}
	}
	c.Add("c", "v")
	c.Add("d", "v")
	c.Remove("c")
	if _, ok := c.Get("c"); ok {
		t.Error("a removed value is there")
	}
	c.Clear()
	if values, size := c.Usage(); values != 0 || size != 0 {
		t.Errorf("%d values of %d units after Clear, want none", values, size)
	}
}

// A value is made once for all who ask at once; a waiter whose context ends leaves, and does not end it for others.
func TestMakeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options[int, string]{Max: 9})
		calls := 0
		ask := func(ctx context.Context) (string, error) {
			return c.Make(ctx, 1, func(ctx context.Context) (string, error) {
				calls++
				time.Sleep(time.Second)
				return "v", ctx.Err()
			})
		}
		first, endFirst := context.WithCancel(t.Context())
		ended, endWaiter := context.WithCancel(t.Context())
		start := time.Now()
		var asking sync.WaitGroup
		for i, ctx := range []context.Context{first, ended, t.Context(), t.Context()} {
			asking.Go(func() {
				v, err := ask(ctx)
				if ctx == ended {
					if !errors.Is(err, context.Canceled) || time.Since(start) > 0 {
						t.Errorf("the waiter that left: got %q, %v; want context.Canceled at once", v, err)
					}
				} else if v != "v" || err != nil {
					t.Errorf("caller %d: got %q, %v; want the value", i, v, err)
				}
			})
			synctest.Wait()
		}
		endFirst()
		endWaiter()
		asking.Wait()
		if v, err := ask(t.Context()); v != "v" || err != nil || calls != 1 {
			t.Errorf("got %q, %v after %d calls; want the value after one", v, err, calls)
		}
	})
}

// An error and a panic reach all who wait, and are not kept.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name string
		fail func() (int, error)
		want error
	}{
		{"error", func() (int, error) { return 7, errFailed }, errFailed},
		{"panic", func() (int, error) { panic("of the maker") }, errPanicked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(Options[int, int]{Max: 9, Serial: true})
				var asking sync.WaitGroup
				asking.Go(func() {
					defer func() {
						if p := recover(); (p != nil) != (tt.want == errPanicked) {
							t.Errorf("recovered %v", p)
						}
					}()
					_, err := c.Make(t.Context(), 1, func(context.Context) (int, error) {
						time.Sleep(time.Second)
						return tt.fail()
					})
					if err != tt.want {
						t.Errorf("the maker got %v, want %v", err, tt.want)
					}
				})
				synctest.Wait()
				if _, err := c.Make(t.Context(), 1, making(8, nil)); err != tt.want {
					t.Errorf("the waiter got %v, want %v", err, tt.want)
				}
				asking.Wait()
				if v, err := c.Make(t.Context(), 1, making(9, nil)); v != 9 || err != nil {
					t.Errorf("the next got %d, %v; want 9", v, err)
				}
			})
		})
	}
}

// What is removed while it is made is not kept; Clear leaves it.
func TestRemoveWhileMade(t *testing.T) {
	evicted := []string{}
	c := New(Options[string, int]{Max: 9, Evicted: func(k string, _ int) { evicted = append(evicted, k) }})
	c.Add("old", 1)
	for _, tt := range []struct {
		key   string
		while func()
		kept  bool
	}{{"removed", func() { c.Remove("removed") }, false}, {"cleared", c.Clear, true}} {
		v, err := c.Make(t.Context(), tt.key, func(context.Context) (int, error) { tt.while(); return 5, nil })
		if _, kept := c.Get(tt.key); v != 5 || err != nil || kept != tt.kept {
			t.Errorf("%s: got %d, %v, kept %t; want 5, kept %t", tt.key, v, err, kept, tt.kept)
		}
	}
	if want := []string{"removed", "old"}; !slices.Equal(evicted, want) {
		t.Errorf("evicted %s, want %s", strings.Join(evicted, ", "), strings.Join(want, ", "))
	}
}

func TestSerial(t *testing.T) {
	for _, tt := range []struct {
		serial bool
		want   time.Duration
	}{{false, time.Second}, {true, 3 * time.Second}} {
		t.Run(fmt.Sprint(tt.serial), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(Options[int, int]{Max: 9, Serial: tt.serial})
				start := time.Now()
				var asking sync.WaitGroup
				for k := range 3 {
					asking.Go(func() {
						c.Make(t.Context(), k, func(context.Context) (int, error) { time.Sleep(time.Second); return 0, nil })
					})
				}
				asking.Wait()
				if took := time.Since(start); took != tt.want {
					t.Errorf("three values took %s, want %s", took, tt.want)
				}
			})
		})
	}
}

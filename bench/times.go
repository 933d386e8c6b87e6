package main

import (
	"fmt"
	"slices"
	"syscall"
	"time"
)

// times are how long something took, each time that it was done: by the clock, and of the
// processor, which a busy machine lengthens less.
type times struct{ clock, processor []time.Duration }

func (t *times) add(do func() error) error {
	start, used := time.Now(), processor()
	err := do()
	t.clock, t.processor = append(t.clock, time.Since(start)), append(t.processor, processor()-used)
	return err
}

func (t *times) String() string {
	if len(t.clock) == 0 {
		return "none"
	}
	slices.Sort(t.clock)
	slices.Sort(t.processor)
	half := len(t.clock) / 2
	return fmt.Sprintf("median %s, worst %s; of the processor %s", ms(t.clock[half]), ms(t.clock[len(t.clock)-1]), ms(t.processor[half]))
}

// processor is the time that this process has computed, on all cores together.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

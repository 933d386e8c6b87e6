package store

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	bolterrors "go.etcd.io/bbolt/errors"
)

// ownBucket begins the name of each method of Bucket in a stack.
var ownBucket = reflect.TypeFor[Bucket]().PkgPath() + ".(*Bucket)."

// errFault says that a part of the mapped file was not there when it was read.
var errFault = errors.New("a page of it could not be read")

// guard runs f, and returns ErrDamaged when bolt panics in it, or ErrUnreadable and
// errFault when it reads a part of the mapped file that is not there. Without it one bad sector would end the
// process. Other panics are those of the caller's own code and go on. It guards its own goroutine alone.
func guard(name string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		origin := panicked()
		if _, fault := p.(interface{ Addr() uintptr }); fault {
			err = fmt.Errorf("%s %w: %w", name, ErrUnreadable, errFault)
			return
		}
		// A bucket of this package is nil where a damaged file says that there is one, and
		// does not have it.
		if !strings.HasPrefix(origin, "go.etcd.io/bbolt") && !strings.HasPrefix(origin, ownBucket) {
			panic(p)
		}
		err = damaged(name, fmt.Errorf("%v in %s", p, origin))
	}()
	err = f()
	for _, e := range []error{bolterrors.ErrInvalid, bolterrors.ErrVersionMismatch, bolterrors.ErrChecksum} {
		if errors.Is(err, e) {
			return damaged(name, err)
		}
	}
	return err
}

// panicked names the function that panicked. It is called while the panic is
// being recovered from, when its frames still lie on the stack.
func panicked() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for below := false; ; {
		frame, more := frames.Next()
		library := strings.HasPrefix(frame.Function, "runtime.") || strings.HasPrefix(frame.Function, "internal/")
		if below && !library || !more {
			return frame.Function
		}
		below = below || frame.Function == "runtime.gopanic"
	}
}

//go:build !linux

package measure

// largePages asks for nothing: only Linux is known to need asking.
func largePages([]byte) {}

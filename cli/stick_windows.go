package cli

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// hasScreen reports whether a browser has a place to be shown.
func hasScreen() bool { return true }

var getConsoleProcessList = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetConsoleProcessList")

// ownsWindow reports whether the window of this process closes when it ends: whether it is alone in its console, as
// after a double click.
func ownsWindow() bool {
	var processes [2]uint32
	n, _, _ := getConsoleProcessList.Call(uintptr(unsafe.Pointer(&processes[0])), uintptr(len(processes)))
	return n == 1
}

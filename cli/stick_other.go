//go:build !windows && !darwin

package cli

import "os"

// hasScreen reports whether a browser has a place to be shown.
func hasScreen() bool { return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" }

// ownsWindow reports whether the window of this process closes when it ends.
func ownsWindow() bool { return false }

package cli

// hasScreen reports whether a browser has a place to be shown.
func hasScreen() bool { return true }

// ownsWindow reports whether the window of this process closes when it ends. Terminal's stays, with all that was said.
func ownsWindow() bool { return false }

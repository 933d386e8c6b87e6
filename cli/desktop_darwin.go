package cli

// opener is the program that shows an address in the person's browser.
var opener = []string{"open"}

// hasScreen reports whether a browser has a place to be shown.
func hasScreen() bool { return true }

// ownsWindow reports whether the window of this process closes when it ends. Terminal's stays, with all that was said.
func ownsWindow() bool { return false }

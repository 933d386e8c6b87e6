package system

// SetClock is a command that sets the clock.
const SetClock = "sudo sntp -sS time.apple.com"

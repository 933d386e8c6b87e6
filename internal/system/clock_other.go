//go:build !windows && !darwin

package system

// SetClock is a command that sets the clock.
const SetClock = "timedatectl set-ntp true"

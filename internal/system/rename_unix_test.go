//go:build unix

package system

func replacesOpen() bool { return true }

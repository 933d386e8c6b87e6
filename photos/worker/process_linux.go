package worker

import (
	"math"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// self returns the program that runs. It stays valid if another version is installed over this program.
func self() string {
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link
	}
	path, _ := os.Executable() // without a name, starting it fails
	return path
}

// prepare makes a worker end with the thread that starts it, and not with the terminal.
func prepare(cmd *exec.Cmd) error {
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if unix.CloseRange(afterStreams, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) != nil {
		keepEach() // a kernel before 5.11
	}
	return nil
}

package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// self returns the program that runs.
func self() string {
	path, _ := os.Executable() // without a name, starting it fails
	return path
}

// prepare keeps a worker from ending with the terminal. It ends with the server, whose pipe ends then.
func prepare(cmd *exec.Cmd) error {
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	keepEach()
	return nil
}

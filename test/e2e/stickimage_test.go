package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/filetest"
)

// tool runs a program of the system, and skips the test where the machine lacks it. refused is told of an error: t.Skipf
// for what a machine may refuse to its users, t.Fatalf for what must work.
func tool(t *testing.T, refused func(string, ...any), debian, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", name, debian)
	}
	out, err := exec.Command(path, args...).CombinedOutput()
	if err != nil {
		refused("%s %q: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// makeImage makes the image of a stick with a file system, and copies what the stick has.
func makeImage(t *testing.T, kind, stick string) string {
	t.Helper()
	image := filetest.New(t, kind+".img", "")
	must(t, os.Truncate(image, 256<<20))
	if kind == "vfat" {
		tool(t, t.Fatalf, "dosfstools", "mkfs.vfat", "-F", "32", image)
		tool(t, t.Fatalf, "mtools", "mcopy", "-s", "-m", "-i", image, stick, "::")
		return image
	}
	tool(t, t.Fatalf, "exfatprogs", "mkfs.exfat", image)
	dir, unmount := mount(t, kind, image, "rw")
	out, err := exec.Command("cp", "-r", "--preserve=timestamps", stick, dir).CombinedOutput()
	unmount()
	if err != nil {
		t.Fatalf("copying to the stick: %v: %s", err, out)
	}
	return image
}

// mountImage mounts an image until the test ends. Nothing runs from the images of FAT, as on many desktops.
func mountImage(t *testing.T, kind, image string, writable bool) (dir string) {
	t.Helper()
	options := "ro"
	if writable {
		options = "rw"
	}
	if kind == "vfat" {
		options += ",noexec"
	}
	dir, unmount := mount(t, kind, image, options)
	t.Cleanup(unmount)
	f, err := os.Create(filepath.Join(dir, "new"))
	if (err == nil) != writable {
		t.Fatalf("creating a file: %v; want the image to be writable: %t", err, writable)
	}
	if writable {
		must(t, f.Close())
		must(t, os.Remove(filepath.Join(dir, "new")))
	}
	return dir
}

// mount mounts an image by the kernel, or by FUSE where the kernel does not know the file system.
func mount(t *testing.T, kind, image, options string) (dir string, unmount func()) {
	t.Helper()
	dir = t.TempDir()
	unmount = func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	}
	if exec.Command("mount", "-t", kind, "-o", "loop,"+options, image, dir).Run() == nil {
		return dir, unmount
	}
	if kind == "vfat" { // rw+ is its word for rw
		tool(t, t.Skipf, "fusefat", "fusefat", "-o", strings.Replace(options, "rw", "rw+", 1), image, dir)
		return dir, unmount
	}
	loop := tool(t, t.Skipf, "mount", "losetup", "-f", "--show", image)
	t.Cleanup(func() { _ = exec.Command("losetup", "-d", loop).Run() }) // after it was unmounted
	tool(t, t.Skipf, "exfat-fuse", "mount.exfat-fuse", "-o", options, loop, dir)
	return dir, unmount
}

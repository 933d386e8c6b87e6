package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"relais/cluster"
	"relais/internal/system"
	"relais/photos/confine"
)

// secretFiles are the files of a data folder that only its owner may read.
var secretFiles = []string{"secret.key", "clients.db", "users.db"}

// warnOfSettings logs settings that are allowed and probably mistakes. They do not keep the server from starting.
func (a *app) warnOfSettings() {
	if a.BaseURL == "" && len(a.proxies) > 0 {
		a.log.Warn("--trusted-proxy without --base-url: addresses in answers begin with the address of the listener, "+
			"and assistants may not call by any other: set --base-url to the address that people call", "baseUrl", a.base)
	}
	warnOfPassword(a.log, os.Args, a.Cluster)
	if !a.stores.Photos.ReadOnly() {
		warnOfUploads(a.log, confine.Possible, a.AcceptUnconfinedUploads)
	}
	var files []string
	for _, name := range secretFiles {
		files = append(files, filepath.Join(string(a.dir), name))
	}
	if a.TLSKey != "" {
		files = append(files, a.TLSKey)
	}
	warnOfReaders(a.log, files...)
}

// warnOfUploads logs what a system that cannot confine means for photos.
func warnOfUploads(log *slog.Logger, confined, accepted bool) {
	switch {
	case confined:
	case accepted:
		log.Warn("processes that decode images can open files and sockets: this system cannot confine them, and " +
			"--accept-unconfined-uploads accepts that")
	default:
		log.Warn("photos that are sent are refused: this system cannot confine the processes that decode them; " +
			"--accept-unconfined-uploads accepts them")
	}
}

// warnOfPassword logs that everybody on the machine may read a password in the list of processes.
func warnOfPassword(log *slog.Logger, args []string, address string) {
	shown := func(arg string) bool { return strings.HasSuffix(arg, address) }
	if address != "" && cluster.HasPassword(address) && slices.ContainsFunc(args, shown) {
		log.Warn("the command line has the password of the cluster's database, which everybody on this machine may read: give " +
			"--cluster as RELAIS_CLUSTER in the environment, or the password in the file that PGPASSFILE names")
	}
}

// warnOfReaders logs the files that everybody on the machine may read. Files that do not exist are
// left out.
func warnOfReaders(log *slog.Logger, files ...string) {
	// For everybody. A folder that others cannot enter hides its files, whatever their modes are.
	const read, enter = 0o004, 0o001
	for _, path := range files {
		dir, err := os.Stat(filepath.Dir(path))
		if err != nil || system.Mode(dir)&enter == 0 {
			continue
		}
		if info, err := os.Stat(path); err == nil && system.Mode(info)&read != 0 {
			log.Warn("everybody on this machine may read a file with secrets: chmod o= "+path, "file", path,
				"mode", system.Mode(info).String())
		}
	}
}

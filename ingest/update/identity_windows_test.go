package update

import "io/fs"

// identity is the same for all files: a listing does not have their numbers.
func identity(fs.FileInfo) uint64 { return 0 }

package store

// room returns the bytes that a file may grow by before it is mapped again: up to 1 MiB in all, because on Windows bolt
// makes the file as large as what it maps, and a file must not grow each time that it is opened.
func room(size int64) int { return max(0, step-int(size)) }

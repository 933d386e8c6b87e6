package store

// room returns the bytes that a file may grow by before it is mapped again. It is small, because on Windows bolt makes
// the file as large as what it maps.
func room(int64) int { return step }

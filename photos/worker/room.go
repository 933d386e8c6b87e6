package worker

// Memory of workers, in bytes.
const (
	// of one: an HEIC of 24 megapixels takes 750 MB, the most that render allows a little more
	mostMemory  = 1280<<20 - unused
	goodMemory  = 640 << 20 // of one: with less, fewer workers run
	leastMemory = 160 << 20 // of one: a photo of two megapixels needs that
	serverLeast = 96 << 20  // of the server
)

// Room returns how many bytes of a control group's memory the workers may use together: three
// quarters, or less if the server needs more.
func Room(limit int64) int64 { return max(leastMemory, limit-max(limit/4, serverLeast)) }

// divide returns how many workers may run, at most wanted, and how many bytes each may have. If
// room is not stated, all run.
func divide(room int64, wanted int) (workers int, each int64) {
	if room == 0 {
		return wanted, mostMemory
	}
	workers = int(max(1, min(int64(wanted), room/goodMemory)))
	return workers, max(leastMemory, min(mostMemory, room/int64(workers)))
}

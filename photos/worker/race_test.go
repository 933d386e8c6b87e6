//go:build race

package worker

// raceDetector reports whether the race detector is compiled in. It takes more memory than
// a worker may have.
const raceDetector = true

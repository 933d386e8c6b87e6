package access

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"relais/internal/system"
)

// buntdb believes the lengths that its file states. It panics on some and allocates without a bound
// for others. So the file is checked here first.

// errNoCounts says that a file, or a part of it, was not written by buntdb.
var errNoCounts = errors.New("the file of counts is damaged")

// maxPart is the most bytes that a part of a command can have.
const maxPart = 64 << 20

// A CountsFile is what a file of counts holds.
type CountsFile struct {
	Counts int   // that are valid; kept answers are not among them
	Torn   int64 // bytes that a power cut or the end of a process left unfinished
	Bad    int64 // bytes that cannot be read and were not left so

	text []byte
	good []stretch // of whole commands
}

// A stretch is a part of a file.
type stretch struct{ from, to int }

// ReadCounts reads the file of counts to its end, even while it is written to. Torn are an
// unfinished end of the file and blocks of zeros, which a power cut leaves where nothing was
// written yet. Errors are those of reading.
func ReadCounts(path string) (*CountsFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &CountsFile{text: text}
	keys := map[string]bool{}
	for at := 0; at < len(text); {
		from := at
		for {
			size, err := readInto(keys, text[at:])
			if err != nil {
				break
			}
			at += size
		}
		if at > from {
			c.good = append(c.good, stretch{from, at})
		}
		next := nextCommand(text, at)
		c.lose(text[at:next], next == len(text))
		at = next
	}
	c.Counts = len(keys)
	return c, nil
}

// lose counts the bytes between two complete commands.
func (c *CountsFile) lose(text []byte, last bool) {
	unwritten := bytes.Contains(text, make([]byte, 16))
	begun := func() bool { _, _, err := readCommand(text); return err == io.ErrUnexpectedEOF }
	if unwritten || last && (len(c.good) > 0 || begun()) {
		c.Torn += int64(len(text))
		return
	}
	c.Bad += int64(len(text))
}

// readInto reads the command that the text begins with, and notes its count.
func readInto(keys map[string]bool, text []byte) (size int, err error) {
	parts, size, err := readCommand(text)
	if err != nil {
		return 0, err
	}
	if bytes.IndexByte(text[:size], 0) >= 0 { // a block that was not written, inside of it
		return 0, fmt.Errorf("%w: a part with zeros", errNoCounts)
	}
	switch command := parts[0]; {
	case command == "set" && (len(parts) == 3 || len(parts) == 5 && parts[3] == "ae" && isSeconds(parts[4])):
		if strings.HasPrefix(parts[1], dayKey) {
			keys[parts[1]] = true
		}
	case command == "del" && len(parts) == 2:
		delete(keys, parts[1])
	default:
		return 0, fmt.Errorf("%w: a command of %d parts", errNoCounts, len(parts))
	}
	return size, nil
}

// nextCommand returns where the next complete command begins, or the end of the text. It finds none
// inside a command: keys and values have no line ends, because JSON writes them as \n.
func nextCommand(text []byte, at int) int {
	for at < len(text) {
		if _, err := readInto(map[string]bool{}, text[at:]); err == nil {
			return at
		}
		next := bytes.IndexByte(text[at+1:], '*')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return len(text)
}

// repair keeps the readable part of a file. It keeps the damaged file next to it, under the name
// aside.
func (c *CountsFile) repair(path string) (aside string, err error) {
	if c.Torn == 0 && c.Bad == 0 {
		return "", nil
	}
	if len(c.good) == 1 && c.good[0].from == 0 && c.Bad == 0 { // cutting works on a full disk too
		return "", cut(path, int64(c.good[0].to))
	}
	if c.Bad > 0 {
		aside = path + ".damaged"
		if err := writeSynced(aside, c.text); err != nil {
			// the disk is full: the file itself is put aside
			return aside, errors.Join(os.Remove(aside), os.Rename(path, aside))
		}
	}
	var kept [][]byte
	for _, s := range c.good {
		kept = append(kept, c.text[s.from:s.to])
	}
	next := path + ".tmp"
	if err := writeSynced(next, bytes.Join(kept, nil)); err != nil {
		return aside, err
	}
	return aside, errors.Join(os.Rename(next, path), system.SyncFolder(filepath.Dir(path)))
}

// cut shortens a file to size bytes.
func cut(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// writeSynced makes a file that its owner alone can read, and puts it on disk.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// readCommand reads *PARTS and, for each part, $BYTES and the bytes, each followed
// by a line end. Error: io.ErrUnexpectedEOF where the text ends first.
func readCommand(text []byte) (parts []string, size int, err error) {
	n, at, err := readNumber(text, '*', 5)
	if err != nil {
		return nil, 0, err
	}
	if n == 0 {
		return nil, 0, fmt.Errorf("%w: an empty command", errNoCounts)
	}
	for range n {
		length, digits, err := readNumber(text[at:], '$', maxPart)
		if err != nil {
			return nil, 0, err
		}
		at += digits
		if len(text)-at < length+2 {
			return nil, 0, io.ErrUnexpectedEOF
		}
		parts = append(parts, string(text[at:at+length]))
		at += length
		if string(text[at:at+2]) != "\r\n" {
			return nil, 0, fmt.Errorf("%w: a part without an end", errNoCounts)
		}
		at += 2
	}
	return parts, at, nil
}

// readNumber reads a line that has a mark and a number of at most most.
func readNumber(text []byte, mark byte, most int) (n, size int, err error) {
	const longest = 16 // bytes of such a line
	line := text[:min(len(text), longest)]
	if len(line) > 0 && line[0] != mark {
		return 0, 0, fmt.Errorf("%w: no %q where a line begins", errNoCounts, mark)
	}
	digits, _, whole := bytes.Cut(line, []byte("\r\n"))
	if !whole && len(text) < longest {
		return 0, 0, io.ErrUnexpectedEOF
	}
	if !whole {
		return 0, 0, fmt.Errorf("%w: a number without an end", errNoCounts)
	}
	number, err := strconv.ParseUint(string(digits[1:]), 10, 32)
	if err != nil || number > uint64(most) {
		return 0, 0, fmt.Errorf("%w: the number %q", errNoCounts, digits)
	}
	return int(number), len(digits) + 2, nil
}

// isSeconds reports whether a part is seconds since 1970.
func isSeconds(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

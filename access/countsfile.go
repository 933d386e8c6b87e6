package access

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// buntdb believes the lengths that its file states, and panics on some and
// allocates without a bound for others. So the file is read here first.

// errNoCounts says that a file is none that buntdb has written.
var errNoCounts = errors.New("the file of counts is damaged")

// maxPart is more bytes than any part of a command has.
const maxPart = 64 << 20

// CheckCounts reads the file of counts to its end, while it is written to or not,
// and returns how many counts hold; the answers that are in it, too, do not count. A
// command without an end is the last one of a server that was killed: the next start
// drops it. Errors: those of reading, and that the file is damaged.
func CheckCounts(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	keys := map[string]bool{}
	for r := bufio.NewReader(f); ; {
		parts, err := readCommand(r)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return len(keys), nil
		}
		if err != nil {
			return 0, err
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
	}
}

// readCommand reads *PARTS and, for each part, $BYTES and the bytes, each followed
// by a line end.
func readCommand(r *bufio.Reader) (parts []string, err error) {
	n, err := readNumber(r, '*', 5)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%w: an empty command", errNoCounts)
	}
	for range n {
		size, err := readNumber(r, '$', maxPart)
		if err != nil {
			return nil, err
		}
		var text strings.Builder // grows with what is there, not with what is stated
		if _, err := io.CopyN(&text, r, int64(size)); err != nil {
			return nil, err
		}
		end := make([]byte, 2)
		if _, err := io.ReadFull(r, end); err != nil {
			return nil, err
		}
		if string(end) != "\r\n" {
			return nil, fmt.Errorf("%w: a part without an end", errNoCounts)
		}
		parts = append(parts, text.String())
	}
	return parts, nil
}

// readNumber reads a line of a mark and a number up to most.
func readNumber(r *bufio.Reader, mark byte, most uint64) (uint64, error) {
	line, err := r.ReadSlice('\n')
	if err == bufio.ErrBufferFull || len(line) > 0 && line[0] != mark {
		return 0, fmt.Errorf("%w: no %q where a line begins", errNoCounts, mark)
	}
	if err != nil {
		return 0, err
	}
	digits, whole := strings.CutSuffix(string(line[1:]), "\r\n")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !whole || err != nil || n > most {
		return 0, fmt.Errorf("%w: the number %q", errNoCounts, digits)
	}
	return n, nil
}

// isSeconds tells whether a part is seconds since 1970.
func isSeconds(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

package items

import (
	"bytes"
	"encoding/json"
)

// Members calls visit with the name and the value, as written, of each member of a JSON
// object in order. object must be valid JSON; other values have no members.
func Members(object []byte, visit func(name, value []byte)) {
	at := skipBlanks(object, 0)
	if at == len(object) || object[at] != '{' {
		return
	}
	for {
		start := skipBlanks(object, at+1) // after the brace or the comma
		if start == len(object) || object[start] != '"' {
			return
		}
		end := valueEnd(object, start)
		name := nameOf(object[start:end])
		if at = skipBlanks(object, end); at == len(object) || object[at] != ':' {
			return
		}
		start = skipBlanks(object, at+1)
		end = valueEnd(object, start)
		visit(name, object[start:end])
		if at = skipBlanks(object, end); at == len(object) || object[at] != ',' {
			return
		}
	}
}

// nameOf returns the text of a name in quotes.
func nameOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return bytes.Trim(quoted, `"`)
	}
	var name string
	json.Unmarshal(quoted, &name) // the object is valid
	return []byte(name)
}

func skipBlanks(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r') {
		at++
	}
	return at
}

// valueEnd returns where the value ends that begins at a position.
func valueEnd(b []byte, at int) int {
	nested := 0
	for ; at < len(b); at++ {
		switch b[at] {
		case '"':
			for at++; at < len(b) && b[at] != '"'; at++ {
				if b[at] == '\\' {
					at++
				}
			}
			if nested == 0 {
				return min(at+1, len(b))
			}
		case '{', '[':
			nested++
		case '}', ']':
			if nested--; nested == 0 {
				return at + 1
			}
			if nested < 0 { // the brace of the object, after a number
				return at
			}
		case ',', ' ', '\t', '\n', '\r':
			if nested == 0 {
				return at
			}
		}
	}
	return len(b)
}

package fold

// EqualASCII compares without case, and only in ASCII: strings.EqualFold takes
// the Kelvin sign for a k.
func EqualASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if upper(a[i]) != upper(b[i]) {
			return false
		}
	}
	return true
}

// UpperASCII returns s with the ASCII letters in upper case, and leaves the
// others unchanged: strings.ToUpper makes an S of a long s.
func UpperASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = upper(c)
	}
	return string(b)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

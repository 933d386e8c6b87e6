// Package chunk iterates over the parts of JPEG, PNG and RIFF files. It
// copies nothing, and stops without an error where a file is cut off or
// malformed.
package chunk

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Signatures that files begin with.
const (
	SignatureJPEG = "\xff\xd8\xff"
	SignaturePNG  = "\x89PNG\r\n\x1a\n"
)

// JPEG yields the marker segments before the first scan, each with its marker's
// second byte and its content (ITU-T T.81, B.1.1).
func JPEG(data []byte) iter.Seq2[byte, []byte] {
	const standalone, lastStandalone, endOfImage, startOfScan = 0xd0, 0xd8, 0xd9, 0xda
	return func(yield func(byte, []byte) bool) {
		if !bytes.HasPrefix(data, []byte(SignatureJPEG)) {
			return
		}
		for rest := data[2:]; len(rest) >= 4; {
			marker := rest[1]
			switch {
			case rest[0] != 0xff, marker == 0xff: // rubbish, which decoders skip, or fill
				rest = rest[1:]
				continue
			case marker == 0:
				rest = rest[2:]
				continue
			case standalone <= marker && marker <= lastStandalone:
				rest = rest[2:]
				continue
			case marker == endOfImage || marker == startOfScan:
				return
			}
			length := int(binary.BigEndian.Uint16(rest[2:]))
			if length < 2 || 2+length > len(rest) || !yield(marker, rest[4:2+length]) {
				return
			}
			rest = rest[2+length:]
		}
	}
}

// PNG yields the type and the content of each chunk. It does not verify checksums.
func PNG(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, whole := range WholePNG(data) {
			if !yield(name, whole[8:len(whole)-4]) {
				return
			}
		}
	}
}

// WholePNG yields the type and all the bytes of each chunk: its length, its type, its content and its checksum.
func WholePNG(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		rest, ok := bytes.CutPrefix(data, []byte(SignaturePNG))
		for ok && len(rest) >= 12 {
			length := uint64(binary.BigEndian.Uint32(rest))
			if length > uint64(len(rest)-12) || !yield(string(rest[4:8]), rest[:12+length]) {
				return
			}
			rest = rest[12+length:]
		}
	}
}

// RIFF yields the name and the content of each chunk of a RIFF file with the
// given form, such as WEBP.
func RIFF(data []byte, form string) iter.Seq2[string, []byte] {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != form {
		return func(func(string, []byte) bool) {}
	}
	return Chunks(data[12:])
}

// Chunks yields the name and the content of each RIFF chunk in a row of them.
func Chunks(rest []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := rest; len(rest) >= 8; {
			length := uint64(binary.LittleEndian.Uint32(rest[4:]))
			if length > uint64(len(rest)-8) || !yield(string(rest[:4]), rest[8:8+length]) {
				return
			}
			rest = rest[min(8+length+length&1, uint64(len(rest))):]
		}
	}
}

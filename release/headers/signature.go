package main

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Of code signatures, as in cs_blobs.h of XNU. Their numbers are big-endian.
const (
	superBlob     = 0xfade0cc0
	codeDirectory = 0xfade0c02
	adHoc         = 2 // a flag: nobody has signed, there are only hashes
	hashSHA256    = 2
)

// checkSignature checks the signature at an offset in a program: the hash of each page must be that of its bytes.
func checkSignature(path string, offset, size uint32) (string, error) {
	program, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if uint64(offset)+uint64(size) > uint64(len(program)) {
		return "", errors.New("the code signature is outside of the file")
	}
	word := func(b []byte, i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	blob := program[offset : offset+size]
	if word(blob, 0) != superBlob || word(blob, 2) != 1 {
		return "", errors.New("the code signature has not one part")
	}
	directory := blob[word(blob, 4):]
	flags, hashes, slots, limit := word(directory, 3), word(directory, 4), word(directory, 7), word(directory, 8)
	hashSize, hashType, page := directory[36], directory[37], uint32(1)<<directory[39]
	if word(directory, 0) != codeDirectory || flags&adHoc == 0 || hashType != hashSHA256 || hashSize != sha256.Size {
		return "", errors.New("the code signature is not an ad-hoc one by SHA-256")
	}
	if limit != offset || slots != (limit+page-1)/page {
		return "", fmt.Errorf("the code signature is for %d bytes in %d pages, the program has %d", limit, slots, offset)
	}
	for i := range slots {
		got := sha256.Sum256(program[i*page : min((i+1)*page, limit)])
		if want := directory[hashes+i*sha256.Size:]; string(want[:sha256.Size]) != string(got[:]) {
			return "", fmt.Errorf("the hash of page %d is not that of its bytes", i)
		}
	}
	return fmt.Sprintf("an ad-hoc code signature that fits its %d pages", slots), nil
}

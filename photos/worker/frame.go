package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A message between the two processes is a head in JSON and blobs of bytes:
//
//	uint32   length of the head, little-endian
//	head     {"blobs":[lengths in bytes],"is":…}
//	blobs    one after the other
//
// Neither side trusts the other's lengths.
const (
	maxHead  = 256 << 10 // bytes
	maxBlobs = 4
)

type head struct {
	Blobs []int64         `json:"blobs"`
	Is    json.RawMessage `json:"is"`
}

// send writes a message. sizes are the lengths of the blobs.
func send(w io.Writer, is any, sizes []int64, blobs ...io.Reader) error {
	text, err := json.Marshal(is)
	if err != nil {
		return err
	}
	text, err = json.Marshal(head{sizes, text})
	if err != nil {
		return err
	}
	if len(text) > maxHead || len(blobs) > maxBlobs {
		return errors.New("a message is too large")
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return err
	}
	for i, b := range blobs {
		if _, err := io.CopyN(w, b, sizes[i]); err != nil {
			return err
		}
	}
	return nil
}

// receive reads a message whose blobs have at most limit bytes in total.
func receive(r io.Reader, is any, limit int64) ([][]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHead {
		return nil, fmt.Errorf("a head of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	var h head
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(h.Is, is); err != nil {
		return nil, err
	}
	if len(h.Blobs) > maxBlobs {
		return nil, fmt.Errorf("%d blobs", len(h.Blobs))
	}
	blobs := make([][]byte, len(h.Blobs))
	for i, size := range h.Blobs {
		if size < 0 || size > limit {
			return nil, fmt.Errorf("a blob of %d bytes", size)
		}
		limit -= size
		blobs[i] = make([]byte, size)
		if _, err := io.ReadFull(r, blobs[i]); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}

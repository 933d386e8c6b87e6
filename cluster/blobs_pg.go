package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"io/fs"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"relais/internal/store"
)

// In the database, part 0 of a blob is the number of its bytes and their SHA-256. The bytes are
// parts from 1 on. A blob comes in one transaction, so that it is whole or missing.

const (
	partSize   = 2 << 20 // reading 400 MiB took 101 MB of memory with parts of 8 MiB, and takes 30 MB with these
	headerSize = 8 + sha256.Size
)

// putRows stores a blob in the database.
func (b *blobs) putRows(ctx context.Context, name string, body io.Reader, size int64) error {
	select { // a transaction holds its connection as long as the body takes
	case b.puts <- struct{}{}:
		defer func() { <-b.puts }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return b.inTx(ctx, func(tx pgx.Tx) error {
		// From here on, nobody else puts or deletes the name.
		if _, err := within(ctx, tx, pendNames, []string{name}, false); err != nil {
			return err
		}
		return insertBlob(ctx, tx, name, body, size)
	})
}

// insertBlob adds the rows of a blob. If it is there already, it only makes sure that it has the same bytes. The
// header comes last, when the sum is known.
func insertBlob(ctx context.Context, tx pgx.Tx, name string, body io.Reader, size int64) error {
	stored, err := readParts(ctx, tx.Conn().PgConn(), name, 0, 0)
	if err != nil {
		return err
	}
	sum, read := sha256.New(), int64(0)
	part := make([]byte, min(partSize, max(size, 0)+1)) // one more, to notice a body that is too long
	for number := 1; ; number++ {
		n, err := io.ReadFull(body, part)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		if read += int64(n); read > size {
			break
		}
		sum.Write(part[:n])
		if n > 0 && len(stored) == 0 {
			if err := insertPart(ctx, tx, name, number, part[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			break
		}
	}
	if read != size {
		return wrongSize(name, read, size)
	}
	header := sum.Sum(binary.BigEndian.AppendUint64(nil, uint64(size)))
	switch {
	case len(stored) == 0:
		return insertPart(ctx, tx, name, 0, header)
	case !bytes.Equal(stored[0], header):
		return wrong(name, "its name is taken by other bytes")
	}
	return nil
}

// insertPart adds a row. Its bytes go as they are: in the mode that pgbouncer needs, pgx would send them as text,
// which is twice as long.
func insertPart(ctx context.Context, tx pgx.Tx, name string, number int, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	result := tx.Conn().PgConn().ExecParams(ctx, `INSERT INTO relais.blob VALUES ($1, $2, $3)`,
		[][]byte{[]byte(name), []byte(strconv.Itoa(number)), body},
		[]uint32{pgtype.TextOID, pgtype.Int4OID, pgtype.ByteaOID},
		[]int16{pgtype.TextFormatCode, pgtype.TextFormatCode, pgtype.BinaryFormatCode}, nil).Read()
	return away(result.Err)
}

// readParts returns the parts of a blob from a number to another one, none if the first is missing.
func readParts(ctx context.Context, conn *pgconn.PgConn, name string, from, to int) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	result := conn.ExecParams(ctx, `SELECT part, body FROM relais.blob WHERE name = $1 AND part BETWEEN $2 AND $3 ORDER BY part`,
		[][]byte{[]byte(name), []byte(strconv.Itoa(from)), []byte(strconv.Itoa(to))},
		[]uint32{pgtype.TextOID, pgtype.Int4OID, pgtype.Int4OID}, nil,
		[]int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode}).Read()
	if result.Err != nil {
		return nil, away(result.Err)
	}
	var parts [][]byte
	for i, row := range result.Rows {
		if string(row[0]) != strconv.Itoa(from+i) {
			break
		}
		parts = append(parts, row[1])
	}
	return parts, nil
}

// parts is readParts on a connection of its own.
func (b *blobs) parts(ctx context.Context, name string, from, to int) (parts [][]byte, err error) {
	opening, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	conn, err := b.pool.Acquire(opening)
	if err != nil {
		return nil, away(err)
	}
	defer conn.Release()
	return readParts(ctx, conn.Conn().PgConn(), name, from, to)
}

// getRows opens a blob of the database. It is read part by part, without keeping a connection: a slow reader would
// hold one of the few of the pool.
func (b *blobs) getRows(ctx context.Context, name string) (io.ReadCloser, error) {
	parts, err := b.parts(ctx, name, 0, 1)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, &fs.PathError{Op: "blob", Path: name, Err: fs.ErrNotExist}
	}
	if len(parts[0]) != headerSize {
		return nil, wrong(name, "%w: its header has %d bytes", store.ErrDamaged, len(parts[0]))
	}
	r := &rowReader{ctx: ctx, blobs: b, name: name, part: 1}
	if len(parts) > 1 {
		r.rest, r.part = parts[1], 2
	}
	size := int64(binary.BigEndian.Uint64(parts[0]))
	if size < 0 {
		return nil, wrong(name, "%w: it has %d bytes", store.ErrDamaged, size)
	}
	return &checkedReader{from: r, name: name, remaining: size, sum: sha256.New(), want: parts[0][8:]}, nil
}

// A rowReader reads the parts of a blob.
type rowReader struct {
	ctx context.Context
	*blobs
	name string
	part int // the next
	rest []byte
}

func (r *rowReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		parts, err := r.parts(r.ctx, r.name, r.part, r.part)
		if err != nil {
			return 0, err
		}
		if len(parts) == 0 {
			return 0, io.EOF
		}
		r.rest, r.part = parts[0], r.part+1
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *rowReader) Close() error { return nil }

// A checkedReader reads a blob and verifies it: its last bytes come only if all are right, so that a caller that
// reads size bytes and no more has verified ones.
type checkedReader struct {
	from      io.ReadCloser
	name      string
	remaining int64
	sum       hash.Hash
	want      []byte
	err       error
}

func (r *checkedReader) Read(p []byte) (int, error) {
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	n := 0
	if r.remaining > 0 {
		n, r.err = r.from.Read(p[:min(int64(len(p)), r.remaining)])
		r.sum.Write(p[:n])
		r.remaining -= int64(n)
	}
	switch {
	case r.remaining > 0 && r.err == io.EOF:
		r.err = wrong(r.name, "%w: %d bytes are missing: %w", store.ErrDamaged, r.remaining, io.ErrUnexpectedEOF)
	case r.remaining > 0 && r.err != nil:
		r.err = wrong(r.name, "%w", r.err)
	case r.remaining == 0 && !bytes.Equal(r.sum.Sum(nil), r.want):
		n, r.err = 0, wrong(r.name, "%w: its bytes are not those that were put", store.ErrDamaged)
	case r.remaining == 0:
		r.err = io.EOF
	}
	return n, r.err
}

func (r *checkedReader) Close() error { return r.from.Close() }

// wrongSize says that a body is not as long as its caller said.
func wrongSize(name string, read, size int64) error {
	return &fs.PathError{Op: "blob", Path: name, Err: errors.New("its body has " + strconv.FormatInt(read, 10) +
		" bytes or more, want " + strconv.FormatInt(size, 10))}
}

package avif

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"relais/photos/heif"
)

// dav1d is what codec/build.sh makes; codec/dav1d.LICENSE is its licence.
//
//go:embed codec/dav1d.wasm.gz
var dav1d []byte

// maxFrame is the most pixels of one AV1 frame for which dav1d computes with 32-bit
// sizes. What is larger has to be a grid.
const maxFrame = 8192 * 8192

const page = 1 << 16 // bytes of WebAssembly memory

// Limits are those of one picture.
type Limits struct {
	Pixels uint64 // of the picture or, if there are more, of the tiles of its grid; of its alpha as many again
	Memory uint64 // bytes of dav1d's memory; the pictures of Go come on top. At most 4 GiB
}

// A Decoder holds the compiled dav1d. It is safe for concurrent use: every picture
// has its own memory.
type Decoder struct {
	runtime   wazero.Runtime
	module    wazero.CompiledModule
	maxPixels uint64
}

// NewDecoder compiles dav1d, which takes about half a second. One Decoder is enough for a process.
func NewDecoder(ctx context.Context, limits Limits) (*Decoder, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(dav1d))
	if err != nil {
		return nil, fmt.Errorf("avif: unpack dav1d: %w", err)
	}
	wasm, err := io.ReadAll(unzip)
	if err != nil {
		return nil, fmt.Errorf("avif: unpack dav1d: %w", err)
	}
	pages := min(limits.Memory, 1<<32) / page
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(uint32(pages)))
	_, err = runtime.NewHostModuleBuilder("go").NewFunctionBuilder().WithFunc(proceed).Export("proceed").Instantiate(
		ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("avif: start wazero: %w", err), runtime.Close(ctx))
	}
	module, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("avif: compile dav1d: %w", err), runtime.Close(ctx))
	}
	return &Decoder{runtime, module, limits.Pixels}, nil
}

// proceed is the only function that dav1d can call: before every row of superblocks it
// asks whether to go on. wazero makes the panic an error of the call.
func proceed(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		panic(err)
	}
}

// A machine is dav1d with its memory. It cannot be used after a fault.
type machine struct {
	*Decoder
	ctx    context.Context
	module api.Module
}

func (d *Decoder) machine(ctx context.Context) (*machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	module, err := d.runtime.InstantiateModule(ctx, d.module, wazero.NewModuleConfig().
		WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("avif: start dav1d: %w", err)
	}
	return &machine{d, ctx, module}, nil
}

func (m *machine) close() { m.module.Close(context.WithoutCancel(m.ctx)) } // nothing of it can fail: it has no files

// call calls a function of codec/shim.c.
func (m *machine) call(name string, args ...uint64) (uint32, error) {
	results, err := m.module.ExportedFunction(name).Call(m.ctx, args...)
	switch {
	case m.ctx.Err() != nil:
		return 0, m.ctx.Err()
	case err != nil:
		return 0, fmt.Errorf("%w: dav1d: %w", errDamaged, err) // a trap
	case len(results) == 0:
		return 0, nil
	}
	return uint32(results[0]), nil
}

// enomem is the errno of WASI for lack of memory; dav1d returns it negated.
const enomem = 48

// decode decodes the first frame of an item that is to have the given size. The frame
// lies in the memory of the machine, until release.
func (m *machine) decode(data []byte, width, height uint32) (*frame, error) {
	pixels := uint64(width) * uint64(height)
	if pixels > min(maxFrame, m.maxPixels) {
		return nil, fmt.Errorf("%w: a frame of %d × %d", ErrTooLarge, width, height)
	}
	input, err := m.call("reserve", uint64(len(data)))
	if err != nil {
		return nil, err
	}
	if input == 0 || !m.module.Memory().Write(input, data) {
		return nil, fmt.Errorf("%w: cannot allocate %d bytes", ErrTooLarge, len(data))
	}
	status, err := m.call("decode", uint64(input), uint64(len(data)), pixels)
	switch {
	case err != nil:
		return nil, err
	case status != 0:
		err = fmt.Errorf("%w: dav1d: error %d", errDamaged, -int32(status))
		if int32(status) == -enomem {
			err = fmt.Errorf("%w: dav1d needs more memory", ErrTooLarge)
		}
		return nil, err
	}
	f, err := m.frame()
	if err == nil && (f.width != int(width) || f.height != int(height)) {
		err = fmt.Errorf("%w: the stated size is %d × %d, that of the frame %d × %d", errDamaged, width, height,
			f.width, f.height)
	}
	return f, err
}

// release frees the frame and its memory. If that fails, so does the next call.

func (m *machine) release() { m.call("release") }

// frame reads the result of codec/shim.c.
func (m *machine) frame() (*frame, error) {
	at, err := m.call("result")
	if err != nil {
		return nil, err
	}
	raw, ok := m.module.Memory().Read(at, 14*4)
	if !ok {
		return nil, errors.New("avif: dav1d's result lies outside its memory")
	}
	var r struct {
		Width, Height, Depth, Layout, Full, Matrix, Primaries, Transfer uint32
		Plane, Stride                                                   [3]uint32
	}
	if _, err := binary.Decode(raw, binary.LittleEndian, &r); err != nil {
		return nil, fmt.Errorf("avif: dav1d's result: %w", err)
	}
	if r.Depth < 8 || r.Depth > 12 || r.Layout > 3 || uint64(r.Width)*uint64(r.Height) > maxFrame {
		return nil, fmt.Errorf("%w: a frame of %d × %d, %d bits, layout %d", errDamaged, r.Width, r.Height, r.Depth,
			r.Layout)
	}
	f := &frame{width: int(r.Width), height: int(r.Height), depth: int(r.Depth), layout: layout(r.Layout),
		colour: heif.Color{Primaries: uint16(r.Primaries), Transfer: uint16(r.Transfer), Matrix: uint16(r.Matrix),
			FullRange: r.Full != 0}}
	for i := range f.planes() {
		w, h := f.planeSize(i)
		if f.depth > 8 {
			w *= 2
		}
		stride := int(r.Stride[i])
		f.stride[i] = stride
		if stride < w || uint64(stride)*uint64(h) > 1<<32-1 {
			return nil, fmt.Errorf("%w: rows of %d bytes, %d apart", errDamaged, w, int32(r.Stride[i]))
		}
		if f.plane[i], ok = m.module.Memory().Read(r.Plane[i], uint32(stride*(h-1)+w)); !ok {
			return nil, fmt.Errorf("%w: a plane lies outside the memory", errDamaged)
		}
	}
	return f, nil
}

package metafile

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// record reads the fields of one record, little-endian. What lies behind its
// end reads as 0 and sets isShort.
type record struct {
	data    []byte
	at      int
	isShort bool
}

func (r *record) take(n int) []byte {
	if n < 0 || r.at < 0 || n > len(r.data)-r.at {
		r.isShort = true
		r.at = len(r.data)
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *record) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *record) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *record) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *record) i16() float64 { return float64(int16(r.u16())) }
func (r *record) i32() float64 { return float64(int32(r.u32())) }

// f32 is a number of single precision; what is none is 0.
func (r *record) f32() float64 {
	v := float64(math.Float32frombits(r.u32()))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// count reads a number of elements of a size, limited to what the record can hold.
func (r *record) count(size int) int {
	n := int64(r.u32())
	if n*int64(size) > int64(len(r.data)-r.at) {
		r.isShort = true
		return (len(r.data) - r.at) / size
	}
	return int(n)
}

// part is a piece of the record by its place, nil if it does not lie in it.
func (r *record) part(offset, size uint32) []byte {
	if size == 0 || int64(offset)+int64(size) > int64(len(r.data)) {
		return nil
	}
	return r.data[offset : offset+size]
}

func (r *record) point32() Point {
	x := r.i32()
	return Point{x, r.i32()}
}

func (r *record) point16() Point {
	x := r.i16()
	return Point{x, r.i16()}
}

func (r *record) matrix() Matrix {
	return Matrix{A: r.f32(), B: r.f32(), C: r.f32(), D: r.f32(), E: r.f32(), F: r.f32()}
}

// color reads a ColorRef (MS-WMF 2.2.2.8).
func (r *record) color() Color {
	c := r.u32()
	return opaque(uint8(c), uint8(c>>8), uint8(c>>16))
}

// points reads n places of 16 or 32 bits.
func (r *record) points(n int, isShort bool) []Point {
	size := 8
	if isShort {
		size = 4
	}
	if n < 0 || n > (len(r.data)-r.at)/size {
		n = max(0, (len(r.data)-r.at)/size)
		r.isShort = true
	}
	out := make([]Point, n)
	for i := range out {
		if isShort {
			out[i] = r.point16()
		} else {
			out[i] = r.point32()
		}
	}
	return out
}

// utf16 reads n code units.
func (r *record) utf16(n int) []rune {
	b := r.take(2 * n)
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(b[i:]))
	}
	return utf16.Decode(units)
}

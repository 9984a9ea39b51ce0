package rendertest

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// An EMF is an EMF picture in the making (MS-EMF 2.3), seen on a device of 1,000
// × 1,000 pixels and 250 × 250 millimetres.
type EMF struct {
	records []byte
	count   int
}

// Add adds a record. Numbers have the size of their types, int has 32 bits, and
// a string is UTF-16.
func (e *EMF) Add(kind uint32, fields ...any) *EMF {
	e.records, e.count = append(e.records, EMFRecord(kind, fields...)...), e.count+1
	return e
}

// EMFRecord is one record.
func EMFRecord(kind uint32, fields ...any) []byte {
	const header = 8
	body := Fields(fields...)
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	return append(Fields(kind, uint32(len(body)+header)), body...)
}

// Bytes is the picture, which shows so many pixels.
func (e *EMF) Bytes(w, h int) []byte {
	const perPixel, all, headerSize = 25, 1000, 108 // hundredths of a millimetre
	header := EMFRecord(1, 0, 0, w-1, h-1, 0, 0, w*perPixel, h*perPixel, []byte(" EMF"), 0x10000, headerSize+len(e.records)+20, e.count+2, uint16(math.MaxUint16), uint16(0), 0, 0, 0,
		all, all, all/4, all/4, 0, 0, 0, all*250, all*250)
	return append(append(header, e.records...), EMFRecord(14, 0, 0, 20)...)
}

// A WMF is a WMF picture in the making (MS-WMF 2.3).
type WMF struct{ records []byte }

// Add adds a record. int has 16 bits here.
func (w *WMF) Add(function uint16, fields ...any) *WMF {
	for i, f := range fields {
		if n, ok := f.(int); ok {
			fields[i] = int16(n)
		}
	}
	body := Fields(fields...)
	if len(body)%2 != 0 {
		body = append(body, 0)
	}
	w.records = append(append(w.records, Fields(uint32(len(body)/2+3), function)...), body...)
	return w
}

// Bytes is the picture. Its placeable header says what window it shows; without
// a size it has none.
func (w *WMF) Bytes(left, top, right, bottom int16) []byte {
	var out []byte
	if right != left {
		out = Fields(uint32(0x9AC6CDD7), uint16(0), left, top, right, bottom, uint16(1440), uint32(0), uint16(0))
	}
	out = append(out, Fields(uint16(1), uint16(9), uint16(0x300), uint32(9+len(w.records)/2+3), uint16(9), uint32(0), uint16(0))...)
	return append(append(out, w.records...), Fields(uint32(3), uint16(0))...)
}

// Fields writes numbers, bytes and strings behind each other, little-endian.
func Fields(fields ...any) []byte {
	var out []byte
	for _, f := range fields {
		switch f := f.(type) {
		case int:
			out = binary.LittleEndian.AppendUint32(out, uint32(int32(f)))
		case string:
			for _, unit := range utf16.Encode([]rune(f)) {
				out = binary.LittleEndian.AppendUint16(out, unit)
			}
		default:
			var err error
			if out, err = binary.Append(out, binary.LittleEndian, f); err != nil {
				panic(err) // a field of a type without a size
			}
		}
	}
	return out
}

// DIB is a bitmap of 24 bits (MS-WMF 2.2.2.9), its rows from below. Each pixel
// is blue, green and red.
func DIB(w, h int, pixels ...[3]uint8) (header, bits []byte) {
	header = Fields(40, w, h, uint16(1), uint16(24), 0, 0, 0, 0, 0, 0)
	for i, px := range pixels {
		bits = append(bits, px[:]...)
		if i%w == w-1 {
			for len(bits)%4 != 0 {
				bits = append(bits, 0)
			}
		}
	}
	return header, bits
}

// Plus adds a comment that begins EMF+ (MS-EMF 2.3.3.2, MS-EMFPLUS 2.3.3.3). Flags 1:
// the calls of EMF draw the same picture.
func (e *EMF) Plus(flags uint16) *EMF {
	const comment, header, size, version = 70, uint16(0x4001), uint32(28), uint32(0xDBC01002)
	data := append([]byte("EMF+"), Fields(header, flags, size, size-12, version, 0, 96, 96)...)
	return e.Add(comment, len(data), data)
}

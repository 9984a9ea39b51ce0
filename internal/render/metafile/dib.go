package metafile

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

// dibHeader is the beginning of a device-independent bitmap (MS-WMF 2.2.2.3).
type dibHeader struct {
	size        int
	w, h        int
	bits        int
	compression uint32
	colors      int
	isUpward    bool
	masks       [4]uint32
}

// The ways in which pixels are packed (MS-WMF 2.1.1.7).
const (
	dibPlain    = 0
	dibRLE8     = 1
	dibRLE4     = 2
	dibBitmasks = 3
	dibJPEG     = 4
	dibPNG      = 5
)

func readDIBHeader(r *record) dibHeader {
	h := dibHeader{size: int(min(r.u32(), math.MaxInt16)), isUpward: true}
	const core = 12
	if h.size == core {
		h.w, h.h = int(r.u16()), int(r.u16())
		r.u16()
		h.bits = int(r.u16())
		return h
	}
	h.w, h.h = int(int32(r.u32())), int(int32(r.u32()))
	if h.h < 0 {
		h.h, h.isUpward = -h.h, false
	}
	r.u16()
	h.bits, h.compression = int(r.u16()), r.u32()
	r.take(12)
	h.colors = int(min(r.u32(), 1<<16))
	return h
}

// dib unpacks a bitmap, its pixels in bits or, if that is nil, behind the header.
// It is nil if it cannot be read. withAlpha keeps the opacity of 32 bits.
func (p *player) dib(info, bits []byte, withAlpha bool) *bitmap {
	r := &record{data: info}
	h := readDIBHeader(r)
	if r.isShort || h.size < 12 || h.size > len(info) {
		p.limits.note(noteBitmap)
		return nil
	}
	r.at = h.size
	palette := h.palette(r)
	if bits == nil {
		bits = info[min(r.at, len(info)):]
	}
	if h.compression == dibJPEG || h.compression == dibPNG {
		w, hh, ok := isImage(bits)
		if !ok {
			p.limits.note(noteBitmap)
			return nil
		}
		return &bitmap{w: w, h: hh, file: bytes.Clone(bits), isUpward: h.isUpward}
	}
	if !h.isKnown() || !p.spendPixels(h.w, h.h) {
		p.limits.note(noteBitmap)
		return nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, h.w, h.h))
	b := &bitmap{w: h.w, h: h.h, img: out, isUpward: h.isUpward}
	switch h.compression {
	case dibRLE8, dibRLE4:
		h.runs(out, bits, palette)
	default:
		h.rows(out, bits, palette, withAlpha)
	}
	return b
}

func (h *dibHeader) isKnown() bool {
	switch h.compression {
	case dibRLE8:
		return h.bits == 8
	case dibRLE4:
		return h.bits == 4
	case dibPlain, dibBitmasks:
		switch h.bits {
		case 1, 4, 8, 16, 24, 32:
			return true
		}
	}
	return false
}

// palette reads colours, or masks of channels, behind the header.
func (h *dibHeader) palette(r *record) []dml.RGB {
	const core, v2 = 12, 52
	h.masks = [4]uint32{0xFF0000, 0xFF00, 0xFF, 0xFF000000}
	if h.bits == 16 {
		h.masks = [4]uint32{0x7C00, 0x3E0, 0x1F, 0}
	}
	if h.compression == dibBitmasks {
		at := r.at
		if h.size >= v2 {
			r.at = 40
		}
		for i := range 3 {
			h.masks[i] = r.u32()
		}
		if h.size >= v2 {
			r.at = at
		}
	}
	n := h.colors
	if h.bits <= 8 && (n == 0 || n > 1<<h.bits) {
		n = 1 << h.bits
	}
	if h.bits > 8 && h.size == core {
		n = 0
	}
	out := make([]dml.RGB, 0, min(n, 256))
	for range n {
		if h.size == core && len(r.data)-r.at < 3 || h.size != core && len(r.data)-r.at < 4 {
			break
		}
		b, g, red := r.u8(), r.u8(), r.u8()
		if h.size != core {
			r.u8()
		}
		if len(out) < 256 {
			out = append(out, dml.RGB{R: red, G: g, B: b})
		}
	}
	return out
}

// rows unpacks uncompressed pixels. Each row is padded to a multiple of four bytes.
func (h *dibHeader) rows(out *image.NRGBA, bits []byte, palette []dml.RGB, withAlpha bool) {
	stride := (h.w*h.bits + 31) / 32 * 4
	for row := range h.h {
		if row*stride >= len(bits) {
			return
		}
		line := bits[row*stride : min((row+1)*stride, len(bits))]
		y := row
		if h.isUpward {
			y = h.h - 1 - row
		}
		to := out.Pix[y*out.Stride:]
		for x := range h.w {
			last := (x*h.bits + h.bits - 1) / 8
			if last >= len(line) {
				break
			}
			h.pixel(to[4*x:4*x+4:4*x+4], line, x, palette, withAlpha)
		}
	}
}

func (h *dibHeader) pixel(to, line []byte, x int, palette []dml.RGB, withAlpha bool) {
	index := 0
	to[3] = 255
	switch h.bits {
	case 1:
		index = int(line[x/8]>>(7-x%8)) & 1
	case 4:
		index = int(line[x/2]>>(4-4*(x%2))) & 0xF
	case 8:
		index = int(line[x])
	case 16:
		v := uint32(binary.LittleEndian.Uint16(line[2*x:]))
		to[0], to[1], to[2] = masked(v, h.masks[0]), masked(v, h.masks[1]), masked(v, h.masks[2])
		return
	case 24:
		to[0], to[1], to[2] = line[3*x+2], line[3*x+1], line[3*x]
		return
	default:
		v := binary.LittleEndian.Uint32(line[4*x:])
		to[0], to[1], to[2] = masked(v, h.masks[0]), masked(v, h.masks[1]), masked(v, h.masks[2])
		if withAlpha {
			to[3] = uint8(v >> 24)
		}
		return
	}
	if index < len(palette) {
		to[0], to[1], to[2] = palette[index].R, palette[index].G, palette[index].B
	}
}

// masked is the part of a number that a mask leaves, from 0 to 255.
func masked(v, mask uint32) uint8 {
	if mask == 0 {
		return 0
	}
	for mask&1 == 0 {
		v, mask = v>>1, mask>>1
	}
	return uint8(uint64(v&mask) * 255 / uint64(mask))
}

// runs unpacks run-length encoded pixels (MS-WMF 3.1.6).
func (h *dibHeader) runs(out *image.NRGBA, bits []byte, palette []dml.RGB) {
	r := &record{data: bits}
	x, row := 0, 0
	put := func(index uint8) {
		if x < h.w && row < h.h && int(index) < len(palette) {
			c := palette[index]
			at := out.PixOffset(x, h.h-1-row)
			out.Pix[at], out.Pix[at+1], out.Pix[at+2], out.Pix[at+3] = c.R, c.G, c.B, 255
		}
		x++
	}
	index := func(v uint8, i int) uint8 {
		if h.bits == 8 {
			return v
		}
		return v >> (4 - 4*(i%2)) & 0xF
	}
	for !r.isShort && row < h.h {
		n, v := int(r.u8()), r.u8()
		if n > 0 {
			for i := range n {
				put(index(v, i))
			}
			continue
		}
		switch v {
		case 0:
			x, row = 0, row+1
		case 1:
			return
		case 2:
			x, row = x+int(r.u8()), row+int(r.u8())
		default:
			size := (int(v)*h.bits + 7) / 8
			literal := r.take(size + size%2)
			for i := range min(int(v), len(literal)*8/h.bits) {
				put(index(literal[i*h.bits/8], i))
			}
		}
	}
}

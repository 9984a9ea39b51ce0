package metafile

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/jpeg"
	"image/png"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

// bitmap is a picture of pixels: unpacked, or a file that a canvas takes.
type bitmap struct {
	w, h int
	img  *image.NRGBA // nil for a file
	file []byte
	// isUpward says that rows of a source count from below (MS-EMF 2.3.1.7).
	isUpward bool
}

// Raster operations (MS-WMF 2.1.1.31).
const (
	rasterCopy      = 0x00CC0020
	rasterPaint     = 0x00EE0086
	rasterAnd       = 0x008800C6
	rasterInvert    = 0x00660046
	rasterNotCopy   = 0x00330008
	rasterMerge     = 0x00C000CA
	rasterPattern   = 0x00F00021
	rasterBlack     = 0x00000042
	rasterWhite     = 0x00FF0062
	rasterNothing   = 0x00AA0029
	rasterPatInvert = 0x005A0049
	rasterDstInvert = 0x00550009
)

// encoded is the bitmap as a file.
func (b *bitmap) encoded() []byte {
	if b.file == nil {
		var out bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		if encoder.Encode(&out, b.img) != nil {
			return nil // pictures of one pixel and more always encode
		}
		b.file = out.Bytes()
	}
	return b.file
}

// mean is the colour that the bitmap has from far away.
func (b *bitmap) mean() Color {
	if b.img == nil || len(b.img.Pix) == 0 {
		return opaque(128, 128, 128)
	}
	var sum [3]int
	for i := 0; i+3 < len(b.img.Pix); i += 4 {
		for c := range sum {
			sum[c] += int(b.img.Pix[i+c])
		}
	}
	n := len(b.img.Pix) / 4
	return opaque(uint8(sum[0]/n), uint8(sum[1]/n), uint8(sum[2]/n))
}

// cropped is a part of the bitmap, counted from its upper left corner; nil if
// nothing lies in it. Files stay whole.
func (b *bitmap) cropped(x, y, w, h int) *bitmap {
	if b.img == nil || x == 0 && y == 0 && w == b.w && h == b.h {
		return b
	}
	at := image.Rect(x, y, x+w, y+h).Intersect(image.Rect(0, 0, b.w, b.h))
	if at.Empty() {
		return nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, at.Dx(), at.Dy()))
	for row := range at.Dy() {
		copy(out.Pix[row*out.Stride:(row+1)*out.Stride], b.img.Pix[b.img.PixOffset(at.Min.X, at.Min.Y+row):])
	}
	return &bitmap{w: at.Dx(), h: at.Dy(), img: out}
}

// each changes all pixels.
func (b *bitmap) each(change func(pixel []byte)) {
	if b.img == nil {
		return
	}
	for i := 0; i+3 < len(b.img.Pix); i += 4 {
		change(b.img.Pix[i : i+4 : i+4])
	}
	b.file = nil
}

// unpacked is the bitmap with pixels of its own, nil if it cannot be read.
func (p *player) unpacked(b *bitmap) *bitmap {
	if b.img != nil {
		return b
	}
	if !p.spendPixels(b.w, b.h) {
		return nil
	}
	img, _, err := image.Decode(bytes.NewReader(b.file))
	if err != nil {
		p.limits.note(noteBitmap)
		return nil
	}
	out := image.NewNRGBA(image.Rect(0, 0, b.w, b.h))
	for y := range b.h {
		for x := range b.w {
			out.Set(x, y, img.At(x, y))
		}
	}
	return &bitmap{w: b.w, h: b.h, img: out}
}

// maskedBitmap is the first half of a picture with a mask: it blackens where the
// second will show, which is drawn into the same place.
type maskedBitmap struct {
	mask *bitmap
	m    Matrix
}

// source is a part of a bitmap; sizes may be negative, which mirrors.
type source struct{ x, y, w, h float64 }

// blit draws a part of a bitmap, or without one a colour, into the unit square
// that m maps to logical places.
func (p *player) blit(b *bitmap, from source, m Matrix, rop uint32) {
	m = m.then(p.matrix())
	if p.isOpen || p.limits.isOver {
		return
	}
	if b == nil {
		p.flushMask()
		p.blitColor(m, rop)
		return
	}
	b, m = p.crop(b, from, m)
	if b == nil {
		return
	}
	switch rop {
	case rasterAnd:
		p.flushMask()
		if b = p.unpacked(b); b != nil {
			p.mask = &maskedBitmap{b, m}
		}
		return
	case rasterPaint, rasterInvert:
		if b = p.combined(b, m, rop); b == nil {
			return
		}
	case rasterNotCopy:
		if b = p.unpacked(b); b == nil {
			return
		}
		b.each(func(px []byte) { px[0], px[1], px[2] = ^px[0], ^px[1], ^px[2] })
	case rasterCopy, rasterMerge:
	case rasterNothing:
		return
	default:
		p.limits.note(noteRaster)
	}
	p.flushMask()
	p.place(b, m)
}

// crop cuts the source out of a bitmap, and mirrors.
func (p *player) crop(b *bitmap, from source, m Matrix) (*bitmap, Matrix) {
	if from.w < 0 {
		from.x, from.w = from.x+from.w, -from.w
		m = Matrix{A: -1, D: 1, E: 1}.then(m)
	}
	if from.h < 0 {
		from.y, from.h = from.y+from.h, -from.h
		m = Matrix{A: 1, D: -1, F: 1}.then(m)
	}
	w, h := float64(b.w), float64(b.h)
	if from.w == 0 || from.h == 0 || from.w == w && from.h == h && from.x == 0 && from.y == 0 {
		return b, m
	}
	if b.isUpward {
		from.y = h - from.y - from.h
	}
	// Only what lies in the bitmap is drawn, where it belongs.
	left, top := math.Max(0, from.x), math.Max(0, from.y)
	right, bottom := math.Min(w, from.x+from.w), math.Min(h, from.y+from.h)
	if right <= left || bottom <= top {
		return nil, m
	}
	if b.img == nil {
		if b = p.unpacked(b); b == nil {
			return nil, m
		}
	}
	if !p.spendPixels(int(right-left), int(bottom-top)) {
		return nil, m
	}
	left, top, right, bottom = math.Floor(left), math.Floor(top), math.Ceil(right), math.Ceil(bottom)
	inner := Matrix{A: (right - left) / from.w, D: (bottom - top) / from.h, E: (left - from.x) / from.w, F: (top - from.y) / from.h}
	return b.cropped(int(left), int(top), int(right-left), int(bottom-top)), inner.then(m)
}

// place puts a bitmap onto the canvas.
func (p *player) place(b *bitmap, m Matrix) {
	if !m.isSound() || m.scale() == 0 {
		return
	}
	p.showClip()
	if p.canvas.Picture(b.encoded(), m) != nil {
		p.limits.note(noteBitmap)
	}
}

// blitColor fills a place without a source.
func (p *player) blitColor(m Matrix, rop uint32) {
	area := rectangle(0, 0, 1, 1).in(m)
	b := p.dc.brush
	switch rop {
	case rasterBlack:
		b = brush{color: opaque(0, 0, 0)}
	case rasterWhite:
		b = brush{color: opaque(255, 255, 255)}
	case rasterPattern, rasterCopy:
	case rasterPatInvert, rasterDstInvert:
		p.limits.note(noteRaster)
		return
	default:
		return
	}
	p.showClip()
	p.fill(area, false, b)
}

// combined is a bitmap that adds to what a mask has blackened: with that mask as
// its opacity, or without one see-through where it is black.
func (p *player) combined(b *bitmap, m Matrix, rop uint32) *bitmap {
	if b = p.unpacked(b); b == nil {
		return nil
	}
	if p.mask == nil || !isSame(p.mask.m, m) {
		if rop == rasterInvert {
			p.limits.note(noteRaster)
			return b
		}
		b.each(func(px []byte) {
			if px[0]|px[1]|px[2] == 0 {
				px[3] = 0
			}
		})
		return b
	}
	mask := p.mask.mask
	p.mask = nil
	out := &bitmap{w: b.w, h: b.h, img: b.img}
	for y := range b.h {
		for x := range b.w {
			at := mask.img.Pix[mask.img.PixOffset(x*mask.w/b.w, y*mask.h/b.h):]
			out.img.Pix[out.img.PixOffset(x, y)+3] = 255 - at[0]
		}
	}
	return out
}

func isSame(a, b Matrix) bool {
	const near = 0.01
	for _, d := range []float64{a.A - b.A, a.B - b.B, a.C - b.C, a.D - b.D, a.E - b.E, a.F - b.F} {
		if math.Abs(d) > near {
			return false
		}
	}
	return true
}

// flushMask draws a mask that no picture followed: it darkens what is behind.
func (p *player) flushMask() {
	if p.mask == nil {
		return
	}
	mask := p.mask
	p.mask = nil
	mask.mask.each(func(px []byte) {
		light := max(px[0], px[1], px[2])
		if light == 0 {
			px[3] = 255
			return
		}
		// Multiplying by a colour is covering with it by what it lacks to white.
		least := min(px[0], px[1], px[2])
		px[3] = 255 - least
		for i := range 3 {
			if px[3] > 0 {
				px[i] = uint8((int(px[i]) - int(least)) * 255 / int(px[3]))
			}
		}
	})
	p.place(mask.mask, mask.m)
}

// isImage tells a file that canvases take, and its size.
func isImage(data []byte) (w, h int, ok bool) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || format != "png" && format != "jpeg" || config.Width < 1 || config.Height < 1 {
		return 0, 0, false
	}
	return config.Width, config.Height, true
}

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

// rows unpacks plain pixels, of which each row fills whole four bytes.
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

// runs unpacks pixels that are told with how often they come (MS-WMF 3.1.6).
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

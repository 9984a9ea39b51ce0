package metafile

import (
	"bytes"
	"image"
	_ "image/jpeg"
	"image/png"
	"math"
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

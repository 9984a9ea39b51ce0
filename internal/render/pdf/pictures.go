package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// preparedPicture is a picture whose compressed pixels gopdf takes as they are,
// or the error that prevents it. gopdf would unpack and pack a transparent
// picture for every document, so its opacity is kept separately.
type preparedPicture struct {
	data []byte
	// mask is the opacity of each pixel, a compressed byte; nil where all are
	// opaque.
	mask []byte
	w, h int
	err  error
}

func (p preparedPicture) size() int { return len(p.data) + len(p.mask) }

// preparePicture turns a picture into one that gopdf embeds rightly. JPEG goes in
// as it is; everything else is decoded first, because gopdf's own PNG reader
// trusts lengths in the file and knows no 16-bit, interlaced or half-transparent palettes.
func preparePicture(data []byte) preparedPicture {
	refuse := func(why string, args ...any) preparedPicture {
		return preparedPicture{err: fmt.Errorf("%w: "+why, append([]any{ErrPicture}, args...)...)}
	}
	if len(data) > maxImageBytes {
		return refuse("%d bytes, more than %d", len(data), maxImageBytes)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return refuse("%w", err)
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > maxImagePixels/config.Height {
		return refuse("%d × %d pixels", config.Width, config.Height)
	}
	if format == "jpeg" && (config.ColorModel == color.YCbCrModel || config.ColorModel == color.GrayModel || config.ColorModel == color.CMYKModel) {
		return preparedPicture{data: data}
	}
	if config.Width*config.Height > maxUnpackedBytes/bytesPerPixel(config.ColorModel) {
		return refuse("%d × %d pixels", config.Width, config.Height)
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return refuse("%w", err)
	}
	if format == "png" && plainPNG(data) {
		return preparedPicture{data: data}
	}
	flat, alpha := flatten(decoded)
	prepared := preparedPicture{w: config.Width, h: config.Height}
	if alpha != nil {
		prepared.mask = compress(alpha)
	}
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, flat); err != nil {
		return refuse("%w", err)
	}
	prepared.data = buf.Bytes()
	return prepared
}

// bytesPerPixel is what an unpacked picture takes.
func bytesPerPixel(model color.Model) int {
	switch model {
	case color.NRGBA64Model, color.RGBA64Model, color.Gray16Model:
		return 8
	}
	return 4
}

// unpackedPixels is how many pixels of a picture must be unpacked.
func unpackedPixels(data []byte) int {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || format == "jpeg" || config.Width <= 0 || config.Height <= 0 || config.Width > maxImagePixels/config.Height {
		return 0
	}
	return config.Width * config.Height
}

// plainPNG reports a PNG whose compressed pixels can stand in a PDF unchanged:
// grey, colour or palette of at most eight bits, no transparency, not
// interlaced. gopdf stops at an empty piece of pixels.
func plainPNG(data []byte) bool {
	const depth, colorType, interlace = 24, 25, 28
	if len(data) <= interlace || data[depth] > 8 || data[interlace] != 0 {
		return false
	}
	if bytes.Contains(data, []byte("tRNS")) || bytes.Contains(data, []byte("\x00\x00\x00\x00IDAT")) {
		return false
	}
	return data[colorType] == 0 || data[colorType] == 2 || data[colorType] == 3
}

// flatten copies a picture into eight opaque bits a channel, and its opacity
// where it has any.
func flatten(src image.Image) (flat image.Image, alpha []byte) {
	if gray, ok := src.(*image.Gray); ok {
		return gray, nil
	}
	b := src.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	eightBits(out, src)
	const channels = 4
	opacity, isOpaque := make([]byte, 0, len(out.Pix)/channels), true
	for at := channels - 1; at < len(out.Pix); at += channels {
		opacity, isOpaque = append(opacity, out.Pix[at]), isOpaque && out.Pix[at] == 0xFF
		out.Pix[at] = 0xFF
	}
	if isOpaque {
		return out, nil
	}
	return out, opacity
}

// eightBits copies a picture, quickly where PNG decoders' pictures allow it.
func eightBits(out *image.NRGBA, src image.Image) {
	b := src.Bounds()
	if deep, ok := src.(*image.NRGBA64); ok && b.Min == (image.Point{}) && deep.Stride == 2*out.Stride {
		for i := range out.Pix {
			out.Pix[i] = deep.Pix[2*i]
		}
		return
	}
	if same, ok := src.(*image.NRGBA); ok && b.Min == (image.Point{}) && same.Stride == out.Stride {
		copy(out.Pix, same.Pix)
		return
	}
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA))
		}
	}
}

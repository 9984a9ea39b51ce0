package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// preparedPicture is a picture as a PDF has it (ISO 32000-1, 8.9.5), or the error that
// prevents it.
type preparedPicture struct {
	w, h int
	// pixels are compressed; format says how: the entries of colours, bits and filter.
	pixels []byte
	format string
	// mask is the opacity of each pixel, a compressed byte; nil where all are
	// opaque.
	mask []byte
	err  error
}

func (p preparedPicture) size() int { return len(p.pixels) + len(p.format) + len(p.mask) }

// store adds the picture, with its mask (ISO 32000-1, 11.6.5.3), and returns its number.
func (p preparedPicture) store(file *objects) int {
	entries := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d %s", p.w, p.h, p.format)
	if p.mask != nil {
		mask := file.add(stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode", p.w, p.h), p.mask))
		entries += fmt.Sprintf(" /SMask %d 0 R", mask)
	}
	return file.add(stream(entries, p.pixels))
}

// preparePicture turns a picture into one that a PDF has. JPEG goes in as it is;
// everything else is decoded first: a file of hostile lengths, 16 bits, interlaced, or
// half transparent.
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
	if space := jpegSpace(config.ColorModel); format == "jpeg" && space != "" {
		return preparedPicture{w: config.Width, h: config.Height, pixels: data, format: space + " /BitsPerComponent 8 /Filter /DCTDecode"}
	}
	if config.Width*config.Height > maxUnpackedBytes/bytesPerPixel(config.ColorModel) {
		return refuse("%d × %d pixels", config.Width, config.Height)
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return refuse("%w", err)
	}
	if format == "png" && plainPNG(data) {
		return pixelsOf(data)
	}
	flat, alpha := flatten(decoded)
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, flat); err != nil {
		return refuse("%w", err)
	}
	prepared := pixelsOf(buf.Bytes())
	if alpha != nil {
		prepared.mask = compress(alpha)
	}
	return prepared
}

// jpegSpace is the colour space of a JPEG; empty for one that must be decoded. Those of
// four inks are Adobe's, who writes them inverted.
func jpegSpace(model color.Model) string {
	switch model {
	case color.YCbCrModel:
		return "/ColorSpace /DeviceRGB"
	case color.GrayModel:
		return "/ColorSpace /DeviceGray"
	case color.CMYKModel:
		return "/ColorSpace /DeviceCMYK /Decode [1 0 1 0 1 0 1 0]"
	}
	return ""
}

// pixelsOf takes the compressed pixels of a PNG that was decoded without a fault and is
// plain (PNG, 5.3 and 11.2): a PDF knows its filters (ISO 32000-1, 7.4.4.4).
func pixelsOf(data []byte) preparedPicture {
	const signature, length, kind, sum = 8, 4, 4, 4
	var out preparedPicture
	var palette, pixels []byte
	var depth, colorType byte
	for rest := data[signature:]; len(rest) >= length+kind; {
		n := int(binary.BigEndian.Uint32(rest))
		name, content := string(rest[length:length+kind]), rest[length+kind:]
		if n > len(content)-sum {
			break
		}
		switch name {
		case "IHDR":
			out.w, out.h = int(binary.BigEndian.Uint32(content)), int(binary.BigEndian.Uint32(content[4:]))
			depth, colorType = content[8], content[9]
		case "PLTE":
			palette = content[:n]
		case "IDAT":
			pixels = append(pixels, content[:n]...)
		}
		rest = content[n+sum:]
	}
	space, channels := "/DeviceGray", 1
	switch colorType {
	case 2:
		space, channels = "/DeviceRGB", 3
	case 3:
		space = fmt.Sprintf("[/Indexed /DeviceRGB %d <%x>]", len(palette)/3-1, palette)
	}
	out.pixels = pixels
	out.format = fmt.Sprintf("/ColorSpace %s /BitsPerComponent %d /Filter /FlateDecode /DecodeParms <</Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d>>",
		space, depth, channels, depth, out.w)
	return out
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
// interlaced.
func plainPNG(data []byte) bool {
	const depth, colorType, interlace = 24, 25, 28
	if len(data) <= interlace || data[depth] > 8 || data[interlace] != 0 {
		return false
	}
	if bytes.Contains(data, []byte("tRNS")) {
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

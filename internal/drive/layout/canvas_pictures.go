package layout

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
)

// preparedPicture is a picture as it stands in a PDF (ISO 32000-1, 8.9.5), or
// why there is none: a dictionary without its length, and a stream. Pictures
// with transparency have a second one that holds it.
type preparedPicture struct {
	dictionary     string
	data           []byte
	maskDictionary string
	mask           []byte
	err            error
}

func (p preparedPicture) size() int {
	return len(p.dictionary) + len(p.data) + len(p.maskDictionary) + len(p.mask)
}

// preparePicture brings a picture into one of PDF's forms. JPEG goes in as it
// is, and so do the compressed pixels of plain PNGs; everything else is decoded
// and compressed anew.
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
	if format == "jpeg" {
		if space := jpegSpace(config.ColorModel); space != "" {
			return preparedPicture{data: data, dictionary: pictureDictionary(config.Width, config.Height, 8, space) + " /Filter /DCTDecode"}
		}
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return refuse("%w", err)
	}
	if format == "png" && plainPNG(data) {
		if prepared, ok := pngPicture(data); ok {
			return prepared
		}
	}
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, flatten(decoded)); err != nil {
		return refuse("%w", err)
	}
	prepared, ok := pngPicture(buf.Bytes())
	if !ok {
		return refuse("its pixels cannot be written")
	}
	return prepared
}

func jpegSpace(model color.Model) string {
	switch model {
	case color.YCbCrModel:
		return "/DeviceRGB"
	case color.GrayModel:
		return "/DeviceGray"
	case color.CMYKModel:
		return "/DeviceCMYK /Decode [1 0 1 0 1 0 1 0]" // as Adobe's programs write it
	}
	return ""
}

func pictureDictionary(w, h, bits int, space string) string {
	return fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent %d /ColorSpace %s", w, h, bits, space)
}

// Colour types of PNG (PNG specification, 11.2.1).
const (
	pngGray    = 0
	pngRGB     = 2
	pngPalette = 3
	pngRGBA    = 6
)

// plainPNG reports a PNG whose compressed pixels can stand in a PDF unchanged:
// grey, colour or palette of at most eight bits, no transparency, not interlaced.
func plainPNG(data []byte) bool {
	const depth, colorType, interlace = 24, 25, 28
	if len(data) <= interlace || data[depth] > 8 || data[interlace] != 0 || bytes.Contains(data, []byte("tRNS")) {
		return false
	}
	return data[colorType] == pngGray || data[colorType] == pngRGB || data[colorType] == pngPalette
}

// pngPicture takes the pixels out of a PNG that was decoded without a fault.
// PDF knows PNG's own filters (predictor 15).
func pngPicture(data []byte) (preparedPicture, bool) {
	var palette, pixels []byte
	for at := 8; at+12 <= len(data); {
		size := int(binary.BigEndian.Uint32(data[at:]))
		if size > len(data)-at-12 {
			return preparedPicture{}, false
		}
		switch chunk := data[at+8 : at+8+size]; string(data[at+4 : at+8]) {
		case "PLTE":
			palette = chunk
		case "IDAT":
			pixels = append(pixels, chunk...)
		}
		at += 12 + size
	}
	w, h := int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
	bits, kind := int(data[24]), data[25]
	picture := func(space string, colors int) string {
		return pictureDictionary(w, h, bits, space) +
			fmt.Sprintf(" /Filter /FlateDecode /DecodeParms <</Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d>>", colors, bits, w)
	}
	switch kind {
	case pngGray:
		return preparedPicture{dictionary: picture("/DeviceGray", 1), data: pixels}, true
	case pngRGB:
		return preparedPicture{dictionary: picture("/DeviceRGB", 3), data: pixels}, true
	case pngPalette:
		space := fmt.Sprintf("[/Indexed /DeviceRGB %d <%X>]", len(palette)/3-1, palette)
		return preparedPicture{dictionary: picture(space, 1), data: pixels}, len(palette) >= 3
	case pngRGBA:
		colors, alpha, ok := splitAlpha(pixels, w, h)
		return preparedPicture{
			dictionary: picture("/DeviceRGB", 3), data: colors,
			maskDictionary: picture("/DeviceGray", 1), mask: alpha,
		}, ok
	}
	return preparedPicture{}, false
}

// splitAlpha parts colours from transparency. A filter predicts each byte by
// bytes of its own channel, so each row's filter holds for both parts.
func splitAlpha(pixels []byte, w, h int) (colors, alpha []byte, ok bool) {
	reader, err := zlib.NewReader(bytes.NewReader(pixels))
	if err != nil {
		return nil, nil, false
	}
	raw, err := io.ReadAll(reader)
	if err != nil || len(raw) != h*(1+4*w) {
		return nil, nil, false
	}
	colors, alpha = make([]byte, 0, h*(1+3*w)), make([]byte, 0, h*(1+w))
	for row := range h {
		line := raw[row*(1+4*w):][:1+4*w]
		colors, alpha = append(colors, line[0]), append(alpha, line[0])
		for at := 1; at < len(line); at += 4 {
			colors, alpha = append(colors, line[at:at+3]...), append(alpha, line[at+3])
		}
	}
	return deflated(colors), deflated(alpha), true
}

// flatten copies a picture into eight bits a channel, with alpha only where it has any.
func flatten(src image.Image) image.Image {
	b := src.Bounds()
	if gray, ok := src.(*image.Gray); ok {
		return gray
	}
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA))
		}
	}
	return out
}

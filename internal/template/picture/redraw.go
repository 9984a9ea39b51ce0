package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/bmp"  // decoder
	_ "golang.org/x/image/tiff" // decoder
	_ "golang.org/x/image/webp" // decoder
)

// quality is that of JPEGs that are drawn again: above what cameras write.
const quality = 95

// An orientation says how a picture is turned and mirrored before it is shown, as EXIF
// numbers it (CIPA DC-008, tag 0x0112): 1 to 8, and 0 for none.
type orientation int

// isTurned tells whether the picture lies on its side: its width is its height.
func (o orientation) isTurned() bool { return o >= 5 }

// from is where the pixel of a shown picture stands in the one that is stored, which has
// the size of w × h.
func (o orientation) from(x, y, w, h int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}

// redraw makes of a picture what documents can show as it is: its pixels stand upright,
// for word processors do not look at EXIF, and its format is PNG, JPEG or GIF. Most
// pictures are so already, and stay byte for byte.
func (s Source) redraw(ctx context.Context, data []byte, found header) ([]byte, header, error) {
	turn := readOrientation(found.mediaType, data)
	if turn < 2 && isShown(found.mediaType) {
		return data, found, nil
	}
	if s.Redrawing != nil { // pixels take memory, so that few pictures are drawn at once
		select {
		case s.Redrawing <- struct{}{}:
			defer func() { <-s.Redrawing }()
		case <-ctx.Done():
			return nil, header{}, ctx.Err()
		}
	}
	stored, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, header{}, refuse("The picture cannot be read to its end: it is damaged, or written in a rare way. Send it as PNG or JPEG.")
	}
	out := &bytes.Buffer{}
	shown := turned(stored, turn)
	switch _, lossy := stored.(*image.YCbCr); {
	case lossy || found.mediaType == "image/jpeg":
		found.mediaType = "image/jpeg"
		if err = jpeg.Encode(out, shown, &jpeg.Options{Quality: quality}); err == nil {
			out = bytes.NewBuffer(withProfile(out.Bytes(), profileOf(data)))
		}
	default:
		found.mediaType = "image/png"
		err = png.Encode(out, shown)
	}
	if err != nil {
		return nil, header{}, fmt.Errorf("draw the picture: %w", err)
	}
	found.width, found.height = shown.Bounds().Dx(), shown.Bounds().Dy()
	return out.Bytes(), found, nil
}

// isShown tells of the formats that every word processor, browser and drive shows.
func isShown(mediaType string) bool {
	return mediaType == "image/png" || mediaType == "image/jpeg" || mediaType == "image/gif"
}

// turned is a picture as its orientation has it shown.
func turned(p image.Image, o orientation) image.Image {
	if o < 2 {
		return p
	}
	if planes, is := p.(*image.YCbCr); is {
		if ratio, ok := turnedRatio(planes.SubsampleRatio, o); ok {
			return turnPlanes(planes, ratio, o)
		}
	}
	return turnedImage{p, o}
}

// turnedImage reads another image's pixels where its orientation has them.
type turnedImage struct {
	image.Image
	orientation orientation
}

func (p turnedImage) Bounds() image.Rectangle {
	size := p.Image.Bounds().Size()
	if p.orientation.isTurned() {
		size.X, size.Y = size.Y, size.X
	}
	return image.Rectangle{Max: size}
}

func (p turnedImage) At(x, y int) color.Color {
	b := p.Image.Bounds()
	x, y = p.orientation.from(x, y, b.Dx(), b.Dy())
	return p.Image.At(b.Min.X+x, b.Min.Y+y)
}

// Opaque tells a PNG whether it needs transparency.
func (p turnedImage) Opaque() bool {
	o, ok := p.Image.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// turnedRatio is how coarse the colours are of a picture that is turned.
func turnedRatio(r image.YCbCrSubsampleRatio, o orientation) (image.YCbCrSubsampleRatio, bool) {
	switch {
	case !o.isTurned() || r == image.YCbCrSubsampleRatio444 || r == image.YCbCrSubsampleRatio420:
		return r, true
	case r == image.YCbCrSubsampleRatio422:
		return image.YCbCrSubsampleRatio440, true
	case r == image.YCbCrSubsampleRatio440:
		return image.YCbCrSubsampleRatio422, true
	}
	return 0, false
}

// turnPlanes turns a photo as it is stored, in lightness and two colours: no pixel becomes
// red, green and blue in between.
func turnPlanes(p *image.YCbCr, ratio image.YCbCrSubsampleRatio, o orientation) *image.YCbCr {
	size := p.Rect.Size()
	colors := image.NewYCbCr(image.Rectangle{Max: size}, p.SubsampleRatio)
	w, h := colors.CStride, len(colors.Cb)/max(colors.CStride, 1)
	if o.isTurned() {
		size.X, size.Y = size.Y, size.X
	}
	turned := image.NewYCbCr(image.Rectangle{Max: size}, ratio)
	turnPlane(turned.Y, turned.YStride, p.Y[p.YOffset(p.Rect.Min.X, p.Rect.Min.Y):], p.YStride, p.Rect.Dx(), p.Rect.Dy(), o)
	at := p.COffset(p.Rect.Min.X, p.Rect.Min.Y)
	turnPlane(turned.Cb, turned.CStride, p.Cb[at:], p.CStride, w, h, o)
	turnPlane(turned.Cr, turned.CStride, p.Cr[at:], p.CStride, w, h, o)
	return turned
}

func turnPlane(to []byte, toStride int, from []byte, stride, w, h int, o orientation) {
	width, height := w, h
	if o.isTurned() {
		width, height = h, w
	}
	for y := range height {
		row := to[y*toStride : y*toStride+width]
		for x := range row {
			fx, fy := o.from(x, y, w, h)
			row[x] = from[fy*stride+fx]
		}
	}
}

// readOrientation finds the orientation that EXIF has of a picture.
func readOrientation(mediaType string, data []byte) orientation {
	switch mediaType {
	case "image/jpeg":
		for marker, segment := range segmentsOf(data) {
			if exif, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && marker == 0xe1 {
				return orientationIn(exif)
			}
		}
	case "image/png":
		return orientationIn(chunkOf(data, 8, "eXIf", binary.BigEndian, true))
	case "image/webp":
		return orientationIn(bytes.TrimPrefix(chunkOf(data, 12, "EXIF", binary.LittleEndian, false), []byte("Exif\x00\x00")))
	case "image/tiff":
		return orientationIn(data)
	}
	return 0
}

// chunkOf finds a chunk of a PNG (PNG, third edition, 5.3) or of a WebP (RFC 9649, 2.3),
// which begin at a byte. A PNG has the length before the name and a sum behind the chunk.
func chunkOf(data []byte, at int, name string, order binary.ByteOrder, lengthFirst bool) []byte {
	for at+8 <= len(data) {
		head := data[at : at+8]
		of, length, more := string(head[:4]), int64(order.Uint32(head[4:])), int64(0)
		if lengthFirst {
			of, length, more = string(head[4:]), int64(order.Uint32(head)), 4
		} else {
			more = length & 1
		}
		if length > int64(len(data)-at-8) {
			return nil
		}
		if of == name {
			return data[at+8 : at+8+int(length)]
		}
		at += 8 + int(length+more)
	}
	return nil
}

// orientationIn reads it from the first directory of EXIF's data, which is a TIFF file's.
func orientationIn(exif []byte) orientation {
	const tag, short, entry = 0x0112, 3, 12
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(exif, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(exif, []byte("II*\x00")):
		return 0
	}
	if len(exif) < 8 {
		return 0
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return 0
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < entry {
			return 0
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := order.Uint16(entries[8:]); o <= 8 {
				return orientation(o)
			}
			return 0
		}
		entries = entries[entry:]
	}
	return 0
}

// segmentsOf are the segments of a JPEG before its pixels, by their markers (ITU T.81,
// B.1.1).
func segmentsOf(data []byte) func(func(byte, []byte) bool) {
	return func(yield func(byte, []byte) bool) {
		for at := 2; at+4 <= len(data) && data[at] == 0xff; {
			marker := data[at+1]
			if marker == 0xff { // padding
				at++
				continue
			}
			end := at + 2 + int(binary.BigEndian.Uint16(data[at+2:]))
			if marker == 0xda || end > len(data) || end < at+4 || !yield(marker, data[at+4:end]) {
				return
			}
			at = end
		}
	}
}

// profileOf has the segments of a JPEG that say what its colours are (ICC.1:2022, B.4).
func profileOf(data []byte) []byte {
	var all []byte
	for marker, segment := range segmentsOf(data) {
		if marker == 0xe2 && bytes.HasPrefix(segment, []byte("ICC_PROFILE\x00")) {
			all = append(all, 0xff, marker)
			all = binary.BigEndian.AppendUint16(all, uint16(len(segment)+2))
			all = append(all, segment...)
		}
	}
	return all
}

// withProfile puts segments behind the beginning of a JPEG.
func withProfile(data, segments []byte) []byte {
	const beginning = 2
	return append(append(append([]byte(nil), data[:beginning]...), segments...), data[beginning:]...)
}

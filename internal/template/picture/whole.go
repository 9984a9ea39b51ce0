package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	_ "image/gif"  // decoder
	_ "image/jpeg" // decoder
	_ "image/png"  // decoder
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// header is what a picture says of itself.
type header struct {
	width, height int // pixels
	mediaType     string
}

// readHeader sees that data is a picture that can be put in: one of the
// formats, not cut off, of a size and shape that a page can show. It draws
// nothing, so that it takes no memory for the pixels.
func readHeader(data []byte) (header, error) {
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, image.ErrFormat):
		return header{}, refuse("What the field leads to is not a PNG, JPEG, GIF, WebP, BMP or TIFF" + nameInstead(data) + ".")
	case err != nil || !isWhole(format, data):
		return header{}, refuse("The picture is damaged or cut off: it cannot be read to its end.")
	case c.Width < 1 || c.Height < 1:
		return header{}, refuse("The picture has no pixels.")
	case c.Width > MaxPixels/c.Height:
		return header{}, refuseTooLarge("The picture has %d × %d pixels, more than %d million.", c.Width, c.Height, MaxPixels/1_000_000)
	case max(c.Width, c.Height) > MaxSide:
		return header{}, refuseTooLarge("The picture has %d × %d pixels: a side may have %d.", c.Width, c.Height, MaxSide)
	case max(c.Width, c.Height) > MaxRatio*min(c.Width, c.Height):
		return header{}, refuseTooLarge("The picture has %d × %d pixels: a side may be %d times as long as the other.", c.Width, c.Height, MaxRatio)
	}
	return header{c.Width, c.Height, "image/" + format}, nil
}

func refuseTooLarge(format string, args ...any) error {
	return platen.Errorf(platen.KindInvalid, "picture_too_large", format, args...)
}

// nameInstead says what data that is no picture is, where that can be seen. Telephones
// write HEIC, which few programs read.
func nameInstead(data []byte) string {
	if len(data) > 12 && string(data[4:8]) == "ftyp" {
		switch brand := string(data[8:12]); {
		case brand == "avif" || brand == "avis":
			return ", but AVIF. Send it as PNG or JPEG"
		case strings.HasPrefix(brand, "he") || brand == "mif1" || brand == "msf1":
			return ", but HEIC. Send it as JPEG, which telephones offer when a photo is shared"
		}
	}
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if len(data) == 0 || kind == "application/octet-stream" {
		return ""
	}
	return ", but " + kind
}

// isWhole tells whether a picture goes on to its end.
func isWhole(format string, data []byte) bool {
	switch format {
	case "png":
		return isWholePNG(data)
	case "jpeg":
		return isWholeJPEG(data)
	case "gif":
		return isWholeGIF(data)
	}
	return true // it is decoded as a whole
}

// isWholePNG goes through the chunks (PNG, third edition, 5.3).
func isWholePNG(data []byte) bool {
	const signature, around = 8, 12 // bytes; the latter around each chunk's data
	pixels := false
	for data = data[min(signature, len(data)):]; len(data) >= around; {
		n := int64(binary.BigEndian.Uint32(data))
		if n > int64(len(data)-around) {
			return false
		}
		checked, sum := data[4:8+n], binary.BigEndian.Uint32(data[8+n:])
		if crc32.ChecksumIEEE(checked) != sum {
			return false
		}
		switch string(checked[:4]) {
		case "IDAT":
			pixels = true
		case "IEND":
			return pixels
		}
		data = data[around+n:]
	}
	return false
}

// isWholeJPEG goes through the segments (ITU T.81, B.1.1) to the end of the
// image.
func isWholeJPEG(data []byte) bool {
	const start, end, scan = 0xd8, 0xd9, 0xda
	scanned := false
	for at := 0; ; {
		// Between segments, and in a scan's data, only 0xff can begin a marker.
		skip := bytes.IndexByte(data[at:], 0xff)
		if skip < 0 || at+skip+1 >= len(data) {
			return false
		}
		at += skip + 1
		switch marker := data[at]; {
		case marker == 0xff: // padding
			continue
		case marker == end:
			return scanned
		case marker == 0 || marker == start || marker == 0x01 || 0xd0 <= marker && marker <= 0xd7:
			at++ // without a length
			continue
		default:
			scanned = scanned || marker == scan
		}
		if at+3 > len(data) {
			return false
		}
		if at += 1 + int(binary.BigEndian.Uint16(data[at+1:])); at > len(data) {
			return false
		}
	}
}

// isWholeGIF goes through the blocks to the end of the first image: no other is
// shown (GIF89a, 17 to 27).
func isWholeGIF(data []byte) bool {
	const beginning, extension, descriptor = 13, 0x21, 0x2c
	if len(data) < beginning {
		return false
	}
	at := beginning + countColors(data[10])
	for at+1 < len(data) {
		kind := data[at]
		switch kind {
		case extension:
			at += 2
		case descriptor:
			if at+10 > len(data) {
				return false
			}
			at += 10 + countColors(data[at+9]) + 1
		default:
			return false
		}
		for at < len(data) && data[at] != 0 {
			at += 1 + int(data[at])
		}
		if kind == descriptor {
			return at < len(data)
		}
		at++
	}
	return false
}

// countColors returns how many bytes the table of colours takes that flags tell of.
func countColors(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

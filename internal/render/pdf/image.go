package pdf

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// Limits on pictures: a file of some hundred bytes can claim to be billions of pixels.
const (
	maxImageBytes  = 32 << 20
	maxImagePixels = 50_000_000
	// What must be unpacked, which a JPEG need not.
	maxUnpackedBytes = 100 << 20   // of one picture
	maxUnpacked      = 100_000_000 // pixels, of a file's pictures together
)

// ErrPicture is returned for a picture that cannot be drawn: an unknown
// format (SVG is one), damaged, or too large.
var ErrPicture = errors.New("picture cannot be drawn")

// ImageOptions say which part of a picture is shown, and how.
type ImageOptions struct {
	// Left, Top, Right and Bottom are the fractions that are cut off at each
	// side; negative ones leave room there.
	Left, Top, Right, Bottom float64
	FlipH, FlipV             bool
	Transparency             float64 // 0 is opaque, 1 invisible
}

// canvasImage is a picture as one document uses it: stored once, however often it is
// drawn.
type canvasImage struct {
	preparedPicture
	object int // 0 before it is drawn
}

// Image draws a picture (PNG, JPEG, GIF, BMP, TIFF, WebP) into a rectangle.
// The error is ErrPicture, wrapped with what is wrong; nothing is drawn then.
func (c *Canvas) Image(data []byte, x, y, w, h float64, opts ImageOptions) error {
	if w <= 0 || h <= 0 || len(c.pages) == 0 || opts.Transparency >= 1 {
		return nil
	}
	key := c.hash(data)
	img, ok := c.images[key]
	if !ok {
		ready := preparedPicture{err: fmt.Errorf("%w: the pictures of the file have more than %d million pixels in all", ErrPicture, maxUnpacked/1_000_000)}
		if pixels := unpackedPixels(data); c.pixels+pixels <= maxUnpacked {
			c.pixels += pixels
			ready = prepareShared(key, data)
		}
		img = &canvasImage{preparedPicture: ready}
		c.images[key] = img
	}
	if img.err != nil {
		return img.err
	}
	spanX, spanY := 1-opts.Left-opts.Right, 1-opts.Top-opts.Bottom
	if spanX <= 0 || spanY <= 0 {
		return nil
	}
	left, top := opts.Left, opts.Top
	if opts.FlipH {
		left = opts.Right
	}
	if opts.FlipV {
		top = opts.Bottom
	}
	fullW, fullH := w/spanX, h/spanY
	c.mark()
	isCropped := opts.Left > 0 || opts.Top > 0 || opts.Right > 0 || opts.Bottom > 0
	if isCropped {
		c.Save()
		defer c.Restore()
		c.ClipRect(x, y, w, h)
	}
	if img.object == 0 {
		img.object = img.store(&c.file)
		c.drawn = append(c.drawn, img.object)
	}
	x, y = x-left*fullW, c.pageH-(y-top*fullH)-fullH
	if opts.FlipH {
		x, fullW = x+fullW, -fullW
	}
	if opts.FlipV {
		y, fullH = y+fullH, -fullH
	}
	c.faded(opts.Transparency, func() { c.writef("q\n%.2f 0 0 %.2f %.2f %.2f cm\n/I%d Do\nQ\n", fullW, fullH, x, y, img.object) })
	return nil
}

// hash is that of a picture's file. A pattern draws the same one a thousand
// times: nobody may write to a file that was drawn.
func (c *Canvas) hash(data []byte) [sha256.Size]byte {
	if len(data) == 0 {
		return sha256.Sum256(nil)
	}
	known, ok := c.hashes[&data[0]]
	if !ok || known.size != len(data) {
		known = pictureHash{size: len(data), sum: sha256.Sum256(data)}
		c.hashes[&data[0]] = known
	}
	return known.sum
}

// pictureHash is the hash of a file of a size.
type pictureHash struct {
	size int
	sum  [sha256.Size]byte
}

// ImageSize is the size of a picture in pixels; 0 and 0 when it cannot be read.
func ImageSize(data []byte) (w, h int) {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0
	}
	return config.Width, config.Height
}

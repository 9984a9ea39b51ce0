package layout

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"  // decoder
	_ "image/jpeg" // decoder
	"image/png"

	"github.com/signintech/gopdf"
	_ "golang.org/x/image/bmp"  // decoder
	_ "golang.org/x/image/tiff" // decoder
	_ "golang.org/x/image/webp" // decoder
)

// Limits on pictures: a file of some hundred bytes can claim to be billions of pixels.
const (
	maxImageBytes  = 32 << 20
	maxImagePixels = 50_000_000
)

// ErrPicture is returned for a picture that cannot be drawn: an unknown
// format (EMF, WMF and SVG are), damaged, or too large.
var ErrPicture = errors.New("picture cannot be drawn")

// ImageOptions say which part of a picture is shown, and how.
type ImageOptions struct {
	// Left, Top, Right and Bottom are the fractions that are cut off at each
	// side; negative ones leave room there.
	Left, Top, Right, Bottom float64
	FlipH, FlipV             bool
	Transparency             float64 // 0 is opaque, 1 invisible
}

// canvasImage is a picture as gopdf takes it.
type canvasImage struct {
	id   string
	data *bytes.Reader
	err  error
}

// ID tells gopdf which pictures are the same, so that a logo is stored once.
func (i *canvasImage) ID() string { return i.id }

// Read gives gopdf the file.
func (i *canvasImage) Read(p []byte) (int, error) { return i.data.Read(p) }

// Image draws a picture (PNG, JPEG, GIF, BMP, TIFF, WebP) into a rectangle.
// The error is ErrPicture, wrapped with what is wrong; nothing is drawn then.
func (c *Canvas) Image(data []byte, x, y, w, h float64, opts ImageOptions) error {
	if w <= 0 || h <= 0 || c.pages == 0 || opts.Transparency >= 1 {
		return nil
	}
	key := sha256.Sum256(data)
	img, ok := c.images[key]
	if !ok {
		ready := sharedPictures().get(key, data)
		img = &canvasImage{id: fmt.Sprintf("%x", key[:16]), data: bytes.NewReader(ready.data), err: ready.err}
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
	cropped := opts.Left > 0 || opts.Top > 0 || opts.Right > 0 || opts.Bottom > 0
	if cropped {
		c.Save()
		defer c.Restore()
		c.ClipRect(x, y, w, h)
	}
	var err error
	c.withTransparency(opts.Transparency, func() {
		err = c.pdf.ImageByHolderWithOptions(img, gopdf.ImageOptions{
			X: x - left*fullW, Y: y - top*fullH, Rect: &gopdf.Rect{W: fullW, H: fullH},
			HorizontalFlip: opts.FlipH, VerticalFlip: opts.FlipV,
		})
	})
	if err != nil {
		img.err = fmt.Errorf("%w: %w", ErrPicture, err)
	}
	return img.err
}

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
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return refuse("%w", err)
	}
	if format == "png" && plainPNG(data) {
		return preparedPicture{data: data}
	}
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, flatten(decoded)); err != nil {
		return refuse("%w", err)
	}
	return preparedPicture{data: buf.Bytes()}
}

// ImageSize is the size of a picture in pixels; 0 and 0 when it cannot be read.
func ImageSize(data []byte) (w, h int) {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0
	}
	return config.Width, config.Height
}

// plainPNG reports a PNG whose compressed pixels can stand in a PDF unchanged:
// grey, colour or palette of at most eight bits, no transparency, not interlaced.
func plainPNG(data []byte) bool {
	const depth, colorType, interlace = 24, 25, 28
	if len(data) <= interlace || data[depth] > 8 || data[interlace] != 0 || bytes.Contains(data, []byte("tRNS")) {
		return false
	}
	return data[colorType] == 0 || data[colorType] == 2 || data[colorType] == 3
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

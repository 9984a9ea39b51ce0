package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

const (
	// sheetWidth is the width of a picture of two pages, in pixels.
	sheetWidth = 900
	// sheetLimit is what such a picture may take in the docs, in bytes.
	sheetLimit = 64 << 10
	// enlarged is how many times larger than on the picture pages are drawn, to be shrunk.
	enlarged = 3
	// mostColors is how many of a picture's own colours it keeps.
	mostColors = 24
)

// sheetName is a picture of one page: "offer.docx-2.png" for page 2, "offer.docx.png" for page 1.
var sheetName = regexp.MustCompile(`^(.+\.(docx|pptx))(?:-(\d+))?\.png$`)

// sheets draws the pictures in a folder again, each of a page of ours beside the
// reference's. Their names say which file and page: an empty file asks for a new one.
func sheets(ctx context.Context, o options) error {
	names, err := filepath.Glob(filepath.Join(o.Sheets, "*.png"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("--sheets: %s has no picture to draw again; make an empty file such as offer.docx.png in it", o.Sheets)
	}
	fonts, err := fontsOf(o.Fonts)
	if err != nil {
		return fmt.Errorf("--fonts: %w", err)
	}
	dir, err := os.MkdirTemp("", "fidelity")
	if err != nil {
		return fmt.Errorf("make a folder for pages: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, name := range names {
		parts := sheetName.FindStringSubmatch(filepath.Base(name))
		if parts == nil {
			return fmt.Errorf("--sheets: %s names no page of a file, such as offer.docx.png or offer.docx-2.png", filepath.Base(name))
		}
		file, kind, number := parts[1], parts[2], 1
		if parts[3] != "" {
			number, _ = strconv.Atoi(parts[3]) // digits; too many are page 0, which is refused
		}
		data, err := os.ReadFile(filepath.Join(o.Corpus, kind, file))
		if err != nil {
			return fmt.Errorf("read the corpus: %w", err)
		}
		ours, _, err := pdfOf(fonts, data, file, kind)
		if err != nil {
			return fmt.Errorf("convert %s: %w", file, err)
		}
		made := filepath.Join(dir, file+".pdf")
		if err := os.WriteFile(made, ours, 0o644); err != nil {
			return err
		}
		left, err := pageOf(ctx, made, number)
		if err != nil {
			return err
		}
		right, err := pageOf(ctx, filepath.Join(o.Corpus, "ref", file+".pdf"), number)
		if err != nil {
			return err
		}
		if err := keepSheet(name, pair(left, right)); err != nil {
			return err
		}
	}
	return nil
}

// pageOf is a page of a PDF, large enough to be shrunk to half of a picture.
func pageOf(ctx context.Context, file string, number int) (image.Image, error) {
	pages, err := rasterAt(ctx, file, number, number, "-scale-to-x", strconv.Itoa(enlarged*(sheetWidth/2)), "-scale-to-y", "-1")
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("%s has no page %d", file, number)
	}
	return pages[0], nil
}

// pair puts two pages beside each other, with a line around each, in the colours that
// they have most of.
func pair(left, right image.Image) *image.Paletted {
	half := sheetWidth / 2
	height := max(left.Bounds().Dy(), right.Bounds().Dy()) / enlarged
	whole := image.NewRGBA(image.Rect(0, 0, sheetWidth, height))
	draw.Draw(whole, whole.Bounds(), image.NewUniform(color.Gray{Y: 0x99}), image.Point{}, draw.Src)
	for i, page := range []image.Image{left, right} {
		for y := 1; y < page.Bounds().Dy()/enlarged-1; y++ {
			for x := 1; x < half-1; x++ {
				whole.SetRGBA(i*half+x, y, mean(page, x*enlarged, y*enlarged))
			}
		}
	}
	out := image.NewPaletted(whole.Bounds(), sheetColors(whole))
	draw.Draw(out, out.Bounds(), whole, image.Point{}, draw.Src)
	return out
}

// mean is the colour of a square of a page.
func mean(page image.Image, x, y int) color.RGBA {
	var r, g, b, count uint32
	for dy := range enlarged {
		for dx := range enlarged {
			pr, pg, pb, _ := page.At(page.Bounds().Min.X+x+dx, page.Bounds().Min.Y+y+dy).RGBA()
			r, g, b, count = r+pr>>8, g+pg>>8, b+pb>>8, count+1
		}
	}
	return color.RGBA{R: uint8(r / count), G: uint8(g / count), B: uint8(b / count), A: 255} //nolint:gosec // means of bytes
}

// sheetColors are the colours that most of a picture has, and others for the rest of
// it: sixteen greys for text, four steps of each colour.
func sheetColors(picture *image.RGBA) color.Palette {
	counts := map[color.RGBA]int{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			counts[picture.RGBAAt(x, y)]++
		}
	}
	all := color.Palette{}
	for step := range uint8(16) {
		all = append(all, color.RGBA{R: step * 17, G: step * 17, B: step * 17, A: 255})
	}
	for step := range uint8(64) {
		all = append(all, color.RGBA{R: step / 16 * 85, G: step / 4 % 4 * 85, B: step % 4 * 85, A: 255})
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	for _, one := range most[:min(len(most), mostColors)] {
		all = append(all, one)
	}
	return all
}

// keepSheet writes a picture when it is small enough for the docs.
func keepSheet(name string, picture image.Image) error {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, picture); err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	if out.Len() > sheetLimit {
		return fmt.Errorf("%s takes %d bytes, more than %d: choose a page with less on it", filepath.Base(name), out.Len(), sheetLimit)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
		return fmt.Errorf("keep a picture: %w", err)
	}
	return nil
}

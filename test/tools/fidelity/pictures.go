package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// resolution of the pictures, in dots per inch: enough to read 10-point text.
const resolution = 75

// pictures keeps every page beside the reference's, as name-page.png.
func pictures(ctx context.Context, o options, out string) error {
	if o.Pages <= 0 {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(out, "*.pdf"))
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		ref, err := raster(ctx, filepath.Join(o.Corpus, "ref", name), o.Pages)
		if err != nil {
			return err
		}
		ours, err := raster(ctx, file, o.Pages)
		if err != nil {
			return err
		}
		for i := range max(len(ref), len(ours)) {
			picture := beside(at(ref, i), at(ours, i))
			if err := keep(filepath.Join(out, fmt.Sprintf("%s-%02d.png", name, i+1)), picture); err != nil {
				return err
			}
		}
	}
	return nil
}

// raster is a PDF's pages as pictures; none when the file is not there.
func raster(ctx context.Context, file string, pages int) ([]image.Image, error) {
	return rasterAt(ctx, file, 1, pages, "-r", strconv.Itoa(resolution))
}

// rasterAt is a PDF's pages from first to last, in the size that pdftoppm gets.
func rasterAt(ctx context.Context, file string, first, last int, size ...string) ([]image.Image, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "fidelity")
	if err != nil {
		return nil, fmt.Errorf("make a folder for pages: %w", err)
	}
	defer os.RemoveAll(dir)
	arguments := append([]string{"-png", "-f", strconv.Itoa(first), "-l", strconv.Itoa(last)}, size...)
	cmd := exec.CommandContext(ctx, "pdftoppm", append(arguments, file, filepath.Join(dir, "p"))...)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run pdftoppm, which poppler-utils has: %w", err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []image.Image
	for _, name := range names {
		picture, err := open(name)
		if err != nil {
			return nil, err
		}
		out = append(out, picture)
	}
	return out, nil
}

func open(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open a page: %w", err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	return picture, nil
}

func at(pages []image.Image, i int) image.Image {
	if i < len(pages) {
		return pages[i]
	}
	return image.NewGray(image.Rect(0, 0, 100, 100)) // a black square: no such page
}

func beside(left, right image.Image) image.Image {
	const gap = 6
	l, r := left.Bounds(), right.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, l.Dx()+gap+r.Dx(), max(l.Dy(), r.Dy())))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.RGBA{R: 200, A: 255}), image.Point{}, draw.Src)
	draw.Draw(out, l.Sub(l.Min), left, l.Min, draw.Src)
	draw.Draw(out, r.Sub(r.Min).Add(image.Pt(l.Dx()+gap, 0)), right, r.Min, draw.Src)
	return out
}

func keep(name string, picture image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("keep a picture: %w", err)
	}
	defer f.Close()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(f, picture); err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	return f.Close()
}

package main

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPairKeepsTheColoursThatPagesHaveMostOf(t *testing.T) {
	t.Parallel()
	page := image.NewRGBA(image.Rect(0, 0, enlarged*sheetWidth/2, 300))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.RGBA{R: 0xE2, G: 0xEF, B: 0xD9, A: 255}), image.Point{}, draw.Src)
	got := pair(page, page)
	if want := image.Rect(0, 0, sheetWidth, 100); got.Bounds() != want {
		t.Errorf("got a picture of %v, want %v", got.Bounds(), want)
	}
	for _, x := range []int{100, 600} {
		if r, g, b, _ := got.At(x, 50).RGBA(); r>>8 != 0xE2 || g>>8 != 0xEF || b>>8 != 0xD9 {
			t.Errorf("at %d got the colour %02x%02x%02x, want E2EFD9", x, r>>8, g>>8, b>>8)
		}
	}
}

func TestSheetsNameAPageOfAFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	err := sheets(t.Context(), options{Corpus: folder, Sheets: folder})
	if err == nil || !strings.Contains(err.Error(), "make an empty file") {
		t.Errorf("an empty folder: got %v, want an error that says how to ask for a picture", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "offer.png"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err = sheets(t.Context(), options{Corpus: folder, Sheets: folder})
	if err == nil || !strings.Contains(err.Error(), "offer.png names no page") {
		t.Errorf("a name without a kind: got %v, want an error that names it", err)
	}
}

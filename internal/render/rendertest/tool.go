package rendertest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

// PictureFor stores a small PNG and returns its relationship's id.
func PictureFor(t *testing.T, p *opc.Package, part string) string {
	t.Helper()
	const name = "/ppt/media/dot.png"
	p.SetPart(name, "image/png", SamplePNG(t, 255))
	id, err := p.Relate(part, "image", name, false)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Tool runs a program over a PDF and returns what it prints.
func Tool(t *testing.T, pdf []byte, name string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "FILE", file)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// SamplePNG is a picture of 8 × 8 pixels.
func SamplePNG(t *testing.T, alpha uint8) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		img.SetNRGBA(i%8, i/8, color.NRGBA{R: uint8(4 * i), G: 90, A: alpha})
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// ParseFloat reads a number that a program printed.
func ParseFloat(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

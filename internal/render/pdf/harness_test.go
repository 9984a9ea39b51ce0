package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf/fonts"
)

var (
	white = dml.RGB{R: 255, G: 255, B: 255}
	red   = dml.RGB{R: 255}
	green = dml.RGB{G: 255}
	blue  = dml.RGB{B: 255}
)

// asComputed is how far numbers may be from what is wanted.
const asComputed = 1e-6

func isNear(got, want float64) bool { return math.Abs(got-want) <= asComputed }

// newPage is a canvas with a page of 200 × 100 points.
func newPage() *Canvas {
	c := NewCanvas("", "")
	c.AddPage(200, 100)
	return c
}

func finished(t *testing.T, c *Canvas) []byte {
	t.Helper()
	pdf, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// objectsOf are the objects of a file, in the order of their numbers, by its table.
func objectsOf(t *testing.T, file []byte) [][]byte {
	t.Helper()
	table := bytes.LastIndex(file, []byte("\nxref\n"))
	entries := regexp.MustCompile(`(\d{10}) 00000 n \n`).FindAllSubmatch(file[table:], -1)
	var objects [][]byte
	end := table + 1
	for _, entry := range slices.Backward(entries) {
		offset, err := strconv.Atoi(string(entry[1]))
		if err != nil || offset > end {
			t.Fatalf("an object at %s, want one before %d", entry[1], end)
		}
		objects, end = append(objects, file[offset:end]), offset
	}
	slices.Reverse(objects)
	return objects
}

// streamOf is an object's stream, as it is written.
func streamOf(object []byte) []byte {
	_, content, _ := bytes.Cut(object, []byte(">>\nstream\n"))
	return bytes.TrimSuffix(content, []byte("\nendstream\nendobj\n\n"))
}

func inflated(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// contents are the operators of each page, a line each.
func contents(t *testing.T, c *Canvas) [][]string {
	t.Helper()
	objects := objectsOf(t, finished(t, c))
	var all [][]string
	for _, page := range c.pages {
		var lines []string
		for line := range strings.Lines(string(inflated(t, streamOf(objects[page.content-1])))) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		all = append(all, lines)
	}
	return all
}

// content are the operators of the one page of a canvas.
func content(t *testing.T, c *Canvas) []string {
	t.Helper()
	return contents(t, c)[0]
}

// matching are the first groups of all matches in a text.
func matching(pattern, text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// quarters is a picture of 20 × 20 pixels: red, green; blue, black.
func quarters() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 20, 20))
	for i := range 20 * 20 {
		img.SetNRGBA(i%20, i/20, [][]color.NRGBA{{{R: 255, A: 255}, {G: 255, A: 255}}, {{B: 255, A: 255}, {A: 255}}}[i/200][i%20/10])
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// caladeaFile is one of the embedded fonts.
func caladeaFile(t *testing.T) []byte {
	t.Helper()
	return fonts.Read("Caladea-Regular")
}

// tablesOf are the tables of a font file.
func tablesOf(file []byte) map[string][]byte {
	tables := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		at := file[12+16*i:]
		off, size := binary.BigEndian.Uint32(at[8:]), binary.BigEndian.Uint32(at[12:])
		tables[string(at[:4])] = file[off : off+size]
	}
	return tables
}

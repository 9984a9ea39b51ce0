package metafile

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

// recorder writes down what is drawn on it, a line for each call. Its letters
// are half as wide as their size, and reach 0.8 above and 0.2 below the baseline.
type recorder struct {
	lines    []string
	pictures [][]byte
	depth    int
	work     int // that may still be done
}

func (r *recorder) say(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func short(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 {
		v = 0
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v+0), "0"), ".")
}

func pathText(p *Path, isEvenOdd bool) string {
	var out []string
	if isEvenOdd {
		out = append(out, "even-odd")
	}
	points := p.Points
	for _, op := range p.Ops {
		n := map[byte]int{'m': 1, 'l': 1, 'c': 3}[op]
		word := string(op)
		for i, at := range points[:n] {
			if i > 0 {
				word += ";"
			}
			word += short(at.X) + "," + short(at.Y)
		}
		out, points = append(out, word), points[n:]
	}
	return strings.Join(out, " ")
}

func colorText(c Color) string {
	out := fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B)
	if c.Alpha != 1 {
		out += "/" + short(c.Alpha)
	}
	return out
}

func matrixText(m Matrix) string {
	var out []string
	for _, v := range []float64{m.A, m.B, m.C, m.D, m.E, m.F} {
		out = append(out, short(v))
	}
	return strings.Join(out, " ")
}

func (r *recorder) Save() { r.depth++; r.say("save") }
func (r *recorder) Restore() {
	r.depth--
	r.say("restore")
}
func (r *recorder) Clip(p *Path, isEvenOdd bool) { r.say("clip %s", pathText(p, isEvenOdd)) }
func (r *recorder) Fill(p *Path, isEvenOdd bool, c Color) {
	r.say("fill %s %s", colorText(c), pathText(p, isEvenOdd))
}

func (r *recorder) Stroke(p *Path, s Stroke) {
	dash := ""
	if len(s.Dash) > 0 {
		for i, d := range s.Dash {
			dash += []string{" dash ", ","}[min(i, 1)] + short(d)
		}
	}
	if s.Cap != 1 || s.Join != 1 {
		dash += fmt.Sprintf(" ends %d corners %d", s.Cap, s.Join)
	}
	r.say("stroke %s %s%s %s", colorText(s.Color), short(s.Width), dash, pathText(p, false))
}

func (r *recorder) Picture(file []byte, m Matrix) error {
	if _, _, ok := isImage(file); !ok {
		return errors.New("no picture")
	}
	r.pictures = append(r.pictures, file)
	r.say("picture %s", matrixText(m))
	return nil
}

func (r *recorder) Text(t Text) {
	style := t.Font.Family
	if t.Font.Bold {
		style += " bold"
	}
	if t.Font.Italic {
		style += " italic"
	}
	if t.Stretch != 1 {
		style += " stretch " + short(t.Stretch)
	}
	var xs []string
	for _, x := range t.X {
		xs = append(xs, short(x))
	}
	r.say("text %s %s %q %s at %s in %s", colorText(t.Color), short(t.Size), string(t.Runes), strings.Join(xs, ","), matrixText(t.M), style)
}

func (r *recorder) Metrics(Font) (ascent, descent float64) { return 0.8, 0.2 }
func (r *recorder) Advance(Font, rune) float64             { return 0.5 }
func (r *recorder) Spend(work int) bool {
	r.work -= work
	return r.work >= 0
}

// played is what a picture draws into a box of 100 × 100 points, without the
// frame of Save, Clip and Restore around all of it, and what it lacks.
func played(t *testing.T, data []byte) (*recorder, []string) {
	t.Helper()
	const enough = 10_000_000
	r := &recorder{work: enough}
	notes, err := Play(data, dml.Rect{W: 100, H: 100}, r)
	if err != nil {
		t.Fatal(err)
	}
	if r.depth != 0 {
		t.Errorf("got %d Saves without Restore", r.depth)
	}
	n := len(r.lines)
	if n < 3 || r.lines[0] != "save" || r.lines[1] != "clip m0,0 l100,0 l100,100 l0,100 h" || r.lines[n-1] != "restore" {
		t.Fatalf("got %q, want it clipped to its box", r.lines)
	}
	r.lines = r.lines[2 : n-1]
	return r, notes
}

// wantDrawn wants what a picture draws, and that it lacks nothing.
func wantDrawn(t *testing.T, data []byte, want ...string) *recorder {
	t.Helper()
	r, notes := played(t, data)
	if len(notes) != 0 {
		t.Errorf("got notes %q, want none", notes)
	}
	if !slices.Equal(r.lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(r.lines, "\n"), strings.Join(want, "\n"))
	}
	return r
}

// pixels are the colours of a picture, row by row: "FF0000", with "/0.5" behind
// one that is half seen through.
func pixels(t *testing.T, file []byte) []string {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	b := img.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			out = append(out, colorText(Color{dml.RGB{R: c.R, G: c.G, B: c.B}, math.Round(float64(c.A)/255*100) / 100}))
		}
	}
	return out
}

func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

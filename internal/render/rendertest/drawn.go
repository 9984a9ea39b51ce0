package rendertest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/platenhq/platen/internal/office/dml"
)

// A Mark is one thing that the content of a page draws. Places are in points
// from the page's upper left corner, y downwards.
type Mark struct {
	Kind  MarkKind
	Color dml.RGB
	Alpha float64 // 1 is opaque
	// X and Y are the corners of an area or a line, or where a text begins on its baseline.
	X, Y  []float64
	Width float64 // of a line
	Dash  string  // of a line, as the content has it: "[4.00 2.00]"
	Text  string
	Size  float64 // of a text
	Angle float64 // of a text, degrees clockwise
}

// MarkKind says what a Mark is.
type MarkKind string

// The kinds of marks.
const (
	MarkArea    MarkKind = "area"
	MarkOutline MarkKind = "outline" // of more than two points
	MarkLine    MarkKind = "line"
	MarkClip    MarkKind = "clip"
	MarkText    MarkKind = "text"
	MarkPicture MarkKind = "picture"
)

// Box is the smallest rectangle around a mark.
func (m Mark) Box() dml.Rect {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range m.X {
		left, right = min(left, m.X[i]), max(right, m.X[i])
		top, bottom = min(top, m.Y[i]), max(bottom, m.Y[i])
	}
	return dml.Rect{X: left, Y: top, W: right - left, H: bottom - top}
}

// Precision is how far, in points, a place on a page may be from where it is
// wanted: content has two decimals, and circles have corners.
const Precision = 0.05

// Areas are the boxes of the areas of one colour.
func Areas(marks []Mark, c dml.RGB) []dml.Rect {
	var all []dml.Rect
	for _, m := range marks {
		if m.Kind == MarkArea && m.Color == c {
			all = append(all, m.Box())
		}
	}
	return all
}

// Texts are what is written, in the order in which it is drawn.
func Texts(marks []Mark) []string {
	var all []string
	for _, m := range marks {
		if m.Kind == MarkText {
			all = append(all, m.Text)
		}
	}
	return all
}

// TextOf is the first text that reads so.
func TextOf(t *testing.T, marks []Mark, text string) Mark {
	t.Helper()
	for _, m := range marks {
		if m.Kind == MarkText && m.Text == text {
			return m
		}
	}
	t.Fatalf("no text %q in %q", text, Texts(marks))
	return Mark{}
}

// WantText wants where a text begins, and its baseline.
func WantText(t *testing.T, marks []Mark, text string, x, baseline float64) {
	t.Helper()
	m := TextOf(t, marks, text)
	Near(t, "the start of "+text, m.X[0], x, Precision)
	Near(t, "the baseline of "+text, m.Y[0], baseline, Precision)
}

// WantRect wants a rectangle.
func WantRect(t *testing.T, what string, got, want dml.Rect) {
	t.Helper()
	WantRects(t, what, []dml.Rect{got}, want)
}

// WantRects wants rectangles in their order.
func WantRects(t *testing.T, what string, got []dml.Rect, want ...dml.Rect) {
	t.Helper()
	isNear := func(a, b dml.Rect) bool {
		return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y), math.Abs(a.W-b.W), math.Abs(a.H-b.H)) <= Precision
	}
	if !slices.EqualFunc(got, want, isNear) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

var (
	objectPattern = regexp.MustCompile(`(?s)(\d+) 0 obj\n(.*?)\nendobj`)
	streamPattern = regexp.MustCompile(`(?s)stream\n(.*)\nendstream`)
	namedPattern  = regexp.MustCompile(`/((?:F|GS)\d+) (\d+) 0 R`)
	tokenPattern  = regexp.MustCompile(`\[[^\]]*\]|[^\s\[\]]+`)
	letterPattern = regexp.MustCompile(`<([0-9A-Fa-f]{4})><([0-9A-Fa-f]+)>`)
	alphaPattern  = regexp.MustCompile(`/ca ([\d.]+)`)
	mapPattern    = regexp.MustCompile(`/ToUnicode (\d+) 0 R`)
	pagePattern   = regexp.MustCompile(`/MediaBox \[0 0 [\d.]+ ([\d.]+)\].* /Contents (\d+) 0 R`)
)

// Drawn reads the content of each page of a PDF that package render/pdf wrote
// (PDF 32000-1, 8 and 9), as far as that writes it.
func Drawn(t *testing.T, file []byte) [][]Mark {
	t.Helper()
	objects, named := map[string]string{}, map[string]string{}
	type page struct {
		height  float64
		content string // the number of its object
	}
	var drawn []page
	for _, m := range objectPattern.FindAllStringSubmatch(string(file), -1) {
		number, body := m[1], m[2]
		if s := streamPattern.FindStringSubmatch(body); s != nil && strings.Contains(body, "/FlateDecode") {
			unpacked, err := zlib.NewReader(strings.NewReader(s[1]))
			if err != nil {
				continue // a picture
			}
			data, err := io.ReadAll(unpacked)
			if err != nil {
				t.Fatalf("object %s: %v", number, err)
			}
			body = string(data)
		} else {
			for _, n := range namedPattern.FindAllStringSubmatch(body, -1) {
				named[n[1]] = n[2]
			}
			if p := pagePattern.FindStringSubmatch(body); p != nil {
				drawn = append(drawn, page{ParseFloat(t, p[1]), p[2]})
			}
		}
		objects[number] = body
	}
	var pages [][]Mark
	for _, p := range drawn {
		r := contentReader{height: p.height, object: func(name string) string { return objects[named[name]] }, objects: objects}
		r.state = contentState{matrix: [6]float64{1, 0, 0, 1, 0, 0}, fill: 1}
		for _, token := range tokenPattern.FindAllString(objects[p.content], -1) {
			r.token(token)
		}
		pages = append(pages, r.marks)
	}
	return pages
}

// contentState is what q keeps and Q brings back.
type contentState struct {
	matrix        [6]float64
	color, stroke dml.RGB
	fill          float64 // the opacity of all
	width         float64
	dash          string
	font          string
	size          float64
}

type contentReader struct {
	height   float64
	object   func(name string) string
	objects  map[string]string
	state    contentState
	saved    []contentState
	operands []string
	x, y     []float64 // the path
	isPath   bool
	clips    bool
	marks    []Mark
}

func (r *contentReader) number(fromEnd int) float64 {
	v, err := strconv.ParseFloat(r.operands[len(r.operands)-fromEnd], 64)
	if err != nil {
		panic(fmt.Sprintf("%v is not what an operator takes", r.operands))
	}
	return v
}

// add puts a point of the page into the path.
func (r *contentReader) add(x, y float64) {
	m := r.state.matrix
	r.x, r.y = append(r.x, m[0]*x+m[2]*y+m[4]), append(r.y, r.height-(m[1]*x+m[3]*y+m[5]))
}

func (r *contentReader) mark(kind MarkKind, color dml.RGB) *Mark {
	r.marks = append(r.marks, Mark{Kind: kind, Color: color, Alpha: r.state.fill, X: r.x, Y: r.y, Width: r.state.width, Dash: r.state.dash})
	r.x, r.y, r.clips, r.isPath = nil, nil, false, false
	return &r.marks[len(r.marks)-1]
}

func (r *contentReader) rgb() dml.RGB {
	part := func(fromEnd int) uint8 { return uint8(math.Round(r.number(fromEnd) * 255)) }
	return dml.RGB{R: part(3), G: part(2), B: part(1)}
}

// token takes an operand, or carries out an operator.
func (r *contentReader) token(token string) {
	switch token {
	case "q":
		r.saved = append(r.saved, r.state)
	case "Q":
		last := len(r.saved) - 1
		r.state, r.saved = r.saved[last], r.saved[:last]
	case "cm":
		a, b, c, d, e, f := r.number(6), r.number(5), r.number(4), r.number(3), r.number(2), r.number(1)
		m := r.state.matrix
		r.state.matrix = [6]float64{a*m[0] + b*m[2], a*m[1] + b*m[3], c*m[0] + d*m[2], c*m[1] + d*m[3], e*m[0] + f*m[2] + m[4], e*m[1] + f*m[3] + m[5]}
	case "rg":
		r.state.color = r.rgb()
	case "RG":
		r.state.stroke = r.rgb()
	case "w":
		r.state.width = r.number(1)
	case "d":
		r.state.dash = r.operands[len(r.operands)-2]
	case "gs":
		if alpha := alphaPattern.FindStringSubmatch(r.object(strings.TrimPrefix(r.operands[len(r.operands)-1], "/"))); alpha != nil {
			r.state.fill, _ = strconv.ParseFloat(alpha[1], 64)
		}
	case "m", "c", "l", "re":
		r.construct(token)
	case "f", "f*":
		r.mark(MarkArea, r.state.color)
	case "s":
		r.mark(MarkOutline, r.state.stroke)
	case "S":
		kind := MarkLine
		if len(r.x) > 2 {
			kind = MarkOutline
		}
		r.mark(kind, r.state.stroke)
	case "W", "W*":
		r.clips = true
	case "n":
		if r.clips {
			r.mark(MarkClip, dml.RGB{})
		}
	case "Do":
		r.x, r.y = nil, nil
		r.add(0, 0)
		r.add(1, 1)
		r.mark(MarkPicture, dml.RGB{})
	case "Td":
		r.x, r.y = nil, nil
		r.add(r.number(2), r.number(1))
	case "Tf":
		r.state.font, r.state.size = strings.TrimPrefix(r.operands[len(r.operands)-2], "/"), r.number(1)
	case "Tj":
		glyphs := r.operands[len(r.operands)-1]
		m := r.mark(MarkText, r.state.color)
		m.Text, m.Size, m.Angle = r.letters(glyphs), r.state.size, math.Atan2(-r.state.matrix[1], r.state.matrix[0])*180/math.Pi
	case "BT", "ET", "h", "J", "j":
	default:
		r.operands = append(r.operands, token)
		return
	}
	r.operands = nil
}

// construct adds to the path (PDF 32000-1, 8.5.2).
func (r *contentReader) construct(operator string) {
	switch operator {
	case "m":
		if !r.isPath {
			r.x, r.y = nil, nil
		}
		r.isPath = true
		r.add(r.number(2), r.number(1))
	case "c":
		r.add(r.number(6), r.number(5))
		r.add(r.number(4), r.number(3))
		r.add(r.number(2), r.number(1))
	case "l":
		r.add(r.number(2), r.number(1))
	case "re":
		x, y, w, h := r.number(4), r.number(3), r.number(2), r.number(1)
		r.add(x, y)
		r.add(x+w, y)
		r.add(x+w, y+h)
		r.add(x, y+h)
	}
}

// letters turns the glyphs of a text into characters by the font's map.
func (r *contentReader) letters(glyphs string) string {
	known := map[string]string{}
	if to := mapPattern.FindStringSubmatch(r.object(r.state.font)); to != nil {
		for _, m := range letterPattern.FindAllStringSubmatch(r.objects[to[1]], -1) {
			known[strings.ToLower(m[1])] = fromUTF16(m[2])
		}
	}
	var text bytes.Buffer
	inside := false
	for i := 0; i < len(glyphs); i++ {
		switch {
		case glyphs[i] == '<' || glyphs[i] == '>':
			inside = glyphs[i] == '<'
		case inside && i+4 <= len(glyphs):
			text.WriteString(known[strings.ToLower(glyphs[i:i+4])])
			i += 3
		}
	}
	return text.String()
}

func fromUTF16(hexadecimal string) string {
	var units []uint16
	for i := 0; i+4 <= len(hexadecimal); i += 4 {
		unit, _ := strconv.ParseUint(hexadecimal[i:i+4], 16, 16)
		units = append(units, uint16(unit))
	}
	return string(utf16.Decode(units))
}

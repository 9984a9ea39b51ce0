package flow

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
	"github.com/platenhq/platen/internal/render/rendertest"
)

// A sheet is a page of a PDF: what is drawn on it, in its order.
type sheet struct {
	width, height float64
	marks         []mark
}

// A mark is one thing that is drawn, in points from the upper left corner.
type mark struct {
	// kind is "text", "line", "frame" (a rectangle's outline), "area" (one filled),
	// "shape" (any other form filled), "outline" (of one), "picture" or "clip".
	kind string
	// What a text begins at is left and top, its baseline. Lines go from left and
	// top to right and bottom; for all else they are its extent.
	left, top, right, bottom float64
	text                     string
	size, stretch            float64 // of a text: points, per cent
	color                    dml.RGB
	width                    float64 // of a line
	dash                     string
	seeThrough               bool
}

func (m mark) String() string {
	return fmt.Sprintf("%s %.2f,%.2f–%.2f,%.2f %q %v %.2f %s", m.kind, m.left, m.top, m.right, m.bottom, m.text, m.color, m.width, m.dash)
}

func (s sheet) all(kinds ...string) []mark {
	var some []mark
	for _, m := range s.marks {
		if slices.Contains(kinds, m.kind) {
			some = append(some, m)
		}
	}
	return some
}

// text is the first text that begins so.
func (s sheet) text(t *testing.T, prefix string) mark {
	t.Helper()
	for _, m := range s.marks {
		if m.kind == "text" && strings.HasPrefix(m.text, prefix) {
			return m
		}
	}
	t.Fatalf("no text %q in %v", prefix, s.all("text"))
	return mark{}
}

// drawnLine and filledArea are what tests want to be drawn.
func drawnLine(x1, y1, x2, y2, width float64) mark {
	return mark{kind: "line", left: x1, top: y1, right: x2, bottom: y2, width: width}
}

func filledArea(left, top, right, bottom float64, color dml.RGB) mark {
	return mark{kind: "area", left: left, top: top, right: right, bottom: bottom, color: color}
}

func (m mark) colored(c dml.RGB) mark { m.color = c; return m }

func (m mark) dashed(dash string) mark { m.dash = dash; return m }

// isNear compares what is drawn, and gives places the hundredths that a PDF
// rounds them to.
func (m mark) isNear(other mark) bool {
	const by = 0.021
	near := func(a, b float64) bool { return math.Abs(a-b) <= by }
	return m.kind == other.kind && near(m.left, other.left) && near(m.top, other.top) && near(m.right, other.right) && near(m.bottom, other.bottom) &&
		near(m.width, other.width) && m.color == other.color && m.dash == other.dash
}

// wantMarks wants these marks in this order.
func wantMarks(t *testing.T, got []mark, want ...mark) {
	t.Helper()
	if !slices.EqualFunc(got, want, mark.isNear) {
		t.Errorf("got\n  %s\nwant\n  %s", formatMarks(got), formatMarks(want))
	}
}

func formatMarks(marks []mark) string {
	var all []string
	for _, m := range marks {
		all = append(all, m.String())
	}
	return strings.Join(all, "\n  ")
}

var (
	red   = dml.RGB{R: 255}
	blue  = dml.RGB{B: 255}
	black = dml.RGB{}
	white = dml.RGB{R: 255, G: 255, B: 255}
)

var (
	entryPattern = regexp.MustCompile(`(?m)^(\d{10}) 00000 n `)
	kidsPattern  = regexp.MustCompile(`/Kids \[([^\]]*)\]`)
	namePattern  = regexp.MustCompile(`(\d+) 0 R`)
	boxPattern   = regexp.MustCompile(`/MediaBox \[0 0 (\S+) (\S+)\]`)
	pagePattern  = regexp.MustCompile(`/Contents +(\d+) 0 R`)
	fontPattern  = regexp.MustCompile(`/(F\d+) (\d+) 0 R`)
	cmapPattern  = regexp.MustCompile(`/ToUnicode (\d+) 0 R`)
	charPattern  = regexp.MustCompile(`<([0-9A-F]{4})><([0-9A-F]+)>`)
)

// sheets reads the pages of a PDF.
func sheets(t *testing.T, pdf []byte) []sheet {
	t.Helper()
	objects := objectsOf(t, pdf)
	fonts := map[string]map[string]string{}
	for _, object := range objects {
		for _, m := range fontPattern.FindAllStringSubmatch(object, -1) {
			letters := map[string]string{}
			if to := cmapPattern.FindStringSubmatch(objects[m[2]]); to != nil {
				for _, char := range charPattern.FindAllStringSubmatch(objects[to[1]], -1) {
					letters[char[1]] = unicodeOf(char[2])
				}
			}
			fonts[m[1]] = letters
		}
	}
	var all []sheet
	const pages = "2"
	for _, kid := range namePattern.FindAllStringSubmatch(kidsPattern.FindString(objects[pages]), -1) {
		description := objects[kid[1]]
		size := boxPattern.FindStringSubmatch(description)
		r := &reader{sheet: sheet{width: rendertest.ParseFloat(t, size[1]), height: rendertest.ParseFloat(t, size[2])}, fonts: fonts}
		r.turn, r.stretch = [6]float64{1, 0, 0, 1, 0, 0}, 100
		_, content, _ := strings.Cut(objects[pagePattern.FindStringSubmatch(description)[1]], ">>\n")
		r.read(content)
		all = append(all, r.sheet)
	}
	return all
}

// objectsOf are the objects of a PDF by their numbers, each as the text of its
// dictionary with its unpacked stream, if it has one of text.
func objectsOf(t *testing.T, pdf []byte) map[string]string {
	t.Helper()
	objects := map[string]string{}
	for i, entry := range entryPattern.FindAllSubmatch(pdf[bytes.LastIndex(pdf, []byte("xref\n0 ")):], -1) {
		object := pdf[int(rendertest.ParseFloat(t, string(entry[1]))):]
		object = object[:bytes.Index(object, []byte("endobj"))]
		dictionary, stream, _ := bytes.Cut(object, []byte("\nstream\n"))
		if bytes.Contains(dictionary, []byte("/FlateDecode")) && !bytes.Contains(dictionary, []byte("/Length1")) {
			z, err := zlib.NewReader(bytes.NewReader(stream))
			if err != nil {
				t.Fatal(err)
			}
			if stream, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		objects[strconv.Itoa(i+1)] = string(dictionary) + "\n" + string(stream)
	}
	return objects
}

func unicodeOf(hex string) string {
	var units []uint16
	for ; len(hex) >= 4; hex = hex[4:] {
		n, _ := strconv.ParseUint(hex[:4], 16, 16)
		units = append(units, uint16(n))
	}
	return string(utf16.Decode(units))
}

// A reader follows the operators of a page's content (ISO 32000-1, annex A).
type reader struct {
	sheet
	state
	saved []state
	fonts map[string]map[string]string
	path  [][2]float64
	rect  bool // the path is a rectangle
	at    [2]float64
}

// state is what q saves and Q restores.
type state struct {
	turn         [6]float64
	fill, stroke dml.RGB
	lineWidth    float64
	dash         string
	font         string
	size         float64
	stretch      float64
	seeThrough   bool
}

func (r *reader) read(content string) {
	var operands []string
	for _, token := range strings.Fields(content) {
		if c := token[0]; c == '[' || c == '<' || c == '/' || c == '-' || c >= '0' && c <= '9' {
			operands = append(operands, token)
			continue
		}
		r.operate(token, operands)
		operands = nil
	}
}

func (r *reader) operate(operator string, operands []string) {
	n := make([]float64, len(operands))
	for i, o := range operands {
		n[i], _ = strconv.ParseFloat(strings.Trim(o, "[]"), 64)
	}
	switch operator {
	case "q":
		r.saved = append(r.saved, r.state)
	case "Q":
		r.state, r.saved = r.saved[len(r.saved)-1], r.saved[:len(r.saved)-1]
	case "cm":
		r.turn = multiply([6]float64(n), r.turn)
	case "gs":
		r.seeThrough = true
	case "w":
		r.lineWidth = n[0]
	case "d":
		r.dash = strings.Trim(strings.Join(operands[:len(operands)-1], " "), "[]")
	case "rg":
		r.fill = colorOf(n)
	case "RG":
		r.stroke = colorOf(n)
	case "re":
		r.path = [][2]float64{{n[0], n[1]}, {n[0] + n[2], n[1] + n[3]}}
		r.rect = true
	case "m", "l":
		r.path = append(r.path, [2]float64{n[0], n[1]})
	case "c":
		r.path = append(r.path, [2]float64{n[0], n[1]}, [2]float64{n[2], n[3]}, [2]float64{n[4], n[5]})
	case "f", "F", "f*":
		r.paint(map[bool]string{true: "area", false: "shape"}[r.rect], r.fill)
	case "S", "s":
		kind := "outline"
		if r.rect {
			kind = "frame"
		} else if len(r.path) == 2 {
			kind = "line"
		}
		r.paint(kind, r.stroke)
	case "n":
		r.paint("clip", black)
	case "Do":
		r.path = [][2]float64{{0, 0}, {1, 1}}
		r.paint("picture", black)
	case "Td":
		r.at = [2]float64{n[0], n[1]}
	case "Tf":
		r.font, r.size = strings.TrimPrefix(operands[0], "/"), n[1]
	case "Tz":
		r.stretch = n[0]
	case "Tj":
		var text strings.Builder
		for codes := strings.Trim(operands[0], "<>"); len(codes) >= 4; codes = codes[4:] {
			text.WriteString(r.fonts[r.font][codes[:4]])
		}
		x, y := r.place(r.at)
		if strings.TrimSpace(text.String()) == "" { // parts words for readers
			break
		}
		r.marks = append(r.marks, mark{kind: "text", left: x, top: y, text: strings.TrimRight(text.String(), " "), size: r.size, stretch: r.stretch, color: r.fill})
	}
}

func (r *reader) paint(kind string, color dml.RGB) {
	m := mark{kind: kind, color: color, seeThrough: r.seeThrough}
	for i, p := range r.path {
		x, y := r.place(p)
		switch {
		case i == 0:
			m.left, m.top, m.right, m.bottom = x, y, x, y
		case kind == "line":
			m.right, m.bottom = x, y
		default:
			m.left, m.top, m.right, m.bottom = min(m.left, x), min(m.top, y), max(m.right, x), max(m.bottom, y)
		}
	}
	if kind == "line" || kind == "frame" || kind == "outline" {
		m.width, m.dash = r.lineWidth, r.dash
	}
	r.marks = append(r.marks, m)
	r.path, r.rect = nil, false
}

// place turns a point of the content into one of the page.
func (r *reader) place(p [2]float64) (x, y float64) {
	m := r.turn
	return m[0]*p[0] + m[2]*p[1] + m[4], r.height - (m[1]*p[0] + m[3]*p[1] + m[5])
}

func multiply(a, b [6]float64) [6]float64 {
	return [6]float64{
		a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3],
		a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
		a[4]*b[0] + a[5]*b[2] + b[4], a[4]*b[1] + a[5]*b[3] + b[5],
	}
}

func colorOf(n []float64) dml.RGB {
	part := func(v float64) uint8 { return uint8(math.Round(v * 255)) }
	return dml.RGB{R: part(n[0]), G: part(n[1]), B: part(n[2])}
}

var (
	linkPattern        = regexp.MustCompile(`(?s)/Annot.*?/Rect \[\s*(\S+) (\S+) (\S+) (\S+?)\s*\]`)
	destinationPattern = regexp.MustCompile(`/XYZ \S+ (\S+)`)
)

// wantLinks wants links over these rectangles, whose numbers count from the lower
// left corner of the page.
func wantLinks(t *testing.T, pdf []byte, want ...string) {
	t.Helper()
	var got []string
	objects := objectsOf(t, pdf)
	for i := range len(objects) {
		if m := linkPattern.FindStringSubmatch(objects[strconv.Itoa(i+1)]); m != nil {
			var numbers []string
			for _, n := range m[1:] {
				numbers = append(numbers, strconv.FormatFloat(math.Round(rendertest.ParseFloat(t, n)*20)/20, 'f', -1, 64))
			}
			got = append(got, strings.Join(numbers, " "))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got links over %q, want %q", got, want)
	}
}

// destination is how high above the lower edge of its page the first link leads.
func destination(t *testing.T, pdf []byte) float64 {
	t.Helper()
	m := destinationPattern.FindSubmatch(pdf)
	if m == nil {
		t.Fatal("no link leads anywhere")
	}
	return rendertest.ParseFloat(t, string(m[1]))
}

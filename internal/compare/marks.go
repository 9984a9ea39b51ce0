package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A mark is one thing that a page shows: a word, or a line, an area or a picture.
type mark struct {
	text  string  // of a word; else empty
	style string  // font, size and colour of a word; of all else what it is, how large and in which colour
	x, y  float64 // points from the page's lower left corner
}

// A sheet is a page.
type sheet struct {
	size  string
	marks []mark
}

// prepare keeps the library from writing a folder of its own.
var prepare = sync.OnceFunc(api.DisableConfigDir)

// maxDepth is how deep forms may stand in one another.
const maxDepth = 12

// readSheets returns what the pages of a PDF show (ISO 32000-1, 8 and 9). Of patterns and
// shadings it knows that they are there. It understands what our layout writes, and what most
// other programs write.
func readSheets(pdf []byte) (sheets []sheet, err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics on some broken files
			sheets, err = nil, fmt.Errorf("read a PDF: %v", p)
		}
	}()
	prepare()
	config := model.NewDefaultConfiguration()
	config.Offline, config.Optimize, config.OptimizeBeforeWriting = true, false, false
	file, err := api.ReadContext(bytes.NewReader(pdf), config)
	if err == nil {
		err = file.EnsurePageCount()
	}
	if err != nil {
		return nil, fmt.Errorf("read a PDF: %w", err)
	}
	fonts := map[string]*font{}
	for n := range file.PageCount {
		page, _, inherited, err := file.PageDict(n+1, false)
		if err != nil {
			return nil, fmt.Errorf("read page %d: %w", n+1, err)
		}
		content, err := file.PageContent(page, n+1)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return nil, fmt.Errorf("read page %d: %w", n+1, err)
		}
		r := &reader{file: file, fonts: fonts, state: state{matrix: identity, scale: 1, fill: "0", stroke: "0", width: 1}}
		resources := inherited.Resources
		if own, _ := file.DereferenceDict(page["Resources"]); own != nil {
			resources = own
		}
		r.read(content, resources, 0)
		r.endWord()
		one := sheet{marks: r.marks}
		if inherited.MediaBox != nil {
			one.size = fmt.Sprintf("%.0f × %.0f", inherited.MediaBox.Width(), inherited.MediaBox.Height())
		}
		sheets = append(sheets, one)
	}
	return sheets, nil
}

type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times is m, and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) at(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// state is what q keeps and Q brings back.
type state struct {
	matrix                        matrix
	font                          *font
	size, spacing, between, scale float64 // of text; scale is Tz
	rise, leading, width          float64
	fill, stroke, alpha, mode     string
}

type reader struct {
	file  *model.Context
	fonts map[string]*font
	state state
	saved []state

	text, line matrix // of text
	path       [][2]float64
	marks      []mark

	word       strings.Builder
	start, end [2]float64 // of the word
	style      string     // of the word
}

// tokens are names, strings, arrays, dictionaries and operators.
var tokens = regexp.MustCompile(`<<|>>|<[0-9A-Fa-f\s]*>|\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)|\[|\]|/[^\s/<>\[\]()]*|[^\s/<>\[\]()]+`)

// read goes through what a page or a form draws.
func (r *reader) read(content []byte, resources types.Dict, depth int) {
	var operands []string
	for _, token := range tokens.FindAll(content, -1) {
		switch c := token[0]; {
		case c == '/' || c == '(' || c == '<' || c == '>' || c == '[' || c == ']' || c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
			operands = append(operands, string(token))
		default:
			r.operate(string(token), operands, resources, depth)
			operands = operands[:0]
		}
	}
}

// numbers are the last n operands.
func numbers(operands []string, n int) []float64 {
	all := make([]float64, n)
	for i, text := range operands[max(0, len(operands)-n):] {
		all[i], _ = strconv.ParseFloat(text, 64) // what is no number counts as 0
	}
	return all
}

func (r *reader) operate(operator string, operands []string, resources types.Dict, depth int) {
	s := &r.state
	switch operator {
	case "q":
		r.saved = append(r.saved, *s)
	case "Q":
		if n := len(r.saved) - 1; n >= 0 {
			*s, r.saved = r.saved[n], r.saved[:n]
		}
	case "cm":
		s.matrix = matrix(numbers(operands, 6)).times(s.matrix)
	case "g", "rg", "k", "sc", "scn":
		s.fill = strings.Join(operands, " ")
	case "G", "RG", "K", "SC", "SCN":
		s.stroke = strings.Join(operands, " ")
	case "w":
		s.width = numbers(operands, 1)[0]
	case "gs":
		if of := r.resource(resources, "ExtGState", operands); of != nil {
			s.alpha = fmt.Sprint(of["ca"], of["CA"])
		}
	case "m", "l", "c", "v", "y", "re":
		r.construct(operator, operands)
	case "f", "F", "f*", "S", "s", "B", "B*", "b", "b*", "n":
		r.paint(operator)
	case "sh":
		r.add(mark{style: "shading"}, s.matrix[4], s.matrix[5])
	case "Do":
		r.draw(operands, resources, depth)
	default:
		r.operateText(operator, operands, resources)
	}
}

// resource finds one by the name that is the last operand.
func (r *reader) resource(resources types.Dict, kind string, operands []string) types.Dict {
	all, _ := r.file.DereferenceDict(resources[kind])
	if all == nil || len(operands) == 0 {
		return nil
	}
	d, _ := r.file.DereferenceDict(all[strings.TrimPrefix(operands[len(operands)-1], "/")])
	return d
}

func (r *reader) add(m mark, x, y float64) {
	m.x, m.y = x, y
	r.marks = append(r.marks, m)
}

// construct adds the points of a path (8.5.2).
func (r *reader) construct(operator string, operands []string) {
	if operator == "re" {
		n := numbers(operands, 4)
		operands = nil
		for _, p := range [][2]float64{{n[0], n[1]}, {n[0] + n[2], n[1] + n[3]}} {
			x, y := r.state.matrix.at(p[0], p[1])
			r.path = append(r.path, [2]float64{x, y})
		}
	}
	for i := 0; i+1 < len(operands); i += 2 {
		n := numbers(operands[i:i+2], 2)
		x, y := r.state.matrix.at(n[0], n[1])
		r.path = append(r.path, [2]float64{x, y})
	}
}

// paint ends a path. Clips are left out: what they cut is drawn beside them.
func (r *reader) paint(operator string) {
	if len(r.path) > 0 && operator != "n" {
		left, bottom, right, top := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, p := range r.path {
			left, right, bottom, top = min(left, p[0]), max(right, p[0]), min(bottom, p[1]), max(top, p[1])
		}
		s, style := r.state, ""
		if !strings.ContainsAny(operator, "sS") {
			style += " in " + s.fill
		}
		if !strings.ContainsAny(operator, "fF") {
			style += fmt.Sprintf(" along %s %.1f", s.stroke, s.width)
		}
		r.add(mark{style: fmt.Sprintf("path %s %.0f %.0f%s %s", operator, right-left, top-bottom, style, s.alpha)}, left, bottom)
	}
	r.path = nil
}

// draw shows a picture or a form.
func (r *reader) draw(operands []string, resources types.Dict, depth int) {
	all, _ := r.file.DereferenceDict(resources["XObject"])
	if all == nil || len(operands) == 0 || depth == maxDepth {
		return
	}
	object, _, err := r.file.DereferenceStreamDict(all[strings.TrimPrefix(operands[0], "/")])
	if err != nil || object == nil {
		return
	}
	m := r.state.matrix
	if subtype := object.Subtype(); subtype == nil || *subtype != "Form" {
		sum := sha256.Sum256(object.Raw)
		r.add(mark{style: fmt.Sprintf("picture %x %.0f %.0f %.0f %.0f", sum[:8], m[0], m[1], m[2], m[3])}, m[4], m[5])
		return
	}
	if object.Decode() != nil {
		return
	}
	before := r.state
	if given, _ := r.file.DereferenceArray(object.Dict["Matrix"]); len(given) == 6 {
		var own matrix
		for i, o := range given {
			own[i], _ = r.file.DereferenceNumber(o)
		}
		r.state.matrix = own.times(m)
	}
	if own, _ := r.file.DereferenceDict(object.Dict["Resources"]); own != nil {
		resources = own
	}
	r.read(object.Content, resources, depth+1)
	r.state = before
}

// operateText is operate for text (9.3 and 9.4).
func (r *reader) operateText(operator string, operands []string, resources types.Dict) {
	s := &r.state
	one := func() float64 { return numbers(operands, 1)[0] }
	next := func(x, y float64) {
		r.line = matrix{1, 0, 0, 1, x, y}.times(r.line)
		r.text = r.line
	}
	switch operator {
	case "BT":
		r.text, r.line = identity, identity
	case "Tf":
		if len(operands) >= 2 {
			s.font, s.size = r.fontOf(resources, operands[:len(operands)-1]), one()
		}
	case "Tc":
		s.spacing = one()
	case "Tw":
		s.between = one()
	case "Tz":
		s.scale = one() / 100
	case "TL":
		s.leading = one()
	case "Ts":
		s.rise = one()
	case "Tr":
		s.mode = strings.Join(operands, "")
	case "Tm":
		r.line = matrix(numbers(operands, 6))
		r.text = r.line
	case "Td", "TD":
		n := numbers(operands, 2)
		if operator == "TD" {
			s.leading = -n[1]
		}
		next(n[0], n[1])
	case "T*":
		next(0, -s.leading)
	case "'", "\"":
		next(0, -s.leading)
		r.show(operands[max(0, len(operands)-1):])
	case "Tj", "TJ":
		r.show(operands)
	}
}

// show draws strings, with numbers between them that move what follows.
func (r *reader) show(operands []string) {
	s := &r.state
	if s.font == nil {
		return
	}
	advance := func(by float64) { r.text = matrix{1, 0, 0, 1, by * s.scale, 0}.times(r.text) }
	for _, operand := range operands {
		if operand[0] != '<' && operand[0] != '(' {
			by, _ := strconv.ParseFloat(operand, 64)
			advance(-by / 1000 * s.size)
			continue
		}
		for code := range slices.Chunk(decodeString(operand), s.font.bytes) {
			letter, width := s.font.letter(code)
			onPage := r.text.times(s.matrix)
			x, y := onPage.at(0, s.rise)
			by := width/1000*s.size + s.spacing
			if s.font.bytes == 1 && code[0] == ' ' {
				by += s.between
			}
			advance(by)
			endX, endY := r.text.times(s.matrix).at(0, s.rise)
			r.letter(letter, [2]float64{x, y}, [2]float64{endX, endY}, s.size*math.Hypot(onPage[2], onPage[3]))
		}
	}
}

// letter adds one to the word that it continues, or begins the next.
func (r *reader) letter(letter string, start, end [2]float64, size float64) {
	const gap = 0.2 // of the size, which parts words
	switch {
	case letter == "": // a mark of the letter before it
		return
	case strings.TrimSpace(letter) == "":
		r.endWord()
		return
	}
	s := r.state
	style := fmt.Sprintf("%s %.1f %s %s %s", s.font.name, size, s.fill, s.alpha, s.mode)
	if r.word.Len() > 0 && (style != r.style || math.Hypot(start[0]-r.end[0], start[1]-r.end[1]) > gap*size) {
		r.endWord()
	}
	if r.word.Len() == 0 {
		r.start, r.style = start, style
	}
	r.word.WriteString(letter)
	r.end = end
}

func (r *reader) endWord() {
	if r.word.Len() > 0 {
		r.add(mark{text: r.word.String(), style: r.style}, r.start[0], r.start[1])
		r.word.Reset()
	}
}

// decodeString returns the bytes of a string in hexadecimal digits or brackets.
func decodeString(token string) []byte {
	inside := token[1 : len(token)-1]
	if token[0] == '<' {
		digits := strings.Join(strings.Fields(inside), "")
		data, _ := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
		return data
	}
	data, err := types.Unescape(inside)
	if err != nil {
		return []byte(inside)
	}
	return data
}

// A font is what is known of one for its words.
type font struct {
	name   string
	bytes  int // of a code
	widths map[int]float64
	usual  float64 // the width of other codes
	texts  map[int]string
}

func (f *font) letter(code []byte) (text string, width float64) {
	number := 0
	for _, b := range code {
		number = number<<8 | int(b)
	}
	width, ok := f.widths[number]
	if !ok {
		width = f.usual
	}
	if text, ok = f.texts[number]; !ok && f.bytes == 1 {
		return string(rune(number)), width
	}
	return text, width
}

// subset is the tag in front of the name of a font that is cut down to some letters.
var subset = regexp.MustCompile(`^[A-Z]{6}\+`)

func (r *reader) fontOf(resources types.Dict, operands []string) *font {
	d := r.resource(resources, "Font", operands)
	if d == nil {
		return nil
	}
	key := fmt.Sprintf("%p", d)
	if known, ok := r.fonts[key]; ok {
		return known
	}
	f := &font{bytes: 1, widths: map[int]float64{}, texts: map[int]string{}}
	r.fonts[key] = f
	if name := d.NameEntry("BaseFont"); name != nil {
		f.name = subset.ReplaceAllString(*name, "")
	}
	if unicode, _, err := r.file.DereferenceStreamDict(d["ToUnicode"]); err == nil && unicode != nil && unicode.Decode() == nil {
		readTexts(unicode.Content, f.texts)
	}
	if below, _ := r.file.DereferenceArray(d["DescendantFonts"]); len(below) == 1 {
		f.bytes, f.usual = 2, 1000
		if d, _ = r.file.DereferenceDict(below[0]); d != nil {
			r.readWidths(d, f)
		}
		return f
	}
	first := d.IntEntry("FirstChar")
	widths, _ := r.file.DereferenceArray(d["Widths"])
	for i, o := range widths {
		if first != nil {
			f.widths[*first+i], _ = r.file.DereferenceNumber(o)
		}
	}
	return f
}

// readWidths reads those of a font with codes of two bytes (9.7.4.3).
func (r *reader) readWidths(d types.Dict, f *font) {
	if usual, err := r.file.DereferenceNumber(d["DW"]); err == nil && d["DW"] != nil {
		f.usual = usual
	}
	all, _ := r.file.DereferenceArray(d["W"])
	for i := 0; i+1 < len(all); {
		first, _ := r.file.DereferenceNumber(all[i])
		if list, err := r.file.DereferenceArray(all[i+1]); err == nil {
			for n, o := range list {
				f.widths[int(first)+n], _ = r.file.DereferenceNumber(o)
			}
			i += 2
			continue
		}
		if i+2 >= len(all) {
			return
		}
		last, _ := r.file.DereferenceNumber(all[i+1])
		width, _ := r.file.DereferenceNumber(all[i+2])
		for code := int(first); code <= min(int(last), 1<<16); code++ {
			f.widths[code] = width
		}
		i += 3
	}
}

var (
	lists   = regexp.MustCompile(`(?s)begin(bfchar|bfrange)(.*?)endbf`)
	singles = regexp.MustCompile(`<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]*)>`)
	ranges  = regexp.MustCompile(`<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>`)
)

// readTexts reads which characters codes stand for (9.10.3).
func readTexts(unicode []byte, texts map[int]string) {
	number := func(digits []byte) int {
		n, _ := strconv.ParseUint(string(digits), 16, 32)
		return int(n)
	}
	characters := func(digits []byte) string {
		data, _ := hex.DecodeString(string(digits))
		var units []uint16
		for pair := range slices.Chunk(data, 2) {
			if len(pair) == 2 {
				units = append(units, uint16(pair[0])<<8|uint16(pair[1]))
			}
		}
		return string(utf16.Decode(units))
	}
	for _, list := range lists.FindAllSubmatch(unicode, -1) {
		if string(list[1]) == "bfchar" {
			for _, one := range singles.FindAllSubmatch(list[2], -1) {
				texts[number(one[1])] = characters(one[2])
			}
			continue
		}
		for _, one := range ranges.FindAllSubmatch(list[2], -1) {
			first, last := number(one[1]), min(number(one[2]), 1<<16)
			for code := first; code <= last; code++ {
				text := []rune(characters(one[3]))
				if len(text) > 0 {
					text[len(text)-1] += rune(code - first)
				}
				texts[code] = string(text)
			}
		}
	}
}

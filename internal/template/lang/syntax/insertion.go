package syntax

import (
	"errors"
	"strconv"
	"strings"
)

const (
	// PointsPerMM is a millimetre in points.
	PointsPerMM = 72 / 25.4
	// longestSide and shortestSide bound the sizes that tags say, in points: 1 m
	// and 0.1 mm.
	longestSide  = 1000 * PointsPerMM
	shortestSide = 0.1 * PointsPerMM
)

// readInsertion reads what stands behind image, link, markdown, html, include or the word of a code.
func (r *Reader) readInsertion(word, rest string) *Statement {
	s := &Statement{Kind: Link}
	switch {
	case word == "markdown":
		s.Kind = Markdown
	case word == "include":
		s.Kind = Include
	case word == "html":
		s.Kind = HTML
	case word != "link":
		s.Kind = Image
		if IsSymbology(word) {
			s.Kind, s.Code = Code, Symbology(word)
		}
		if err := r.takeOptions(s, &rest); err != nil {
			return &Statement{Kind: Faulty, Mistake: err}
		}
	}
	p := &formulaParser{lexer: lexer{text: rest}, functions: r.functions}
	p.advance()
	formula, err := p.parseLevel(0)
	s.Formula = formula
	if err == nil && s.Kind == Link && p.token.kind != endToken {
		if p.token.kind == operatorToken && (p.token.text == "," || p.token.text == ";") {
			p.advance()
		}
		s.Wording, err = p.parseLevel(0)
	}
	if err == nil && p.token.kind != endToken {
		err = p.explainToken()
	}
	if err != nil {
		return &Statement{Kind: Faulty, Mistake: err}
	}
	return s
}

// takeOptions takes the size and the alternative text off what stands behind image or the
// word of a code. They stand in any order.
func (r *Reader) takeOptions(s *Statement, rest *string) *Mistake {
	if err := s.takeSize(rest); err != nil {
		return err
	}
	source, alt, ok := cutAlt(*rest)
	if !ok || r.fields.IsField(*rest, true) {
		return nil
	}
	*rest = source
	if err := s.takeSize(rest); err != nil {
		return err
	}
	if _, _, ok := cutAlt("alt " + alt); ok {
		return mistakef("alt_unexpected", "The tag says alt twice, and a picture has one alternative text. Join the parts by &, such as alt \"Photo of \" & [Product].")
	}
	if text := strings.TrimSpace(alt); text == "" || text == `""` {
		return mistakef("alt_without_text", "Behind alt stands the alternative text, such as alt \"Our logo\". A field whose name has the word alt stands in brackets: [%.60s alt].", source)
	}
	text, err := ParseFormula(alt, r.functions)
	s.Wording = text
	return err
}

// cutAlt parts what stands before the word alt from the alternative text behind it. The
// first word is a name.
func cutAlt(text string) (source, alt string, ok bool) {
	l := lexer{text: text}
	for first := true; ; first = false {
		t := l.next()
		switch {
		case t.kind == endToken || t.kind == badToken:
			return text, "", false
		case t.kind == wordToken && strings.EqualFold(t.text, "alt") && !first:
			return strings.TrimRight(text[:t.start], " ,;"), strings.TrimLeft(text[t.end:], " ="), true
		}
	}
}

// HasAlt tells of the tag of a picture whether it says an alternative text.
func HasAlt(tag Tag) bool {
	_, rest, _ := strings.Cut(tag.Name, " ")
	_, alt, ok := cutAlt(rest)
	return ok && alt != ""
}

// misplacedAlt is the mistake of an alternative text in a tag that brings no picture.
func (r *Reader) misplacedAlt(s *Statement, text string) *Mistake {
	if s.IsControl() || s.Kind == Formula || s.Kind == Image || s.Kind == Code {
		return nil
	}
	l := lexer{text: text}
	word, before := l.next(), token{}
	name := 0
	if s.Inserts() {
		name = word.end
	}
	for t := word; ; before, t = t, l.next() {
		switch {
		case t.kind == endToken || t.kind == badToken:
			return nil
		case t.kind != stringToken || before.kind != wordToken || !strings.EqualFold(before.text, "alt"):
		case IsPicture(strings.ToLower(word.text)) || r.fields.IsField(strings.TrimSpace(text[name:before.end]), true):
			return nil
		default:
			return mistakef("alt_unexpected", "The tag brings no picture, and pictures alone have an alternative text: {{image Logo alt \"Our logo\"}}.")
		}
	}
}

// takeSize takes the size off what stands behind image or the word of a code.
func (s *Statement) takeSize(rest *string) *Mistake {
	at := strings.LastIndexByte(*rest, ' ')
	if at <= 0 {
		return nil
	}
	box := (*rest)[at+1:]
	width, height, ok := ReadBox(box)
	switch {
	case ok && max(width, height) > longestSide:
		return mistakef("picture_too_large", "A picture of %.40s is larger than a metre.", box)
	case ok && (width < shortestSide || height > 0 && height < shortestSide):
		return mistakef("picture_size", "A picture of %.40s is smaller than a tenth of a millimetre.", box)
	case ok:
		*rest, s.Width, s.Height = strings.TrimRight((*rest)[:at], " ,;"), width, height
		return nil
	}
	if name, value, named := strings.Cut(box, "="); named {
		if _, _, size := ReadBox(value); size {
			return mistakef("picture_size", "The size of a picture stands alone behind its field, such as 40mm or 40x20mm, without %.40s=.", name)
		}
	}
	return nil
}

// ReadBox reads a size such as 30mm, 4.5cm or 30x20mm: a width, or a width and
// a height, in points.
func ReadBox(text string) (width, height float64, ok bool) {
	units := map[string]float64{"mm": PointsPerMM, "cm": 10 * PointsPerMM, "in": 72, "pt": 1}
	if len(text) < 3 {
		return 0, 0, false
	}
	unit, ok := units[strings.ToLower(text[len(text)-2:])]
	if !ok {
		return 0, 0, false
	}
	first, second, both := strings.Cut(strings.ReplaceAll(strings.ToLower(text[:len(text)-2]), "×", "x"), "x")
	side := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || !isNumber(text) || n <= 0 {
			ok = false
		}
		return n * unit
	}
	width = side(first)
	if both {
		height = side(second)
	}
	return width, height, ok
}

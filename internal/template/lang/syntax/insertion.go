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
		err := s.takeSize(&rest)
		if err != nil {
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
		s.Shown, err = p.parseLevel(0)
	}
	if err == nil && p.token.kind != endToken {
		err = p.explainToken()
	}
	if err != nil {
		return &Statement{Kind: Faulty, Mistake: err}
	}
	return s
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

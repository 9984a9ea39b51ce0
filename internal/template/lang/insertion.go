package lang

import (
	"errors"
	"strconv"
	"strings"
)

const (
	pointsPerMM = 72 / 25.4
	// longestSide and shortestSide bound the sizes that tags say, in points: 1 m
	// and 0.1 mm.
	longestSide  = 1000 * pointsPerMM
	shortestSide = 0.1 * pointsPerMM
)

// readInsertion reads what stands behind image, link, markdown or the word of a code.
func (e *Evaluator) readInsertion(word, rest string) *Statement {
	s := &Statement{Kind: Link}
	switch {
	case word == "markdown":
		s.Kind = Markdown
	case word != "link":
		s.Kind = Image
		if IsSymbology(word) {
			s.Kind, s.code = Code, Symbology(word)
		}
		err := s.takeSize(&rest)
		if err != nil {
			return &Statement{Kind: Faulty, finding: err}
		}
	}
	p := &formulaParser{lexer: lexer{text: rest}, functions: e.allFunctions()}
	p.advance()
	formula, err := p.parseLevel(0)
	s.formula = formula
	if err == nil && s.Kind == Link && p.token.kind != endToken {
		if p.token.kind == operatorToken && (p.token.text == "," || p.token.text == ";") {
			p.advance()
		}
		s.shown, err = p.parseLevel(0)
	}
	if err == nil && p.token.kind != endToken {
		err = p.explainToken()
	}
	if err != nil {
		return &Statement{Kind: Faulty, finding: err}
	}
	return s
}

// takeSize takes the size off what stands behind image or the word of a code.
func (s *Statement) takeSize(rest *string) *Finding {
	at := strings.LastIndexByte(*rest, ' ')
	if at <= 0 {
		return nil
	}
	box := (*rest)[at+1:]
	width, height, ok := readBox(box)
	switch {
	case ok && max(width, height) > longestSide:
		return findingf("picture_too_large", "A picture of %.40s is larger than a metre.", box)
	case ok && (width < shortestSide || height > 0 && height < shortestSide):
		return findingf("picture_size", "A picture of %.40s is smaller than a tenth of a millimetre.", box)
	case ok:
		*rest, s.width, s.height = strings.TrimRight((*rest)[:at], " ,;"), width, height
		return nil
	}
	if name, value, named := strings.Cut(box, "="); named {
		if _, _, size := readBox(value); size {
			return findingf("picture_size", "The size of a picture stands alone behind its field, such as 40mm or 40x20mm, without %.40s=.", name)
		}
	}
	return nil
}

// readBox reads a size such as 30mm, 4.5cm or 30x20mm: a width, or a width and
// a height, in points.
func readBox(text string) (width, height float64, ok bool) {
	units := map[string]float64{"mm": pointsPerMM, "cm": 10 * pointsPerMM, "in": 72, "pt": 1}
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

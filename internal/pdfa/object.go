package pdfa

import (
	"math"
	"strconv"
)

// Objects are nil (null), bool, number, name, text, array, dict, reference and *stream.
type (
	name      string
	array     []any
	dict      map[name]any
	reference struct{ number, generation int }
	// number keeps apart what is written as an integer.
	number struct {
		value     float64
		isInteger bool
	}
	// text is a string object with its bytes.
	text struct {
		value string
		// isHex says how it is written; isOdd that a digit lacks, isForeign that there is one
		// that is none.
		isHex, isOdd, isForeign bool
	}
	stream struct {
		dict
		raw []byte
		// begin is where the keyword stream ends in the file, -1 in a file that is not read so.
		begin  int
		number int
	}
	keyword string
)

// parser reads objects (ISO 32000-1, 7.2 and 7.3).
type parser struct {
	data  []byte
	at    int
	depth int
	// note is called for each string, name and number that is read; nil for none.
	note func(any)
}

const maxDepth = 200

func isSpace(b byte) bool {
	return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == '\f' || b == 0
}

func isDelimiter(b byte) bool {
	switch b {
	case '(', ')', '<', '>', '[', ']', '/', '%', '{', '}':
		return true
	}
	return false
}

func (p *parser) skip() {
	for p.at < len(p.data) {
		switch b := p.data[p.at]; {
		case isSpace(b):
			p.at++
		case b == '%':
			for p.at < len(p.data) && p.data[p.at] != '\n' && p.data[p.at] != '\r' {
				p.at++
			}
		default:
			return
		}
	}
}

// token reads an object, or a keyword: an operator, a bracket that closes, or "" at the end.
// References are two numbers and a keyword to it.
func (p *parser) token() any {
	p.skip()
	if p.at >= len(p.data) {
		return keyword("")
	}
	switch b := p.data[p.at]; {
	case b == '/':
		return p.name()
	case b == '(':
		return p.noted(p.literal())
	case b == '<' && p.peek(1) == '<':
		p.at += 2
		return p.dict()
	case b == '<':
		return p.noted(p.hex())
	case b == '>' && p.peek(1) == '>':
		p.at += 2
		return keyword(">>")
	case b == '[':
		p.at++
		return p.array()
	case isDelimiter(b):
		p.at++
		return keyword(b)
	}
	from := p.at
	for p.at < len(p.data) && !isSpace(p.data[p.at]) && !isDelimiter(p.data[p.at]) {
		p.at++
	}
	word := string(p.data[from:p.at])
	switch word {
	case "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if n, ok := numeral(word); ok {
		return p.noted(n)
	}
	return keyword(word)
}

func (p *parser) noted(o any) any {
	if p.note != nil {
		p.note(o)
	}
	return o
}

func (p *parser) peek(n int) byte {
	if p.at+n < len(p.data) {
		return p.data[p.at+n]
	}
	return 0
}

// numeral reads a number (ISO 32000-1, 7.3.3).
func numeral(word string) (number, bool) {
	isInteger, digits := true, 0
	for i := range len(word) {
		switch b := word[i]; {
		case b >= '0' && b <= '9':
			digits++
		case b == '.' && isInteger:
			isInteger = false
		case (b == '+' || b == '-') && i == 0:
		default:
			return number{}, false
		}
	}
	if digits == 0 {
		return number{}, false
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		v = math.Inf(1)
	}
	return number{v, isInteger}, true
}

func (p *parser) name() any {
	p.at++
	var out []byte
	for p.at < len(p.data) && !isSpace(p.data[p.at]) && !isDelimiter(p.data[p.at]) {
		b := p.data[p.at]
		if b == '#' && p.at+2 < len(p.data) {
			if v, err := strconv.ParseUint(string(p.data[p.at+1:p.at+3]), 16, 8); err == nil {
				b = byte(v)
				p.at += 2
			}
		}
		out = append(out, b)
		p.at++
	}
	return p.noted(name(out))
}

func (p *parser) literal() text {
	p.at++
	var out []byte
	for open := 1; p.at < len(p.data); p.at++ {
		b := p.data[p.at]
		switch b {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				p.at++
				return text{value: string(out)}
			}
		case '\r':
			if p.peek(1) == '\n' {
				p.at++
			}
			b = '\n'
		case '\\':
			p.at++
			var isNothing bool
			if b, isNothing = p.escape(); isNothing {
				continue
			}
		}
		out = append(out, b)
	}
	return text{value: string(out)}
}

// escape reads what follows a backslash, and stays on its last byte.
func (p *parser) escape() (b byte, isNothing bool) {
	b = p.peek(0)
	switch b {
	case 'n':
		return '\n', false
	case 'r':
		return '\r', false
	case 't':
		return '\t', false
	case 'b':
		return '\b', false
	case 'f':
		return '\f', false
	case '\r':
		if p.peek(1) == '\n' {
			p.at++
		}
		return 0, true
	case '\n':
		return 0, true
	}
	if b < '0' || b > '7' {
		return b, false
	}
	v := int(b - '0')
	for range 2 {
		if next := p.peek(1); next >= '0' && next <= '7' {
			v = v*8 + int(next-'0')
			p.at++
		}
	}
	return byte(v), false
}

func (p *parser) hex() text {
	p.at++
	out := text{isHex: true}
	var digits []byte
	for ; p.at < len(p.data) && p.data[p.at] != '>'; p.at++ {
		b := p.data[p.at]
		if isSpace(b) {
			continue
		}
		if _, err := strconv.ParseUint(string(b), 16, 8); err != nil {
			out.isForeign = true
			b = '0'
		}
		digits = append(digits, b)
	}
	p.at++
	if len(digits)%2 != 0 {
		out.isOdd = true
		digits = append(digits, '0')
	}
	value := make([]byte, 0, len(digits)/2)
	for i := 0; i < len(digits); i += 2 {
		v, _ := strconv.ParseUint(string(digits[i:i+2]), 16, 8)
		value = append(value, byte(v))
	}
	out.value = string(value)
	return out
}

// array reads up to its end. What is no object in it is left out.
func (p *parser) array() any {
	if p.depth++; p.depth > maxDepth {
		p.at = len(p.data)
	}
	defer func() { p.depth-- }()
	out := array{}
	for {
		switch o := p.token().(type) {
		case keyword:
			switch {
			case o == "R":
				out = refer(out)
			case o == "]", o == "":
				return out
			case o == ">>":
				return out
			}
		default:
			out = append(out, o)
		}
	}
}

// refer makes the last two numbers a reference.
func refer(list []any) []any {
	if n := len(list); n >= 2 {
		a, isFirst := list[n-2].(number)
		b, isSecond := list[n-1].(number)
		if isFirst && isSecond {
			return append(list[:n-2], reference{int(a.value), int(b.value)})
		}
	}
	return list
}

func (p *parser) dict() any {
	if p.depth++; p.depth > maxDepth {
		p.at = len(p.data)
	}
	defer func() { p.depth-- }()
	var list []any
	for {
		o := p.token()
		if k, isKeyword := o.(keyword); isKeyword {
			if k == "R" {
				list = refer(list)
				continue
			}
			if k == ">>" || k == "" || k == "]" {
				break
			}
			if k == "stream" || k == "endobj" {
				p.at -= len(k)
				break
			}
			continue
		}
		list = append(list, o)
	}
	out := dict{}
	for i := 0; i+1 < len(list); i += 2 {
		key, isName := list[i].(name)
		if !isName {
			i--
			continue
		}
		out[key] = list[i+1]
	}
	return out
}

// object reads one, with references.
func (p *parser) object() any {
	o := p.token()
	n, isNumber := o.(number)
	if !isNumber || !n.isInteger {
		return o
	}
	before := p.at
	note := p.note
	p.note = nil
	g, isGeneration := p.token().(number)
	r, _ := p.token().(keyword)
	p.note = note
	if isGeneration && g.isInteger && r == "R" {
		return reference{int(n.value), int(g.value)}
	}
	p.at = before
	return o
}

package lang

import (
	"strings"
)

// maxFormulaDepth bounds parentheses, calls and signs inside one another.
const maxFormulaDepth = 32

// An expr is a node of a formula.
type expr any

type (
	literal struct{ value value }
	nameRef struct{ name string }
	unary   struct {
		op string
		x  expr
	}
	binary struct {
		op   string
		l, r expr
		// text is what the formula says here: a name may have a sign in it.
		text string
	}
	call struct {
		function function
		args     []expr
	}
)

// formulaParser reads a formula with one token of foresight.
type formulaParser struct {
	lexer     lexer
	token     token
	last      int // where the token before this one ends
	depth     int
	functions map[string]function
	inClause  bool // the words that begin and end clauses are no names
}

// parseFormula returns the tree of a formula in the form of Canonical.
func parseFormula(text string, functions map[string]function) (expr, *Finding) {
	p := &formulaParser{lexer: lexer{text: text}, functions: functions}
	p.advance()
	if p.token.kind == endToken {
		return nil, findingf("formula_empty", "There is nothing to work out.")
	}
	e, err := p.parseLevel(0)
	if err == nil && p.token.kind != endToken {
		err = p.explainToken()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (p *formulaParser) advance() {
	p.last = p.token.end
	p.token = p.lexer.next()
}

func (p *formulaParser) explainToken() *Finding {
	t := p.token
	switch {
	case t.kind == endToken:
		return findingf("formula_incomplete", "The formula %q ends too early.", p.lexer.text)
	case t.kind == badToken:
		return findingf("formula_not_closed", "The formula %q has %s.", p.lexer.text, t.text)
	}
	return findingf("formula_unexpected", "The formula %q does not go on with %q. A name with signs in it stands in brackets: [Unit Price].", p.lexer.text, p.lexer.text[t.start:t.end])
}

// operatorAt is the operator of a level of precedence, weakest first, that the
// next token is; empty for none.
func (p *formulaParser) operatorAt(level int) string {
	t := p.token
	text := t.text
	if t.kind == wordToken {
		text = strings.ToLower(text)
	} else if t.kind != operatorToken {
		return ""
	}
	switch {
	case level == 0 && (text == "or" || text == "||"):
		return "or"
	case level == 1 && (text == "and" || text == "&&"):
		return "and"
	case t.kind == wordToken:
		return ""
	case level == 2 && text == "==":
		return "="
	case level == 2 && text == "!=":
		return "<>"
	case level == 2 && (text == "=" || text == "<>" || text == "<" || text == "<=" || text == ">" || text == ">="),
		level == 3 && text == "&",
		level == 4 && (text == "+" || text == "-"),
		level == 5 && (text == "*" || text == "/"):
		return text
	}
	return ""
}

func (p *formulaParser) parseLevel(level int) (expr, *Finding) {
	if level == 6 {
		return p.parseSigned()
	}
	start := p.token.start
	left, err := p.parseLevel(level + 1)
	for err == nil {
		op := p.operatorAt(level)
		if op == "" {
			return left, nil
		}
		p.advance()
		var right expr
		right, err = p.parseLevel(level + 1)
		left = &binary{op: op, l: left, r: right, text: p.lexer.text[start:p.last]}
	}
	return nil, err
}

func (p *formulaParser) parseSigned() (expr, *Finding) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxFormulaDepth+1 { // outside of all parentheses it is 1
		return nil, findingf("formula_too_deep", "The formula nests deeper than %d levels.", maxFormulaDepth)
	}
	op := ""
	switch {
	case p.token.kind == operatorToken && (p.token.text == "-" || p.token.text == "+" || p.token.text == "!"):
		op = p.token.text
	case p.token.kind == wordToken && strings.EqualFold(p.token.text, "not"):
		op = "!"
	default:
		return p.parsePercent()
	}
	p.advance()
	var x expr
	var err *Finding
	if opens := p.token.kind == operatorToken && p.token.text == "("; op == "!" && !opens {
		x, err = p.parseLevel(2) // not a = b; NOT(a) = b is a function's value
	} else {
		x, err = p.parseSigned()
	}
	return &unary{op: op, x: x}, err
}

func (p *formulaParser) parsePercent() (expr, *Finding) {
	x, err := p.parseOperand()
	for err == nil && p.token.kind == operatorToken && p.token.text == "%" {
		p.advance()
		x = &unary{op: "%", x: x}
	}
	return x, err
}

func (p *formulaParser) parseOperand() (expr, *Finding) {
	t := p.token
	switch t.kind {
	case numberToken:
		p.advance()
		if p.token.kind == wordToken && !p.isKeyword() {
			return p.parseName(t.text), nil
		}
		n, ok := parseNumber(t.text)
		if !ok {
			return nil, findingf("number_too_large", "The number %s is too large.", t.text)
		}
		return &literal{n}, nil
	case stringToken:
		p.advance()
		return &literal{t.text}, nil
	case nameToken:
		p.advance()
		return &nameRef{t.text}, nil
	case wordToken:
		return p.parseWord()
	case operatorToken:
		if t.text == "(" {
			p.advance()
			x, err := p.parseLevel(0)
			if err != nil {
				return nil, err
			}
			return x, p.expectClose()
		}
	}
	return nil, p.explainToken()
}

func (p *formulaParser) expectClose() *Finding {
	if p.token.kind != operatorToken || p.token.text != ")" {
		if p.token.kind == endToken {
			return findingf("formula_not_closed", "The formula %q has a parenthesis that is not closed.", p.lexer.text)
		}
		return p.explainToken()
	}
	p.advance()
	return nil
}

func (p *formulaParser) isKeyword() bool {
	switch strings.ToLower(p.token.text) {
	case "and", "or", "not":
		return true
	case "asc", "desc":
		return p.inClause
	}
	return p.inClause && clauseWord(p.token) != ""
}

// parseWord reads a function's call, true, false or a name.
func (p *formulaParser) parseWord() (expr, *Finding) {
	word, before := p.token, *p
	p.advance()
	if _, joins := p.functions[strings.ToUpper(word.text)]; before.isKeyword() && (!joins || p.token.text != "(") {
		*p = before
		return nil, p.explainToken()
	}
	if opens := p.token.kind == operatorToken && p.token.text == "("; opens {
		if f, ok := p.functions[strings.ToUpper(word.text)]; ok {
			return p.parseCall(f)
		}
		unknown := findingf("unknown_function", "There is no function %s. For a field with parentheses in its name write brackets around it.", word.text)
		unknown.Nearest = suggestFunctions(word.text, p.functions)
		return nil, unknown
	}
	switch strings.ToLower(word.text) {
	case "true", "false":
		if p.token.kind != wordToken || p.isKeyword() {
			return &literal{strings.EqualFold(word.text, "true")}, nil
		}
	}
	return p.parseName(word.text), nil
}

// parseName goes on with the words that follow: side by side they can only be
// one name.
func (p *formulaParser) parseName(first string) expr {
	name := first
	for (p.token.kind == wordToken || p.token.kind == numberToken) && !p.isKeyword() {
		name += " " + p.token.text
		p.advance()
	}
	return &nameRef{name}
}

func (p *formulaParser) parseCall(f function) (expr, *Finding) {
	p.advance()
	c := &call{function: f}
	for !(p.token.kind == operatorToken && p.token.text == ")") {
		arg, err := p.parseLevel(0)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, arg)
		if p.token.kind == operatorToken && (p.token.text == "," || p.token.text == ";") {
			p.advance()
			continue
		}
		break
	}
	if err := p.expectClose(); err != nil {
		return nil, err
	}
	if n := len(c.args); n < f.min || n > f.max {
		return nil, findingf("wrong_arguments", "%s is written %s.", f.name, f.usage)
	}
	if f.check != nil {
		if err := f.check(c.args); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// namesIn collects the names of a formula; with lists false, without those that
// only functions over whole lists take. What looks like reckoning is one name
// where isName says so.
func namesIn(e expr, lists bool, isName func(*binary) bool, into []string) []string {
	switch e := e.(type) {
	case *nameRef:
		into = append(into, e.name)
	case *unary:
		into = namesIn(e.x, lists, isName, into)
	case *binary:
		if isName != nil && isName(e) {
			return append(into, e.text)
		}
		into = namesIn(e.r, lists, isName, namesIn(e.l, lists, isName, into))
	case *call:
		if e.function.aggregate && !lists {
			return into
		}
		for _, a := range e.args {
			into = namesIn(a, lists, isName, into)
		}
	}
	return into
}

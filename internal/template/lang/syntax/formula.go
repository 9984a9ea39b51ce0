package syntax

import (
	"strings"
)

// maxFormulaDepth bounds parentheses, calls and signs inside one another.
const maxFormulaDepth = 32

// An Expr is a node of a formula: a pointer to one of the types below.
type Expr any

// The nodes of a formula.
type (
	Literal struct{ Value any } // a string, a Number or a bool
	Name    struct{ Name string }
	Unary   struct {
		Op string
		X  Expr
	}
	Binary struct {
		Op   string
		L, R Expr
		// Text is what the formula says here: a name may have a sign in it.
		Text string
	}
	Call struct {
		Function string // its name, in upper case
		Args     []Expr
		// takesLists says that the function takes all items of a list.
		takesLists bool
	}
)

// A Signature is how a function is written.
type Signature struct {
	Usage    string // as the specification writes it
	Min, Max int    // number of arguments
	// TakesLists says that it takes all items of a list, also where the rest of a
	// formula stands for one of them.
	TakesLists bool
	// Check says what is wrong with the arguments for any data; nil: nothing can be.
	Check func(args []Expr) *Mistake
}

// Functions are those that formulas may call, by their names in upper case.
type Functions interface {
	Signature(name string) (Signature, bool)
	Names() []string
}

// formulaParser reads a formula with one token of foresight.
type formulaParser struct {
	lexer     lexer
	token     token
	last      int // where the token before this one ends
	depth     int
	functions Functions
	inClause  bool // the words that begin and end clauses are no names
}

// ParseFormula returns the tree of a formula in the form of Canonical.
func ParseFormula(text string, functions Functions) (Expr, *Mistake) {
	p := &formulaParser{lexer: lexer{text: text}, functions: functions}
	p.advance()
	if p.token.kind == endToken {
		return nil, mistakef("formula_empty", "There is nothing to work out.")
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

func (p *formulaParser) explainToken() *Mistake {
	t := p.token
	switch {
	case t.kind == endToken:
		return mistakef("formula_incomplete", "The formula %q ends too early.", p.lexer.text)
	case t.kind == badToken:
		return mistakef("formula_not_closed", "The formula %q has %s.", p.lexer.text, t.text)
	}
	return mistakef("formula_unexpected", "The formula %q does not go on with %q. A name with signs in it stands in brackets: [Unit Price].", p.lexer.text, p.lexer.text[t.start:t.end])
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

func (p *formulaParser) parseLevel(level int) (Expr, *Mistake) {
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
		var right Expr
		right, err = p.parseLevel(level + 1)
		left = &Binary{Op: op, L: left, R: right, Text: p.lexer.text[start:p.last]}
	}
	return nil, err
}

func (p *formulaParser) parseSigned() (Expr, *Mistake) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxFormulaDepth+1 { // outside of all parentheses it is 1
		return nil, mistakef("formula_too_deep", "The formula nests deeper than %d levels.", maxFormulaDepth)
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
	var x Expr
	var err *Mistake
	if opens := p.token.kind == operatorToken && p.token.text == "("; op == "!" && !opens {
		x, err = p.parseLevel(2) // not a = b; NOT(a) = b is a function's value
	} else {
		x, err = p.parseSigned()
	}
	return &Unary{Op: op, X: x}, err
}

func (p *formulaParser) parsePercent() (Expr, *Mistake) {
	x, err := p.parseOperand()
	for err == nil && p.token.kind == operatorToken && p.token.text == "%" {
		p.advance()
		x = &Unary{Op: "%", X: x}
	}
	return x, err
}

func (p *formulaParser) parseOperand() (Expr, *Mistake) {
	t := p.token
	switch t.kind {
	case numberToken:
		p.advance()
		if p.token.kind == wordToken && !p.isKeyword() {
			return p.parseName(t.text), nil
		}
		n, ok := ParseNumber(t.text)
		if !ok {
			return nil, mistakef("number_too_large", "The number %s is too large.", t.text)
		}
		return &Literal{n}, nil
	case stringToken:
		p.advance()
		return &Literal{t.text}, nil
	case nameToken:
		p.advance()
		return &Name{t.text}, nil
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

func (p *formulaParser) expectClose() *Mistake {
	if p.token.kind != operatorToken || p.token.text != ")" {
		if p.token.kind == endToken {
			return mistakef("formula_not_closed", "The formula %q has a parenthesis that is not closed.", p.lexer.text)
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
func (p *formulaParser) parseWord() (Expr, *Mistake) {
	word, before := p.token, *p
	p.advance()
	name := strings.ToUpper(word.text)
	signature, isKnown := p.functions.Signature(name)
	if before.isKeyword() && (!isKnown || p.token.text != "(") {
		*p = before
		return nil, p.explainToken()
	}
	if opens := p.token.kind == operatorToken && p.token.text == "("; opens {
		if isKnown {
			return p.parseCall(name, signature)
		}
		unknown := mistakef("unknown_function", "There is no function %s. For a field with parentheses in its name write brackets around it.", word.text)
		unknown.Nearest = Nearest(word.text, NewCandidates(p.functions.Names()...))
		return nil, unknown
	}
	switch strings.ToLower(word.text) {
	case "true", "false":
		if p.token.kind != wordToken || p.isKeyword() {
			return &Literal{strings.EqualFold(word.text, "true")}, nil
		}
	}
	return p.parseName(word.text), nil
}

// parseName goes on with the words that follow: side by side they can only be
// one name.
func (p *formulaParser) parseName(first string) Expr {
	name := first
	for (p.token.kind == wordToken || p.token.kind == numberToken) && !p.isKeyword() {
		name += " " + p.token.text
		p.advance()
	}
	return &Name{name}
}

func (p *formulaParser) parseCall(name string, f Signature) (Expr, *Mistake) {
	p.advance()
	c := &Call{Function: name, takesLists: f.TakesLists}
	for !(p.token.kind == operatorToken && p.token.text == ")") {
		arg, err := p.parseLevel(0)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, arg)
		if p.token.kind == operatorToken && (p.token.text == "," || p.token.text == ";") {
			p.advance()
			continue
		}
		break
	}
	if err := p.expectClose(); err != nil {
		return nil, err
	}
	if n := len(c.Args); n < f.Min || n > f.Max {
		return nil, mistakef("wrong_arguments", "%s is written %s.", name, f.Usage)
	}
	if f.Check != nil {
		if err := f.Check(c.Args); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// NamesIn collects the names of a formula; with lists false, without those that
// only functions over whole lists take. What looks like reckoning is one name
// where isName says so.
func NamesIn(e Expr, lists bool, isName func(*Binary) bool, into []string) []string {
	switch e := e.(type) {
	case *Name:
		into = append(into, e.Name)
	case *Unary:
		into = NamesIn(e.X, lists, isName, into)
	case *Binary:
		if isName != nil && isName(e) {
			return append(into, e.Text)
		}
		into = NamesIn(e.R, lists, isName, NamesIn(e.L, lists, isName, into))
	case *Call:
		if e.takesLists && !lists {
			return into
		}
		for _, a := range e.Args {
			into = NamesIn(a, lists, isName, into)
		}
	}
	return into
}

// MayBeName tells whether what looks like reckoning can be a name with a sign in
// it.
func (e *Binary) MayBeName() bool {
	if e.Op == "and" || e.Op == "or" || !strings.ContainsAny(e.Text, "-+/&*<>=") || strings.ContainsAny(e.Text, "()\"[") {
		return false
	}
	for _, side := range []Expr{e.L, e.R} {
		if _, number := side.(*Literal); number {
			return false
		}
	}
	return true
}

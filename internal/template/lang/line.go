package lang

import (
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/rich"
)

// A Line is one paragraph of a template, or a name, that has been read: text,
// tags, and the blocks that begin and end in it.
type Line struct {
	Text  string
	parts []part
	// Loose are the tags of blocks that do not begin and end in this line. They
	// leave nothing when it is filled.
	Loose []Control
	// Braces says that some stand between the tags.
	Braces bool
}

// A Control is a tag that shapes the document, where it stands in a Line.
type Control struct {
	*syntax.Statement
	Start, End int // bytes
}

// part is a piece of a line: literal text, a tag or a block.
type part struct {
	start, end int
	statement  *syntax.Statement // nil for literal text; what opens a block
	branches   []branch          // of a block
}

// branch is what stands behind {{#if}}, {{else}} or {{#each}}.
type branch struct {
	statement *syntax.Statement
	parts     []part
}

// frame is a block being read.
type frame struct {
	control  Control
	branches []branch
	controls []Control // its {{else}}s
}

// ReadLine takes a text apart.
func (e *Evaluator) ReadLine(text string) *Line {
	l := &Line{Text: text}
	root := &frame{branches: []branch{{}}}
	stack := []*frame{root}
	at := 0
	literal := func(to int) {
		l.Braces = l.Braces || strings.ContainsAny(text[at:to], "{}")
	}
	add := func(p part) {
		top := stack[len(stack)-1]
		b := &top.branches[len(top.branches)-1]
		b.parts = append(b.parts, p)
	}
	for _, tag := range syntax.Parse(text) {
		if tag.Start > at {
			literal(tag.Start)
			add(part{start: at, end: tag.Start})
		}
		at = tag.End
		s := e.Read(tag)
		c := Control{s, tag.Start, tag.End}
		top := stack[len(stack)-1]
		switch {
		case s.Opens():
			stack = append(stack, &frame{control: c, branches: []branch{{statement: s}}})
		case !s.IsControl():
			add(part{start: tag.Start, end: tag.End, statement: s})
		case top == root || !s.Closes(top.control.Statement):
			l.Loose = append(l.Loose, c)
		case s.Ends():
			stack = stack[:len(stack)-1]
			add(part{start: top.control.Start, end: tag.End, statement: top.control.Statement, branches: top.branches})
		default:
			top.controls = append(top.controls, c)
			top.branches = append(top.branches, branch{statement: s})
		}
	}
	if at < len(text) {
		literal(len(text))
		add(part{start: at, end: len(text)})
	}
	l.parts = root.branches[0].parts
	for _, unclosed := range stack[1:] {
		// The parts of a block that stays open become parts of the line.
		l.Loose = append(append(l.Loose, unclosed.control), unclosed.controls...)
		for _, b := range unclosed.branches {
			l.parts = append(l.parts, b.parts...)
		}
	}
	slices.SortFunc(l.Loose, func(a, b Control) int { return a.Start - b.Start })
	return l
}

// HasBlocks tells whether anything in the line shapes it.
func (l *Line) HasBlocks() bool {
	return len(l.Loose) > 0 || slices.ContainsFunc(l.parts, func(p part) bool { return p.branches != nil })
}

// Statements are the tags of the line that show values, those in blocks of
// their own list aside.
func (l *Line) Statements() []*syntax.Statement { return statementsIn(l.parts, nil) }

func statementsIn(parts []part, into []*syntax.Statement) []*syntax.Statement {
	for _, p := range parts {
		switch {
		case p.branches == nil:
			if p.statement != nil {
				into = append(into, p.statement)
			}
		case p.statement.Kind == syntax.If:
			for _, b := range p.branches {
				into = statementsIn(b.parts, append(into, b.statement))
			}
		}
	}
	return into
}

// A Span is a piece of a filled line: text of the line itself, or what a tag
// came to.
type Span struct {
	Start, End int    // bytes of the line: the literal text, or the tag
	Value      bool   // Text stands in the place of the line's bytes
	Text       string // of a value
	Link       string // the address that the text leads to; empty for none
	Picture    *Placed
	Styled     rich.Document     // Text with its styles, fit for a document
	Insertion  *syntax.Statement // the tag of Styled
	// Kept is the tag that stays where it is, to be replaced wherever it stands.
	Kept *syntax.Statement
}

// Fill works a line out for a scope. Without a scope, or for that of KeepFor, and with
// keep set, tags that show values stay what they are; blocks are worked out in any case.
func (e *Evaluator) Fill(l *Line, scope *Scope, keep bool) []Span {
	return e.fillParts(l.parts, scope, keep, nil)
}

// KeepFor says for which scope Fill keeps tags. Default: none, which is the whole data.
func (e *Evaluator) KeepFor(scope *Scope) { e.keeps = scope }

func (e *Evaluator) fillParts(parts []part, scope *Scope, keep bool, spans []Span) []Span {
	for _, p := range parts {
		if e.steps++; e.TooMuch() {
			return spans
		}
		switch {
		case p.branches != nil && p.statement.Kind == syntax.Each:
			for _, item := range e.Items(p.statement, scope) {
				spans = e.fillParts(p.branches[0].parts, item, false, spans)
			}
		case p.branches != nil:
			if i := slices.IndexFunc(p.branches, func(b branch) bool { return e.Holds(b.statement, scope) }); i >= 0 {
				spans = e.fillParts(p.branches[i].parts, scope, keep, spans)
			}
		case p.statement != nil && p.statement.Inserts():
			spans = append(spans, e.insert(p.statement, scope, Span{Start: p.start, End: p.end}))
		case p.statement == nil || keep && scope == e.keeps && p.statement.Kind != syntax.Faulty:
			if !keep || scope != e.keeps { // what stays where it is is not written
				e.written += p.end - p.start
			}
			spans = append(spans, Span{Start: p.start, End: p.end, Kept: p.statement})
		default:
			text := e.Text(p.statement, scope)
			e.written += len(text)
			spans = append(spans, Span{Start: p.start, End: p.end, Value: true, Text: text})
		}
	}
	return spans
}

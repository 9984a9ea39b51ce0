package lang

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Text is what a Field or Formula shows in a document for a scope: one line,
// with U+000B for its breaks. It is empty for what is missing or faulty.
func (e *Evaluator) Text(s *syntax.Statement, scope *Scope) string {
	return documentText(e.show(s, scope))
}

// show is Text as the data has it. A picture has no text: where only text can
// be, it is a finding.
func (e *Evaluator) show(s *syntax.Statement, scope *Scope) string {
	switch s.Kind {
	case syntax.Field:
		return e.showField(s.Name, scope)
	case syntax.Formula:
		return e.showFormula(s, scope)
	case syntax.Link, syntax.Markdown, syntax.HTML:
		return e.insert(s, scope, Span{}).Text
	case syntax.Image, syntax.Code:
		e.report(s, findingf("picture_in_text", "A picture can stand in a paragraph or a cell of a document, or alone in a shape of a slide; not here."))
	case syntax.Include:
		e.ReportInclude(s)
	case syntax.Chart:
		e.report(s, findingf("chart_in_text", "The tag of a chart stands alone in the description (alternative text) of a chart, and not in text."))
	case syntax.Faulty:
		e.report(s, findingOf(s.Mistake))
	}
	return ""
}

// showField returns the value of a plain name, as text.
func (e *Evaluator) showField(name string, scope *Scope) string {
	if scope == nil {
		text, ok := e.resolve(name)
		if !ok {
			e.lack(name, nil)
		}
		return text
	}
	v, ok := env{e: e, scope: scope}.evalName(name)
	if o, is := v.(*object); ok && is && len(o.members) > 0 {
		e.noteMissing(name, scope)
	}
	return textOf(v)
}

func (e *Evaluator) showFormula(s *syntax.Statement, scope *Scope) string {
	v, err := env{e: e, scope: scope}.eval(s.Formula)
	if _, is := v.(*object); err == nil && is {
		err = findingf("no_text", "The formula gives a part of the data that has fields of its own; name one of them.")
	}
	if err != nil {
		e.reportOf(s, scope, err)
		return ""
	}
	return textOf(v)
}

// insert works an Image, a Code, a Link, a Markdown or an HTML out.
func (e *Evaluator) insert(s *syntax.Statement, scope *Scope, span Span) Span {
	span.Value, span.Insertion = true, s
	if s.Kind == syntax.Include {
		e.noteInclude(s, scope)
		return span
	}
	v, err := env{e: e, scope: scope}.eval(s.Formula)
	if err == nil {
		switch v := v.(type) {
		case *object:
			err = findingf("no_text", "The tag names a part of the data that has fields of its own; name one of them.")
		case values:
			if len(v) > 1 {
				err = findingf("many_values", "The tag stands for a whole list here: in a row or a block of the list it is one after the other.")
			}
		}
	}
	if err != nil {
		e.reportOf(s, scope, err)
		return span
	}
	source := strings.TrimSpace(textOf(v))
	switch {
	case s.Kind == syntax.Markdown:
		span.Text, span.Styled, err = e.readMarkdown(textOf(v))
	case s.Kind == syntax.HTML:
		span.Text, span.Styled, err = e.readHTML(s, textOf(v))
	case s.Kind == syntax.Link:
		span.Text, span.Link, err = e.readLink(s, scope, source)
	case source != "":
		var alt string
		if alt, err = e.readAlt(s, scope); err == nil {
			span.Picture, err = e.place(s, source)
		}
		if span.Picture != nil {
			span.Picture.Alt = alt
		}
	}
	if err != nil {
		e.reportOf(s, scope, err)
	}
	e.written += len(span.Text)
	return span
}

// documentText makes a value fit for a document: Docs strips control
// characters and the private use area, XML cannot hold U+FFFE and U+FFFF.
func documentText(value string) string {
	value = strings.ReplaceAll(value, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case isLineBreak(r):
			return '\v'
		case r == '\t':
			return r
		case unicode.IsControl(r), r >= '\ue000' && r <= '\uf8ff', r == '\ufffe', r == '\uffff':
			return -1
		}
		return r
	}, value)
}

func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

package lang

import (
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// maxIncludes is how many documents one tag may name.
const maxIncludes = 100

// HasIncludes tells whether tags came up whose place other documents take. Filling leaves
// nothing of them: they are carried out before.
func (e *Evaluator) HasIncludes() bool { return e.includes }

// noteInclude notes a tag of other documents, and what of its names is missing.
func (e *Evaluator) noteInclude(s *syntax.Statement, scope *Scope) {
	e.includes = true
	if _, isFixed := s.Formula.(*syntax.Literal); scope != nil && !isFixed {
		e.ReportInclude(s)
		return
	}
	e.Includes(s)
}

// ReportInclude reports a tag of other documents where none can be.
func (e *Evaluator) ReportInclude(s *syntax.Statement) {
	e.report(s, findingf("include_unfit", "Another document takes the place of a paragraph that is its tag and nothing else, in a Word document of Platen's own drive. It does not take that of a part of a line, of a slide, or at Google, whose API puts no document into another. In what repeats the template has to say its name."))
}

// Includes are the documents that a tag names, by their paths or ids, and whether the
// template says them itself. A blank names none.
func (e *Evaluator) Includes(s *syntax.Statement) (names []string, isFixed bool) {
	v, err := env{e: e}.eval(s.Formula)
	if _, is := v.(*object); is && err == nil {
		err = findingf("no_text", "The tag names a part of the data that has fields of its own; name one of them.")
	}
	all, isList := v.(values)
	if !isList {
		all = values{v}
	}
	if err == nil && len(all) > maxIncludes {
		err = dataFindingf("include_too_many", "A tag includes at most %d documents: send fewer.", maxIncludes)
	}
	if err != nil {
		e.reportOf(s, nil, err)
		return nil, false
	}
	for _, one := range all {
		if name := strings.TrimSpace(textOf(one)); name != "" {
			names = append(names, name)
		}
	}
	_, isFixed = s.Formula.(*syntax.Literal)
	return names, isFixed
}

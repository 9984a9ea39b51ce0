package fill

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A Choice is the documents that take the place of a paragraph.
type Choice struct {
	Tag   string
	Names []string // paths or ids
	// IsFixed says that the template names them, and not the data: a message may quote
	// them.
	IsFixed bool
}

// Choose says which documents take the place of a paragraph with this text; false: it stays.
// An error of KindInvalid is a mistake of the template or its data.
type Choose func(text string) (c Choice, ok bool, err error)

// An Include prepares a copy of a template whose tags of other documents are carried out.
// Nothing is changed before store, which changes the copy at once or not at all.
type Include func(ctx context.Context, copied platen.File, choose Choose) (store func(context.Context) error, err error)

// errIncludes says that other documents are to be put into a copy before it is filled.
var errIncludes = errors.New("the template includes other documents")

// unfit is the finding of tags of other documents where none can be included.
var unfit = func() lang.Finding {
	e := lang.NewEvaluator(nil, lang.Builtins{})
	e.ReportInclude(&syntax.Statement{})
	return e.Findings()[0]
}()

// A Whole reads a template with the documents that it includes, as a .docx. It changes nothing.
type Whole func(ctx context.Context, choose Choose) ([]byte, error)

// ChooseFixed chooses the documents that a template names itself, and leaves tags that take names
// from the data as they are.
func ChooseFixed() Choose {
	e := lang.NewEvaluator(nil, lang.Builtins{})
	return func(text string) (c Choice, ok bool, err error) {
		for _, tag := range syntax.Parse(text) {
			s := e.Read(tag)
			if _, isFixed := s.Formula.(*syntax.Literal); s.Kind == syntax.Include && isFixed && strings.TrimSpace(text) == s.Tag {
				c.Tag = s.Tag
				c.Names, c.IsFixed = e.Includes(s)
				return c, true, nil
			}
		}
		return c, false, nil
	}
}

// Chooser reads the tags of other documents with the data. All of them share one budget.
func (f *Filling) Chooser() Choose {
	e := f.Evaluator()
	return func(text string) (Choice, bool, error) { return choose(e, text) }
}

func choose(e *lang.Evaluator, text string) (c Choice, ok bool, err error) {
	if !strings.Contains(text, "{{") {
		return Choice{}, false, nil
	}
	for _, tag := range syntax.Parse(text) {
		s := e.Read(tag)
		if s.Kind != syntax.Include {
			continue
		}
		if strings.TrimSpace(text) != s.Tag {
			e.ReportInclude(s)
			break
		}
		c = Choice{Tag: s.Tag}
		c.Names, c.IsFixed = e.Includes(s)
		ok = true
	}
	e.TooMuch()
	return c, ok, FindingsError(e.Findings(), e.Absent())
}

// include puts other documents into a copy, and calls begin before that. What cannot be included
// is among the findings of the outcome.
func (f *Filling) include(ctx context.Context, file platen.File, out *Outcome, begin func(Outcome) error) error {
	store, err := f.Include(ctx, file, f.Chooser())
	if refused, ok := errors.AsType[*platen.Error](err); ok && refused.Kind == platen.KindInvalid {
		out.Findings = append(out.Findings, lang.Finding{Code: refused.Code, Message: refused.Message})
	}
	if err == nil && begin != nil {
		err = begin(*out)
	}
	if err != nil {
		return fmt.Errorf("include other documents: %w", err)
	}
	return store(ctx)
}

// checkIncludes reports tags of other documents that stand beside something else, also a picture,
// which would go with their paragraph.
func (p *composer) checkIncludes(para *para) {
	for _, s := range para.statements() {
		if s.Kind == syntax.Include && (p.isSlides || para.objects || para.anchors || strings.TrimSpace(para.text) != s.Tag) {
			p.e.ReportInclude(s)
		}
	}
}

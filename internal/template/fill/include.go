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

// choose reads the tags of other documents with the data.
func (f *Filling) choose(text string) (c Choice, ok bool, err error) {
	if !strings.Contains(text, "{{") {
		return Choice{}, false, nil
	}
	e := f.Evaluator()
	tags := syntax.Parse(text)
	for _, tag := range tags {
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
	return c, ok, FindingsError(e.Findings(), e.Absent())
}

// include puts other documents into a copy, and calls begin before that.
func (f *Filling) include(ctx context.Context, file platen.File, out Outcome, begin func(Outcome) error) error {
	store, err := f.Include(ctx, file, f.choose)
	if err == nil && begin != nil {
		err = begin(out)
	}
	if err != nil {
		return fmt.Errorf("include other documents: %w", err)
	}
	return store(ctx)
}

// checkIncludes reports tags of other documents that stand beside something else.
func (p *composer) checkIncludes(para *para) {
	for _, s := range para.statements() {
		if s.Kind == syntax.Include && (p.isSlides || strings.TrimSpace(para.text) != s.Tag) {
			p.e.ReportInclude(s)
		}
	}
}

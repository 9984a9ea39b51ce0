package fill

import (
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

// ElementSign stands in the text of a document for an element that the Docs API
// has no words for, such as an end of a code block (TextRun.content). No request
// inserts one, and none is said to delete one.
const ElementSign = "\ue907"

// addSignedText adds text with signs of elements, which end passages.
func (p *para) addSignedText(text string, of *docs.TextStyle) {
	for i, part := range strings.Split(text, ElementSign) {
		if i > 0 {
			p.signs = append(p.signs, len(p.text))
			p.others = true
			p.addObject(1)
		}
		if part != "" || i == 0 {
			p.addText(part, newStyle(of))
		}
	}
}

// checkRemoved reports elements without words in paragraphs that go. In rows and
// tables they go with those.
func (p *composer) checkRemoved(blocks []*block) {
	for _, b := range blocks {
		if b.para != nil && len(b.para.signs) > 0 {
			p.reportSign(b.para)
		}
	}
}

// checkChange is checkRemoved for a part of a paragraph.
func (p *composer) checkChange(para *para, r change) {
	if slices.ContainsFunc(para.signs, func(at int) bool { return r.from <= at && at < r.to }) {
		p.reportSign(para)
	}
}

func (p *composer) reportSign(para *para) {
	p.e.Report(lang.Finding{Code: "object_in_block", Tag: textAround(para), Message: "What a block leaves out has an element that Google does not let programs delete, such as the end of a code block. Move it out of the block. A code block ends where the paragraph behind it begins."})
}

// textAround is the text of a paragraph as a finding quotes it.
func textAround(para *para) string {
	return strings.TrimSpace(strings.ReplaceAll(para.text, "\n", " "))
}

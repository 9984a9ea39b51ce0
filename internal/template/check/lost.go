package check

import (
	"slices"

	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const (
	contentsLost  = "Google does not write a table of contents again when the document is filled: it goes on to show the headings and pages of the template. Leave it out, or leave headings and pages as they are."
	tabsPrinted   = "The document has several tabs, and a PDF of it prints each of them: keep in the template the tabs that the output is to have."
	pageless      = "The document is pageless, and a PDF of it has pages: its headers, footers, page size and margins are not printed. Switch to pages in the template (File, Page setup)."
	pictureLinked = "A picture is linked and not in the file, so outputs do not show it. Insert the picture itself, or break the link in the office program so that it is embedded."
	autofitLost   = "Google turns off the autofit of a text that is filled: a longer text does not shrink, and its box does not grow. Turn autofit off, and leave room for the longest text."
)

// codeLinked is the code of a picture that is not in the file. It counts in a file
// without tags, too.
const codeLinked = "picture_linked"

// loseLinked notes a picture whose drive has nothing to show of it but an address.
func (t *Template) loseLinked(where, content, source string) {
	if content == "" && source != "" {
		t.lose(codeLinked, where, pictureLinked)
	}
}

// lose notes what filling at Google loses, or brings along, at the place that is
// being read, once for each place.
func (t *Template) lose(code, where, message string) {
	n := len(t.stories) - 1
	if !slices.ContainsFunc(t.lost, func(f Finding) bool { return f.Code == code && f.Where == where }) {
		t.lost = append(t.lost, Finding{Where: where, Code: code, Message: message, Severity: platen.SeverityMistake, at: position{n, len(t.stories[n].passages), 0}})
	}
}

// readSuggestions notes the first element that is only suggested, or suggested to go.
func (t *Template) readSuggestions(where string, parts []any) {
	noted := slices.ContainsFunc(t.lost, func(f Finding) bool { return f.Code == fill.CodeSuggestions })
	if !noted && slices.ContainsFunc(parts, fill.IsSuggested) {
		t.lose(fill.CodeSuggestions, where, fill.SuggestionsMessage)
	}
}

// findLost returns what filling the file loses. A file without tags is printed as it
// is; suggestions and linked pictures count in it, too.
func (t *Template) findLost() []Finding {
	tagged := slices.ContainsFunc(t.stories, func(s story) bool { return !s.added && s.isTagged() })
	var all []Finding
	for _, f := range t.lost {
		if tagged || f.Code == fill.CodeSuggestions || f.Code == codeLinked {
			all = append(all, f)
		}
	}
	if tagged && t.tabs > 1 {
		all = append(all, Finding{Code: "tabs_printed", Message: tabsPrinted, Severity: platen.SeverityMistake, at: position{story: len(t.stories)}})
	}
	return all
}

func (s story) isTagged() bool {
	return slices.ContainsFunc(s.passages, func(p passage) bool { return len(syntax.Parse(p.text)) > 0 })
}

// autofits tells which shapes of pages fit their text by themselves. One that says
// nothing takes after its placeholder on the layout, and that after the master's.
func autofits(p *slidesapi.Presentation) map[string]bool {
	all := map[string]bool{}
	for _, page := range slices.Concat(p.Masters, p.Layouts, p.Slides) {
		readAutofit(page.PageElements, all)
	}
	return all
}

func readAutofit(elements []*slidesapi.PageElement, all map[string]bool) {
	for _, e := range elements {
		if e.ElementGroup != nil {
			readAutofit(e.ElementGroup.Children, all)
		}
		if e.Shape == nil {
			continue
		}
		kind := ""
		if s := e.Shape.ShapeProperties; s != nil && s.Autofit != nil {
			kind = s.Autofit.AutofitType
		}
		switch kind {
		case "TEXT_AUTOFIT", "SHAPE_AUTOFIT":
			all[e.ObjectId] = true
		case "", "AUTOFIT_TYPE_UNSPECIFIED":
			all[e.ObjectId] = e.Shape.Placeholder != nil && all[e.Shape.Placeholder.ParentObjectId]
		}
	}
}

// loseAutofit notes a shape that is filled and fits its text.
func (t *Template) loseAutofit(where string, e *slidesapi.PageElement) {
	if !t.reading.autofits[e.ObjectId] {
		return
	}
	text := joinText(e.Shape.Text)
	if len(syntax.Parse(text)) > 0 && tagOfPicture(text) == "" {
		t.lose("autofit_lost", where, autofitLost)
	}
}

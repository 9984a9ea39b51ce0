package console

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// checked is what /v0 found in a template, as a page shows it.
type checked struct {
	client.DocumentCheck
	Numbered []numberedFinding
	Notes    []client.TemplateFinding // what may be meant so
	// Unfilled are the names that no finding is about. Empty are those where the document
	// lets its data lack them.
	Unfilled, Empty []string
	// Pages is the address of the template's pages, Marks what is outlined in them.
	Pages, Marks string
}

// A numberedFinding has the number that stands beside its place in the pages.
type numberedFinding struct {
	Number int
	client.TemplateFinding
}

// A mark is a place in pages, as pages.js takes it.
type mark struct {
	Text string `json:"text"`
	// One: of the places with this text, the one that Before and After stand around.
	One    bool   `json:"one,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Page   int    `json:"page,omitempty"` // 0: any
	// Each: the place is on each page, as in a header.
	Each  bool   `json:"each,omitempty"`
	Label string `json:"label"`
	Title string `json:"title"`
}

// newMark is the mark of a finding; without a text where there is nothing to look for.
func newMark(f platen.TemplateFinding, number int) mark {
	m := mark{Text: f.Tag, One: true, Label: strconv.Itoa(number), Title: f.Message, Each: strings.HasPrefix(f.Where, "header") || strings.HasPrefix(f.Where, "footer")}
	around := []rune(f.Around)
	at := min(max(f.Offset, 0), len(around))
	m.Before = string(around[:at])
	if rest := string(around[at:]); m.Text == "" {
		m.Text, m.Before = f.Around, ""
	} else if after, ok := strings.CutPrefix(rest, m.Text); ok {
		m.After = after
	}
	return m
}

// checkDocument is workflow with the mistakes of one document, made with data when
// some was typed in.
func (s *site) checkDocument(ctx context.Context, r request) (view, error) {
	data, problem := r.sampleData()
	// A caller who may not see the document must not learn its forms.
	if problem != "" {
		if _, err := r.api.Document(ctx, r.workflowID(), r.PathValue("document")); err != nil {
			return view{}, err
		}
	}
	p, err := s.workflowPage(ctx, r, tabTemplate)
	if err == nil && problem == "" {
		err = r.checkIn(ctx, &p, r.PathValue("document"), data)
	}
	p.Form, p.Typed = "sample-"+r.PathValue("document"), r.PostForm
	if row := p.row(r.PathValue("document")); row != nil && problem != "" {
		row.Problem = own(problem)
	}
	return view{Title: p.Name, Page: p}, err
}

// row is a document of the page; nil where there is none of this id.
func (p *workflowPage) row(document string) *documentRow {
	i := slices.IndexFunc(p.Documents, func(row documentRow) bool { return row.ID == document })
	if i < 0 {
		return nil
	}
	return &p.Documents[i]
}

// checkIn looks for the mistakes of a document, and puts them into the page.
func (r request) checkIn(ctx context.Context, p *workflowPage, document string, data []byte) error {
	row := p.row(document)
	if row == nil {
		return errNoPage
	}
	found, failed := r.check(ctx, r.workflowID(), document, data)
	if row.lose(failed) {
		return nil
	}
	var err error
	if row.Problem, err = r.explained(failed); err != nil || row.Problem != "" {
		return err
	}
	if data == nil && len(p.Source.Fields) == 0 {
		found.Unfilled = nil // before the first event no name is wrong
	}
	row.Checked = shown(found, row.PreviewURL)
	if data == nil && r.checks != nil {
		kept, _ := r.checks.Get(r.workflowID())
		kept.mistakes = kept.with(document, mistakesIn(found))
		r.checks.Put(r.workflowID(), kept)
	}
	if data != nil && row.OnMissing != string(platen.MissingFail) {
		row.Checked.Empty, row.Checked.Unfilled = blankIn(found, row.Checked.Unfilled), nil
	}
	return nil
}

// check asks for the mistakes of a document, with the data of an event; nil: without.
func (r request) check(ctx context.Context, workflow, document string, data []byte) (client.DocumentCheck, error) {
	if data == nil {
		return r.api.CheckDocument(ctx, workflow, document, nil)
	}
	return r.api.CheckDocument(ctx, workflow, document, data)
}

// blankIn are the names whose places stay empty without data. Elsewhere, such as in the
// address of a mail, a name is a mistake then, which is among the findings.
func blankIn(c client.DocumentCheck, unfilled []string) []string {
	var all []string
	for _, tag := range c.Tags {
		if slices.Contains(unfilled, tag.Name) && (slices.Contains(tag.In, "template") || slices.Contains(tag.In, "outputName")) {
			all = append(all, tag.Name)
		}
	}
	return all
}

// labels are what the form calls settings, by the name that /v0 has for them.
var labels = texts{
	"createPdfCopy": "“Make a PDF”", "removeOutput": "“Remove the original”", "enablePdfPassword": "“Encrypt the PDF”",
	"pdfPassword": "“Password”", "outputName": "“Name of each output”", "outputFolder": "“Folder of the outputs”",
}

// labelled says labels in the place of names in a message of the service, which is in English.
var labelled = strings.NewReplacer(slices.Concat(pairsOf(labels)...)...)

func pairsOf(all texts) (pairs [][]string) {
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(all))) { // the longer of two names first
		pairs = append(pairs, []string{name, all[name]})
	}
	return pairs
}

// labelOf is what a form calls a setting.
func labelOf(in catalog.Printer, setting string) string {
	if text, ok := labels[setting]; ok {
		return in.Text(text)
	}
	return setting
}

// placeOf is where a finding stands, in a template or a setting.
func placeOf(in catalog.Printer, where string) string {
	if in.English() {
		return labelled.Replace(where)
	}
	return in.Place(where)
}

// shown numbers the findings, and marks them in the pages of the template.
func shown(c client.DocumentCheck, preview string) *checked {
	out := &checked{DocumentCheck: c, Pages: pagesOf(preview)}
	var tags strings.Builder
	marks := []mark{}
	for i, f := range c.Findings {
		m := newMark(platen.TemplateFinding{Where: f.Where, Around: f.Around, Offset: f.Offset, Tag: f.Tag, Message: f.Message}, i+1)
		tags.WriteString(f.Tag)
		if f.Severity == client.SeverityNote {
			out.Notes = append(out.Notes, f)
			continue
		}
		out.Numbered = append(out.Numbered, numberedFinding{i + 1, f})
		if m.Text != "" {
			marks = append(marks, m)
		}
	}
	for _, name := range c.Unfilled {
		if !strings.Contains(tags.String(), name) {
			out.Unfilled = append(out.Unfilled, name)
		}
	}
	text, err := json.Marshal(marks)
	if err == nil { // always: it holds strings alone
		out.Marks = string(text)
	}
	return out
}

// pagesOf is the address of the template's pages as a PDF, from that of its preview.
func pagesOf(preview string) string {
	u, err := url.Parse(preview)
	if err != nil {
		return ""
	}
	return u.EscapedPath() + "/template.pdf?" + u.RawQuery
}

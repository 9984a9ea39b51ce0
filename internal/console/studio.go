package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// readTimeout bounds the reading of a template for its form: somebody waits for the page,
// which has a form of the source's fields without it.
const readTimeout = 8 * time.Second

// A studio is the preview page of one document, as one request wants it.
type studio struct {
	*previewer
	asked *http.Request // as it came, without a caller
	wf    platen.Workflow
	d     platen.Document
	part  string
	in    languagePages
	// of is the run whose event the form changes; empty: of none.
	of string
	// sent is that event, for who signed in; unsent is why it cannot be shown.
	sent   *SentEvent
	unsent *errorPage
}

// first is the page before anything was typed in.
func (c *previewer) first(w http.ResponseWriter, r *http.Request, s studio) {
	in := askedForm{FormInput: noInput()}
	var found platen.TemplateForm
	var problem *errorPage
	if s.sent != nil {
		found, in, problem = s.fill(w, r)
	} else {
		found, problem = s.form(w, r, in)
	}
	p := s.pageOf(r, found, in)
	status := http.StatusOK
	switch {
	case problem != nil && problem.Status != http.StatusTooManyRequests: // it has a form all the same
		said := problem.in(s.in.Printer)
		p.Problem, status = &said, problem.Status
		p.Gone = problem.Status == http.StatusNotFound
	case s.unsent != nil:
		said := s.unsent.in(s.in.Printer)
		p.Problem, status = &said, s.unsent.Status
	default:
		p.Findings = s.markEach(found.Findings)
	}
	c.page(w, r, status, s.in.preview, p)
}

// form is that of the template, or one of the source's fields and why.
func (s studio) form(w http.ResponseWriter, r *http.Request, in askedForm) (platen.TemplateForm, *errorPage) {
	known, err := s.known(r.Context())
	if err != nil {
		s.log(r, "read fields", s.d.ID, err)
	}
	without := platen.TemplateForm{Form: s.Samples.FormOfNames(known, in.FormInput)}
	if s.PagesLimit != nil && s.PagesLimit(w.Header(), sha256.Sum256([]byte("form "+s.d.ID))) != nil {
		return without, &tooOften
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(readTimeout, s.DriveTimeout))
	defer cancel()
	found, err := s.Samples.FormOf(ctx, s.wf, s.d, known, in.FormInput)
	if err != nil {
		s.log(r, "read template", s.d.ID, err)
		why := s.explain(err, noDrive)
		return without, &why
	}
	return found, nil
}

// known are the fields of the source and those of earlier events.
func (s studio) known(ctx context.Context) ([]string, error) {
	seen, err := s.Seen.SeenFields(ctx, s.wf.ID)
	return platen.KnownFields(s.wf.Source.Fields, seen, s.Now()), err
}

// explain says of a template that is gone whom to ask.
func (s studio) explain(err error, away errorPage) errorPage {
	p := explain(err, away)
	if e, ok := errors.AsType[*platen.Error](err); ok && (e.Code == "drive_file_not_found" || e.Code == "drive_file_forbidden" || e.Kind == platen.KindNotFound) {
		p = errorPage{Status: http.StatusNotFound, Title: "The template is gone",
			Text: "Somebody deleted its file, or took it out of the drive. Ask %s, who owns this workflow, to put it back. Until then nothing can be filled here.", args: []any{s.wf.Owner.Name}}
	}
	return p
}

// sample answers what a form came to: as a page, as the PDF alone, or for the script.
func (c *previewer) sample(w http.ResponseWriter, r *http.Request, s studio) {
	in, fault := readForm(w, r)
	if fault != nil {
		s.unmade(w, r, nil, *fault)
		return
	}
	if s.part == makeOfForm {
		s.make(w, r, in)
		return
	}
	if s.unsent != nil {
		s.refuse(w, r, in, *s.unsent)
		return
	}
	changes, example := in.press(in.button), in.button == "example"
	if changes || example || len(in.wrong) > 0 {
		found, problem := s.form(w, r, in)
		p := s.pageOf(r, found, in)
		if problem == nil && len(in.wrong) > 0 {
			problem = &pictureNotTaken
		}
		if problem != nil {
			s.unmade(w, r, &p, *problem)
			return
		}
		if !example {
			p.Findings = s.markEach(found.Findings)
			s.answer(w, r, p, nil, true)
			return
		}
		in.FormInput = c.Samples.ExampleOf(found.Form, in.FormInput)
	}
	if c.Limit != nil && c.Limit(w.Header(), sha256.Sum256([]byte(s.d.ID))) != nil {
		s.refuse(w, r, in, tooOften)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*c.DriveTimeout)
	defer cancel()
	known, err := s.known(ctx)
	var made platen.Sample
	var found platen.TemplateForm
	if err == nil {
		made, found, err = c.Samples.SampleOfForm(ctx, s.wf, s.d, known, in.FormInput, s.sentData())
	}
	e, _ := errors.AsType[*platen.Error](err)
	switch {
	case e != nil && e.Code == "form_too_large":
		s.refuse(w, r, in, errorPage{Status: http.StatusBadRequest, Title: "That is too much", Text: e.Message, Said: true})
	case platen.KindOf(err) == platen.KindRateLimited:
		s.refuse(w, r, in, tooOften)
	case err != nil:
		c.log(r, "fill sample", s.d.ID, err)
		s.refuse(w, r, in, s.explain(err, noSample))
	case s.part == samplePDF && made.PDF != nil:
		writePDF(w, made.PDF, made.Name+".pdf", true)
	default:
		p := s.pageOf(r, found, in)
		p.Findings = s.markEach(made.Findings)
		p.Sample = &samplePart{Name: made.Name, Missing: made.MissingFields, Drawn: made.PDFFindings, Filled: made.PDF != nil, TooLarge: len(made.PDF) > maxShown}
		s.answer(w, r, p, made.PDF, example)
	}
}

// refuse answers with the form as it was typed in, and why there is no sample: what the
// drive or a limit keeps from being read is not asked for once more.
func (s studio) refuse(w http.ResponseWriter, r *http.Request, in askedForm, why errorPage) {
	if s.part == liveSample {
		s.unmade(w, r, nil, why)
		return
	}
	known, err := s.known(r.Context())
	if err != nil {
		s.log(r, "read fields", s.d.ID, err)
	}
	p := s.pageOf(r, platen.TemplateForm{Form: s.Samples.FormOfNames(known, in.FormInput)}, in)
	p.Gone = why.Title == "The template is gone"
	s.unmade(w, r, &p, why)
}

// unmade says why there is no sample: on the page with what was typed in, where there is
// one.
func (s studio) unmade(w http.ResponseWriter, r *http.Request, p *previewPage, why errorPage) {
	switch {
	case s.part == liveSample:
		why = why.in(s.in.Printer)
		s.writeLive(w, r, why.Status, livePart{Title: why.Title, Text: why.Text})
	case p == nil:
		s.fail(w, r, why)
	default:
		why = why.in(s.in.Printer)
		p.Problem = &why
		s.page(w, r, why.Status, s.in.preview, *p)
	}
}

// answer is the page, or what changed of it.
func (s studio) answer(w http.ResponseWriter, r *http.Request, p previewPage, pdf []byte, formChanged bool) {
	if s.part != liveSample {
		if p.Sample != nil && pdf != nil && !p.Sample.TooLarge {
			// Safe: nothing but base64 stands behind the type.
			p.Sample.PDF = template.URL("data:" + platen.MIMEPDF + ";base64," + base64.StdEncoding.EncodeToString(pdf))
		}
		s.page(w, r, http.StatusOK, s.in.preview, p)
		return
	}
	out := livePart{Marks: p.Marks()}
	if p.Sample != nil {
		out.Filled, out.Name = p.Sample.Filled, p.Sample.Name
		if !p.Sample.TooLarge {
			out.PDF = pdf
		}
	}
	var err error
	if out.Result, err = s.render(p, "result"); err == nil && formChanged {
		out.Form, err = s.render(p, "fields")
	}
	if err != nil {
		s.logFailure(w, r, "write page", s.d.ID, err, noAnswer)
		return
	}
	s.writeLive(w, r, http.StatusOK, out)
}

func (s studio) render(p previewPage, name string) (string, error) {
	var b strings.Builder
	err := s.in.preview.ExecuteTemplate(&b, name, p)
	return b.String(), err
}

// A livePart is what the script of the page puts in place of what was there.
type livePart struct {
	Result string `json:"result,omitempty"` // HTML
	Form   string `json:"form,omitempty"`   // HTML; empty: the form stays
	Filled bool   `json:"filled"`
	Name   string `json:"name,omitempty"`
	PDF    []byte `json:"pdf,omitempty"` // base64
	Marks  []mark `json:"marks"`
	Title  string `json:"title,omitempty"` // why there is nothing
	Text   string `json:"text,omitempty"`
}

func (s studio) writeLive(w http.ResponseWriter, r *http.Request, status int, p livePart) {
	out, err := json.Marshal(p)
	if err != nil {
		s.logFailure(w, r, "write answer", s.d.ID, err, noAnswer)
		return
	}
	h := w.Header()
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		h.Set("Retry-After", "2")
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(status)
	_, _ = w.Write(out) // fails only when nobody listens any more
}

// A markedFinding has the number that its mark has.
type markedFinding struct {
	platen.TemplateFinding
	Number int
}

// markEach numbers the mistakes, in the language of the page. It skips notes: they are for
// the template's author.
func (s studio) markEach(findings []platen.TemplateFinding) []markedFinding {
	out := []markedFinding{}
	for _, f := range findings {
		if !f.Note {
			f.Message = s.in.Mistake(f.Code, f.Message)
			out = append(out, markedFinding{f, len(out) + 1})
		}
	}
	return out
}

var slide = regexp.MustCompile(`^slide (\d+)`)

// Marks are those of the findings that stand on a page.
func (p previewPage) Marks() []mark {
	marks := []mark{}
	for _, f := range p.Findings {
		m := newMark(f.TemplateFinding, f.Number)
		if at := slide.FindStringSubmatch(f.Where); at != nil {
			m.Page, _ = strconv.Atoi(at[1]) // digits, or 0: any page
		}
		if m.Text != "" && f.Where != "outputName" {
			marks = append(marks, m)
		}
	}
	return marks
}

// MarksJSON is Marks for an attribute.
func (p previewPage) MarksJSON() (string, error) {
	out, err := json.Marshal(p.Marks())
	return string(out), err
}

type previewPage struct {
	Style    template.CSS
	Words    string // of the scripts
	Name     string
	Workflow string
	Owner    string
	Output   string
	// Addresses of the template's PDF, the sample's, the live one's and the page itself.
	PDF, SamplePDF, LivePath, Page string
	// Make is where the form makes a document; empty: nobody signed in. Once is of this form.
	Make, Once string
	// Run is the page of the run whose data the form changes; empty: of none.
	Run string
	// TestOnly says that the event that the form changes is a test.
	TestOnly bool
	// Anyway is the button that makes what would fail; empty: nobody knows that it would.
	Anyway string
	// Also is how many other documents the event makes.
	Also int
	// Console is the workflow's page, for visitors who can sign in there.
	Console string
	// Assets is where the scripts are.
	Script, Viewer string
	Editor         string
	Rows           []formRow
	Any            bool // there is something to fill in
	Other          []string
	More           int // fields that the form leaves out
	Slides, Live   bool
	Gone           bool // there is no template
	Findings       []markedFinding
	Sample         *samplePart
	Problem        *errorPage // why there is no sample
}

// samplePart shows what the form came to.
type samplePart struct {
	Name             string
	PDF              template.URL // of the data scheme; empty without pages
	Filled, TooLarge bool         // too large to be shown in the page
	Missing          []string
	Drawn            []platen.Finding
}

// pageOf is the page with a form and what was typed into it.
func (s studio) pageOf(r *http.Request, found platen.TemplateForm, in askedForm) previewPage {
	for path, why := range in.wrong {
		in.wrong[path] = s.in.Text(why)
	}
	// Addresses are relative, so that a prefix in front of ours does no harm.
	base, page, up := s.d.ID+"/", "?", ".."
	switch _, part, below := strings.Cut(strings.TrimPrefix(r.URL.Path, previewPath), "/"); {
	case part != "": // the page stands one step above
		base, page, up = "", "../"+s.d.ID+"?", "../.."
	case below:
		base, up = "", "../.."
	}
	query := url.Values{"sig": {r.URL.Query().Get("sig")}}
	if s.d.PreviewVersion > 0 {
		query.Set("v", strconv.Itoa(s.d.PreviewVersion))
	}
	if s.of != "" {
		query.Set("of", s.of)
	}
	link := func(part string) string { return base + part + "?" + query.Encode() }
	p := previewPage{
		Style: s.pages.style, Words: s.in.words, Name: s.d.File.Name, Workflow: s.wf.Name, Owner: s.wf.Owner.Name, Output: s.d.OutputName,
		PDF: link(templatePDF), SamplePDF: link(samplePDF), LivePath: link(liveSample), Page: page + query.Encode(),
		Script: up + s.pages.assets.address("studio.js"), Viewer: up + s.pages.assets.address("pages.js"),
		Console: up + consolePath + "workflows/" + s.wf.ID + "/",
		Rows:    formRows(found.Form, in), Any: len(found.Fields) > 0, Other: found.Other, More: found.More,
		Slides: s.d.Type == platen.TypeSlides, Live: s.Live,
	}
	if s.LinkDrive {
		p.Editor = s.d.File.URL
	}
	if s.sent != nil {
		p.Run, p.TestOnly = p.Console+"runs/"+s.of+"/", s.sent.Test
	}
	// Who pressed a button before signing in finds it again.
	if s.Maker != nil && (s.part == makeOfForm || s.Maker.IsSignedIn(s.asked)) {
		p.Make, p.Once, p.Also = link(makeOfForm), cmp.Or(in.once, rand.Text()), len(s.wf.Documents)-1
	}
	return p
}

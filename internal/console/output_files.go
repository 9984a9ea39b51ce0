package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/inside"
	"github.com/platenhq/platen/internal/platen"
)

// fromFile are the headers of a file that /v0 answers with.
var fromFile = []string{"Content-Type", "Content-Disposition", "Content-Length", "ETag", "Cache-Control", "X-Content-Type-Options"}

// file hands a file on that /v0 answers with, as it comes.
func (s *site) file(path func(request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		in, ok := s.begin(w, r)
		if !ok {
			return
		}
		asked, err := http.NewRequestWithContext(r.Context(), r.Method, inside.Origin+"/v0"+path(in), nil)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if tags := r.Header.Values("If-None-Match"); len(tags) > 0 {
			asked.Header["If-None-Match"] = tags
		}
		to := &handedOn{to: w, header: http.Header{}, download: r.URL.Query().Has("download")}
		s.API.ServeHTTP(to, in.caller.Request(asked))
		if to.status < http.StatusBadRequest {
			return
		}
		s.fail(w, r, refusalOf(in.Printer, to.status, to.header, to.refusal.Bytes(), say("The file could not be read.")))
	}
}

// A handedOn writes to a browser what is no refusal.
type handedOn struct {
	to       http.ResponseWriter
	header   http.Header
	status   int
	refusal  bytes.Buffer
	download bool // the browser is to save it
}

func (h *handedOn) Header() http.Header { return h.header }

// Unwrap lets http.ResponseController reach the server's own writer.
func (h *handedOn) Unwrap() http.ResponseWriter { return h.to }

func (h *handedOn) WriteHeader(status int) {
	if h.status != 0 || status < 200 {
		return
	}
	if h.status = status; status >= http.StatusBadRequest {
		return
	}
	to := h.to.Header()
	for _, name := range fromFile {
		if value := h.header.Get(name); value != "" {
			to.Set(name, value)
		}
	}
	if rest, inline := strings.CutPrefix(h.header.Get("Content-Disposition"), "inline"); inline && h.download {
		to.Set("Content-Disposition", "attachment"+rest)
	}
	// The browser's own viewer of PDFs needs what pages may not do.
	to.Set("Content-Security-Policy", "base-uri 'none'; frame-ancestors 'none'")
	h.to.WriteHeader(status)
}

func (h *handedOn) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	if h.status >= http.StatusBadRequest {
		return h.refusal.Write(b)
	}
	return h.to.Write(b)
}

// zip answers with the outputs that a form names, or leads back to it where it names none.
func (s *site) zip() http.HandlerFunc {
	whole := s.file(func(r request) string { return r.workflowPath() + "/outputs/zip/?" + chosen(r) })
	nothing := s.page("outputs", s.nothingChosen)
	return func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Query()["id"]) == 0 {
			nothing(w, r)
			return
		}
		whole(w, r)
	}
}

func (s *site) nothingChosen(ctx context.Context, r request) (view, error) {
	v, err := s.outputs(ctx, r)
	if p, ok := v.Page.(outputsPage); ok {
		p.Problem = own(r.Text("Choose at least one output."))
		v.Page, v.Live, v.status = p, "", http.StatusBadRequest
	}
	return v, err
}

// chosen are the outputs that a form names.
func chosen(r request) string { return url.Values{"id": r.URL.Query()["id"]}.Encode() }

// A numbered is a finding, with the number that its marks have.
type numbered struct {
	Number int
	Text   saying
	// Unknown: the data has no field of this name, Text.
	Unknown *client.UnknownField
}

// shownOutput is an output with its pages, and with what was found about them.
type shownOutput struct {
	outputRow
	Correctable *dataForm // its data, where who is signed in may correct it
	// Pages is the address of the PDF that is shown, below the base; empty: none is.
	Pages      string
	OfTemplate bool // they are the template's, as it is now
	Invoice    bool // its PDF has an e-invoice inside, as the document is set now
	Marks      string
	Found      []numbered
	Missing    []numbered
	Failed     int // number of the error
	// Opens says who can open its files; empty: nobody knows, or it has none.
	Opens string
}

var (
	quotedText = regexp.MustCompile(`“([^”]{1,200})”`)
	quotedTag  = regexp.MustCompile(`\{\{[^{}]{1,200}\}\}`)
)

// shownOutputs numbers what was found about outputs, over the whole page. What a message
// quotes, and tags that stayed, are looked for in the pages.
func (s *site) shownOutputs(in catalog.Printer, p runPage) []shownOutput {
	number, templates := 0, map[string]client.Document{}
	for _, d := range p.Workflow.Documents {
		templates[d.ID] = d
	}
	out := make([]shownOutput, len(p.Rows))
	for i, row := range p.Rows {
		o := shownOutput{outputRow: row, Invoice: row.HasPDF() && templates[row.DocumentID].EInvoice != nil}
		unshared := slices.ContainsFunc(p.Skipped, func(k client.Skipped) bool {
			return k.Part == string(platen.PartSharing) && k.DocumentID == row.DocumentID
		})
		if p.Erased == "" && !unshared {
			o.Opens = s.opens(in, p.Workflow, row.Output)
		}
		marks := []mark{}
		next := func(message string, texts ...string) int {
			number++
			for _, text := range texts {
				marks = append(marks, mark{Text: text, Label: strconv.Itoa(number), Title: message})
			}
			return number
		}
		for _, f := range row.Findings {
			o.Found = append(o.Found, numbered{Number: next(f.Message, quoted(f.Message)...), Text: s.findingInWords(in, f)})
		}
		for _, name := range row.MissingFields {
			o.Missing = append(o.Missing, numbered{next(in.Text("Without a value: %s", name), "{{"+name+"}}"), own(name), unknownIn(p.AutomationDetail, name)})
		}
		if row.Error != nil {
			o.Failed = next(row.Error.Message, quoted(row.Error.Message)...)
		}
		switch address, err := url.Parse(templates[row.DocumentID].PreviewURL); {
		case p.Erased != "":
		case row.HasPDF() && row.Files[0].Kind == "pdf", row.State == "REVIEW":
			o.Pages = "/console/workflows/" + p.WorkflowID + "/outputs/" + row.ID + "/pdf"
		case row.Error != nil && len(marks) > 0 && err == nil && address.Path != "":
			o.OfTemplate, o.Pages = true, "/preview/"+row.DocumentID+"/template.pdf?"+address.RawQuery
		}
		if raw, err := json.Marshal(marks); err == nil {
			o.Marks = string(raw)
		}
		out[i] = o
	}
	return out
}

func quoted(message string) []string {
	found := quotedTag.FindAllString(message, -1)
	for _, match := range quotedText.FindAllStringSubmatch(message, -1) {
		found = append(found, match[1])
	}
	return found
}

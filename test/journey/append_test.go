package journey

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	enums "go.temporal.io/api/enums/v1"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// A shelf is a folder of the drive into which files are put: on a drive like Google's a
// service account has no room elsewhere.
type shelf struct {
	*harness
	folder string
}

func (h *harness) shelf(t *testing.T) shelf {
	t.Helper()
	_, folder := h.uploadToFolder(t, example(t, examples.Letter))
	return shelf{h, folder}
}

// store puts content into the drive as a file of a type, and returns its id.
func (s shelf) store(t *testing.T, name, mimeType, contentType string, content []byte) string {
	t.Helper()
	made, err := s.files.Files.Create(&driveapi.File{Name: name, MimeType: mimeType, Parents: []string{s.folder}}).Context(t.Context()).
		Media(bytes.NewReader(content), googleapi.ContentType(contentType)).Fields("id").Do()
	if err != nil {
		t.Fatalf("store %s: %v", name, err)
	}
	return made.Id
}

// write makes a Docs file that says text, and returns its id.
func (s shelf) write(t *testing.T, name, text string) string {
	t.Helper()
	made, err := s.files.Files.Create(&driveapi.File{Name: name, MimeType: platen.MIMEDocs, Parents: []string{s.folder}}).Context(t.Context()).Fields("id").Do()
	if err == nil {
		insert := &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}
		_, err = s.docs.Documents.BatchUpdate(made.Id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{{InsertText: insert}}}).Context(t.Context()).Do()
	}
	if err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
	return made.Id
}

// fetched is the content of a file.
func (h *harness) fetched(t *testing.T, id string) []byte {
	t.Helper()
	response, err := h.files.Files.Get(id).Context(t.Context()).Download()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// printed puts a PDF of a text into the drive, and returns its id.
func (s shelf) printed(t *testing.T, name, text string) string {
	t.Helper()
	source := s.write(t, name, text)
	response, err := s.files.Files.Export(source, platen.MIMEPDF).Context(t.Context()).Download()
	if err != nil {
		t.Fatalf("export %s: %v", name, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil {
		_, err = s.files.Files.Update(source, &driveapi.File{Trashed: true}).SupportsAllDrives(true).Context(t.Context()).Do()
	}
	if err != nil {
		t.Fatalf("export %s: %v", name, err)
	}
	return s.store(t, name, platen.MIMEPDF, platen.MIMEPDF, content)
}

// with are settings and one more.
func with(settings object, name string, value any) object {
	all := object{name: value}
	for k, v := range settings {
		all[k] = v
	}
	return all
}

func TestAnEncryptedOutputHoldsItsAppendicesInTheirOrder(t *testing.T) {
	t.Parallel()
	for name, likeGoogle := range map[string]bool{"our drive": false, "a drive like Google's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, options{likeGoogle: likeGoogle})
			r := newReceiver(t)
			w := h.letter(t, r)
			in := h.shelf(t)
			appendices := []string{
				in.printed(t, "Terms.pdf", "General terms"), in.write(t, "Sheet", "Hours of {{Name}}{{Rate}}"),
				in.store(t, "Berth.docx", platen.MIMEDocx, platen.MIMEDocx, example(t, examples.Letter).Template),
				in.store(t, "Offer.pptx", platen.MIMEPptx, platen.MIMEPptx, example(t, examples.Offer).Template),
			}
			h.addDocument(t, w, in.write(t, "Letter", "Dear {{Name}}"), with(encrypted, "appendices", appendices))
			send(t, w)
			got := r.next(t).event
			if got.Type != "DOCUMENTS_CREATED" || len(got.Data.Documents) != 1 {
				t.Fatalf("got %+v, want one PDF", got)
			}
			p := newPaper(t, h.fetched(t, got.Data.Documents[0].ID))
			password := canary + "-" + canary + "-Ada"
			if said, ok := witness(t, "pdftotext", "-upw", "wrong", string(p), "-"); ok {
				t.Errorf("it opens with another password: %.100q", said)
			}
			rest := dense(p.text(t, password))
			for _, want := range []string{"Dear " + canary + "-Ada", "General terms", "Hours of " + canary + "-Ada", "Your berth for the season", "Our offer"} {
				_, behind, ok := strings.Cut(strings.ToLower(rest), strings.ToLower(dense(want)))
				if !ok {
					t.Fatalf("the PDF says %q, want %q behind what stands before it", p.text(t, password), want)
				}
				rest = behind
			}
			if said, ok := witness(t, "qpdf", "--check", "--password="+password, string(p)); !ok {
				t.Errorf("qpdf: %s", said)
			}
			pages, _ := witness(t, "pdfinfo", "-upw", password, string(p))
			if !regexp.MustCompile(`Pages: +[5-9]`).MatchString(pages) {
				t.Errorf("got %s, want a page of each file at least", pages)
			}
			h.finished(t, w.ID, platen.AutomationCompleted)
			want := []string{
				"Contracts", example(t, examples.Letter).Title, "Terms.pdf", "Sheet", "Berth.docx", "Offer.pptx", "Letter", "Letters - [Template]",
				got.Data.Documents[0].Name,
			}
			eventually(t, "copies of appended templates are removed", func() error {
				if got := h.fileNames(t); !sameNames(got, want) {
					return errors.New("got " + strings.Join(got, ", ") + ", want " + strings.Join(want, ", "))
				}
				return nil
			})
			var outputs []struct{ MissingFields []string }
			h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/", nil, &outputs, http.StatusOK)
			if len(outputs) != 1 || !slices.Contains(outputs[0].MissingFields, "Rate") {
				t.Errorf("missing fields: got %+v, want Rate of the appended template in it", outputs)
			}
		})
	}
}

func sameNames(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// playAppended is recorded: the PDF of a file and a template behind a document.
func playAppended(t *testing.T) (*harness, map[string]run) {
	h := open(t, options{schedule: ten})
	r := newReceiver(t)
	w := h.letter(t, r)
	h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), with(encrypted, "appendices", []string{h.shelf(t).printed(t, "Terms", "Terms"), h.write(t, "Sheet", "Hours of {{Name}}")}))
	send(t, w)
	r.next(t)
	return h, map[string]run{"run-appended": {id: h.finished(t, w.ID, platen.AutomationCompleted).id}}
}

// The file is in the trash when the step runs: the document fails and says which one, and
// a retry after it is back makes it.
func TestADocumentWhoseAppendixIsGoneIsMadeByARetryOnceItIsBack(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	r := newReceiver(t)
	w := h.letter(t, r)
	terms, sheet := h.shelf(t).printed(t, "Terms", "General terms"), h.write(t, "Sheet", "Hours of {{Name}}")
	h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), with(encrypted, "appendices", []string{sheet, terms}))
	before := h.fileNames(t)
	trash := func(trashed bool) {
		if _, err := h.files.Files.Update(terms, &driveapi.File{Trashed: trashed, ForceSendFields: []string{"Trashed"}}).Context(t.Context()).Do(); err != nil {
			t.Fatal(err)
		}
	}
	trash(true)
	send(t, w)
	failed := r.next(t).event
	if failed.Type != "DOCUMENT_FAILED" || failed.Data.Error.Code != platen.CodeAppendixNotFound || !strings.Contains(failed.Data.Error.Message, terms) {
		t.Fatalf("got %+v, want what is not found", failed)
	}
	a := h.finished(t, w.ID, platen.AutomationFailed)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	trash(false)
	wantFiles(t, h, before...)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/automations/"+a.id+"/retry/", nil, nil, http.StatusAccepted)
	made := r.next(t).event
	if made.Type != "DOCUMENTS_CREATED" {
		t.Fatalf("got %+v, want the document", made)
	}
	if text := newPaper(t, h.fetched(t, made.Data.Documents[0].ID)).text(t, canary+"-"+canary+"-Ada"); !says(text, "Hours of "+canary+"-Ada") || !says(text, "General terms") {
		t.Errorf("the PDF says %q", text)
	}
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	wantFiles(t, h, append(before, made.Data.Documents[0].Name)...)
}

// It is cancelled while the copy of the appended template cannot be filled.
func TestARunThatIsCancelledLeavesNoCopyOfAnAppendedTemplate(t *testing.T) {
	t.Parallel()
	h := open(t, options{schedule: ten, idle: true})
	g := h.behind(t)
	r := newReceiver(t)
	w := h.letter(t, r)
	sheet := h.write(t, "Sheet", "Hours of {{Name}}")
	h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), with(encrypted, "appendices", []string{sheet}))
	before := h.fileNames(t)
	tried := make(chan struct{}, 8)
	var fills atomic.Int32
	g.set(func(r *http.Request) verdict {
		if !isFill(r) {
			return verdict{}
		}
		if fills.Add(1) == 1 {
			return verdict{} // the document itself
		}
		select {
		case tried <- struct{}{}:
		default:
		}
		return verdict{status: http.StatusServiceUnavailable}
	})
	send(t, w)
	<-tried
	<-tried
	id := h.cancel(t, w)
	h.wantCancelled(t, w, id, "CANCELLED", []string{"FAILED cancelled"}, "DOCUMENT_FAILED DELIVERED")
	h.settled(t, id, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, before...)
}

package drive

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/store"
)

func replaceAll(tag, text string) *docsapi.Request {
	return &docsapi.Request{ReplaceAllText: &docsapi.ReplaceAllTextRequest{
		ContainsText: &docsapi.SubstringMatchCriteria{Text: tag, MatchCase: true}, ReplaceText: text,
	}}
}

func batchOf(required string, requests ...*docsapi.Request) *docsapi.BatchUpdateDocumentRequest {
	b := &docsapi.BatchUpdateDocumentRequest{Requests: requests}
	if required != "" {
		b.WriteControl = &docsapi.WriteControl{RequiredRevisionId: required}
	}
	return b
}

func (a *account) words(id string) string {
	a.h.t.Helper()
	d, err := a.docs.Get(id).Do()
	if err != nil {
		a.h.t.Fatalf("read document: %v", err)
	}
	return strings.TrimSpace(d.Body.Content[0].Paragraph.Elements[0].TextRun.Content)
}

func TestBatchUpdateEditsADocument(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.document("letter", "Dear {{name}}, {{name}}")
	d := must[*docsapi.Document](t)(a.docs.Get(f.Id).Do())
	if d.Title != "letter" || d.RevisionId == "" {
		t.Errorf("got title %q, revision %q", d.Title, d.RevisionId)
	}
	done := must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(f.Id, batchOf(d.RevisionId,
		&docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "!"}}, replaceAll("{{name}}", "Eve"))).Do())
	if len(done.Replies) != 2 || done.Replies[0] == nil || done.Replies[1].ReplaceAllText.OccurrencesChanged != 2 {
		t.Errorf("got replies %+v", done.Replies)
	}
	if got := a.words(f.Id); got != "Dear Eve, Eve!" {
		t.Errorf("got %q", got)
	}
	after := must[*docsapi.Document](t)(a.docs.Get(f.Id).Fields("revisionId").Do())
	if after.RevisionId != done.WriteControl.RequiredRevisionId || after.RevisionId == d.RevisionId || after.Body != nil {
		t.Errorf("got revision %s, want the reply's %s and nothing else", after.RevisionId, done.WriteControl.RequiredRevisionId)
	}
}

func TestBatchUpdateOnAStaleRevisionChangesNothing(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.document("letter", "{{a}}")
	stale := must[*docsapi.Document](t)(a.docs.Get(f.Id).Do()).RevisionId
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(f.Id, batchOf(stale, replaceAll("{{a}}", "1"))).Do())
	_, err := a.docs.BatchUpdate(f.Id, batchOf(stale, replaceAll("1", "2"))).Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	_, err = a.docs.BatchUpdate(f.Id, &docsapi.BatchUpdateDocumentRequest{
		Requests: []*docsapi.Request{replaceAll("1", "2")}, WriteControl: &docsapi.WriteControl{TargetRevisionId: stale},
	}).Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	// All or nothing: the first request is undone when the second fails.
	_, err = a.docs.BatchUpdate(f.Id, batchOf("", replaceAll("1", "2"), &docsapi.Request{})).Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	_, err = a.docs.BatchUpdate(f.Id, batchOf("")).Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	_, err = a.docs.BatchUpdate(f.Id, batchOf("", replaceAll("1", "2"))).Fields("nothing").Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	response, answer := a.do("POST", "/v1/documents/"+f.Id+":batchUpdate", "application/json", `{"requests":[{"replaceEverything":{}}]}`)
	if response.StatusCode != 400 {
		t.Errorf("unknown request: got %d %v, want 400", response.StatusCode, answer)
	}
	if got := a.words(f.Id); got != "1" {
		t.Errorf("got %q, want the first edit alone", got)
	}
}

// A captured answer of Google's to documents.batchUpdate has this form.
func TestAStaleRevisionIsRefusedAsGoogleDoes(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.document("letter", "hi")
	_, answer := a.do("POST", "/v1/documents/"+f.Id+":batchUpdate", "application/json", `{"requests":[{"insertText":{"text":"x","location":{"index":1}}}],"writeControl":{"requiredRevisionId":"STALE"}}`)
	want := map[string]any{"error": map[string]any{"code": 400.0, "message": "The required revision ID 'STALE' does not match the latest revision.", "status": "INVALID_ARGUMENT"}}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEditsFromSeveralProcessesAreNeverLost(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f := a.document("counter", "")
	revision := must[*docsapi.Document](t)(a.docs.Get(f.Id).Do()).RevisionId
	var group sync.WaitGroup
	var mu sync.Mutex
	var guarded int
	for i := range 3 {
		b := h.signIn(a.user, a.token, h.serve())
		group.Go(func() {
			for range 4 {
				insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: fmt.Sprint(i)}}
				if _, err := b.docs.BatchUpdate(f.Id, batchOf("", insert)).Do(); err != nil {
					t.Errorf("edit: %v", err)
				}
			}
		})
		group.Go(func() {
			insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "x"}}
			if _, err := b.docs.BatchUpdate(f.Id, batchOf(revision, insert)).Do(); err == nil {
				mu.Lock()
				guarded++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	got := a.words(f.Id)
	if strings.Count(got, "x") != guarded || guarded > 1 || len(got) != 12+guarded {
		t.Errorf("got %q with %d edits on the first revision, want 12 digits and at most one x", got, guarded)
	}
}

func TestNewDocumentsAndPresentationsAreBlankAndHaveATitle(t *testing.T) {
	a := newHarness(t).account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Neu"}).Do())
	if f := must[*driveapi.File](t)(a.files.Get(d.DocumentId).Do()); f.Name != "Neu" || f.MimeType != store.DocumentType {
		t.Errorf("got %+v", f)
	}
	p := must[*slidesapi.Presentation](t)(a.slides.Create(&slidesapi.Presentation{}).Do())
	if p.Title != "Untitled presentation" || p.RevisionId == "" {
		t.Errorf("got %+v", p)
	}
	blank := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Name: "leer", MimeType: store.DocumentType}).Do())
	if got := a.words(blank.Id); got != "" {
		t.Errorf("blank document has %q", got)
	}
}

func TestDocumentContentCanBeReadInTabs(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.document("letter", "hi")
	d := must[*docsapi.Document](t)(a.docs.Get(f.Id).IncludeTabsContent(true).Do())
	if d.Body != nil || len(d.Tabs) != 1 || d.Tabs[0].DocumentTab.Body == nil {
		t.Errorf("got %+v", d)
	}
}

func TestPresentationsAreReadAndEdited(t *testing.T) {
	a := newHarness(t).account("Ada")
	f, err := a.files.Create(&driveapi.File{Name: "offer", MimeType: store.PresentationType}).Media(strings.NewReader("ppt:{{a}}")).Do()
	if err != nil {
		t.Fatal(err)
	}
	p := must[*slidesapi.Presentation](t)(a.slides.Get(f.Id).Do())
	call := &slidesapi.BatchUpdatePresentationRequest{
		Requests: []*slidesapi.Request{{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{
			ContainsText: &slidesapi.SubstringMatchCriteria{Text: "{{a}}"}, ReplaceText: "1",
		}}},
		WriteControl: &slidesapi.WriteControl{RequiredRevisionId: p.RevisionId},
	}
	done := must[*slidesapi.BatchUpdatePresentationResponse](t)(a.slides.BatchUpdate(f.Id, call).Do())
	if len(done.Replies) != 1 || done.PresentationId != f.Id {
		t.Errorf("got %+v", done)
	}
	_, err = a.slides.BatchUpdate(f.Id, call).Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
	if page := must[*slidesapi.Page](t)(a.slides.Pages.Get(f.Id, "p1").Do()); page.ObjectId != "p1" {
		t.Errorf("got %+v", page)
	}
	_, err = a.slides.Pages.Get(f.Id, "nope").Do()
	wantEditorFault(t, err, 404, "NOT_FOUND")
	_, err = a.docs.Get(f.Id).Do()
	wantEditorFault(t, err, 400, "FAILED_PRECONDITION")
}

func TestExportMakesPDFOfficeFileAndText(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.document("letter", "hi")
	for target, want := range map[string]string{store.PDFType: "%PDF letter|hi", store.DocxType: "doc:hi", store.TextType: "hi"} {
		response, err := a.files.Export(f.Id, target).Download()
		wantBody(t, response, err, want)
		if got := response.Header.Get("Content-Type"); got != target {
			t.Errorf("got type %s, want %s", got, target)
		}
	}
	for target, link := range f.ExportLinks {
		response, err := a.http.Get(link)
		if err != nil || response.StatusCode != 200 {
			t.Errorf("export link for %s: %v %v", target, response.Status, err)
		}
		response.Body.Close()
	}
	_, err := a.files.Export(f.Id, "image/png").Download()
	wantFault(t, err, 400, "badRequest")
	_, err = a.files.Get(f.Id).Download()
	wantFault(t, err, 403, "fileNotDownloadable")
	_, err = a.files.Export(a.text(&driveapi.File{Name: "t"}, "x").Id, store.PDFType).Download()
	wantFault(t, err, 403, "fileNotExportable")
}

func TestUploadThatIsNoOfficeFileIsNotConverted(t *testing.T) {
	a := newHarness(t).account("Ada")
	_, err := a.files.Create(&driveapi.File{MimeType: store.DocumentType}).Media(strings.NewReader("plain")).Do()
	wantFault(t, err, 400, "conversionUnsupportedConversionPath")
	_, err = a.files.Create(&driveapi.File{MimeType: store.GoogleTypes + "spreadsheet"}).Do()
	wantFault(t, err, 400, "invalid")
	stored := a.text(&driveapi.File{Name: "letter.docx", MimeType: store.DocxType}, "doc:stored")
	converted := must[*driveapi.File](t)(a.files.Copy(stored.Id, &driveapi.File{MimeType: store.DocumentType}).Do())
	if got := a.words(converted.Id); got != "stored" {
		t.Errorf("converted by copying: got %q", got)
	}
	must[*driveapi.File](t)(a.files.Update(converted.Id, nil).Media(strings.NewReader("doc:new")).Do())
	if got := a.words(converted.Id); got != "new" {
		t.Errorf("after new content: got %q", got)
	}
}

func TestPublicAddressShowsTheFileUntilItIsRevoked(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	open := func(url string) (*http.Response, string) {
		t.Helper()
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body := must[[]byte](t)(io.ReadAll(response.Body))
		return response, string(body)
	}
	pdf := a.text(&driveapi.File{Name: "Rechnung ä.pdf", MimeType: store.PDFType}, "%PDF")
	response, body := open(pdf.WebViewLink)
	if body != "%PDF" || response.Header.Get("Content-Type") != store.PDFType || response.Header.Get("Content-Disposition") != "inline; filename*=utf-8''Rechnung%20%C3%A4.pdf" ||
		response.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(response.Header.Get("Cache-Control"), "private") {
		t.Errorf("got %q %v", body, response.Header)
	}
	if response, _ := open(pdf.WebContentLink); !strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("content link: got %q", response.Header.Get("Content-Disposition"))
	}
	page := a.text(&driveapi.File{Name: "x.html", MimeType: "text/html"}, "<script>")
	if response, _ := open(page.WebViewLink); !strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("a page would run on this host: got %q", response.Header.Get("Content-Disposition"))
	}
	letter := a.document("letter", "hi")
	response, body = open(letter.WebViewLink + "?download=office")
	if got, want := response.Header.Get("Content-Disposition"), "attachment; filename=letter.docx"; got != want || response.Header.Get("Content-Type") != store.DocxType || strings.HasPrefix(body, "%PDF") {
		t.Errorf("the office file: got %q, %s, want %q", got, body, want)
	}
	if _, body := open(letter.WebViewLink); body != "%PDF letter|hi" {
		t.Errorf("document: got %q", body)
	}
	// What ends sharing gives the file another public address, too.
	must[*driveapi.Permission](t)(a.shares.Create(pdf.Id, anyone("reader")).Do())
	if err := a.shares.Delete(pdf.Id, anyoneID).Do(); err != nil {
		t.Fatal(err)
	}
	if response, _ := open(pdf.WebViewLink); response.StatusCode != 404 {
		t.Errorf("revoked: got %d, want 404", response.StatusCode)
	}
	must[*driveapi.File](t)(a.files.Update(page.Id, &driveapi.File{Trashed: true}).Do())
	if response, _ := open(page.WebViewLink); response.StatusCode != 404 {
		t.Errorf("trashed: got %d, want 404", response.StatusCode)
	}
}

func TestADocumentIsReadWithItsSuggestionsOrWithout(t *testing.T) {
	a := newHarness(t).account("Ada")
	d := a.document("letter", "hi")
	for mode, want := range map[string]string{
		"": "SUGGESTIONS_INLINE", "DEFAULT_FOR_CURRENT_ACCESS": "SUGGESTIONS_INLINE",
		"PREVIEW_SUGGESTIONS_ACCEPTED": "PREVIEW_SUGGESTIONS_ACCEPTED", "PREVIEW_WITHOUT_SUGGESTIONS": "PREVIEW_WITHOUT_SUGGESTIONS",
	} {
		call := a.docs.Get(d.Id)
		if mode != "" {
			call.SuggestionsViewMode(mode)
		}
		if got := must[*docsapi.Document](t)(call.Do()); got.SuggestionsViewMode != want {
			t.Errorf("%q: got %s, want %s", mode, got.SuggestionsViewMode, want)
		}
	}
	_, err := a.docs.Get(d.Id).SuggestionsViewMode("ALL").Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
}

func TestASlideAtIndexZeroIsNotOneWithoutIndex(t *testing.T) {
	t.Parallel()
	requests := []*slidesapi.Request{{CreateSlide: &slidesapi.CreateSlideRequest{}}, {CreateSlide: &slidesapi.CreateSlideRequest{}}, nil}
	keepZeros([]byte(`{"requests":[{"createSlide":{"insertionIndex":0}},{"createSlide":{}},null]}`), requests)
	if got := len(requests[0].CreateSlide.ForceSendFields) + 10*len(requests[1].CreateSlide.ForceSendFields); got != 1 {
		t.Errorf("got %v and %v", requests[0].CreateSlide, requests[1].CreateSlide)
	}
}

func TestAnEmptyAlternativeTextIsNotOneThatIsLeftOut(t *testing.T) {
	t.Parallel()
	requests := []*slidesapi.Request{{UpdatePageElementAltText: &slidesapi.UpdatePageElementAltTextRequest{}}, {UpdatePageElementAltText: &slidesapi.UpdatePageElementAltTextRequest{}}}
	keepZeros([]byte(`{"requests":[{"updatePageElementAltText":{"description":""}},{"updatePageElementAltText":{"title":""}}]}`), requests)
	if first, second := requests[0].UpdatePageElementAltText.ForceSendFields, requests[1].UpdatePageElementAltText.ForceSendFields; !slices.Equal(first, []string{"Description"}) || !slices.Equal(second, []string{"Title"}) {
		t.Errorf("got %q and %q", first, second)
	}
}

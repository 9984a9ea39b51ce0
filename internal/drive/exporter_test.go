package drive

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/soffice"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

// exporter is an Exporter in one function.
type exporter func(ctx context.Context, content []byte, ext string) ([]byte, error)

func (e exporter) PDF(ctx context.Context, content []byte, ext string) ([]byte, error) {
	return e(ctx, content, ext)
}

func TestAnExporterMakesThePDFsAndNothingElse(t *testing.T) {
	h := newHarness(t)
	var asked atomic.Int32
	h.exporter = exporter(func(_ context.Context, content []byte, ext string) ([]byte, error) {
		asked.Add(1)
		return fmt.Appendf(nil, "%%PDF %s of %s", ext, content), nil
	})
	h.formats.document.pdf = func([]byte, string) ([]byte, []render.Finding, error) {
		return nil, nil, errors.New("our own layout was asked")
	}
	h.url = h.serve()
	a := h.account("Ada")
	d := a.document("letter", "hi")
	for range 2 { // made, and from the cache
		if got := string(a.exportPDF(d.Id)); got != "%PDF .docx of doc:hi" {
			t.Errorf("got %q", got)
		}
	}
	p := must[*slidesapi.Presentation](t)(a.slides.Create(&slidesapi.Presentation{Title: "Offer"}).Do())
	if got := string(a.exportPDF(p.PresentationId)); got != "%PDF .pptx of ppt:" {
		t.Errorf("got %q", got)
	}
	response, err := a.files.Export(d.Id, store.TextType).Download()
	wantBody(t, response, err, "hi")
	response, err = a.files.Export(d.Id, store.DocxType).Download()
	wantBody(t, response, err, "doc:hi")
	if got := asked.Load(); got != 2 {
		t.Errorf("the exporter was asked %d times, want once for each PDF", got)
	}
}

func TestAnExportersFaultsAreGoogles(t *testing.T) {
	h := newHarness(t)
	var fault error
	h.exporter = exporter(func(context.Context, []byte, string) ([]byte, error) { return nil, fault })
	h.url = h.serve()
	a := h.account("Ada")
	d := a.document("letter", "hi")
	for _, c := range []struct {
		Error  error
		code   int
		reason string
	}{
		{soffice.ErrUnreadable, 400, "conversionUnsupportedConversionPath"},
		{soffice.ErrLinked, 400, "conversionUnsupportedConversionPath"},
		{soffice.ErrProgram, 400, "conversionUnsupportedConversionPath"},
		{soffice.ErrTooLarge, 403, "exportSizeLimitExceeded"},
		{soffice.ErrBusy, 503, "backendError"},
		{soffice.ErrTimeout, 503, "backendError"},
		{errors.New("secret of the machine"), 500, "internalError"},
	} {
		fault = fmt.Errorf("convert: %w", c.Error)
		response, answer := a.do("GET", "/drive/v3/files/"+d.Id+"/export?mimeType="+store.PDFType, "", "")
		body := answer["error"].(map[string]any)
		reason := body["errors"].([]any)[0].(map[string]any)["reason"]
		if response.StatusCode != c.code || reason != c.reason || strings.Contains(body["message"].(string), "secret") {
			t.Errorf("%v: got %d %v, want %d %s", c.Error, response.StatusCode, body, c.code, c.reason)
		}
		if got := response.Header.Get("Retry-After"); (got != "") != (c.code == 503) {
			t.Errorf("%v: got Retry-After %q", c.Error, got)
		}
	}
}

func TestAClientThatGoesAwayEndsItsExport(t *testing.T) {
	h := newHarness(t)
	begun, ended := make(chan struct{}), make(chan error, 1)
	h.exporter = exporter(func(ctx context.Context, _ []byte, _ string) ([]byte, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	h.url = h.serve()
	a := h.account("Ada")
	d := a.document("letter", "hi")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := a.files.Export(d.Id, store.PDFType).Context(ctx).Download(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the exporter got %v, want %v", err, context.Canceled)
	}
}

// bomb is a document with one part more, which is larger inside than any real one.
func bomb(t *testing.T, document []byte) []byte {
	t.Helper()
	parts, err := zip.NewReader(bytes.NewReader(document), int64(len(document)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range parts.File {
		err = errors.Join(err, w.Copy(f))
	}
	part, created := w.Create("word/media/bomb.bin")
	if err := errors.Join(err, created); err != nil {
		t.Fatal(err)
	}
	_, err = part.Write(make([]byte, 17<<20))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAFileOverTheLimitsIsNotShownToTheExporter(t *testing.T) {
	h := newHarness(t)
	var asked atomic.Int32
	h.formats, h.exporter = officeFormats(pdf.EmbeddedFonts(), false, time.Now), exporter(func(context.Context, []byte, string) ([]byte, error) {
		asked.Add(1)
		return []byte("%PDF"), nil
	})
	h.url = h.serve()
	a := h.account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "letter"}).Do())
	blank, err := blank.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		body  []byte
		shown int32
	}{{"over the limits", bomb(t, blank), 0}, {"no office file", []byte("words"), 0}, {"within the limits", blank, 1}} {
		if _, err := h.pool.Exec(t.Context(), `UPDATE drive.contents SET body = $1`, c.body); err != nil {
			t.Fatal(err)
		}
		fresh := h.signIn(a.user, a.token, h.serve()) // with nothing in its caches
		_, err := fresh.files.Export(d.DocumentId, store.PDFType).Download()
		if c.shown == 0 {
			wantFault(t, err, 400, "conversionUnsupportedConversionPath")
		} else if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if got := asked.Load(); got != c.shown {
			t.Errorf("%s: the exporter was asked %d times, want %d", c.what, got, c.shown)
		}
	}
}

func TestAnExporterIsTriedWithBlankFilesOfBothKinds(t *testing.T) {
	t.Parallel()
	var seat sync.Mutex
	var kinds []string
	good := exporter(func(_ context.Context, content []byte, ext string) ([]byte, error) {
		if !seat.TryLock() {
			return nil, errors.New("there is one seat")
		}
		defer seat.Unlock()
		if !bytes.HasPrefix(content, []byte("PK")) {
			return nil, errors.New("no office file")
		}
		runtime.Gosched() // let other goroutines take it
		kinds = append(kinds, ext)
		return nil, nil
	})
	if err := TryExporter(t.Context(), good); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if slices.Sort(kinds); !slices.Equal(kinds, []string{".docx", ".pptx"}) {
		t.Errorf("tried with %v, want both kinds", kinds)
	}
	for _, bad := range []string{".docx", ".pptx"} {
		err := TryExporter(t.Context(), exporter(func(_ context.Context, _ []byte, ext string) ([]byte, error) {
			if ext == bad {
				return nil, errors.New("no filter")
			}
			return nil, nil
		}))
		if err == nil || !strings.Contains(err.Error(), "blank "+bad) {
			t.Errorf("got %v, want one that names %s", err, bad)
		}
	}
}

func TestLibreOfficeExportsWhatTheDriveHasFilled(t *testing.T) {
	pool, err := soffice.Open(soffice.Options{Seats: 1, Timeout: 5 * time.Minute, Unconfined: true}) // cells are tested with package soffice
	if err != nil {
		t.Skipf("this test needs LibreOffice: %v", err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	h := newHarness(t)
	h.formats, h.exporter = officeFormats(pdf.EmbeddedFonts(), false, time.Now), pool
	h.url = h.serve()
	a := h.account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
	insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "Dear {{Name}}", Location: &docsapi.Location{Index: 1}}}
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("", insert, replaceAll("{{Name}}", "Söhne"))).Do())
	if got := pdfText(t, a.exportPDF(d.DocumentId)); !strings.Contains(got, "Dear Söhne") {
		t.Errorf("got %q, want the document's words", got)
	}
}

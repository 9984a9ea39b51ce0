package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/layout"
	"github.com/platenhq/platen/internal/drive/soffice"
)

// exporter is an Exporter in one function.
type exporter func(ctx context.Context, content []byte, ext string) ([]byte, error)

func (e exporter) PDF(ctx context.Context, content []byte, ext string) ([]byte, error) {
	return e(ctx, content, ext)
}

func TestAnExporterMakesThePDFsAndNothingElse(t *testing.T) {
	w := newWorld(t)
	var asked atomic.Int32
	w.exporter = exporter(func(_ context.Context, content []byte, ext string) ([]byte, error) {
		asked.Add(1)
		return fmt.Appendf(nil, "%%PDF %s of %s", ext, content), nil
	})
	w.formats.document.pdf = func([]byte, string) ([]byte, []layout.Finding, error) {
		return nil, nil, errors.New("our own layout was asked")
	}
	w.url = w.serve()
	a := w.account("Ada")
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
	response, err := a.files.Export(d.Id, textType).Download()
	wantBody(t, response, err, "hi")
	response, err = a.files.Export(d.Id, docxType).Download()
	wantBody(t, response, err, "doc:hi")
	if got := asked.Load(); got != 2 {
		t.Errorf("the exporter was asked %d times, want once for each PDF", got)
	}
}

func TestAnExportersFaultsAreGoogles(t *testing.T) {
	w := newWorld(t)
	var fault error
	w.exporter = exporter(func(context.Context, []byte, string) ([]byte, error) { return nil, fault })
	w.url = w.serve()
	a := w.account("Ada")
	d := a.document("letter", "hi")
	for _, c := range []struct {
		fault  error
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
		fault = fmt.Errorf("convert: %w", c.fault)
		response, answer := a.do("GET", "/drive/v3/files/"+d.Id+"/export?mimeType="+pdfType, "", "")
		body := answer["error"].(map[string]any)
		reason := body["errors"].([]any)[0].(map[string]any)["reason"]
		if response.StatusCode != c.code || reason != c.reason || strings.Contains(body["message"].(string), "secret") {
			t.Errorf("%v: got %d %v, want %d %s", c.fault, response.StatusCode, body, c.code, c.reason)
		}
		if got := response.Header.Get("Retry-After"); (got != "") != (c.code == 503) {
			t.Errorf("%v: got Retry-After %q", c.fault, got)
		}
	}
}

func TestAClientThatGoesAwayEndsItsExport(t *testing.T) {
	w := newWorld(t)
	begun, ended := make(chan struct{}), make(chan error, 1)
	w.exporter = exporter(func(ctx context.Context, _ []byte, _ string) ([]byte, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	w.url = w.serve()
	a := w.account("Ada")
	d := a.document("letter", "hi")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := a.files.Export(d.Id, pdfType).Context(ctx).Download(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the exporter got %v, want %v", err, context.Canceled)
	}
}

func TestAFileOverTheLimitsIsNotShownToTheExporter(t *testing.T) {
	w := newWorld(t)
	w.exporter = exporter(func(context.Context, []byte, string) ([]byte, error) {
		return nil, errors.New("the exporter was asked")
	})
	w.url = w.serve()
	a := w.account("Ada")
	d := a.document("letter", "hi")
	if _, err := w.pool.Exec(t.Context(), `UPDATE drive.contents SET body = 'no office file'`); err != nil {
		t.Fatal(err)
	}
	_, err := a.files.Export(d.Id, pdfType).Download()
	wantFault(t, err, 400, "conversionUnsupportedConversionPath")
}

func TestAnExporterIsTriedWithBlankFilesOfBothKinds(t *testing.T) {
	t.Parallel()
	good := exporter(func(_ context.Context, content []byte, _ string) ([]byte, error) {
		if !bytes.HasPrefix(content, []byte("PK")) {
			return nil, errors.New("no office file")
		}
		return nil, nil
	})
	if err := TryExporter(t.Context(), good); err != nil {
		t.Errorf("got %v, want no error", err)
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
	pool, err := soffice.Open(soffice.Options{Seats: 1, Timeout: 5 * time.Minute})
	if err != nil {
		t.Skipf("this test needs LibreOffice: %v", err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	w := newWorld(t)
	w.formats, w.exporter = officeFormats(layout.Fonts()), pool
	w.url = w.serve()
	a := w.account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
	insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "Dear {{Name}}", Location: &docsapi.Location{Index: 1}}}
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("", insert, replaceAll("{{Name}}", "Söhne"))).Do())
	if got := pdfText(t, a.exportPDF(d.DocumentId)); !strings.Contains(got, "Dear Söhne") {
		t.Errorf("got %q, want the document's words", got)
	}
}

package google_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

const (
	wholePDF = "%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n"
	signIn   = "<!doctype html><html><head><title>Sign in - Google Accounts</title></head></html>"
)

// exporting serves a drive that answers an export, and the export link of a
// file; linked is nil where the link must not be asked for.
func exporting(t *testing.T, export, linked http.HandlerFunc) *google.Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/drive/v3/files/x/export":
			export(w, r)
		case linked == nil:
			t.Errorf("%s was asked for", r.URL.Path)
		case r.URL.Path == "/drive/v3/files/x":
			answer(w, 200, fmt.Sprintf(`{"exportLinks":{"application/pdf":"http://%s/link"}}`, r.Host))
		default:
			linked(w, r)
		}
	})
}

func writes(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

func refuses(status int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, status, fault(status, reason, "m")) }
}

func TestOnlyAWholePDFIsAnExport(t *testing.T) {
	t.Parallel()
	tooLarge := refuses(403, "exportSizeLimitExceeded")
	toSignIn := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://accounts.google.com/ServiceLogin?continue=x", http.StatusFound)
	}
	for name, c := range map[string]struct {
		export, linked http.HandlerFunc
		code           string // empty: the PDF comes
		kind           platen.Kind
	}{
		"a PDF":                           {export: writes("application/pdf", wholePDF)},
		"a page":                          {export: writes("text/html; charset=utf-8", signIn), code: "drive_export_not_pdf", kind: platen.KindUnavailable},
		"a page that says it is a PDF":    {export: writes("application/pdf", signIn), code: "drive_export_not_pdf", kind: platen.KindUnavailable},
		"nothing":                         {export: writes("application/pdf", ""), code: "drive_export_not_pdf", kind: platen.KindUnavailable},
		"half a PDF":                      {export: writes("application/pdf", wholePDF[:30]), code: "drive_export_not_pdf", kind: platen.KindUnavailable},
		"too large, by its link":          {export: tooLarge, linked: writes("application/pdf", wholePDF)},
		"too large, the link is a page":   {export: tooLarge, linked: writes("text/html", signIn), code: "drive_export_not_pdf", kind: platen.KindUnavailable},
		"too large, the link signs in":    {export: tooLarge, linked: toSignIn, code: "drive_export_too_large", kind: platen.KindTooLarge},
		"too large, the link is refused":  {export: tooLarge, linked: refuses(401, "authError"), code: "drive_export_too_large", kind: platen.KindTooLarge},
		"too large, the link is away":     {export: tooLarge, linked: refuses(503, "backendError"), code: "drive_unavailable", kind: platen.KindUnavailable},
		"500, by its link":                {export: refuses(500, "internalError"), linked: writes("application/pdf", wholePDF)},
		"500, the link is a page":         {export: refuses(500, "internalError"), linked: writes("text/html", signIn), code: "drive_fault", kind: platen.KindUnavailable},
		"500, the link is refused":        {export: refuses(500, "internalError"), linked: refuses(403, "insufficientFilePermissions"), code: "drive_fault", kind: platen.KindUnavailable},
		"502 has no link":                 {export: refuses(502, "backendError"), code: "drive_unavailable", kind: platen.KindUnavailable},
		"a refusal has no link":           {export: refuses(403, "cannotExportFile"), code: "drive_file_forbidden", kind: platen.KindForbidden},
		"an export that sends to sign in": {export: toSignIn, code: "drive_unavailable", kind: platen.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, err := exporting(t, c.export, c.linked).ExportPDF(t.Context(), "x")
			if c.code == "" {
				if err != nil || string(pdf) != wholePDF {
					t.Errorf("ExportPDF = %d bytes, %v; want the PDF", len(pdf), err)
				}
				return
			}
			e, ok := errors.AsType[*platen.Error](err)
			if !ok || e.Code != c.code || e.Kind != c.kind || len(pdf) > 0 {
				t.Errorf("ExportPDF = %d bytes, %v; want %s of kind %v", len(pdf), err, c.code, c.kind)
			}
			if err != nil && (strings.Contains(err.Error(), "Sign in") || strings.Contains(err.Error(), "lookup")) {
				t.Errorf("the error quotes the page, or the page was asked for: %v", err)
			}
		})
	}
}

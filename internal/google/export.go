package google

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/platen"
)

// ExportPDF makes a PDF of a Docs or Slides file, at most MaxResponse bytes.
// files.export has a limit of its own (10 MB) and is known to answer a bare
// 500 instead of naming it; the file's export link has not, so it is asked
// then, and then only.
//
// What comes back is a whole PDF: anything else, such as the page of a proxy,
// is KindUnavailable drive_export_not_pdf, for pages like that pass.
func (c *Client) ExportPDF(ctx context.Context, fileID string) ([]byte, error) {
	pdf, _, err := c.ExportPDFWithFindings(ctx, fileID)
	return pdf, err
}

// ExportPDFWithFindings is ExportPDF, and says what the PDF does not show as
// the file has it. Only our own drive tells.
func (c *Client) ExportPDFWithFindings(ctx context.Context, fileID string) ([]byte, []platen.Finding, error) {
	response, err := c.drive.Files.Export(fileID, platen.MIMEPDF).Context(ctx).Download()
	if err == nil {
		findings := findingsOf(response.Header)
		pdf, err := readPDF("export the file as PDF", response)
		return pdf, findings, err
	}
	refusal := classify("export the file as PDF", err)
	if !mayBeOverLimit(err) {
		return nil, nil, refusal
	}
	file, err := c.drive.Files.Get(fileID).SupportsAllDrives(true).Fields("exportLinks").Context(ctx).Do()
	if err != nil || file.ExportLinks[platen.MIMEPDF] == "" {
		return nil, nil, refusal
	}
	pdf, err := c.follow(ctx, file.ExportLinks[platen.MIMEPDF])
	if err != nil {
		return nil, nil, linkError(refusal, err)
	}
	return pdf, nil, nil
}

// ExportOffice makes an office file of a Docs or Slides file, at most 10 MB on Google's
// drive: KindTooLarge beyond. contentType is platen.MIMEDocx or platen.MIMEPptx. Our own
// drive gives the file as it keeps it.
func (c *Client) ExportOffice(ctx context.Context, fileID, contentType string) ([]byte, error) {
	const doing = "export the file as an office file"
	response, err := c.drive.Files.Export(fileID, contentType).Context(ctx).Download()
	content, err := readAll(doing, response, err)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) { // a zip file begins so (APPNOTE 4.3.7)
		return nil, &platen.Error{Kind: platen.KindUnavailable, Code: "drive_export_not_office",
			Message: "The drive gave something else instead of an office file, such as a sign-in or error page: try again.",
			Err:     fmt.Errorf("%s: %d bytes of type %.60q", doing, len(content), response.Header.Get("Content-Type"))}
	}
	return content, nil
}

// linkError is the error of an export whose link did not help either. The
// refusal stands, for links want the rights of a browser's session, and say
// nothing about the file without them – unless a repeat may help with a file
// that is too large for anything but its link.
func linkError(refusal, err error) error {
	if platen.KindOf(refusal) == platen.KindTooLarge && !errors.Is(err, errSignIn) {
		switch platen.KindOf(err) {
		case platen.KindUnavailable, platen.KindRateLimited, platen.KindTooLarge:
			return err
		}
	}
	return fmt.Errorf("%w; %w", refusal, err)
}

// pdfEnd is how many bytes from its end a PDF has its %%EOF, at most
// (PDF Reference 1.7, appendix H.3, note 18).
const pdfEnd = 1024

// readPDF reads an answer that must be a PDF from its first bytes to its last.
func readPDF(doing string, response *http.Response) ([]byte, error) {
	pdf, err := readAll(doing, response, nil)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf[max(0, len(pdf)-pdfEnd):], []byte("%%EOF")) {
		return nil, &platen.Error{Kind: platen.KindUnavailable, Code: "drive_export_not_pdf",
			Message: "The drive gave something else instead of a whole PDF, such as a sign-in or error page: try again.",
			Err:     fmt.Errorf("%s: %d bytes of type %.60q", doing, len(pdf), response.Header.Get("Content-Type"))}
	}
	return pdf, nil
}

// findingsHeader is our own drive's; Google sends nothing of the kind.
const findingsHeader = "Platen-Export-Findings"

// What our drive finds; a code that is none of these is not documented and not
// passed on.
const (
	codeGlyph     = "missing_glyph"
	codeShaping   = "script_needs_shaping"
	codePicture   = "picture_not_drawn"
	codeDrawing   = "drawing_not_drawn"
	codeTruncated = "content_left_out"
)

// Bounds on what is taken from a drive: findings, and bytes of each message.
const (
	maxFindings    = 50
	maxFindingText = 500
)

// findingsOf reads what our drive found. A header that it cannot read is none:
// the PDF is there all the same.
func findingsOf(h http.Header) []platen.Finding {
	var list []struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(h.Get(findingsHeader)), &list); err != nil {
		return nil
	}
	var findings []platen.Finding
	for _, f := range list[:min(len(list), maxFindings)] {
		switch f.Code {
		case codeGlyph, codeShaping, codePicture, codeDrawing, codeTruncated:
			if len(f.Message) <= maxFindingText {
				findings = append(findings, platen.Finding(f))
			}
		}
	}
	return findings
}

// mayBeOverLimit tells of the refusals behind which the limit of files.export
// is or may be.
func mayBeOverLimit(err error) bool {
	answer, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		return false
	}
	for _, reason := range reasons(answer) {
		if reason == "exportSizeLimitExceeded" {
			return true
		}
	}
	return answer.Code == http.StatusInternalServerError
}

// follow gets a link that the drive gave; transport lets the access token go
// to the drive's hosts only.
func (c *Client) follow(ctx context.Context, link string) ([]byte, error) {
	const doing = "get the PDF by its export link"
	u, err := url.Parse(link)
	if err != nil {
		return nil, platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive gave an unexpected answer.")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, classify(doing, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, classify(doing, err)
	}
	if err := googleapi.CheckResponse(response); err != nil {
		_ = response.Body.Close()
		return nil, classify(doing, err)
	}
	return readPDF(doing, response)
}

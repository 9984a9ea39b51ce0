package google

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen"
)

// ExportPDF makes a PDF of a Docs or Slides file, at most MaxResponse bytes.
// files.export has a limit of its own (10 MB) and is known to answer a bare
// 500 instead of naming it; the file's export link has not, so it is asked
// then.
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
		pdf, err := readAll("export the file as PDF", response, nil)
		return pdf, findings, err
	}
	refusal := classify("export the file as PDF", err)
	if !overExportLimit(err) {
		return nil, nil, refusal
	}
	file, err := c.drive.Files.Get(fileID).SupportsAllDrives(true).Fields("exportLinks").Context(ctx).Do()
	if err != nil || file.ExportLinks[platen.MIMEPDF] == "" {
		return nil, nil, refusal
	}
	pdf, err := c.follow(ctx, file.ExportLinks[platen.MIMEPDF])
	return pdf, nil, err
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

func overExportLimit(err error) bool {
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
	return readAll(doing, response, nil)
}

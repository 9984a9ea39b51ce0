package google

import (
	"context"
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
	response, err := c.drive.Files.Export(fileID, platen.MIMEPDF).Context(ctx).Download()
	if err == nil || !overExportLimit(err) {
		return readAll("export the file as PDF", response, err)
	}
	refusal := classify("export the file as PDF", err)
	file, err := c.drive.Files.Get(fileID).SupportsAllDrives(true).Fields("exportLinks").Context(ctx).Do()
	if err != nil || file.ExportLinks[platen.MIMEPDF] == "" {
		return nil, refusal
	}
	return c.follow(ctx, file.ExportLinks[platen.MIMEPDF])
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

package google

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// Shown lets tests look at the passages of a file.
func (c *Client) Shown(ctx context.Context, fileID, mimeType string) ([]string, error) {
	if mimeType == platen.MIMESlides {
		return c.presentation(fileID).show(ctx)
	}
	return c.document(fileID).show(ctx)
}

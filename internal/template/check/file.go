package check

import (
	"fmt"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/office"
	"github.com/platenhq/platen/internal/drive/slides"
)

// OfFile reads a .docx or .pptx. The error is for a file that is neither, or
// that cannot be read.
func OfFile(content []byte) (*Template, error) {
	if p, err := office.ReadPresentation(content); err == nil {
		shown, err := slides.Get(p, "file", "file", "1")
		if err != nil {
			return nil, fmt.Errorf("read the presentation: %w", err)
		}
		return OfPresentation(shown), nil
	}
	d, err := office.ReadDocument(content)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	shown, err := docs.Get(d, "file", "file", "1")
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return OfDocument(shown), nil
}

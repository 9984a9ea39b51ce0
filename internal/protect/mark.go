package protect

import (
	"bytes"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/platenhq/platen/internal/platen"
)

// markLook lays a word across a page: grey, seen through, over what is there.
const markLook = "scale:0.8 rel, rotation:45, opacity:0.2"

// Mark writes a word of ASCII letters across every page of a PDF, so that
// nobody takes it for the document itself. KindInvalid: the PDF cannot be read.
// KindTooLarge: it is larger than MaxInput.
func (Protector) Mark(pdf []byte, word string) (marked []byte, err error) {
	if len(pdf) > MaxInput {
		return nil, platen.Errorf(platen.KindTooLarge, "pdf_too_large", "The PDF is larger than %d MiB: make the template smaller.", MaxInput>>20)
	}
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			marked, err = nil, unreadableError(fmt.Errorf("panic: %v", cause))
		}
	}()
	preparePDFCPU()
	page, err := markPage(word)
	if err != nil {
		return nil, fmt.Errorf("draw the mark: %w", err)
	}
	mark, err := api.PDFWatermarkForReadSeeker(bytes.NewReader(page), 1, markLook, true, false, types.POINTS)
	if err != nil {
		return nil, fmt.Errorf("prepare the mark: %w", err)
	}
	config := model.NewDefaultConfiguration()
	config.Offline = true
	config.Optimize, config.OptimizeBeforeWriting = false, false
	var out bytes.Buffer
	out.Grow(len(pdf) + len(pdf)/8)
	if err := api.AddWatermarks(bytes.NewReader(pdf), &out, nil, mark, config); err != nil {
		return nil, unreadableError(err)
	}
	return out.Bytes(), nil
}

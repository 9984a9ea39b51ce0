package protect

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// pagesOfOurs are the first two objects of a file of our renderer's making, the catalog and
// the pages with their number.
var pagesOfOurs = regexp.MustCompile(`^1 0 obj\n<<[^\n]*>>\nendobj\n\n2 0 obj\n<</Type /Pages /Count (\d+) /Kids \[`)

// Pages returns how many pages a PDF has that is not encrypted; 0: that cannot be told.
func (Protector) Pages(pdf []byte) (pages int) {
	if ours, ok := bytes.CutPrefix(pdf, directHead); ok {
		if found := pagesOfOurs.FindSubmatch(ours[:min(len(ours), 4<<10)]); found != nil {
			pages, _ = strconv.Atoi(string(found[1]))
			return pages
		}
	}
	defer func() {
		if recover() != nil { // the library panics on some broken files
			pages = 0
		}
	}()
	preparePDFCPU()
	config := model.NewDefaultConfiguration()
	config.Offline = true
	config.Optimize, config.OptimizeBeforeWriting = false, false
	read, err := api.ReadContext(bytes.NewReader(pdf), config)
	if err != nil || read.EnsurePageCount() != nil {
		return 0
	}
	return read.PageCount
}

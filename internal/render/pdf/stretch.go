package pdf

import (
	"bytes"
	"fmt"
)

// stretchedText is a text whose letters are wider or narrower than their font
// has them. gopdf cannot say so; finish writes it into the page's content.
type stretchedText struct {
	page, text int // counted from 0; texts on their page
	stretch    float64
}

// What gopdf begins and ends every text with.
var (
	beginText = []byte("BT\n")
	endText   = []byte("ET\n")
)

// stretchTexts sets the horizontal scaling (ISO 32000-1, 9.3.4) of some of a
// page's texts, which come in their order.
func stretchTexts(content []byte, texts []stretchedText) []byte {
	if len(texts) == 0 {
		return content
	}
	out := make([]byte, 0, len(content)+24*len(texts))
	for n := 0; len(texts) > 0; n++ {
		at := bytes.Index(content, beginText)
		if at < 0 {
			break
		}
		at += len(beginText)
		out, content = append(out, content[:at]...), content[at:]
		if texts[0].text != n {
			continue
		}
		end := bytes.Index(content, endText)
		if end < 0 {
			break
		}
		out = fmt.Appendf(out, "%.2f Tz\n", texts[0].stretch*100)
		out = append(append(out, content[:end]...), "100 Tz\n"...)
		content, texts = content[end:], texts[1:]
	}
	return append(out, content...)
}

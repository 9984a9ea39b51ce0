package pdf

import (
	"bytes"
	"fmt"

	"github.com/platenhq/platen/internal/office/dml"
)

// changedText is a text whose letters are drawn in another way than their font has
// them. gopdf cannot say so; finish writes it into the page's content.
type changedText struct {
	page, text int // counted from 0; texts on their page
	// stretch is how wide letters are, 1 for as in their font.
	stretch float64
	// line is the width of a line around letters that have no bold font, in points;
	// 0 for none. It has their colour.
	line  float64
	color dml.RGB
	// isSlanted is true for letters that have no sloped font.
	isSlanted bool
}

// How letters without a font of their own are made bold, in parts of their size, and
// sloped: as LibreOffice does.
const (
	boldLine = 1.0 / 30
	slant    = 1.0 / 3
)

func (t *changedText) isAny() bool { return t.stretch != 1 || t.line > 0 || t.isSlanted }

// What gopdf begins and ends every text with.
var (
	beginText = []byte("BT\n")
	endText   = []byte("ET\n")
)

// changeTexts changes some of a page's texts, which come in their order.
func changeTexts(content []byte, texts []changedText) []byte {
	if len(texts) == 0 {
		return content
	}
	const each = 64
	out := make([]byte, 0, len(content)+each*len(texts))
	for n := 0; len(texts) > 0; n++ {
		at := bytes.Index(content, beginText)
		if at < 0 {
			break
		}
		end := bytes.Index(content[at:], endText)
		if end < 0 {
			break
		}
		end += at + len(endText)
		if texts[0].text == n {
			out = texts[0].appendTo(append(out, content[:at]...), content[at:end])
			texts = texts[1:]
		} else {
			out = append(out, content[:end]...)
		}
		content = content[end:]
	}
	return append(out, content...)
}

// appendTo writes a text with its scaling (ISO 32000-1, 9.3.4), its line (9.3.6) and
// its slant (9.4.2). The line is undone with the graphics state.
func (t *changedText) appendTo(out, text []byte) []byte {
	if t.line > 0 {
		out = fmt.Appendf(out, "q\n%.3f %.3f %.3f RG %.3f w 1 j [] 0 d 2 Tr\n", float64(t.color.R)/255, float64(t.color.G)/255, float64(t.color.B)/255, t.line)
	}
	text = bytes.TrimSuffix(bytes.TrimPrefix(text, beginText), endText)
	out = append(out, beginText...)
	if t.stretch != 1 {
		out = fmt.Appendf(out, "%.2f Tz\n", t.stretch*100)
	}
	if place, rest, ok := bytes.Cut(text, []byte(" TD\n")); ok && t.isSlanted {
		out = fmt.Appendf(out, "1 0 %.4f 1 %s Tm\n", slant, place)
		text = rest
	}
	out = append(out, text...)
	if t.stretch != 1 {
		out = append(out, "100 Tz\n"...)
	}
	out = append(out, endText...)
	if t.line > 0 {
		out = append(out, "Q\n"...)
	}
	return out
}

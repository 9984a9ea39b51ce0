package fill_test

import (
	"strings"
	"testing"
)

// A logo that is in the paragraph of the tag, or anchored to it, would go with it.
func TestADocumentTakesThePlaceOfNoObject(t *testing.T) {
	t.Parallel()
	const wp = ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"`
	tag := para(`{{include "Law"}}`)
	anchored := strings.Replace(tag, "</w:p>", `<w:r><w:drawing><wp:anchor`+wp+`><wp:extent cx="914400" cy="914400"/><wp:docPr id="7" name="Chart"/>CHART</wp:anchor></w:drawing></w:r></w:p>`, 1)
	inline := strings.ReplaceAll(anchored, "wp:anchor", "wp:inline")
	for body, want := range map[string]bool{tag: false, anchored: true, inline: true} {
		file := withChart(t, docx(t, "", "", ""), "word", "word/document.xml", "<w:sectPr>", body, chartXML("barChart"))
		_, _, err := fillDocument(t, file, `{}`)
		if got := err != nil && strings.Contains(err.Error(), "Another document takes the place"); got != want {
			t.Errorf("%.80s: got %v, want a mistake: %t", body, err, want)
		}
	}
}

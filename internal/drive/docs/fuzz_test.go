package docs

import (
	"encoding/json"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
)

// FuzzBatchUpdate carries out requests on a document with all kinds of content:
// they are refused, or leave a file that can be read, with indexes that join.
func FuzzBatchUpdate(f *testing.F) {
	for _, seed := range []string{
		`[{"replaceAllText":{"containsText":{"text":"{{Name}}","matchCase":true},"replaceText":"x\ny"}}]`,
		`[{"insertText":{"text":"a\nb","location":{"index":3}}},{"insertText":{"text":"z","endOfSegmentLocation":{"segmentId":"kix.header1"}}}]`,
		`[{"deleteContentRange":{"range":{"startIndex":2,"endIndex":9}}}]`,
		`[{"insertTable":{"rows":2,"columns":3,"location":{"index":4}}},{"insertTableRow":{"tableCellLocation":{"tableStartLocation":{"index":5}},"insertBelow":true}}]`,
		`[{"insertTableColumn":{"tableCellLocation":{"tableStartLocation":{"index":8},"rowIndex":0,"columnIndex":0},"insertRight":true}}]`,
		`[{"deleteTableColumn":{"tableCellLocation":{"tableStartLocation":{"index":8},"columnIndex":1}}},{"deleteTableRow":{"tableCellLocation":{"tableStartLocation":{"index":8}}}}]`,
		`[{"createNamedRange":{"name":"n","range":{"startIndex":1,"endIndex":5}}},{"replaceNamedRangeContent":{"namedRangeName":"n","text":"y\nz"}},{"deleteNamedRange":{"name":"n"}}]`,
		`[{"updateTextStyle":{"range":{"startIndex":1,"endIndex":4},"textStyle":{"bold":true,"link":{"url":"https://example.com"}},"fields":"bold,link"}}]`,
		`[{"updateParagraphStyle":{"range":{"startIndex":1,"endIndex":4},"paragraphStyle":{"alignment":"CENTER"},"fields":"*"}}]`,
		`[{"createParagraphBullets":{"range":{"startIndex":1,"endIndex":4},"bulletPreset":"BULLET_DISC_CIRCLE_SQUARE"}},{"deleteParagraphBullets":{"range":{"startIndex":1,"endIndex":4}}}]`,
		`[{"insertPageBreak":{"location":{"index":2}}},{"deleteHeader":{"headerId":"kix.header1"}},{"createHeader":{"type":"DEFAULT"}},{"createFooter":{"type":"DEFAULT","sectionBreakLocation":{"index":0}}}]`,
		`[{"mergeTableCells":{"tableRange":{"tableCellLocation":{"tableStartLocation":{"index":8}},"rowSpan":1,"columnSpan":2}}}]`,
		`[{"updateTableCellStyle":{"tableRange":{"tableCellLocation":{"tableStartLocation":{"index":8}},"rowSpan":2,"columnSpan":2},"tableCellStyle":{"borderTop":{"width":{"magnitude":1}}},"fields":"*"}}]`,
		`[null,{}]`, `[{"insertInlineImage":{"uri":"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=","location":{"index":2}}}]`,
	} {
		f.Add(seed)
	}
	body := para("Dear {{Name}}") + tableXML([]string{para("a𝒳"), tableXML([]string{para("in")}) + para("x")}, []string{para("c") + para("d"), para("")}) +
		spanned + `<w:p><w:ins w:id="1" w:author="x"><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` + para("last")
	original, err := docx(f, body).Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var requests []*gdocs.Request
		if json.Unmarshal([]byte(text), &requests) != nil || len(requests) > 100 || MarkStarts([]byte(`{"requests":`+text+`}`), requests) != nil {
			return
		}
		d, err := wml.ReadDocument(original)
		if err != nil {
			t.Fatal(err)
		}
		answers, err := Apply(d, "id", requests)
		if err != nil {
			return
		}
		if len(answers) != len(requests) {
			t.Fatalf("%d answers to %d requests", len(answers), len(requests))
		}
		get(t, reread(t, d))
	})
}

package docs

import (
	"math/rand/v2"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
)

// A paragraph is not read anew for each piece that gets a style: that must leave
// what reading it anew would have left.
func TestStylesOfOneBatchAreThoseOfManyBatches(t *testing.T) {
	t.Parallel()
	const body = `<w:p><w:r><w:t xml:space="preserve">one two </w:t><w:tab/><w:t>three</w:t><w:br/></w:r>` +
		`<w:hyperlink r:id="x"><w:r><w:rPr><w:i/></w:rPr><w:t>a link</w:t></w:r><w:r><w:t>ed text</w:t></w:r></w:hyperlink>` +
		`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/><w:t>behind</w:t><w:noBreakHyphen/><w:t>it 𝄞 too</w:t></w:r></w:p>`
	apply := func(d *wml.Document, requests ...*gdocs.Request) {
		t.Helper()
		if _, err := Apply(d, "id", requests); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		once, often := docx(t, body), docx(t, body)
		content := get(t, once).Body.Content
		start, end := content[1].StartIndex, content[1].EndIndex
		var requests []*gdocs.Request
		for range 12 {
			from := start + random.Int64N(end-start-1)
			style, fields := &gdocs.TextStyle{Bold: random.IntN(2) == 0}, "bold"
			if random.IntN(3) == 0 {
				style, fields = &gdocs.TextStyle{Link: &gdocs.Link{Url: "https://example.com/"}}, "link"
			}
			requests = append(requests, &gdocs.Request{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{
				Range: &gdocs.Range{StartIndex: from, EndIndex: from + 1 + random.Int64N(end-from-1)}, TextStyle: style, Fields: fields,
			}})
		}
		apply(once, requests...)
		for _, r := range requests {
			apply(often, r)
		}
		got, _ := once.Package.Part("word/document.xml")
		want, _ := often.Package.Part("word/document.xml")
		if string(got) != string(want) {
			t.Fatalf("seed %d: in one batch\n%s\nin many\n%s", seed, got, want)
		}
	}
}

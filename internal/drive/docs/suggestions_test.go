package docs

import (
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
)

func TestSuggestionsAreShownAcceptedOrRejected(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:ins w:id="1" w:author="x"><w:r><w:t>new</w:t></w:r></w:ins>` +
		`<w:del w:id="2" w:author="x"><w:r><w:rPr><w:b/></w:rPr><w:delText>old</w:delText></w:r></w:del><w:r><w:t>.</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:rPr><w:ins w:id="3" w:author="x"/></w:rPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p>` +
		`<w:tbl><w:tblGrid><w:gridCol w:w="9"/></w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr><w:tr><w:trPr><w:ins w:id="4" w:author="x"/></w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl>` + para("z")
	d := docx(t, body)
	if got, want := outline(get(t, d).Body.Content), "§a new.¶b¶[|¶/|¶/]z¶"; got != want {
		t.Errorf("accepted: got %q, want %q", got, want)
	}
	if err := RejectSuggestions(d.Package); err != nil {
		t.Fatal(err)
	}
	d, err := wml.Resolve(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(get(t, d).Body.Content), "§a old.¶b¶[|¶/]z¶"; got != want {
		t.Errorf("rejected: got %q, want %q", got, want)
	}
}

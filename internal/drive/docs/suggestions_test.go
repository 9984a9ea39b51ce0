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

// rejected is the outline of a body whose tracked changes are taken back.
func rejected(t *testing.T, body string) string {
	t.Helper()
	d := docx(t, body)
	if err := RejectSuggestions(d.Package); err != nil {
		t.Fatal(err)
	}
	d, err := wml.Resolve(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	return outline(get(t, d).Body.Content)
}

// Tracked changes are ECMA-376 part 1, 17.13.5.
func TestTrackedChangesAreTakenBackWhereverTheyStand(t *testing.T) {
	t.Parallel()
	run := func(text string) string { return `<w:r><w:t>` + text + `</w:t></w:r>` }
	gone := func(text string) string { return `<w:r><w:delText>` + text + `</w:delText></w:r>` }
	for name, c := range map[string]struct{ body, want string }{
		"a move":                          {`<w:p><w:moveFrom w:id="1">` + run("from") + `</w:moveFrom>` + run("-") + `<w:moveTo w:id="2">` + run("to") + `</w:moveTo></w:p>`, "§from-¶"},
		"several runs":                    {`<w:p>` + run("a") + `<w:del w:id="1">` + gone("b") + gone("c") + `</w:del>` + run("d") + `</w:p>`, "§abcd¶"},
		"an insertion deleted":            {`<w:p>` + run("a") + `<w:ins w:id="1"><w:del w:id="2">` + gone("b") + `</w:del></w:ins></w:p>`, "§a¶"},
		"an insertion in what is deleted": {`<w:p>` + run("a") + `<w:del w:id="1">` + gone("b") + `<w:ins w:id="2">` + run("c") + `</w:ins></w:del></w:p>`, "§ab¶"},
		"in a link":                       {`<w:p><w:hyperlink r:id="l">` + run("a") + `<w:ins w:id="1">` + run("b") + `</w:ins></w:hyperlink></w:p>`, "§a¶"},
		"in a cell":                       {tableXML([]string{`<w:p><w:ins w:id="1">` + run("new") + `</w:ins></w:p>`}) + `<w:p/>`, "§[|¶/]¶"},
		"a field":                         {`<w:p><w:del w:id="1"><w:r><w:fldChar w:fldCharType="begin"/><w:delInstrText>PAGE</w:delInstrText><w:fldChar w:fldCharType="separate"/><w:delText>3</w:delText><w:fldChar w:fldCharType="end"/></w:r></w:del></w:p>`, "§<PAGE_NUMBER>¶"},
		"a row and one that was":          {`<w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` + para("old") + `</w:tc></w:tr><w:tr><w:trPr><w:ins w:id="2"/></w:trPr><w:tc>` + para("new") + `</w:tc></w:tr></w:tbl><w:p/>`, "§[|old¶/]¶"},
		"none of styles":                  {`<w:p><w:pPr><w:pPrChange w:id="1"><w:pPr/></w:pPrChange></w:pPr>` + run("a") + `</w:p>`, "§a¶"},
	} {
		if got := rejected(t, c.body); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestTrackedChangesOfHeadersAndNotesAreTakenBackToo(t *testing.T) {
	t.Parallel()
	changed := `<w:p><w:ins w:id="1"><w:r><w:t>new</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del></w:p>`
	d := docxWith(t, para("a"), map[string]string{
		"header1":   `<w:hdr` + namespaces + `>` + changed + `</w:hdr>`,
		"footnotes": `<w:footnotes` + namespaces + `><w:footnote w:id="2">` + changed + `</w:footnote></w:footnotes>`,
	})
	if err := RejectSuggestions(d.Package); err != nil {
		t.Fatal(err)
	}
	doc := get(t, d)
	if got := outline(doc.Headers["kix.header1"].Content) + outline(doc.Footnotes["kix.footnote2"].Content); got != "old¶old¶" {
		t.Errorf("got %q", got)
	}
}

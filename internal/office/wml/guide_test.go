package wml

import "testing"

func guided(properties, above, below string) string {
	return `<w:r>` + `<w:t xml:space="preserve">before </w:t><w:ruby><w:rubyPr>` + properties + `</w:rubyPr><w:rt>` + above + `</w:rt><w:rubyBase>` + below + `</w:rubyBase></w:ruby><w:t> behind</w:t></w:r>`
}

func TestATextHasItsPhoneticGuide(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{body: `<w:p>` + guided(`<w:rubyAlign w:val="center"/><w:hps w:val="11"/><w:hpsRaise w:val="20"/>`, text("とう"), text("東")+text("京")) + `</w:p>`}.read(t))
	equal(t, "text", p.Text(), "before 東京behind")
	equal(t, "runs", len(p.Runs), 4)
	g := p.Runs[1].Guide
	if g == nil || p.Runs[2].Guide != g || p.Runs[0].Guide != nil || p.Runs[3].Guide != nil {
		t.Fatalf("the guide does not stand over both runs of its text and no other")
	}
	equal(t, "align", g.Align, "center")
	equal(t, "raise", g.Raise, 10.0)
	equal(t, "guide", g.Runs[0].Items[0].Text, "とう")
	equal(t, "size", g.Runs[0].Size, 5.5)
}

func TestAPhoneticGuideWithoutTextBelowItIsText(t *testing.T) {
	t.Parallel()
	equal(t, "no text", firstParagraph(t, docx{body: `<w:p>` + guided(``, text("とう"), ``) + `</w:p>`}.read(t)).Text(), "before とうbehind")
	equal(t, "no guide", firstParagraph(t, docx{body: `<w:p>` + guided(``, ``, text("東")) + `</w:p>`}.read(t)).Text(), "before 東behind")
}

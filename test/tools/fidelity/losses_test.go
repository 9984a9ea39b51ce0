package main

import (
	"archive/zip"
	"bytes"
	"maps"
	"testing"

	"github.com/platenhq/platen/internal/render"
)

// officeFile is a file of parts.
func officeFile(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, content := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestWhatAFileHoldsIsCountedInItsXML(t *testing.T) {
	t.Parallel()
	c, err := countContents(officeFile(t, map[string]string{
		"word/styles.xml": `<styles><style styleId="Secret"><rPr><vanish/></rPr></style></styles>`,
		"word/document.xml": `<document><p><r><t>Hel</t></r><r><t>lo World</t></r></p><p><r><rPr><vanish/></rPr><t>hidden</t></r><r><rPr><rStyle val="Secret"/></rPr><t>secret</t></r><r><t>world</t></r></p>` +
			`<p><r><txbxContent><p><r><t>inside</t></r></p></txbxContent></r><r><t>outside</t></r></p><moveFrom><r><t>moved</t></r></moveFrom>` +
			`<p><oMath><r><t>formula</t></r></oMath></p><spPr><solidFill/></spPr><spPr><ln><solidFill/></ln></spPr><blip embed="a"/><blip embed="a"/><blip embed="b"/><chart id="c"/></document>`,
		"word/_rels/document.xml.rels": `<Relationships><Relationship Id="a" Target="media/a.png"/><Relationship Id="b" Target="media/b.emf"/><Relationship Id="c" Target="charts/c.xml"/></Relationships>`,
		"word/media/a.png":             "x", "word/media/b.emf": "x",
		"word/charts/c.xml": `<chartSpace><ser/><ser/></chartSpace>`,
	}), "docx")
	if err != nil {
		t.Fatal(err)
	}
	for word, times := range map[string]int{"hello": 1, "world": 2, "inside": 1, "outside": 1, "formula": 1} {
		if c.words[word] != times {
			t.Errorf("%s: got %d times, want %d", word, c.words[word], times)
		}
	}
	if len(c.words) != 5 || c.shapes != 1 || c.series != 2 || len(c.pictures) != 1 {
		t.Errorf("got %+v, want 5 words, a shape, two series and a picture", c)
	}
}

func wantWords(t *testing.T, what string, c *contents, want map[string]int) {
	t.Helper()
	if !maps.Equal(c.words, want) {
		t.Errorf("%s: got %v, want %v", what, c.words, want)
	}
}

func TestTextThatAStyleHidesIsNotCounted(t *testing.T) {
	t.Parallel()
	const styles = `<styles><style type="paragraph" styleId="Gone" default="1"><rPr><vanish/></rPr></style><style type="paragraph" styleId="Child"><basedOn val="Gone"/></style>` +
		`<style type="paragraph" styleId="Back"><basedOn val="Gone"/><rPr><vanish val="0"/></rPr></style><style type="paragraph" styleId="Loop"><basedOn val="Loop"/></style>` +
		`<style type="paragraph" styleId="OnScreen"><rPr><webHidden/></rPr></style>` +
		`<style type="character" styleId="Shown"><rPr><vanish val="false"/></rPr></style><style type="character" styleId="Plain"/></styles>`
	styled := func(style, content string) string {
		return `<p><pPr><pStyle val="` + style + `"/></pPr>` + content + `</p>`
	}
	run := func(properties, text string) string { return `<r><rPr>` + properties + `</rPr><t>` + text + `</t></r>` }
	for what, c := range map[string]struct {
		body string
		want map[string]int
	}{
		"the usual style":         {`<p>` + run("", "word") + `</p>`, nil},
		"one that is based on it": {styled("Child", run("", "word")), nil},
		"one that shows again":    {styled("Back", run("", "word")), map[string]int{"word": 1}},
		"of itself":               {styled("Loop", run("", "word")), map[string]int{"word": 1}},
		"for the screen":          {styled("OnScreen", run("", "word")), map[string]int{"word": 1}},
		"a run that shows":        {styled("Child", run(`<vanish val="0"/>`, "word")+run("", "none")), map[string]int{"word": 1}},
		"a style of characters":   {styled("Child", run(`<rStyle val="Shown"/>`, "word")+run(`<rStyle val="Plain"/>`, "none")), map[string]int{"word": 1}},
		"a box":                   {styled("Back", `<r><txbxContent>`+styled("Child", run("", "none"))+`</txbxContent></r>`+run("", "word")), map[string]int{"word": 1}},
	} {
		counted, err := countContents(officeFile(t, map[string]string{"word/styles.xml": styles, "word/document.xml": `<document>` + c.body + `</document>`}), "docx")
		if err != nil {
			t.Fatal(err)
		}
		wantWords(t, what, counted, c.want)
	}
}

func TestWordsEndAtSignsGuidesAndTurnsOfTheText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]map[string]int{
		`<r><t>word</t><sym/><t>next</t></r>`:                                                     {"word": 1, "next": 1},
		`<r><ruby><rt><r><t>guide</t></r></rt><rubyBase><r><t>text</t></r></rubyBase></ruby></r>`: {"guide": 1, "text": 1},
		`<r><t>سلامaaaaسلام</t></r>`:                                                              {"سلام": 2, "aaaa": 1},
	} {
		counted, err := countContents(officeFile(t, map[string]string{"word/document.xml": `<document><p>` + body + `</p></document>`}), "docx")
		if err != nil {
			t.Fatal(err)
		}
		wantWords(t, body, counted, want)
	}
}

func TestHiddenSlidesAreNotCounted(t *testing.T) {
	t.Parallel()
	slide := func(show string) string {
		return `<sld` + show + `><sp><spPr show="0"/><p><r><t>word</t></r></p></sp></sld>`
	}
	counted, err := countContents(officeFile(t, map[string]string{
		"ppt/slides/slide1.xml": slide(``), "ppt/slides/slide2.xml": slide(` show="1"`), "ppt/slides/slide3.xml": slide(` show="0"`), "ppt/slides/slide4.xml": slide(` show="false"`),
	}), "pptx")
	if err != nil {
		t.Fatal(err)
	}
	wantWords(t, "slides", counted, map[string]int{"word": 2})
}

func TestAWordFromTheRightMayBeReadInTwoPieces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, text string
		isThere    bool
	}{
		{"بغداد", "xبغدادx", true}, {"بغداد", "xدبغداx", true}, {"بغداد", "xبغداx", false}, {"بغداد", "xدادغبx", false},
		{"word", "xwordx", true}, {"word", "xdworx", false},
	} {
		got := (&contents{words: map[string]int{c.word: 1}}).losses(drawn{text: c.text})
		if (len(got) == 0) != c.isThere {
			t.Errorf("%s in %s: got %v, want it to be there: %t", c.word, c.text, got, c.isThere)
		}
	}
}

func TestWhatAPDFLacksNeedsAFinding(t *testing.T) {
	t.Parallel()
	c := contents{words: map[string]int{"hello": 2, "world": 1}, pictures: map[string]bool{"a": true}, shapes: 2, series: 1}
	all := drawn{text: "helloworldhello", pictures: 1, paths: 3}
	if got := c.losses(all); len(got) > 0 {
		t.Errorf("got %v, want no loss", got)
	}
	for what, d := range map[string]drawn{"words": {text: "helloworld", pictures: 1, paths: 3}, "a picture": {text: all.text, paths: 3}, "a series": {text: all.text, pictures: 1, paths: 1}} {
		got := c.losses(d)
		if len(got) != 1 {
			t.Errorf("%s: got %v, want one loss", what, got)
			continue
		}
		if got[0].isTold(nil) || !got[0].isTold([]render.Finding{{Code: render.FindingDrawing}}) {
			t.Errorf("%s: told without a finding, or not told by one", what)
		}
	}
}

func TestDrawnThingsAreReadFromOtherPrograms(t *testing.T) {
	t.Parallel()
	got := readDrawn("Hel-\nlo 1\n", "page num type width height\n   1   0 image    10   20  rgb\n   1   1 smask    10   20  gray\n", `<fill_path><stroke_path><fill_text>`)
	if want := (drawn{text: "hello", pictures: 1, paths: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

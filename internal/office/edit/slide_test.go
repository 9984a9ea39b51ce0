package edit

import (
	"strings"
	"testing"
)

func TestReplaceTextOnSlides(t *testing.T) {
	t.Parallel()
	run := func(text string) string { return `<a:r><a:rPr lang="en" b="1"/><a:t>` + text + `</a:t></a:r>` }
	shape := func(paragraphs string) string {
		return `<p:sp><p:txBody><a:bodyPr/>` + paragraphs + `</p:txBody></p:sp>`
	}
	cases := []struct{ name, find, with, body, want string }{
		{"split over runs", "{{A}}", "v", `<a:p>` + run("{") + `<a:r><a:t>{A}</a:t></a:r>` + run("}!") + `</a:p>`, `<a:p>` + run("v") + run("!") + `</a:p>`},
		{"empty keeps the line's height", "{{A}}", "", `<a:p>` + run("{{A}}") + `</a:p>`, `<a:p><a:r><a:rPr lang="en" b="1"/><a:t/></a:r></a:p>`},
		{"line break", "{{A}}", "1\v2\t3", `<a:p>` + run("{{A}}") + `</a:p>`, `<a:p>` + run("1") + `<a:br><a:rPr lang="en" b="1"/></a:br>` + run("2\t3") + `</a:p>`},
		{"new paragraph", "{{A}}", "1\n2", `<a:p><a:pPr lvl="1"/>` + run("({{A}})") + `<a:endParaRPr sz="900"/></a:p>`,
			`<a:p><a:pPr lvl="1"/>` + run("(1") + `<a:endParaRPr sz="900"/></a:p><a:p><a:pPr lvl="1"/>` + run("2)") + `<a:endParaRPr sz="900"/></a:p>`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := slideFile(t, shape(c.body), "")
			if _, err := ReplaceText(p, c.find, c.with, true); err != nil {
				t.Fatal(err)
			}
			got := strings.TrimPrefix(inside(t, reread(t, p), slide, "p:txBody"), `<a:bodyPr/>`)
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
	table := `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p>` + run("{{A}}") + `</a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	grouped := `<p:grpSp><p:grpSp>` + shape(`<a:p>`+run("{{A}}")+`</a:p>`) + `</p:grpSp></p:grpSp>`
	p := slideFile(t, table+grouped, shape(`<a:p>`+run("{{A}}")+`</a:p>`))
	if count, err := ReplaceText(p, "{{A}}", "v", true); err != nil || count != 3 {
		t.Errorf("table, group and notes: got %d, %v; want 3", count, err)
	}
}

func TestEditsOfASlideKeepWhatTheyDoNotTouch(t *testing.T) {
	t.Parallel()
	const bold, number = `<a:rPr b="1"/>`, `<a:fld id="{1}" type="slidenum"><a:rPr b="1"/><a:t>4</a:t></a:fld>`
	text := func(s string) string { return `<a:r><a:t>` + s + `</a:t></a:r>` }
	styled := func(s string) string { return `<a:r>` + bold + `<a:t>` + s + `</a:t></a:r>` }
	cases := []struct {
		name, inside string
		edits        []Edit
		want         string
	}{
		{"into an empty paragraph, with the look of its end", `<a:pPr lvl="1"/><a:endParaRPr b="1"/>`, []Edit{{Text: "new"}}, `<a:pPr lvl="1"/>` + styled("new") + `<a:endParaRPr b="1"/>`},
		{"into nothing", ``, []Edit{{Text: "new"}}, text("new")},
		{"two lines into nothing", ``, []Edit{{Text: "a\nb"}}, text("a") + `</a:p><a:p>` + text("b")},
		{"in front of a number", number, []Edit{{Text: "x"}}, styled("x") + number},
		{"behind a number", text("a") + number, []Edit{{Start: 4, End: 4, Text: "x"}}, text("a") + number + styled("x")},
		{"for a number", text("a") + number + text("b"), []Edit{{Start: 1, End: 4, Text: "7"}}, text("a") + styled("7") + text("b")},
		{"without a number", text("a") + number + text("b"), []Edit{{Start: 1, End: 4}}, text("a") + text("b")},
		{"without a break", text("a") + `<a:br/>` + text("b"), []Edit{{Start: 1, End: 2}}, text("a") + text("b")},
		{"behind a break, with the text behind it", text("a") + `<a:br>` + bold + `</a:br>` + text("b"), []Edit{{Start: 2, End: 2, Text: "x"}}, text("a") + `<a:br>` + bold + `</a:br>` + text("xb")},
		{"the whole text, which keeps the height of its line", styled("ab"), []Edit{{Start: 0, End: 2}}, `<a:r>` + bold + `<a:t/></a:r>`},
		{"from one run into the next, of which nothing stays", styled("ab") + text("c") + text("d"), []Edit{{Start: 1, End: 3, Text: "x"}}, styled("ax") + text("d")},
		{"a break between letters", styled("ab"), []Edit{{Start: 1, End: 1, Text: "\v"}}, styled("a") + `<a:br>` + bold + `</a:br>` + styled("b")},
		{"a break at the start", styled("ab"), []Edit{{Text: "\v"}}, `<a:br>` + bold + `</a:br>` + styled("ab")},
		{"two new paragraphs", `<a:pPr lvl="1"/>` + styled("ab") + `<!-- c --><a:endParaRPr sz="900"/>`, []Edit{{Start: 1, End: 1, Text: "\n\n"}},
			`<a:pPr lvl="1"/>` + styled("a") + `<a:endParaRPr sz="900"/></a:p><a:p><a:pPr lvl="1"/><a:endParaRPr sz="900"/></a:p><a:p><a:pPr lvl="1"/>` + styled("b") + `<!-- c --><a:endParaRPr sz="900"/>`},
		{"a tab, which is a letter", text("ab"), []Edit{{Start: 1, End: 1, Text: "\t"}}, text("a\tb")},
		{"beside an equation", `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"/>`, []Edit{{Start: 3, End: 3, Text: "x"}}, `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"/>` + text("x")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := editedSlide(t, `<a:p>`+c.inside+`</a:p>`, c.edits...); got != `<a:p>`+c.want+`</a:p>` {
				t.Errorf("\n got %s\nwant <a:p>%s</a:p>", got, c.want)
			}
		})
	}
}

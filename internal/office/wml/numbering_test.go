package wml

import (
	"fmt"
	"strings"
	"testing"
)

// level is a w:lvl that counts from 1, with further children.
func level(i int, format, lvlText, more string) string {
	return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/>%s<w:lvlText w:val="%s"/></w:lvl>`, i, format, more, lvlText)
}

func abstract(id, content string) string {
	return `<w:abstractNum w:abstractNumId="` + id + `">` + content + `</w:abstractNum>`
}

func num(id, abstractID, overrides string) string {
	return `<w:num w:numId="` + id + `"><w:abstractNumId w:val="` + abstractID + `"/>` + overrides + `</w:num>`
}

func startAt(i int, value string) string {
	return fmt.Sprintf(`<w:lvlOverride w:ilvl="%d"><w:startOverride w:val="%s"/></w:lvlOverride>`, i, value)
}

// labels reads paragraphs, each "list/level", and returns what stands in front of them.
func labels(t *testing.T, lists, paragraphs string) []string {
	t.Helper()
	body := ""
	for _, p := range strings.Fields(paragraphs) {
		id, at, _ := strings.Cut(p, "/")
		body += listed(id, at, "")
	}
	var out []string
	for _, p := range paragraphsOf(docx{lists: lists, body: body}.read(t).Sections[0].Blocks) {
		if p.Label == nil {
			out = append(out, "-")
			continue
		}
		out = append(out, p.Label.Text)
	}
	return out
}

func TestListsCountTheirParagraphsLevelByLevel(t *testing.T) {
	t.Parallel()
	decimal := level(0, "decimal", "%1", "") + level(1, "decimal", "%1.%2", "") + level(2, "decimal", "%1.%2.%3", "")
	one := abstract("a", decimal) + num("1", "a", "")
	restarting := func(value string) string {
		return abstract("a", level(0, "decimal", "%1", "")+level(1, "decimal", "%1.%2", "")+level(2, "decimal", "%3", `<w:lvlRestart w:val="`+value+`"/>`)) + num("1", "a", "")
	}
	for _, c := range []struct{ what, lists, paragraphs, want string }{
		{"each level counts for itself", one, "1/0 1/0 1/1 1/1 1/2 1/0", "1 2 2.1 2.2 2.2.1 3"},
		{"a higher level starts the lower ones over", one, "1/0 1/1 1/2 1/1 1/2 1/0 1/1 1/2", "1 1.1 1.1.1 1.2 1.2.1 2 2.1 2.1.1"},
		{"a lower level leaves the higher ones alone", one, "1/1 1/2 1/1", "1.1 1.1.1 1.2"},
		{"levels that are passed over stand at their start", one, "1/2 1/2", "1.1.1 1.1.2"},
		// ECMA-376 part 1, 17.9.10: 0 is never; else the number, from 1, of the level that starts this one over.
		{"a level that never starts over", restarting("0"), "1/0 1/1 1/2 1/2 1/1 1/2 1/0 1/1 1/2", "1 1.1 1 2 1.2 3 2 2.1 4"},
		{"a level that only the first starts over", restarting("1"), "1/0 1/1 1/2 1/2 1/1 1/2 1/0 1/1 1/2", "1 1.1 1 2 1.2 3 2 2.1 1"},
		{"a level that the second starts over, and so the first, too", restarting("2"), "1/0 1/1 1/2 1/2 1/1 1/2 1/0 1/1 1/2", "1 1.1 1 2 1.2 1 2 2.1 1"},
		{"a start of its own", abstract("a", strings.Replace(level(0, "decimal", "%1", ""), `start w:val="1"`, `start w:val="5"`, 1)) + num("1", "a", ""), "1/0 1/0", "5 6"},
		{"no start counts from 0", abstract("a", `<w:lvl w:ilvl="0"><w:lvlText w:val="%1"/></w:lvl>`) + num("1", "a", ""), "1/0 1/0", "0 1"},
		{"lists of one definition count together", abstract("a", decimal) + num("1", "a", "") + num("2", "a", ""), "1/0 2/0 1/0", "1 2 3"},
		{"lists of two definitions do not", abstract("a", decimal) + abstract("b", decimal) + num("1", "a", "") + num("2", "b", ""), "1/0 2/0 1/0", "1 1 2"},
		{"an override of the start counts once", abstract("a", decimal) + num("1", "a", "") + num("2", "a", startAt(0, "7")), "1/0 2/0 2/0 1/0", "1 7 8 9"},
		{"an override may start at 0", abstract("a", decimal) + num("1", "a", startAt(0, "0")), "1/0 1/0", "0 1"},
		{"an override of a level that is passed over", abstract("a", decimal) + num("1", "a", startAt(0, "4")), "1/1 1/1", "4.1 4.2"},
	} {
		equal(t, c.what+": "+c.paragraphs, strings.Join(labels(t, c.lists, c.paragraphs), " "), c.want)
	}
}

// ECMA-376 part 1, 1st edition, startOverride: it "is used when this level initially starts
// in a document, as well as whenever it is restarted".
func TestAnOverriddenStartCountsEachTimeThatTheLevelStartsOver(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "%1", "")+level(1, "decimal", "%1.%2", "")) + num("1", "a", startAt(1, "5"))
	equal(t, "labels", labels(t, lists, "1/0 1/1 1/1 1/0 1/1"), []string{"1", "1.5", "1.6", "2", "2.5"})
}

func TestALevelMayBeReplacedInOneList(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "%1", "")+level(1, "decimal", "%1.%2", "")) + num("1", "a", "") +
		num("2", "a", `<w:lvlOverride w:ilvl="0">`+level(0, "upperRoman", "(%1)", "")+`</w:lvlOverride>`)
	equal(t, "labels", labels(t, lists, "1/0 2/0 2/1 1/0"), []string{"1", "(II)", "II.1", "3"})
}

func TestALabelPutsTheNumbersOfLevelsIntoItsText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, format, lvlText, more, want string }{
		{"a number", "decimal", "%2", "", "1"},
		{"the level above", "decimal", "%1", "", "IV"},
		{"text around", "decimal", "§ %1-%2:", "", "§ IV-1:"},
		{"a level below is left out", "decimal", "%2.%3", "", "1."},
		{"a level that the list does not have", "decimal", "%2.%9", "", "1."},
		{"two signs", "decimal", "%%2", "", "%1"},
		{"no level 0", "decimal", "%0", "", "%0"},
		{"a sign at the end", "decimal", "%2%", "", "1%"},
		{"a sign before a letter", "decimal", "%a", "", "%a"},
		{"letters", "lowerLetter", "%2)", "", "a)"},
		{"legal numbering is decimal", "upperRoman", "%1.%2", `<w:isLgl/>`, "4.1"},
		{"legal numbering switched off", "upperRoman", "%1.%2", `<w:isLgl w:val="0"/>`, "IV.I"},
		{"a bullet is taken as it is", "bullet", "%2", "", "%2"},
		{"a text without a number", "none", "Note", "", "Note"},
		{"no number of its own", "none", "%1%2!", "", "IV!"},
		{"legal numbering shows no number where there is none", "none", "%1%2!", `<w:isLgl/>`, "4!"},
	} {
		first := strings.Replace(level(0, "upperRoman", "%1", ""), `start w:val="1"`, `start w:val="4"`, 1)
		lists := abstract("a", first+level(1, c.format, c.lvlText, c.more)+level(2, "decimal", "%3", "")) + num("1", "a", "")
		equal(t, c.what, labels(t, lists, "1/0 1/1")[1], c.want)
	}
}

func TestALevelSaysWhatFollowsItsLabelAndWhereItStands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ more, suffix, align string }{
		{``, "tab", "left"},
		{`<w:suff w:val="nothing"/><w:lvlJc w:val="left"/>`, "nothing", "left"},
		{`<w:suff w:val="space"/><w:lvlJc w:val="center"/>`, "space", "center"},
		{`<w:suff/><w:lvlJc w:val="right"/>`, "tab", "right"},
		{`<w:lvlJc w:val="end"/>`, "tab", "right"},
		{`<w:lvlJc w:val="start"/>`, "tab", "left"},
	} {
		d := docx{lists: abstract("a", level(0, "decimal", "%1", c.more)) + num("1", "a", ""), body: listed("1", "0", "x")}.read(t)
		l := firstParagraph(t, d).Label
		if l.Suffix != c.suffix || l.Align != c.align {
			t.Errorf("%q: got %q at the %s, want %q at the %s", c.more, l.Suffix, l.Align, c.suffix, c.align)
		}
	}
}

func TestParagraphsOfListsThatAreNotThereHaveNoLabel(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "%1", "")+level(8, "decimal", "last", "")+level(9, "decimal", "beyond", "")+level(-1, "decimal", "before", "")) +
		num("1", "a", "") + num("2", "missing", "") + num("3", "a", startAt(9, "4")+startAt(-1, "4"))
	for paragraph, want := range map[string]string{
		"1/0":  "1",
		"1/8":  "last",
		"1/3":  "-", // the definition has no such level
		"1/9":  "1", // no level at all counts as the first
		"1/-1": "1",
		"0/0":  "-", // 0 removes a paragraph from its list
		"2/0":  "-", // without a definition
		"9/0":  "-", // without a list
		"3/0":  "1",
	} {
		equal(t, paragraph, labels(t, lists, paragraph), []string{want})
	}
}

// ECMA-376 part 1, 17.9.21: the definition's levels are those of the list that
// a style of numbering names.
func TestAListTakesItsLevelsFromAStyleOfNumbering(t *testing.T) {
	t.Parallel()
	linked := abstract("link", `<w:numStyleLink w:val="S"/>`) + num("1", "link", "")
	style := func(numID string) string {
		return `<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="` + numID + `"/></w:numPr></w:pPr></w:style>`
	}
	target := abstract("t", `<w:styleLink w:val="S"/>`+level(0, "upperLetter", "%1", "")) + num("2", "t", "")
	for _, c := range []struct {
		what, styles, lists string
		want                []string
	}{
		{"the style's list", style("2"), linked + target, []string{"A x", "B y"}},
		{"a style that is not there", ``, linked + target, []string{"x", "y"}},
		{"a list that is not there", style("7"), linked + target, []string{"x", "y"}},
		{"itself", style("1"), linked + target, []string{"x", "y"}},
	} {
		d := docx{styles: c.styles, lists: c.lists, body: listed("1", "0", "x") + listed("1", "0", "y")}.read(t)
		equal(t, c.what, shownTexts(d.Sections[0].Blocks), c.want)
	}
}

func TestAListCountsOnWithTheOneThatItTakesItsLevelsFrom(t *testing.T) {
	t.Parallel()
	d := docx{
		styles: `<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>`,
		lists:  abstract("link", `<w:numStyleLink w:val="S"/>`) + num("1", "link", "") + abstract("t", level(0, "decimal", "%1.", "")) + num("2", "t", ""),
		body:   listed("2", "0", "a") + listed("1", "0", "b") + listed("2", "0", "c"),
	}.read(t)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"1. a", "2. b", "3. c"})
}

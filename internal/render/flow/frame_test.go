package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func framePr(attributes string) string { return `<w:framePr ` + attributes + `/>` }

func wrappedAt(attributes string) string { return framePr(`w:wrap="around" w:w="800" ` + attributes) }

// The frame, 40 points wide with one line, belongs to the second line, at 70.
func TestAFrameStandsWhereItsPropertiesSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ attributes, want string }{
		"where the text is":            {``, "1: 50,86 f"},
		"away from it":                 {`w:x="400" w:y="200"`, "1: 70,96 f"},
		"from the margins":             {`w:hAnchor="margin" w:vAnchor="margin" w:x="400" w:y="200"`, "1: 70,76 f"},
		"from the page":                {`w:hAnchor="page" w:vAnchor="page" w:x="400" w:y="200"`, "1: 20,26 f"},
		"at the right of the column":   {`w:xAlign="right"`, "1: 210,86 f"},
		"in the middle of the margins": {`w:hAnchor="margin" w:vAnchor="margin" w:xAlign="center" w:yAlign="center"`, "1: 130,156 f"},
		"in a corner of the page":      {`w:hAnchor="page" w:vAnchor="page" w:xAlign="right" w:yAlign="bottom"`, "1: 260,296 f"},
		"in the line":                  {`w:yAlign="inline" w:y="100"`, "1: 50,91 f"},
		"not below the page":           {`w:vAnchor="page" w:y="5900"`, "1: 50,296 f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := places(t, rendertest.Docx{Body: lines("above") + linesOf(wrappedAt(c.attributes), "f") + lines("below")})
			if got[1] != c.want {
				t.Errorf("got %q, want %q", got[1], c.want)
			}
		})
	}
}

func TestTextRunsAroundFrames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		properties string
		want       []string
	}{
		"beside it":                 {wrappedAt(``), []string{"1: 50,66 f", "1: 90,66 a", "1: 50,86 b"}},
		"at a distance":             {wrappedAt(`w:hSpace="100" w:vSpace="100"`), []string{"1: 50,66 f", "1: 95,66 a", "1: 95,86 b"}},
		"along its least height":    {wrappedAt(`w:h="800"`), []string{"1: 50,66 f", "1: 90,66 a", "1: 90,86 b"}},
		"which may be less":         {wrappedAt(`w:h="100"`), []string{"1: 50,66 f", "1: 90,66 a", "1: 50,86 b"}},
		"along its exact height":    {wrappedAt(`w:h="800" w:hRule="exact"`), []string{"1: 50,66 f", "1: 90,66 a", "1: 90,86 b"}},
		"over it":                   {framePr(`w:w="800" w:wrap="none"`), []string{"1: 50,66 f", "1: 50,66 a", "1: 50,86 b"}},
		"only above and below it":   {framePr(`w:w="800" w:wrap="notBeside"`), []string{"1: 50,66 f", "1: 50,86 a", "1: 50,106 b"}},
		"as wide as its text":       {framePr(`w:wrap="around"`), []string{"1: 50,66 f", "1: 62,66 a", "1: 50,86 b"}},
		"a negative distance is 0":  {wrappedAt(`w:hSpace="-100"`), []string{"1: 50,66 f", "1: 90,66 a", "1: 50,86 b"}},
		"a drop cap":                {framePr(`w:dropCap="drop" w:lines="2" w:wrap="around"`) + `<w:spacing w:line="800" w:lineRule="exact"/>`, []string{"1: 50,82 f", "1: 62,66 a", "1: 62,86 b"}},
		"a drop cap in the margin":  {framePr(`w:dropCap="margin" w:lines="2" w:wrap="around"`) + `<w:spacing w:line="800" w:lineRule="exact"/>`, []string{"1: 38,82 f", "1: 50,66 a", "1: 50,86 b"}},
		"a drop cap, in the column": {framePr(`w:dropCap="drop" w:x="2000" w:wrap="around"`), []string{"1: 50,66 f", "1: 62,66 a", "1: 50,86 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: linesOf(c.properties, "f") + lines("a b")}, c.want...)
		})
	}
}

// A frame without a width is as wide as its widest line: 8 letters are 48 points,
// to which its indents come.
func TestAFrameWithoutAWidthIsAsWideAsItsWidestLine(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: linesOf(framePr(`w:wrap="around"`), "ff ffffffff") + lines("a b c")}, "1: 50,66 ff", "1: 50,86 ffffffff", "1: 98,66 a", "1: 98,86 b", "1: 50,106 c")
	wantPlaces(t, rendertest.Docx{Body: linesOf(framePr(`w:wrap="around"`)+`<w:ind w:left="200" w:right="400"/>`, "ffffffff") + lines("a")}, "1: 60,66 ffffffff", "1: 128,66 a")
}

func TestAFrameCountsFromBelowTheSpaceOfTheTextAbove(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: linesOf(`<w:spacing w:after="200"/>`, "above") + linesOf(wrappedAt(``), "f") + lines("a")}, "1: 50,66 above", "1: 50,96 f", "1: 90,96 a")
}

func floatingTable(attributes string) string {
	return `<w:tbl><w:tblPr><w:tblpPr ` + attributes + `/></w:tblPr><w:tblGrid><w:gridCol w:w="800"/></w:tblGrid>` + rowOf("", lines("x")) + rowOf("", lines("y")) + `</w:tbl>`
}

func TestTextRunsAroundFloatingTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes string
		want       []string
	}{
		"where the text is":   {`w:vertAnchor="text"`, []string{"1: 50,66 x", "1: 50,86 y", "1: 90,66 a", "1: 90,86 b", "1: 50,106 c"}},
		"away from it":        {`w:vertAnchor="text" w:tblpX="200" w:tblpY="400"`, []string{"1: 60,86 x", "1: 60,106 y", "1: 50,66 a", "1: 100,86 b", "1: 100,106 c"}},
		"at a distance":       {`w:vertAnchor="text" w:rightFromText="200"`, []string{"1: 50,66 x", "1: 50,86 y", "1: 100,66 a", "1: 100,86 b", "1: 50,106 c"}},
		"on the page":         {`w:vertAnchor="page" w:horzAnchor="page" w:tblpX="200" w:tblpY="100"`, []string{"1: 10,21 x", "1: 10,41 y", "1: 50,66 a", "1: 50,86 b", "1: 50,106 c"}},
		"at its right":        {`w:vertAnchor="text" w:tblpXSpec="right"`, []string{"1: 210,66 x", "1: 210,86 y", "1: 50,66 a", "1: 50,86 b", "1: 50,106 c"}},
		"no room on the page": {`w:vertAnchor="text" w:tblpY="3400"`, []string{"1: 50,66 x", "1: 50,86 y", "1: 50,106 a", "1: 50,126 b", "1: 50,146 c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: floatingTable(c.attributes) + lines("a b c")}, c.want...)
		})
	}
}

// A table does not run around another, as text does: it begins below, unless it has
// room at its side.
func TestATableStandsBelowAFloatingTableInItsWay(t *testing.T) {
	t.Parallel()
	table := func(properties, words string) string {
		return `<w:tbl><w:tblPr>` + properties + `</w:tblPr><w:tblGrid><w:gridCol w:w="800"/></w:tblGrid>` + rowOf("", lines(words)) + `</w:tbl>`
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"directly behind":                   {floatingTable(`w:vertAnchor="text"`) + table("", "a"), []string{"1: 50,66 x", "1: 50,86 y", "1: 50,106 a"}},
		"at a distance":                     {floatingTable(`w:vertAnchor="text" w:bottomFromText="100"`) + table("", "a"), []string{"1: 50,66 x", "1: 50,86 y", "1: 50,111 a"}},
		"with room at its side":             {floatingTable(`w:vertAnchor="text"`) + table(`<w:jc w:val="right"/>`, "a"), []string{"1: 50,66 x", "1: 50,86 y", "1: 210,66 a"}},
		"behind text":                       {floatingTable(`w:vertAnchor="text"`) + lines("t") + table("", "a"), []string{"1: 50,66 x", "1: 50,86 y", "1: 90,66 t", "1: 50,106 a"}},
		"one floating table for each of it": {floatingTable(`w:vertAnchor="text"`) + table("", "a") + floatingTable(`w:vertAnchor="text"`) + table("", "b"), []string{"1: 50,66 x", "1: 50,86 y", "1: 50,106 a", "1: 50,126 x", "1: 50,146 y", "1: 50,166 b"}},
		"its second row in the way":         {floatingTable(`w:vertAnchor="page" w:horzAnchor="page" w:tblpX="1000" w:tblpY="1600"`) + table("", "a b"), []string{"1: 50,96 x", "1: 50,116 y", "1: 50,66 a", "1: 50,136 b"}},
	} {
		for _, settings := range []string{word2013, ""} {
			body := strings.ReplaceAll(c.body, `<w:tblPr>`, `<w:tblPr><w:tblCellMar><w:left w:w="0" w:type="dxa"/></w:tblCellMar>`)
			if name == "its second row in the way" {
				body = strings.ReplaceAll(body, lines("a b"), lines("a")+`</w:tc></w:tr><w:tr><w:tc>`+lines("b"))
			}
			wantPlaces(t, rendertest.Docx{Settings: settings, Body: body}, c.want...)
		}
	}
	full := strings.Repeat("t ", 8)
	wantPages(t, rendertest.Docx{Body: lines(full) + floatingTable(`w:vertAnchor="text"`) + table("", "a")}, full+"x y | a")
	tall := strings.Replace(floatingTable(`w:vertAnchor="text"`), "<w:trPr>", `<w:trPr><w:trHeight w:val="3000"/>`, 1)
	wantPages(t, rendertest.Docx{Body: tall + table("", "a b c d e")}, "x y a | b c d e")
}

func TestAFloatingTableHigherThanAPageStandsInTheText(t *testing.T) {
	t.Parallel()
	table := `<w:tbl><w:tblPr><w:tblpPr w:vertAnchor="page" w:tblpY="100"/></w:tblPr><w:tblGrid><w:gridCol w:w="800"/></w:tblGrid>` + rowOf("", lines(ten)) + rowOf("", lines("k")) + `</w:tbl>`
	wantPages(t, rendertest.Docx{Body: table + lines("below")}, ten+" | k below")
}

func TestTheParagraphsOfATallFrameStandInTheText(t *testing.T) {
	t.Parallel()
	wantPages(t, rendertest.Docx{Body: linesOf(wrappedAt(``), ten+" k") + lines("below")}, ten+" | k below")
}

// In a header, a frame takes no height, and what follows stands beside it.
func TestAFrameInAHeaderStandsAside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header string
		want   []string
	}{
		"at the right":               {linesOf(wrappedAt(`w:xAlign="right"`), "f") + lines("head"), []string{"1: 210,26 f", "1: 50,26 head", "1: 50,66 text"}},
		"outside":                    {linesOf(wrappedAt(`w:xAlign="outside"`), "f") + lines("head"), []string{"1: 210,26 f", "1: 50,26 head", "1: 50,66 text"}},
		"in the middle of the page":  {linesOf(wrappedAt(`w:xAlign="center" w:hAnchor="page"`), "f") + lines("head"), []string{"1: 130,26 f", "1: 50,26 head", "1: 50,66 text"}},
		"two lines of it":            {linesOf(wrappedAt(`w:xAlign="right"`), "f g") + lines("head"), []string{"1: 210,26 f", "1: 210,46 g", "1: 50,26 head", "1: 50,66 text"}},
		"as wide as its text":        {linesOf(framePr(`w:wrap="around" w:xAlign="right"`), "fffff") + lines("head"), []string{"1: 220,26 fffff", "1: 50,26 head", "1: 50,66 text"}},
		"at the left it does not":    {linesOf(wrappedAt(`w:xAlign="left"`), "f") + lines("head"), []string{"1: 50,26 f", "1: 50,46 head", "1: 50,66 text"}},
		"nor as the last":            {lines("head") + linesOf(wrappedAt(`w:xAlign="right"`), "f"), []string{"1: 50,26 head", "1: 50,46 f", "1: 50,66 text"}},
		"nor without an alignment":   {linesOf(wrappedAt(``), "f") + lines("head"), []string{"1: 50,26 f", "1: 50,46 head", "1: 50,66 text"}},
		"nor as a drop cap":          {linesOf(wrappedAt(`w:dropCap="drop" w:xAlign="right"`), "f") + lines("head"), []string{"1: 50,26 f", "1: 50,46 head", "1: 50,66 text"}},
		"away from its place, below": {linesOf(wrappedAt(`w:xAlign="right" w:y="100"`), "f") + lines("head"), []string{"1: 210,31 f", "1: 50,26 head", "1: 50,66 text"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: lines("text"), Section: header("default", "header1"), Parts: map[string]string{"header1.xml": c.header}}, c.want...)
		})
	}
}

package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

const (
	pageBreak   = `<w:r><w:br w:type="page"/></w:r>`
	columnBreak = `<w:r><w:br w:type="column"/></w:r>`
)

func TestAPageHoldsTheLinesThatFit(t *testing.T) {
	t.Parallel()
	wantPages(t, rendertest.Docx{Body: lines("a b c d e f g h i j k")}, "a b c d e f g h i j | k")
	wantPages(t, rendertest.Docx{Body: brokenParagraph("", "a b c d e f g h i j k l m n o p q r s t u")}, "a b c d e f g h i j | k l m n o p q r s t | u")
}

const (
	widows    = `<w:widowControl/>`
	keepLines = `<w:keepLines/>`
	keepNext  = `<w:keepNext/>`
	ten       = "a b c d e f g h i j"
)

// The paragraphs stand behind as many lines of a page of ten.
func TestParagraphsBreakBetweenTheRightLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before           int
		properties, text string
		want             string
	}{
		"three of four fit without control":          {7, "", "p q r s", "a b c d e f g p q r | s"},
		"the last line takes one along":              {7, widows, "p q r s", "a b c d e f g p q | r s"},
		"two and two are fine":                       {8, widows, "p q r s", "a b c d e f g h p q | r s"},
		"the first line does not stay alone":         {9, widows, "p q r s", "a b c d e f g h i | p q r s"},
		"without control it does":                    {9, "", "p q r s", "a b c d e f g h i p | q r s"},
		"three lines break nowhere":                  {8, widows, "p q r", "a b c d e f g h | p q r"},
		"nor do two":                                 {9, widows, "p q", "a b c d e f g h i | p q"},
		"one line stands where it fits":              {9, widows, "p", "a b c d e f g h i p"},
		"a paragraph over three pages":               {9, widows, "k l m n o p q r s t u v", "a b c d e f g h i | k l m n o p q r s t | u v"},
		"the last line of a second page":             {9, widows, "k l m n o p q r s t u", "a b c d e f g h i | k l m n o p q r s | t u"},
		"lines that are kept move together":          {8, keepLines, "p q r s", "a b c d e f g h | p q r s"},
		"where they fit they stay":                   {6, keepLines, "p q r s", "a b c d e f p q r s"},
		"more lines than a page has begin a new one": {1, keepLines, "k l m n o p q r s t u v", "a | k l m n o p q r s t | u v"},
		"at the top they go on over the page's end":  {0, keepLines, "k l m n o p q r s t u v", "k l m n o p q r s t | u v"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: lines(ten[:2*c.before]) + brokenParagraph(c.properties, c.text)}, c.want)
		})
	}
}

func TestParagraphsAreKeptWithWhatFollows(t *testing.T) {
	t.Parallel()
	row := func(text string) string { return `<w:tr><w:tc>` + lines(text) + `</w:tc></w:tr>` }
	table := func(rows string) string {
		return `<w:tbl><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid>` + rows + `</w:tbl>`
	}
	header := strings.Replace(row("head"), `<w:tr>`, `<w:tr><w:trPr><w:tblHeader/></w:trPr>`, 1)
	rowsOf := func(words string) (rows string) { // that are kept together
		for word := range strings.FieldsSeq(words) {
			rows += `<w:tr><w:tc>` + linesOf(keepNext, word) + `</w:tc></w:tr>`
		}
		return rows
	}
	for name, c := range map[string]struct {
		before int
		body   string
		want   string
	}{
		"a heading at the end of the page":    {9, linesOf(keepNext, "H") + lines("t"), "a b c d e f g h i | H t"},
		"with its text it stays":              {8, linesOf(keepNext, "H") + lines("t"), "a b c d e f g h H t"},
		"two headings move together":          {8, linesOf(keepNext, "G H") + lines("t"), "a b c d e f g h | G H t"},
		"two of the text's lines come along":  {8, linesOf(keepNext, "H") + brokenParagraph(widows, "t u v w"), "a b c d e f g h | H t u v w"},
		"without control one does":            {8, linesOf(keepNext, "H") + brokenParagraph("", "t u v w"), "a b c d e f g h H t | u v w"},
		"three lines come along as one":       {7, linesOf(keepNext, "H") + brokenParagraph(widows, "t u v"), "a b c d e f g | H t u v"},
		"all lines that are kept do":          {6, linesOf(keepNext, "H") + brokenParagraph(keepLines, "t u v w"), "a b c d e f | H t u v w"},
		"all lines of a long heading count":   {7, brokenParagraph(keepNext, "G H") + brokenParagraph("", "t u"), "a b c d e f g G H t | u"},
		"and move with it":                    {8, brokenParagraph(keepNext, "G H") + brokenParagraph("", "t u"), "a b c d e f g h | G H t u"},
		"more than a page is not kept":        {5, brokenParagraph(keepNext, "1 2 3 4 5 6 7 8 9 10") + lines("t"), "a b c d e 1 2 3 4 5 | 6 7 8 9 10 t"},
		"the last paragraph keeps with none":  {9, linesOf(keepNext, "H"), "a b c d e f g h i H"},
		"headings alone at the end move":      {9, linesOf(keepNext, "G H"), "a b c d e f g h i | G H"},
		"a heading stays with a table's row":  {9, linesOf(keepNext, "H") + table(row("t")+row("u")), "a b c d e f g h i | H t u"},
		"one row of it is enough":             {8, linesOf(keepNext, "H") + table(row("t")+row("u")), "a b c d e f g h H t | u"},
		"with a table's header, and a row":    {8, linesOf(keepNext, "H") + table(header+row("t")+row("u")), "a b c d e f g h | H head t u"},
		"where header and row fit, it stays":  {7, linesOf(keepNext, "H") + table(header+row("t")+row("u")), "a b c d e f g H head t | head u"},
		"the space between them counts":       {8, linesOf(keepNext+`<w:spacing w:after="200"/>`, "H") + lines("t"), "a b c d e f g h | H t"},
		"the space above a table counts, too": {8, linesOf(keepNext+`<w:spacing w:after="200"/>`, "H") + table(row("t")), "a b c d e f g h | H t"},
		"nor is a page full of lines":         {1, brokenParagraph(keepNext, "1 2 3 4 5 6 7 8 9") + lines("t"), "a 1 2 3 4 5 6 7 8 9 | t"},
		"a chain of three pages breaks twice": {2, linesOf(keepNext, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24") + lines("t"), "a b 1 2 3 4 5 6 7 8 | 9 10 11 12 13 14 15 16 17 18 | 19 20 21 22 23 24 t"},
		"and stays with the text at its end":  {2, linesOf(keepNext, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18") + lines("t"), "a b 1 2 3 4 5 6 7 8 | 9 10 11 12 13 14 15 16 17 | 18 t"},
		"at the top of a page, too":           {0, linesOf(keepNext, "1 2 3 4 5 6 7 8 9 10 11 12 13 14") + lines("t"), "1 2 3 4 5 6 7 8 9 10 | 11 12 13 14 t"},
		"a line more than a page has":         {0, linesOf(keepNext+`<w:spacing w:after="18"/>`, "1 2 3 4 5 6 7 8 9 10") + lines("t"), "1 2 3 4 5 6 7 8 9 | 10 t"},
		"rows of three pages break twice":     {2, table(rowsOf("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24")) + lines("t"), "a b 1 2 3 4 5 6 7 8 | 9 10 11 12 13 14 15 16 17 18 | 19 20 21 22 23 24 t"},
		"rows of a page move together":        {4, table(rowsOf("1 2 3 4 5 6 7 8") + row("t")), "a b c d | 1 2 3 4 5 6 7 8 t"},
		"with a line less it is":              {2, brokenParagraph(keepNext, "1 2 3 4 5 6 7 8") + lines("t"), "a b | 1 2 3 4 5 6 7 8 t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: lines(ten[:2*c.before]) + c.body}, c.want)
		})
	}
}

func TestBreaksBeginPages(t *testing.T) {
	t.Parallel()
	before := `<w:pageBreakBefore/>`
	for name, c := range map[string]struct{ body, want string }{
		"inside a paragraph":                 {paragraphOf("", run("", "a")+pageBreak+run("", "b")), "a | b"},
		"twice, it leaves a page empty":      {paragraphOf("", run("", "a")+pageBreak+pageBreak+run("", "b")), "a |  | b"},
		"at the beginning of a paragraph":    {lines("a") + paragraphOf("", pageBreak+run("", "b")), "a | b"},
		"behind a bookmark":                  {lines("a") + paragraphOf("", `<w:bookmarkStart w:id="1" w:name="x"/>`+pageBreak+run("", "b")), "a | b"},
		"at the end of a paragraph":          {paragraphOf("", run("", "a")+pageBreak) + lines("b"), "a | b"},
		"alone in a paragraph":               {lines("a") + paragraphOf("", pageBreak) + lines("b"), "a | b"},
		"at the end of the text it waits":    {paragraphOf("", run("", "a")+pageBreak), "a"},
		"a column break, too":                {paragraphOf("", run("", "a")+columnBreak+run("", "b")), "a | b"},
		"a paragraph's own":                  {lines("a") + linesOf(before, "b c"), "a | b | c"},
		"not for the first paragraph":        {linesOf(before, "a") + lines("b"), "a b"},
		"not twice":                          {paragraphOf("", run("", "a")+pageBreak) + linesOf(before, "b"), "a | b"},
		"explicitly not":                     {lines("a") + linesOf(`<w:pageBreakBefore w:val="0"/>`, "b"), "a b"},
		"a line break is none":               {brokenParagraph("", "a b"), "a b"},
		"in a table it is none":              {`<w:tbl><w:tr><w:tc>` + paragraphOf("", run("", "a")+pageBreak+run("", "b")) + `</w:tc></w:tr></w:tbl>`, "a b"},
		"behind it a paragraph begins again": {brokenParagraph("", "a b") + paragraphOf("", run("", "c")+pageBreak+strings.Join(runs("d e"), `<w:r><w:br/></w:r>`)), "a b c | d e"},
		"before a frame, too":                {paragraphOf("", run("", "a")+pageBreak) + linesOf(wrappedAt(``), "f") + lines("b"), "a | f b"},
		"before a table beside the text":     {paragraphOf("", run("", "a")+pageBreak) + floatingTable(`w:vertAnchor="text"`) + lines("b"), "a | x y b"},
		"before a table, it waits for it":    {paragraphOf("", run("", "a")+pageBreak) + `<w:tbl><w:tr><w:tc>` + lines("b") + `</w:tc></w:tr></w:tbl>`, "a | b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: c.body}, c.want)
		})
	}
}

// A paragraph at the top of a page loses the space above it, unless its author
// began the page.
func TestSpaceAboveAParagraphAtTheTopOfAPage(t *testing.T) {
	t.Parallel()
	spaced := `<w:spacing w:before="600"/>`
	wantPlaces(t, rendertest.Docx{Body: linesOf(spaced, "one")}, "1: 50,96 one")
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", run("", "a")+pageBreak) + linesOf(spaced, "one")}, "1: 50,66 a", "2: 50,96 one")
	wantPlaces(t, rendertest.Docx{Body: lines("a") + linesOf(spaced+`<w:pageBreakBefore/>`, "one")}, "1: 50,66 a", "2: 50,96 one")
	wantPlaces(t, rendertest.Docx{Body: brokenParagraph("", ten) + linesOf(spaced, "one two")},
		append(tenPlaces(), "2: 50,66 one", "2: 50,116 two")...)
}

func tenPlaces() []string {
	var all []string
	for i, word := range strings.Fields(ten) {
		all = append(all, fmt.Sprintf("1: 50,%d %s", 66+20*i, word))
	}
	return all
}

// Nine lines leave 20 points: a line with 10 points of space above does not fit.
func TestTheSpaceAboveCountsWhereItIsPlaced(t *testing.T) {
	t.Parallel()
	wantPages(t, rendertest.Docx{Body: lines("a b c d e f g h i") + linesOf(`<w:spacing w:before="200"/>`, "j")}, "a b c d e f g h i | j")
	wantPages(t, rendertest.Docx{Body: lines("a b c d e f g h i") + linesOf(`<w:spacing w:after="200"/>`, "j") + lines("k")}, "a b c d e f g h i j | k")
}

func TestTablesBreakBetweenAndInRows(t *testing.T) {
	t.Parallel()
	const cantSplit, head, exact = `<w:cantSplit/>`, `<w:tblHeader/>`, `<w:trHeight w:val="800" w:hRule="exact"/>`
	long := rowOf("", lines("p q r s"), lines("x"))
	for name, c := range map[string]struct {
		before int
		body   string
		want   string
	}{
		"a row that fits no more goes on":         {9, tableOf(rowOf("", lines("p")), rowOf("", lines("q"))), "a b c d e f g h i p | q"},
		"a row is split":                          {8, tableOf(long), "a b c d e f g h p q x | r s"},
		"one that may not be split moves":         {8, tableOf(rowOf(cantSplit, lines("p q r s"))), "a b c d e f g h | p q r s"},
		"one of an exact height moves":            {9, tableOf(rowOf(exact, lines("p q"))), "a b c d e f g h i | p q"},
		"one whose other cell does not fit moves": {9, tableOf(rowOf("", lines("p"), rendertest.Paragraph(`<w:spacing w:line="800" w:lineRule="exact"/>`, "x"))), "a b c d e f g h i | p x"},
		"rows that are kept together":             {8, tableOf(rowOf(cantSplit, linesOf(keepNext, "p")), rowOf(cantSplit, linesOf(keepNext, "q")), rowOf(cantSplit, lines("r"))), "a b c d e f g h | p q r"},
		"the last row is kept with nothing":       {9, tableOf(rowOf(cantSplit, linesOf(keepNext, "p"))), "a b c d e f g h i p"},
		"a header row does not stay alone":        {9, tableOf(rowOf(head, lines("H")), rowOf(cantSplit, lines("p"))), "a b c d e f g h i | H p"},
		"it stays with a part of the next row":    {7, tableOf(rowOf(head, lines("H")), rowOf("", lines("l m n o p"))), "a b c d e f g H l m | H n o p"},
		"it stands on each page":                  {7, tableOf(rowOf(head, lines("H")), rowOf("", lines("p")), rowOf("", lines("q")), rowOf("", lines("r"))), "a b c d e f g H p q | H r"},
		"above the rest of a row":                 {6, tableOf(rowOf(head, lines("H")), rowOf("", lines("p")), rowOf("", lines("q r s t"))), "a b c d e f H p q r | H s t"},
		"two header rows do, too":                 {6, tableOf(rowOf(head, lines("G")), rowOf(head, lines("H")), rowOf("", lines("p")), rowOf("", lines("q")), rowOf("", lines("r"))), "a b c d e f G H p q | G H r"},
		"a later row is no header":                {7, tableOf(rowOf("", lines("p")), rowOf(head, lines("H")), rowOf("", lines("q")), rowOf("", lines("r"))), "a b c d e f g p H q | r"},
		"a table of header rows has none":         {9, tableOf(rowOf(head, lines("G")), rowOf(head, lines("H"))), "a b c d e f g h i | G H"},
		"a row over three pages":                  {9, tableOf(rowOf("", lines("k l m n o p q r s t u v"))), "a b c d e f g h i k | l m n o p q r s t u | v"},
		"with its header on each":                 {8, tableOf(rowOf(head, lines("H")), rowOf("", lines("l m n o p q r s t u v"))), "a b c d e f g h H l | H m n o p q r s t u | H v"},
		"one that may not be split, but must":     {1, tableOf(rowOf(cantSplit, lines("k l m n o p q r s t u v"))), "a | k l m n o p q r s t | u v"},
		"text behind a table goes on below it":    {8, tableOf(rowOf("", lines("p"))) + lines("y z"), "a b c d e f g h p y | z"},
		"two tables, one below the other":         {8, tableOf(rowOf("", lines("p"))) + lines("y") + tableOf(rowOf("", lines("q"))), "a b c d e f g h p y | q"},
		"the space of the text above it counts":   {8, linesOf(`<w:spacing w:after="200"/>`, "y") + tableOf(rowOf(cantSplit, lines("p"))), "a b c d e f g h y | p"},
		"one of a vertical merge is split":        {8, tableOf(`<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>`+lines("p")+`</w:tc><w:tc>`+lines("q r s")+`</w:tc></w:tr>`, `<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc>`+lines("t")+`</w:tc></w:tr>`), "a b c d e f g h p q r | s t"},
		"one with text that runs upwards is not":  {8, tableOf(`<w:tr><w:tc><w:tcPr><w:textDirection w:val="btLr"/></w:tcPr>` + lines("p") + `</w:tc><w:tc>` + lines("q r s") + `</w:tc></w:tr>`), "a b c d e f g h | p q r s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: lines(ten[:2*c.before]) + c.body}, c.want)
		})
	}
}

// Ten lines, or rows, of 20.05 points are half a point higher than a page.
func TestHalfAPointTooMuchDoesNotFit(t *testing.T) {
	t.Parallel()
	const higher = `<w:spacing w:line="401" w:lineRule="exact"/>`
	var rows []string
	for _, word := range strings.Fields(ten) {
		rows = append(rows, rowOf(`<w:cantSplit/><w:trHeight w:val="401" w:hRule="exact"/>`, lines(word)))
	}
	for name, c := range map[string]struct{ body, want string }{
		"paragraphs":           {linesOf(higher, ten), "a b c d e f g h i | j"},
		"lines of a paragraph": {brokenParagraph(higher, ten), "a b c d e f g h i | j"},
		"rows":                 {tableOf(rows...), "a b c d e f g h i | j"},
		"lines in a row":       {tableOf(rowOf("", linesOf(higher, ten))), "a b c d e f g h i | j"},
		"what is kept":         {lines("a b c d e f g h") + linesOf(keepNext+`<w:spacing w:line="410" w:lineRule="exact"/>`, "H") + lines("t"), "a b c d e f g h | H t"},
		"a row that is kept":   {lines("a b c d e f g h") + tableOf(rowOf(`<w:cantSplit/>`, linesOf(keepNext+`<w:spacing w:line="410" w:lineRule="exact"/>`, "H")), rowOf("", lines("t"))), "a b c d e f g h | H t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPages(t, rendertest.Docx{Body: c.body}, c.want)
		})
	}
}

// LibreOffice, too: what the spacing of lines opens above a line is left out at the
// top of a page, in cells as elsewhere.
func TestALineOfACellAtTheTopOfAPageHasNoRoomAboveIt(t *testing.T) {
	t.Parallel()
	text := brokenParagraph(`<w:spacing w:line="480" w:lineRule="auto"/>`, ten+" k l m n o p q r s t")
	outside := pages(t, rendertest.Docx{Body: text})[1].all("text")[0]
	inside := pages(t, rendertest.Docx{Body: tableOf(rowOf("", text))})[1].all("text")[0]
	if inside.top != outside.top {
		t.Errorf("the first line of the second page stands at %.2f in a cell, want %.2f as outside", inside.top, outside.top)
	}
}

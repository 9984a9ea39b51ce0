package docs

import (
	"testing"
)

// nodesOf lays out blocks from 0, as in a header.
func nodesOf(t *testing.T, blocks string) []*node {
	t.Helper()
	return storySegment("id", "part", element(t, `<w:hdr xmlns:w="w">`+blocks+`</w:hdr>`)).nodes
}

func TestWhatStandsBehindAPlaceMovesAndWhatIsOverItGrows(t *testing.T) {
	t.Parallel()
	body := para("ab") + tableXML([]string{para("x"), para("y")}, []string{para("z")}) + para("cd")
	const before = "(0-3ab)(3-18[4-11{5-8(6-8x)}{8-11(9-11y)}][11-17{12-15(13-15z)}{15-17(16-17)}])(18-21cd)"
	for name, c := range map[string]struct {
		moves, grows, delta int64
		want                string
	}{
		"nothing":               {100, 100, 5, before},
		"all behind the first":  {3, 3, 2, "(0-5ab)(5-20[6-13{7-10(8-10x)}{10-13(11-13y)}][13-19{14-17(15-17z)}{17-19(18-19)}])(20-23cd)"},
		"in a cell":             {8, 8, 1, "(0-3ab)(3-19[4-12{5-9(6-9x)}{9-12(10-12y)}][12-18{13-16(14-16z)}{16-18(17-18)}])(19-22cd)"},
		"in the last row":       {15, 15, 4, "(0-3ab)(3-22[4-11{5-8(6-8x)}{8-11(9-11y)}][11-21{12-19(13-19z)}{19-21(20-21)}])(22-25cd)"},
		"in the last paragraph": {21, 21, 1, "(0-3ab)(3-18[4-11{5-8(6-8x)}{8-11(9-11y)}][11-17{12-15(13-15z)}{15-17(16-17)}])(18-22cd)"},
		"shorter":               {8, 8, -1, "(0-3ab)(3-17[4-10{5-7(6-7x)}{7-10(8-10y)}][10-16{11-14(12-14z)}{14-16(15-16)}])(17-20cd)"},
		"a row between":         {11, 12, 4, "(0-3ab)(3-22[4-11{5-8(6-8x)}{8-11(9-11y)}][15-21{16-19(17-19z)}{19-21(20-21)}])(22-25cd)"},
	} {
		nodes := nodesOf(t, body)
		if got := layout(nodes); got != before {
			t.Fatalf("before: got %s, want %s", got, before)
		}
		shift(nodes, c.moves, c.grows, c.delta)
		if got := layout(nodes); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestRowsAreMovedAtOnceAndTheirCellsWhenTheyAreLookedAt(t *testing.T) {
	t.Parallel()
	nodes := nodesOf(t, tableXML([]string{para("x")}, []string{para("y")})+`<w:p/>`)
	second := nodes[0].table.rows[1] // [5-9{6-9(7-9y)}] of (0-10…)
	for range 3 {
		shift(nodes, 5, 5, 10)
	}
	if second.start != 35 || second.end != 39 || second.cells[0].start != 6 {
		t.Errorf("got the row at %d-%d and its cell at %d, want 35-39 and 6 until it is looked at", second.start, second.end, second.cells[0].start)
	}
	second.settle()
	if got, want := layout(nodes[:1]), "(0-40[1-35{2-35(3-35x)}][35-39{36-39(37-39y)}])"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	second.settle()
	if c := second.cells[0]; c.start != 36 || c.end != 39 {
		t.Errorf("settled twice: got %d-%d, want 36-39", c.start, c.end)
	}
}

func TestANewRowTakesItsPlaceAmongTheOthers(t *testing.T) {
	t.Parallel()
	for at, want := range map[int]string{
		0: "(0-14[1-5{2-5(3-5n)}][5-9{6-9(7-9x)}][9-13{10-13(11-13y)}])(14-15)",
		1: "(0-14[1-5{2-5(3-5x)}][5-9{6-9(7-9n)}][9-13{10-13(11-13y)}])(14-15)",
		2: "(0-14[1-5{2-5(3-5x)}][5-9{6-9(7-9y)}][9-13{10-13(11-13n)}])(14-15)",
	} {
		d := docx(t, "<w:p/>")
		b := &batch{pkg: d.Package, document: d}
		s := &segment{part: "word/document.xml", nodes: nodesOf(t, tableXML([]string{para("x")}, []string{para("y")})+`<w:p/>`)}
		fresh := element(t, `<w:tr xmlns:w="w"><w:tc>`+para("n")+`</w:tc></w:tr>`)
		b.addRow(s, s.nodes[0].table, at, fresh)
		if got := layout(s.nodes); got != want {
			t.Errorf("at %d: got\n%s, want\n%s", at, got, want)
		}
		if got := s.nodes[0].table.rows[at].elem; got != fresh {
			t.Errorf("at %d stands another row", at)
		}
	}
}

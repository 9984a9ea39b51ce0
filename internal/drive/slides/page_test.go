package slides

import (
	"slices"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

// ids lists the objects of pages, those of groups in brackets.
func ids(elements []*gslides.PageElement) string {
	var all []string
	for _, e := range elements {
		id := e.ObjectId
		if e.ElementGroup != nil {
			id += "[" + ids(e.ElementGroup.Children) + "]"
		}
		all = append(all, id)
	}
	return strings.Join(all, " ")
}

func TestObjectsHaveTheIDsThatTheFileGivesThem(t *testing.T) {
	t.Parallel()
	named := `<p:sp><p:nvSpPr><p:cNvPr id="7" name="x"><a:extLst><a:ext uri="` + idExtension + `"><platen:object xmlns:platen="` + idNamespace + `" id="my_own_box"/></a:ext></a:extLst></p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/></p:sp>`
	bare := func(id string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr` + id + ` name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/></p:sp>`
	}
	for name, c := range map[string]struct{ shapes, want string }{
		"in their order":        {sp("5", para("a")) + sp("2", para("b")), "slide_256_5 slide_256_2"},
		"given twice":           {sp("2", para("a")) + sp("2", para("b")) + sp("2", para("c")), "slide_256_2 slide_256_2_2 slide_256_2_3"},
		"twice in a group":      {group(sp("2", para("a"))) + sp("2", para("b")), "slide_256_20[slide_256_2] slide_256_2_2"},
		"missing":               {bare("") + bare(` id="x"`) + bare(` id="-1"`), "slide_256_0 slide_256_0_2 slide_256_0_3"},
		"with zeros before":     {bare(` id="007"`), "slide_256_7"},
		"of the client":         {named, "my_own_box"},
		"of the client, copied": {named + named, "my_own_box slide_256_7"},
		"groups in groups":      {group(group(sp("3", para("a")))), "slide_256_20[slide_256_20_2[slide_256_3]]"},
		"without what is none":  {`<p:contentPart/><p:extLst/>` + sp("3", para("a")), "slide_256_3"},
	} {
		if got := ids(get(t, pptx(t, c.shapes, "")).Slides[0].PageElements); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// ECMA-376 part 3, 10.2: of alternatives that nobody knows the fallback is shown.
func TestOfAlternativesTheFallbackIsShown(t *testing.T) {
	t.Parallel()
	alternatives := func(fallback string) string {
		return `<mc:AlternateContent><mc:Choice Requires="p14">` + sp("3", para("new")) + `</mc:Choice>` + fallback + `</mc:AlternateContent>`
	}
	for name, c := range map[string]struct{ shapes, want string }{
		"a fallback":        {alternatives(`<mc:Fallback>` + sp("4", para("old")) + `</mc:Fallback>`), "slide_256_4"},
		"an empty fallback": {alternatives(`<mc:Fallback/>`), "slide_256_3"},
		"none":              {alternatives(``), "slide_256_3"},
		"several objects":   {alternatives(`<mc:Fallback>` + sp("4", para("a")) + group(sp("5", para("b"))) + `</mc:Fallback>`), "slide_256_4 slide_256_20[slide_256_5]"},
	} {
		if got := ids(get(t, pptx(t, c.shapes, "")).Slides[0].PageElements); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestGroupsDeeperThanTheLimitAreEmpty(t *testing.T) {
	t.Parallel()
	inner := sp("2", para("a"))
	for range maxNesting + 3 {
		inner = `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="20" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + inner + `</p:grpSp>`
	}
	p := &page{id: "p", root: parse(t, `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>`+inner+`</p:spTree></p:cSld></p:sld>`)}
	p.reread()
	depth := 0
	for all := p.elements; len(all) > 0; all = all[0].children {
		depth++
	}
	if depth != maxNesting+1 {
		t.Errorf("got groups %d deep, want %d", depth, maxNesting+1)
	}
}

func TestPagesAreNamedAfterTheirParts(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"ppt/slideLayouts/slideLayout1.xml": "layout_slideLayout1", "x/Some-Layout:2.xml": "layout_Some-Layout:2", "x/Título 1.xml": "layout_T_tulo_1", "x/a_b.c.xml": "layout_a_b_c",
	} {
		if got := partID("layout", part); got != want {
			t.Errorf("%s: got %s, want %s", part, got, want)
		}
	}
}

func TestEveryPageAndObjectIsFoundByItsID(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a"))+group(sp("3", para("b"))), sp("4", para("c")))
	d, err := open(p)
	if err != nil {
		t.Fatal(err)
	}
	for id, on := range map[string]string{
		"slide_256_2": "slide_256", "slide_256_3": "slide_256", "slide_256_20": "slide_256", "slide_256_notes_4": "slide_256_notes",
		"layout_slideLayout2_3": "layout_slideLayout2",
	} {
		page, e := d.object(id)
		if e == nil || e.id != id || page.id != on || d.find(on) != page {
			t.Errorf("%s: got %+v on %+v, want it on %s", id, e, page, on)
		}
	}
	if page, e := d.object("slide_256_9"); page != nil || e != nil || d.find("slide_256_2") != nil {
		t.Errorf("got %+v of %+v", e, page)
	}
	var all []string
	for _, p := range d.all() {
		all = append(all, p.id)
	}
	if want := []string{"slide_256", "slide_256_notes", "master_slideMaster1", "layout_slideLayout1", "layout_slideLayout2"}; !slices.Equal(all, want) {
		t.Errorf("got pages %q, want %q", all, want)
	}
}

func TestCellsAreFoundByRowAndColumn(t *testing.T) {
	t.Parallel()
	tbl := parse(t, `<a:tbl><a:tblPr/><a:tblGrid/><a:tr><a:tc id="a"/><a:tc id="b"/><a:extLst/></a:tr><a:tr><a:tc id="c"/></a:tr></a:tbl>`)
	for _, c := range []struct {
		row, column int64
		want        string
	}{{0, 0, "a"}, {0, 1, "b"}, {0, 2, ""}, {1, 0, "c"}, {1, 1, ""}, {2, 0, ""}, {-1, 0, ""}, {0, -1, ""}} {
		got := ""
		if e := cellAt(tbl, c.row, c.column); e != nil {
			got = e.SelectAttrValue("id", "")
		}
		if got != c.want {
			t.Errorf("(%d, %d): got %q, want %q", c.row, c.column, got, c.want)
		}
	}
	if rows := cellsOf(tbl); len(rows) != 2 || len(rows[0]) != 2 || len(rows[1]) != 1 {
		t.Errorf("got %v", rows)
	}
}

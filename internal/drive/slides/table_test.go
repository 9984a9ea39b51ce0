package slides

import (
	"fmt"
	"strings"
	"testing"
)

// Cells that another covers are left out, as Google does.
func TestATableIsShownWithItsSpans(t *testing.T) {
	t.Parallel()
	cell := func(attributes, text string) string {
		return `<a:tc` + attributes + `><a:txBody><a:bodyPr/>` + para(text) + `</a:txBody></a:tc>`
	}
	p := pptx(t, rowsXML(
		`<a:tr h="127000">`+cell(` gridSpan="2" rowSpan="2"`, "a")+cell(` hMerge="1" rowSpan="2"`, "b")+cell("", "c")+`</a:tr>`,
		`<a:tr h="254000">`+cell(` gridSpan="2" vMerge="true"`, "d")+cell(` hMerge="true" vMerge="1"`, "e")+cell(` gridSpan="x" rowSpan="0"`, "f")+`</a:tr>`,
		`<a:tr h="381000">`+cell(` hMerge="0" vMerge="false"`, "g")+`</a:tr>`), "")
	table := first(t, p).Table
	var got []string
	for _, r := range table.TableRows {
		line := fmt.Sprintf("%.0f:", r.RowHeight.Magnitude)
		for _, c := range r.TableCells {
			line += fmt.Sprintf(" (%d,%d) %d×%d %s", c.Location.RowIndex, c.Location.ColumnIndex, c.RowSpan, c.ColumnSpan, strings.TrimSpace(contentOf(t, c.Text)))
		}
		got = append(got, line)
	}
	want := "127000: (0,0) 2×2 a (0,2) 1×1 c|254000: (1,2) 1×1 f|381000: (2,0) 1×1 g"
	if strings.Join(got, "|") != want || table.Rows != 3 || table.Columns != 3 {
		t.Errorf("got %d × %d: %s, want %s", table.Rows, table.Columns, strings.Join(got, "|"), want)
	}
}

func TestATableOfALayoutIsShownWithoutMeasures(t *testing.T) {
	t.Parallel()
	layout := `<p:sldLayout` + rootNamespaces + ` type="tx"><p:cSld><p:spTree>` + tableXML("a", "b") + `</p:spTree></p:cSld></p:sldLayout>`
	p := pptxWith(t, "", "", map[string]string{"ppt/slideLayouts/slideLayout2.xml": layout})
	e := get(t, p).Layouts[1].PageElements[0]
	if e.Table.Rows != 1 || e.Table.Columns != 2 || e.Table.TableColumns != nil || e.Table.TableRows[0].RowHeight != nil || contentOf(t, e.Table.TableRows[0].TableCells[1].Text) != "b\n" {
		t.Errorf("got %s", sent(t, e.Table))
	}
	if e.Size != nil || e.Transform != nil {
		t.Errorf("got the size %s at %s of an object whose place is not resolved", sent(t, e.Size), sent(t, e.Transform))
	}
}

// Placeholder.type for ST_PlaceholderType (ECMA-376 part 1, 19.7.10); without a
// type it is an object.
func TestPlaceholdersAreShownByTheirType(t *testing.T) {
	t.Parallel()
	for ph, want := range map[string]string{
		`type="title"`: `{"type":"TITLE"}`, `type="ctrTitle"`: `{"type":"CENTERED_TITLE"}`, `type="subTitle" idx="1"`: `{"index":1,"type":"SUBTITLE"}`,
		`type="body" idx="13"`: `{"index":13,"type":"BODY"}`, `type="dt" idx="10"`: `{"index":10,"type":"DATE_AND_TIME"}`, `type="sldNum"`: `{"type":"SLIDE_NUMBER"}`,
		`type="ftr"`: `{"type":"FOOTER"}`, `type="hdr"`: `{"type":"HEADER"}`, `type="chart"`: `{"type":"CHART"}`, `type="tbl"`: `{"type":"TABLE"}`,
		`type="clipArt"`: `{"type":"CLIP_ART"}`, `type="dgm"`: `{"type":"DIAGRAM"}`, `type="media"`: `{"type":"MEDIA"}`, `type="sldImg"`: `{"type":"SLIDE_IMAGE"}`,
		`type="pic"`: `{"type":"PICTURE"}`, `type="obj" idx="2"`: `{"index":2,"type":"OBJECT"}`, `idx="4294967295"`: `{"type":"OBJECT"}`, `idx="x"`: `{"type":"OBJECT"}`,
	} {
		e := parse(t, `<p:sp><p:nvSpPr><p:nvPr><p:ph `+ph+`/></p:nvPr></p:nvSpPr></p:sp>`)
		if got := sent(t, placeholder(e)); got != want {
			t.Errorf("%s: got %s, want %s", ph, got, want)
		}
	}
	if got := placeholder(parse(t, `<p:pic><p:nvPicPr><p:nvPr><p:ph type="pic" idx="5"/></p:nvPr></p:nvPicPr></p:pic>`)); got == nil || got.Type != "PICTURE" || got.Index != 5 {
		t.Errorf("a picture: got %+v", got)
	}
	for _, none := range []string{`<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr></p:sp>`, `<p:sp/>`, `<p:cxnSp><p:nvCxnSpPr><p:nvPr/></p:nvCxnSpPr></p:cxnSp>`} {
		if got := placeholder(parse(t, none)); got != nil {
			t.Errorf("%s: got %+v", none, got)
		}
	}
}

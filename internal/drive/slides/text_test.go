package slides

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// fieldsOf is a part of an answer as a client gets it.
func fieldsOf(t *testing.T, resource any) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(sent(t, resource)), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// changed returns fields with changes applied; nil removes a field.
func changed(fields, changes map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range fields {
		all[key] = value
	}
	for key, value := range changes {
		if all[key] = value; value == nil {
			delete(all, key)
		}
	}
	return all
}

func styleOf(t *testing.T, properties string) map[string]any {
	t.Helper()
	p := pptx(t, sp("2", `<a:p><a:r><a:rPr `+properties+`</a:rPr><a:t>a</a:t></a:r></a:p>`), "")
	return fieldsOf(t, first(t, p).Shape.Text.TextElements[1].TextRun.Style)
}

// The properties of runs (ECMA-376 part 1, 21.1.2.3.9) in the fields of
// TextStyle: sizes are hundredths of a point, baselines thousandths of a percent.
func TestTextIsShownWithItsProperties(t *testing.T) {
	t.Parallel()
	plain := styleOf(t, `sz="1000"><a:latin typeface="Lora"/>`)
	if plain["fontFamily"] != "Lora" || plain["bold"] != nil || plain["link"] != nil || plain["backgroundColor"] != nil {
		t.Fatalf("plain text: got %v", plain)
	}
	red := map[string]any{"opaqueColor": map[string]any{"rgbColor": map[string]any{"red": 1.0}}}
	for properties, want := range map[string]map[string]any{
		`b="1">`:              {"bold": true},
		`b="0" i="1">`:        {"italic": true},
		`u="dbl">`:            {"underline": true},
		`u="none">`:           {},
		`strike="sngStrike">`: {"strikethrough": true},
		`strike="dblStrike">`: {"strikethrough": true},
		`strike="noStrike">`:  {},
		`cap="small">`:        {"smallCaps": true},
		`cap="all">`:          {},
		`baseline="30000">`:   {"baselineOffset": "SUPERSCRIPT"},
		`baseline="-25000">`:  {"baselineOffset": "SUBSCRIPT"},
		`baseline="0">`:       {},
		`><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>`: {"foregroundColor": red},
		`><a:highlight><a:srgbClr val="FF0000"/></a:highlight>`: {"backgroundColor": red},
		`><a:hlinkClick r:id="web"/>`:                           {"link": map[string]any{"url": "https://example.com/"}},
	} {
		properties := strings.Replace(properties, ">", ` sz="1000">`, 1)
		got := styleOf(t, properties+`<a:latin typeface="Lora"/>`)
		if want["link"] != nil {
			// A theme may give links a colour and a line of their own.
			want["foregroundColor"], want["underline"] = got["foregroundColor"], got["underline"]
		}
		if diff := cmp.Diff(changed(plain, want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", properties, diff)
		}
	}
	if got, want := styleOf(t, `sz="1250">`)["fontSize"], (map[string]any{"magnitude": 12.5, "unit": "PT"}); !cmp.Equal(got, any(want)) {
		t.Errorf("got the size %v, want %v", got, want)
	}
}

// The properties of paragraphs (ECMA-376 part 1, 21.1.2.2.7).
func TestParagraphsAreShownWithTheirProperties(t *testing.T) {
	t.Parallel()
	marker := func(properties string) *gslides.ParagraphMarker {
		return first(t, pptx(t, sp("2", `<a:p><a:pPr marL="0" indent="0"`+properties+`</a:pPr><a:r><a:t>a</a:t></a:r></a:p>`), "")).Shape.Text.TextElements[0].ParagraphMarker
	}
	plain := fieldsOf(t, marker(`><a:lnSpc><a:spcPct val="100000"/></a:lnSpc><a:spcBef><a:spcPts val="0"/></a:spcBef><a:buNone/>`).Style)
	zero := map[string]any{"unit": "PT"}
	if diff := cmp.Diff(map[string]any{"alignment": "START", "direction": "LEFT_TO_RIGHT", "lineSpacing": 100.0, "indentStart": zero, "indentFirstLine": zero, "spaceAbove": zero, "spaceBelow": zero}, plain); diff != "" {
		t.Fatalf("plain (-want +got):\n%s", diff)
	}
	pt := func(n float64) map[string]any { return map[string]any{"magnitude": n, "unit": "PT"} }
	const spacing = `<a:lnSpc><a:spcPct val="100000"/></a:lnSpc><a:spcBef><a:spcPts val="0"/></a:spcBef>`
	for properties, want := range map[string]map[string]any{
		` algn="ctr">` + spacing:  {"alignment": "CENTER"},
		` algn="r">` + spacing:    {"alignment": "END"},
		` algn="l">` + spacing:    {},
		` algn="just">` + spacing: {"alignment": "JUSTIFIED"},
		` algn="dist">` + spacing: {"alignment": "JUSTIFIED"},
		` rtl="1">` + spacing:     {"direction": "RIGHT_TO_LEFT"},
		`><a:lnSpc><a:spcPct val="150000"/></a:lnSpc><a:spcBef><a:spcPts val="600"/></a:spcBef><a:spcAft><a:spcPts val="300"/></a:spcAft>`: {"lineSpacing": 150.0, "spaceAbove": pt(6), "spaceBelow": pt(3)},
		`><a:lnSpc><a:spcPts val="1800"/></a:lnSpc><a:spcBef><a:spcPts val="0"/></a:spcBef>`:                                               {"lineSpacing": nil},
	} {
		if diff := cmp.Diff(changed(plain, want), fieldsOf(t, marker(properties+`<a:buNone/>`).Style)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", properties, diff)
		}
	}
	p := pptx(t, sp("2", `<a:p><a:pPr marL="914400" indent="-457200" lvl="2"><a:buChar char="+"/></a:pPr><a:r><a:t>a</a:t></a:r></a:p>`), "")
	text := first(t, p).Shape.Text
	m := text.TextElements[0].ParagraphMarker
	if m.Style.IndentStart.Magnitude != 72 || m.Style.IndentFirstLine.Magnitude != 36 {
		t.Errorf("got %v with its first line at %v, want 72 and 36", m.Style.IndentStart.Magnitude, m.Style.IndentFirstLine.Magnitude)
	}
	if got, want := sent(t, m.Bullet), `{"glyph":"+","listId":"list_1","nestingLevel":2}`; got != want || text.Lists["list_1"].ListId != "list_1" {
		t.Errorf("got the bullet %s of %v, want %s", got, text.Lists, want)
	}
	if marker(`><a:buNone/>`).Bullet != nil {
		t.Error("a paragraph without a bullet has one")
	}
	if b := marker(`><a:buAutoNum type="arabicPeriod"/>`).Bullet; b == nil || b.Glyph != "1." {
		t.Errorf("a number: got %+v", b)
	}
}

// Indexes are UTF-16 code units; each paragraph has one more for its line feed.
func TestNeighboursOfOneStyleAreOneRun(t *testing.T) {
	t.Parallel()
	run := func(properties, text string) string {
		return `<a:r><a:rPr ` + properties + `/><a:t>` + text + `</a:t></a:r>`
	}
	paragraph := `<a:p>` + run(`dirty="0"`, "a") + run(`err="1"`, "𝄞") + `<a:br/>` + run(`b="1"`, "c") + `<a:fld id="{1}" type="slidenum"><a:rPr b="1"/><a:t>4</a:t></a:fld>` +
		`<a:fld id="{2}" type="datetime"><a:t>now</a:t></a:fld></a:p><a:p><a:endParaRPr i="1"/></a:p>`
	var got []string
	for _, e := range first(t, pptx(t, sp("2", paragraph), "")).Shape.Text.TextElements {
		place := sent(t, []int64{e.StartIndex, e.EndIndex})
		switch {
		case e.ParagraphMarker != nil:
			place += "¶"
		case e.TextRun != nil:
			place += e.TextRun.Content
			if e.TextRun.Style.Bold {
				place += "(bold)"
			}
			if e.TextRun.Style.Italic {
				place += "(italic)"
			}
		default:
			place += e.AutoText.Type + e.AutoText.Content + sent(t, e.AutoText.Style.Bold)
		}
		got = append(got, place)
	}
	// The date takes one character, as all that Google has no element for; the
	// line feed behind it is of its style.
	want := []string{"[0,8]¶", "[0,4]a𝄞\v", "[4,5]c(bold)", "[5,6]SLIDE_NUMBER4true", "[6,8]\uE907\n", "[8,9]¶", "[8,9]\n(italic)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParagraphsTakeTheirTextAndALineFeed(t *testing.T) {
	t.Parallel()
	body := parse(t, `<p:txBody xmlns:p="p" xmlns:a="a"><a:bodyPr/>`+para("ab")+`<a:p/>`+para("𝄞")+`<p:p/></p:txBody>`)
	var got []string
	for _, p := range paragraphs(body) {
		got = append(got, sent(t, []any{p.start, p.end, p.text}))
	}
	if want := `[0,3,"ab"] [3,4,""] [4,7,"𝄞"]`; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got := paragraphs(nil); got != nil {
		t.Errorf("no body: got %v", got)
	}
}

func TestATextThatIsEmptyIsLeftOut(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{`<a:p/>`: false, `<a:p/><a:p><a:r><a:t></a:t></a:r></a:p>`: false, `<a:p/>` + para("a"): true, `<a:p><a:br/></a:p>`: true} {
		if got := first(t, pptx(t, sp("2", body), "")).Shape.Text != nil; got != want {
			t.Errorf("%s: got a text %t, want %t", body, got, want)
		}
	}
}

func TestWhatGoogleHasNoElementForIsAnUnknownCharacter(t *testing.T) {
	t.Parallel()
	equation := `<a:p><mc:AlternateContent><mc:Choice Requires="a14"/></mc:AlternateContent><a:r><a:t>=1</a:t></a:r></a:p>`
	if got := contentOf(t, first(t, pptx(t, sp("2", equation), "")).Shape.Text); got != "\uE907=1\n" {
		t.Errorf("got %q", got)
	}
	if got := textElement(edit.Piece{Kind: edit.LineBreakPiece, Text: "\v"}, nil, nil).TextRun.Content; got != "\v" {
		t.Errorf("a break: got %q", got)
	}
}

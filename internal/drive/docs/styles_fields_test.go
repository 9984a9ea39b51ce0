package docs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

func styled(from, to int64, s *gdocs.ParagraphStyle, fields string) *gdocs.Request {
	return &gdocs.Request{UpdateParagraphStyle: &gdocs.UpdateParagraphStyleRequest{Range: &gdocs.Range{StartIndex: from, EndIndex: to}, ParagraphStyle: s, Fields: fields}}
}

func TestFieldsOfAParagraphsStyleAreSetOneByOne(t *testing.T) {
	t.Parallel()
	pt := func(n float64) *gdocs.Dimension { return &gdocs.Dimension{Magnitude: n, Unit: "PT"} }
	d := newDocument(t, "one\ntwo\nthree")
	_, err := Apply(d, "id", []*gdocs.Request{
		styled(1, 2, &gdocs.ParagraphStyle{NamedStyleType: "HEADING_2"}, "namedStyleType"),
		styled(5, 6, &gdocs.ParagraphStyle{
			IndentStart: pt(36), IndentFirstLine: pt(18), IndentEnd: pt(10), SpaceAbove: pt(5), SpaceBelow: pt(6), LineSpacing: 150, Alignment: "CENTER",
			KeepWithNext: true, KeepLinesTogether: true, Direction: "LEFT_TO_RIGHT",
			Shading: &gdocs.Shading{BackgroundColor: &gdocs.OptionalColor{Color: &gdocs.Color{RgbColor: &gdocs.RgbColor{Red: 1}}}},
		}, "indentStart,indentFirstLine,indentEnd,spaceAbove,spaceBelow,lineSpacing,alignment,keepWithNext,keepLinesTogether,shading"),
		styled(9, 10, &gdocs.ParagraphStyle{IndentFirstLine: pt(20)}, "indentFirstLine"),
	})
	if err != nil {
		t.Fatal(err)
	}
	content := get(t, reread(t, d)).Body.Content
	if got := content[1].Paragraph.ParagraphStyle.NamedStyleType; got != "HEADING_2" {
		t.Errorf("got the style %s, want HEADING_2", got)
	}
	s := content[2].Paragraph.ParagraphStyle
	got := fmt.Sprint(s.IndentStart.Magnitude, s.IndentFirstLine.Magnitude, s.IndentEnd.Magnitude, s.SpaceAbove.Magnitude, s.SpaceBelow.Magnitude, s.LineSpacing, s.Alignment, s.KeepWithNext, s.KeepLinesTogether)
	if want := fmt.Sprint(36, 18, 10, 5, 6, 150, "CENTER", true, true); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := content[3].Paragraph.ParagraphStyle.IndentFirstLine.Magnitude; got != 20 {
		t.Errorf("got the first line at %v, want 20", got)
	}
	order := bodyXML(t, d)
	for _, pair := range [][2]string{{"<w:keepNext", "<w:keepLines"}, {"<w:keepLines", "<w:shd"}, {"<w:shd", "<w:spacing"}, {"<w:spacing", "<w:ind"}, {"<w:ind", "<w:jc"}} {
		if strings.Index(order, pair[0]) > strings.Index(order, pair[1]) {
			t.Errorf("%s stands behind %s: %s", pair[0], pair[1], order)
		}
	}
	for field, s := range map[string]*gdocs.ParagraphStyle{"namedStyleType": {NamedStyleType: "HEADING_9"}} {
		if _, err := Apply(d, "id", []*gdocs.Request{styled(1, 2, s, field)}); err == nil {
			t.Errorf("%s was taken", field)
		}
	}
}

func TestPartOfAParagraphBecomesALinkAndPartOfALinkNone(t *testing.T) {
	t.Parallel()
	link := func(from, to int64, url string) *gdocs.Request {
		s := &gdocs.TextStyle{}
		if url != "" {
			s.Link = &gdocs.Link{Url: url}
		}
		return &gdocs.Request{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{Range: &gdocs.Range{StartIndex: from, EndIndex: to}, TextStyle: s, Fields: "link"}}
	}
	d := newDocument(t, "abcdef")
	if _, err := Apply(d, "id", []*gdocs.Request{link(2, 6, "https://example.com/1"), link(3, 4, ""), link(4, 5, "https://example.com/2")}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range get(t, reread(t, d)).Body.Content[1].Paragraph.Elements {
		address := "-"
		if e.TextRun.TextStyle.Link != nil {
			address = e.TextRun.TextStyle.Link.Url
		}
		got = append(got, strings.TrimSpace(e.TextRun.Content)+address)
	}
	if got, want := strings.Join(got, " "), "a- bhttps://example.com/1 c- dhttps://example.com/2 ehttps://example.com/1 f-"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAListIsMadeWhereThereIsNone(t *testing.T) {
	t.Parallel()
	bullet := func(preset string) *gdocs.Request {
		return &gdocs.Request{CreateParagraphBullets: &gdocs.CreateParagraphBulletsRequest{Range: &gdocs.Range{StartIndex: 1, EndIndex: 12}, BulletPreset: preset}}
	}
	for preset, want := range map[string][]string{
		"NUMBERED_DECIMAL_ALPHA_ROMAN": {"0 1.", "1 a.", "0 2."},
		"NUMBERED_DECIMAL_NESTED":      {"0 1.", "1 1.1.", "0 2."},
		"BULLET_STAR_CIRCLE_SQUARE":    {"0 ★", "1 ○", "0 ★"},
	} {
		for name, d := range map[string]*wml.Document{"a new document": newDocument(t, "one\n\ttwo\nthree"), "one without numbering": docx(t, para("one")+para("\ttwo")+para("three"))} {
			if _, err := Apply(d, "id", []*gdocs.Request{bullet(preset)}); err != nil {
				t.Fatal(err)
			}
			d = reread(t, d)
			if got := outline(get(t, d).Body.Content); !strings.HasPrefix(got, "§one¶two¶three¶") {
				t.Errorf("%s, %s: got %q", preset, name, got)
			}
			for i, b := range d.Sections[0].Blocks[:3] {
				label := b.(*wml.Paragraph).Label
				if label == nil {
					t.Errorf("%s, %s: paragraph %d has no label", preset, name, i)
				} else if got := fmt.Sprint(label.Level, " ", label.Text); got != want[i] {
					t.Errorf("%s, %s: got label %q, want %q", preset, name, got, want[i])
				}
			}
		}
	}
	if _, err := Apply(newDocument(t, "one"), "id", []*gdocs.Request{bullet("BULLET_NONE")}); err == nil {
		t.Error("an unknown preset was taken")
	}
}

func TestABatchAddsABoundedNumberOfLists(t *testing.T) {
	t.Parallel()
	all := &gdocs.Range{StartIndex: 1, EndIndex: 4}
	var requests []*gdocs.Request
	for range maxNewLists + 1 {
		requests = append(requests,
			&gdocs.Request{CreateParagraphBullets: &gdocs.CreateParagraphBulletsRequest{Range: all, BulletPreset: "BULLET_CHECKBOX"}},
			&gdocs.Request{DeleteParagraphBullets: &gdocs.DeleteParagraphBulletsRequest{Range: all}})
	}
	if _, err := Apply(newDocument(t, "one"), "id", requests[:2*maxNewLists]); err != nil {
		t.Errorf("%d lists: got %v, want no fault", maxNewLists, err)
	}
	_, err := Apply(newDocument(t, "one"), "id", requests)
	var refused *opc.RequestError
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, "at most 500 lists") {
		t.Errorf("one more: got %v, want a fault that says how many lists a batch may add", err)
	}
}

package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
)

func nameRange(name string, from, to int64) *gdocs.Request {
	return &gdocs.Request{CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: name, Range: rangeFrom("", from, to)}}
}

func fillRange(id, name, text string) *gdocs.Request {
	return &gdocs.Request{ReplaceNamedRangeContent: &gdocs.ReplaceNamedRangeContentRequest{NamedRangeId: id, NamedRangeName: name, Text: text}}
}

// ranges lists the named ranges with the text in them.
func ranges(t *testing.T, d *wml.Document) []string {
	t.Helper()
	doc := get(t, reread(t, d))
	var all []string
	for name, of := range doc.NamedRanges {
		for _, r := range of.NamedRanges {
			at := r.Ranges[0]
			content := doc.Body.Content
			if at.SegmentId != "" {
				content = doc.Headers[at.SegmentId].Content
			}
			var units []uint16
			for _, e := range content {
				if e.Paragraph == nil {
					continue
				}
				for _, p := range e.Paragraph.Elements {
					for i, u := range utf16of(p.TextRun.Content) {
						if index := p.StartIndex + int64(i); index >= at.StartIndex && index < at.EndIndex {
							units = append(units, u)
						}
					}
				}
			}
			all = append(all, fmt.Sprintf("%s %s %q", r.NamedRangeId, name, textOf(units)))
		}
	}
	slices.Sort(all)
	return all
}

func TestNamedRangesKeepTheirPlaceAndAreFilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		requests []*gdocs.Request
		text     string
		ranges   []string
	}{
		"made":        {[]*gdocs.Request{nameRange("a name", 2, 4)}, "§abcd¶ef¶", []string{`kix.range1 a name "bc"`}},
		"over two":    {[]*gdocs.Request{nameRange("n", 3, 7)}, "§abcd¶ef¶", []string{`kix.range1 n "cd\ne"`}},
		"to the end":  {[]*gdocs.Request{nameRange("n", 6, 9)}, "§abcd¶ef¶", []string{`kix.range1 n "ef"`}},
		"of one name": {[]*gdocs.Request{nameRange("n", 1, 2), nameRange("n", 4, 5)}, "§abcd¶ef¶", []string{`kix.range1 n "a"`, `kix.range2 n "d"`}},
		"nested":      {[]*gdocs.Request{nameRange("n", 1, 5), nameRange("m", 2, 3)}, "§abcd¶ef¶", []string{`kix.range1 n "abcd"`, `kix.range2 m "b"`}},
		"moved by an edit before": {[]*gdocs.Request{
			nameRange("n", 2, 4),
			{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: 1}, Text: "xx"}},
		}, "§xxabcd¶ef¶", []string{`kix.range1 n "bc"`}},
		"filled by id":    {[]*gdocs.Request{nameRange("n", 2, 4), fillRange("kix.range1", "", "long 𝒳 text")}, "§along 𝒳 textd¶ef¶", []string{`kix.range1 n "long 𝒳 text"`}},
		"filled by name":  {[]*gdocs.Request{nameRange("n", 1, 2), nameRange("n", 4, 5), fillRange("", "n", "X")}, "§XbcX¶ef¶", []string{`kix.range1 n "X"`, `kix.range2 n "X"`}},
		"filled twice":    {[]*gdocs.Request{nameRange("n", 2, 4), fillRange("", "n", "one"), fillRange("", "n", "2")}, "§a2d¶ef¶", []string{`kix.range1 n "2"`}},
		"filled over two": {[]*gdocs.Request{nameRange("n", 3, 7), fillRange("", "n", "-")}, "§ab-f¶", []string{`kix.range1 n "-"`}},
		"filled with two": {[]*gdocs.Request{nameRange("n", 2, 4), fillRange("", "n", "1\n2")}, "§a1¶2d¶ef¶", []string{`kix.range1 n "1\n2"`}},
		"emptied":         {[]*gdocs.Request{nameRange("n", 2, 4), fillRange("", "n", "")}, "§ad¶ef¶", nil},
		"of no name":      {[]*gdocs.Request{fillRange("", "n", "X")}, "§abcd¶ef¶", nil},
		"deleted":         {[]*gdocs.Request{nameRange("n", 2, 4), {DeleteNamedRange: &gdocs.DeleteNamedRangeRequest{Name: "n"}}}, "§abcd¶ef¶", nil},
		"in a header": {[]*gdocs.Request{{CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n", Range: rangeFrom("kix.header1", 0, 4)}}},
			"§abcd¶ef¶", []string{`kix.range1 n "Head"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := docx(t, para("abcd")+para("ef"))
			if _, err := Apply(d, "id", c.requests); err != nil {
				t.Fatalf("Apply: %v", err)
			}
			if got := outline(get(t, reread(t, d)).Body.Content); got != c.text {
				t.Errorf("got %q, want %q", got, c.text)
			}
			if got := ranges(t, d); !slices.Equal(got, c.ranges) {
				t.Errorf("got ranges %q, want %q", got, c.ranges)
			}
		})
	}
}

func TestNamedRangesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"no range":      {&gdocs.Request{CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n"}}, "range must be specified"},
		"no name":       {nameRange("", 1, 2), "name"},
		"a long name":   {nameRange(strings.Repeat("n", 257), 1, 2), "name"},
		"empty":         {nameRange("n", 2, 2), "not be empty"},
		"past the end":  {nameRange("n", 2, 99), "end"},
		"no such id":    {fillRange("kix.range1", "", "x"), "not found"},
		"neither":       {fillRange("", "", "x"), "Exactly one"},
		"both":          {fillRange("kix.range1", "n", "x"), "Exactly one"},
		"at the break":  {nameRange("n", 0, 3), "in a paragraph"},
		"half a letter": {nameRange("n", 2, 3), "two UTF-16"},
	} {
		_, err := Apply(docx(t, para("𝒳bcd")), "id", []*gdocs.Request{c.request})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestHeadersAndFootersComeAndGo(t *testing.T) {
	t.Parallel()
	d := docx(t, para("a"))
	answers, err := Apply(d, "id", []*gdocs.Request{
		{CreateFooter: &gdocs.CreateFooterRequest{Type: "DEFAULT"}},
		{DeleteHeader: &gdocs.DeleteHeaderRequest{HeaderId: "kix.header1"}},
		{CreateHeader: &gdocs.CreateHeaderRequest{Type: "DEFAULT", SectionBreakLocation: &gdocs.Location{Index: 0}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	header, footer := answers[2].CreateHeader.HeaderId, answers[0].CreateFooter.FooterId
	if header == "kix.header1" {
		t.Error("the new header has the name of the old one")
	}
	d = reread(t, d)
	_, err = Apply(d, "id", []*gdocs.Request{
		{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{SegmentId: header}, Text: "top"}},
		{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{SegmentId: footer}, Text: "foot"}},
		{InsertTable: &gdocs.InsertTableRequest{EndOfSegmentLocation: &gdocs.EndOfSegmentLocation{SegmentId: footer}, Rows: 1, Columns: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc := get(t, reread(t, d))
	if len(doc.Headers) != 1 || len(doc.Footers) != 1 || doc.DocumentStyle.DefaultHeaderId != header || doc.DocumentStyle.DefaultFooterId != footer {
		t.Fatalf("got headers %v, footers %v and the style %q, %q", doc.Headers, doc.Footers, doc.DocumentStyle.DefaultHeaderId, doc.DocumentStyle.DefaultFooterId)
	}
	if got := outline(doc.Headers[header].Content) + outline(doc.Footers[footer].Content); got != "top¶foot¶[|¶/]¶" {
		t.Errorf("got %q", got)
	}
	for want, request := range map[string]*gdocs.Request{
		"already exists":   {CreateHeader: &gdocs.CreateHeaderRequest{Type: "DEFAULT"}},
		"must be DEFAULT":  {CreateFooter: &gdocs.CreateFooterRequest{Type: "FIRST_PAGE"}},
		"no section break": {CreateFooter: &gdocs.CreateFooterRequest{Type: "DEFAULT", SectionBreakLocation: &gdocs.Location{Index: 1}}},
		"is not a header":  {DeleteHeader: &gdocs.DeleteHeaderRequest{HeaderId: footer}},
		"was not found":    {DeleteFooter: &gdocs.DeleteFooterRequest{FooterId: "kix.x"}},
	} {
		if _, err := Apply(d, "id", []*gdocs.Request{request}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func utf16of(text string) []uint16 { return utf16.Encode([]rune(text)) }

func textOf(units []uint16) string { return string(utf16.Decode(units)) }

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

func TestNamedRangesAreFoundByTheirIDOrTheirName(t *testing.T) {
	t.Parallel()
	drop := func(id, name string) *gdocs.Request {
		return &gdocs.Request{DeleteNamedRange: &gdocs.DeleteNamedRangeRequest{NamedRangeId: id, Name: name}}
	}
	three := []*gdocs.Request{nameRange("n", 1, 2), nameRange("m", 2, 3), nameRange("n", 3, 4)}
	for name, c := range map[string]struct {
		requests []*gdocs.Request
		want     []string
	}{
		"one by its id":          {[]*gdocs.Request{drop("kix.range1", "")}, []string{`kix.range2 m "b"`, `kix.range3 n "c"`}},
		"all by their name":      {[]*gdocs.Request{drop("", "n")}, []string{`kix.range2 m "b"`}},
		"none of another name":   {[]*gdocs.Request{drop("", "o")}, []string{`kix.range1 n "a"`, `kix.range2 m "b"`, `kix.range3 n "c"`}},
		"a number is free again": {[]*gdocs.Request{drop("kix.range2", ""), nameRange("k", 4, 5)}, []string{`kix.range1 n "a"`, `kix.range2 k "d"`, `kix.range3 n "c"`}},
		"one filled by its id":   {[]*gdocs.Request{fillRange("kix.range3", "", "xy")}, []string{`kix.range1 n "a"`, `kix.range2 m "b"`, `kix.range3 n "xy"`}},
	} {
		d := docx(t, para("abcd"))
		apply(t, d, append(slices.Clone(three), c.requests...)...)
		if got := ranges(t, d); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestNamedRangesStandInTablesAndAroundObjects(t *testing.T) {
	t.Parallel()
	field := `<w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>`
	for name, c := range map[string]struct {
		body     string
		from, to int64
	}{
		"in a cell":                {tableXML([]string{para("abcd")}) + `<w:p/>`, 5, 7},
		"from cell to cell":        {tableXML([]string{para("ab"), para("cd")}) + `<w:p/>`, 5, 9},
		"before a page number":     {`<w:p><w:r><w:t>ab</w:t></w:r>` + field + `</w:p>`, 2, 3},
		"around a page number":     {`<w:p><w:r><w:t>ab</w:t></w:r>` + field + `<w:r><w:t>c</w:t></w:r></w:p>`, 2, 5},
		"a page number at the end": {`<w:p>` + field + `</w:p>`, 1, 2},
		"runs of a link":           {`<w:p><w:hyperlink r:id="l"><w:r><w:t>ab</w:t></w:r><w:r><w:t>cd</w:t></w:r></w:hyperlink></w:p>`, 2, 4},
		"behind a tab":             {`<w:p><w:r><w:tab/><w:t>ab</w:t><w:br/><w:t>cd</w:t></w:r></w:p>`, 2, 5},
		"a line feed alone":        {para("a") + para("b"), 2, 3},
		"the last line feed":       {para("ab"), 3, 4},
	} {
		d := docx(t, c.body)
		before := outline(get(t, d).Body.Content)
		doc := get(t, apply(t, d, nameRange("n", c.from, c.to)))
		if got := outline(doc.Body.Content); got != before {
			t.Errorf("%s: got the text %q, want %q", name, got, before)
		}
		of := doc.NamedRanges["n"].NamedRanges
		if len(of) != 1 {
			t.Errorf("%s: got %d ranges", name, len(of))
			continue
		}
		to := c.to
		if name == "the last line feed" {
			to = 3 // the end of a segment is that of its last paragraph's text
		}
		if r := of[0].Ranges[0]; r.StartIndex != c.from || r.EndIndex != to || of[0].Name != "n" || doc.NamedRanges["n"].Name != "n" {
			t.Errorf("%s: got %d to %d, want %d to %d", name, r.StartIndex, r.EndIndex, c.from, to)
		}
	}
}

func TestARangeWhoseTextIsGoneIsNoMore(t *testing.T) {
	t.Parallel()
	d := docx(t, para("ab")+para("cd")+para("ef"))
	// Its end goes with the second paragraph.
	apply(t, d, nameRange("n", 2, 6), deleteRange(4, 7))
	if got := ranges(t, d); got != nil {
		t.Errorf("got %q, want none", got)
	}
	if got := refuse(t, d, fillRange("kix.range1", "", "x")); got != "Invalid requests[0].replaceNamedRangeContent: The named range with the ID kix.range1 was not found." {
		t.Errorf("got %q", got)
	}
}

// A range is a bookmark and a document variable, at the places of the schema
// (ECMA-376 part 1, 17.13.6.2 and 17.15.1.31).
func TestRangesAreKeptBesideWhatIsInTheSettings(t *testing.T) {
	t.Parallel()
	names := func(d *wml.Document) string {
		root := element(t, partXML(t, d, "word/settings.xml"))
		var all []string
		for _, e := range root.ChildElements() {
			all = append(all, e.Tag)
			for _, v := range e.ChildElements() {
				all = append(all, v.SelectAttrValue("w:name", "")+"="+v.SelectAttrValue("w:val", ""))
			}
		}
		return strings.Join(all, " ")
	}
	drop := &gdocs.Request{DeleteNamedRange: &gdocs.DeleteNamedRangeRequest{NamedRangeId: "kix.range1"}}
	for settings, want := range map[string][2]string{
		``:                     {"docVars _platenRange1=n", ""},
		`<w:zoom/><w:rsids/>`:  {"zoom docVars _platenRange1=n rsids", "zoom rsids"},
		`<w:zoom/><m:mathPr/>`: {"zoom docVars _platenRange1=n mathPr", "zoom mathPr"},
		`<w:docVars><w:docVar w:name="mine" w:val="1"/></w:docVars><w:rsids/>`: {"docVars mine=1 _platenRange1=n rsids", "docVars mine=1 rsids"},
	} {
		d := docxWith(t, para("abc"), map[string]string{"settings": `<w:settings` + namespaces + `>` + settings + `</w:settings>`})
		apply(t, d, nameRange("n", 1, 2))
		if got := names(d); got != want[0] {
			t.Errorf("%s: got %q, want %q", settings, got, want[0])
		}
		apply(t, d, drop)
		if got := names(d); got != want[1] {
			t.Errorf("%s, deleted: got %q, want %q", settings, got, want[1])
		}
	}
	// Without settings they are made.
	d := docx(t, para("abc"))
	apply(t, d, nameRange("a & b", 1, 2), nameRange("c", 2, 3))
	if got := names(d); got != "docVars _platenRange1=a & b _platenRange2=c" {
		t.Errorf("got %q", got)
	}
	if got := d.Package.ContentType("word/settings.xml"); !strings.HasSuffix(got, "wordprocessingml.settings+xml") {
		t.Errorf("got the type %s", got)
	}
}

func TestRangesTakeNumbersThatNoBookmarkHas(t *testing.T) {
	t.Parallel()
	d := docxWith(t, `<w:p><w:bookmarkStart w:id="7" w:name="mine"/><w:r><w:t>abc</w:t></w:r><w:bookmarkEnd w:id="7"/></w:p>`, map[string]string{
		"header1": `<w:hdr` + namespaces + `><w:p><w:bookmarkStart w:id="30" w:name="other"/><w:bookmarkEnd w:id="30"/></w:p></w:hdr>`,
	})
	apply(t, d, nameRange("n", 1, 2), nameRange("n", 2, 3))
	var got []string
	for _, e := range element(t, bodyXML(t, d)).FindElements("//w:bookmarkStart") {
		got = append(got, e.SelectAttrValue("w:id", "")+e.SelectAttrValue("w:name", ""))
	}
	slices.Sort(got)
	if want := []string{"31_platenRange1", "32_platenRange2", "7mine"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if all := get(t, d).NamedRanges; len(all) != 1 {
		t.Errorf("got the ranges %v: a bookmark of somebody else is none", all)
	}
}

// NamedRange.name: 1 to 256 UTF-16 code units.
func TestNamesOfRangesAreBounded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"n", strings.Repeat("n", 256), strings.Repeat("𝒳", 128)} {
		apply(t, docx(t, para("abc")), nameRange(name, 1, 2))
	}
	const want = "Invalid requests[0].createNamedRange: The name of a named range must have 1 to 256 characters."
	for _, name := range []string{"", strings.Repeat("n", 257), strings.Repeat("𝒳", 128) + "n"} {
		if got := refuse(t, docx(t, para("abc")), nameRange(name, 1, 2)); got != want {
			t.Errorf("%.9q: got %q, want %q", name, got, want)
		}
	}
}

func TestADocumentHasABoundedNumberOfRanges(t *testing.T) {
	t.Parallel()
	var vars strings.Builder
	for i := range maxRanges - 1 {
		fmt.Fprintf(&vars, `<w:docVar w:name="%s%d" w:val="n"/>`, rangePrefix, i+1)
	}
	d := docxWith(t, para("abc"), map[string]string{"settings": `<w:settings` + namespaces + `><w:docVars>` + vars.String() + `<w:docVar w:name="mine" w:val="1"/></w:docVars></w:settings>`})
	if got, want := refuse(t, d, nameRange("n", 1, 2), nameRange("n", 2, 3)), "Invalid requests[1].createNamedRange: A document may have at most 1000 named ranges."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRangesThatCannotBeFilledAreRefusedInGooglesWords(t *testing.T) {
	t.Parallel()
	inTab := fillRange("", "n", "x")
	inTab.ReplaceNamedRangeContent.TabsCriteria = &gdocs.TabsCriteria{TabIds: []string{"t.1"}}
	for want, r := range map[string]*gdocs.Request{
		`replaceNamedRangeContent: The tab "t.1" was not found.`:                                           inTab,
		"replaceNamedRangeContent: Exactly one of the id and the name of a named range must be specified.": fillRange("", "", "x"),
		"deleteNamedRange: Exactly one of the id and the name of a named range must be specified.":         {DeleteNamedRange: &gdocs.DeleteNamedRangeRequest{Name: "n", NamedRangeId: "kix.range1"}},
		"deleteNamedRange: The named range with the ID kix.range9 was not found.":                          {DeleteNamedRange: &gdocs.DeleteNamedRangeRequest{NamedRangeId: "kix.range9"}},
		"createNamedRange: The range must be specified.":                                                   {CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n"}},
		"createNamedRange: The range must not be empty, and end at most at 5, the end of the segment.":     nameRange("n", 3, 6),
		"createNamedRange: The range's start index (range.startIndex) must be provided.":                   {CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n", Range: &gdocs.Range{EndIndex: 2}}},
		"createNamedRange: The range must begin and end in a paragraph.":                                   nameRange("n", 0, 2),
		"createNamedRange: Segment with ID kix.none was not found.":                                        {CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n", Range: rangeFrom("kix.none", 0, 2)}},
	} {
		if got := refuse(t, docx(t, para("abc")), nameRange("n", 1, 2), r); got != "Invalid requests[1]."+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	inTab.ReplaceNamedRangeContent.TabsCriteria.TabIds = []string{tabID}
	apply(t, docx(t, para("abc")), nameRange("n", 1, 2), inTab)
}

func TestRangesSideBySideAreFilledEachForItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fill []*gdocs.Request
		text string
		want []string
	}{
		"the first":               {[]*gdocs.Request{fillRange("", "a", "one")}, "§onebc¶", []string{`kix.range1 a "one"`, `kix.range2 b "b"`, `kix.range3 c "c"`}},
		"the second":              {[]*gdocs.Request{fillRange("", "b", "two")}, "§atwoc¶", []string{`kix.range1 a "a"`, `kix.range2 b "two"`, `kix.range3 c "c"`}},
		"the last":                {[]*gdocs.Request{fillRange("", "c", "three")}, "§abthree¶", []string{`kix.range1 a "a"`, `kix.range2 b "b"`, `kix.range3 c "three"`}},
		"all, from the end":       {[]*gdocs.Request{fillRange("", "c", "3"), fillRange("", "b", "2"), fillRange("", "a", "1")}, "§123¶", []string{`kix.range1 a "1"`, `kix.range2 b "2"`, `kix.range3 c "3"`}},
		"all, from the start":     {[]*gdocs.Request{fillRange("", "a", "1"), fillRange("", "b", "2"), fillRange("", "c", "3")}, "§123¶", []string{`kix.range1 a "1"`, `kix.range2 b "2"`, `kix.range3 c "3"`}},
		"one emptied":             {[]*gdocs.Request{fillRange("", "b", "")}, "§ac¶", []string{`kix.range1 a "a"`, `kix.range3 c "c"`}},
		"the second by two lines": {[]*gdocs.Request{fillRange("", "b", "2\n3")}, "§a2¶3c¶", []string{`kix.range1 a "a"`, `kix.range2 b "2\n3"`, `kix.range3 c "c"`}},
	} {
		d := docx(t, para("abc"))
		d = apply(t, d, append([]*gdocs.Request{nameRange("a", 1, 2), nameRange("b", 2, 3), nameRange("c", 3, 4)}, c.fill...)...)
		if got := outline(get(t, d).Body.Content); got != c.text {
			t.Errorf("%s: got %q, want %q", name, got, c.text)
		}
		if got := ranges(t, d); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

package docs

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/blank"
)

// Google answers each request with a reply at its place, which is empty for
// most kinds.
func TestEveryRequestHasItsReply(t *testing.T) {
	t.Parallel()
	d := docx(t, para("abcd")+tableXML([]string{para("x"), para("y")})+para("z"))
	replies, err := Apply(d, "id", []*gdocs.Request{
		insertAt(1, "1"), deleteRange(1, 2), styleText(1, 2, &gdocs.TextStyle{Bold: true}, "bold"), nameRange("n", 2, 3),
		insertRow(6, 0, true), insertPicture(1, "", pixel, nil),
		{CreateFooter: &gdocs.CreateFooterRequest{Type: "DEFAULT"}},
		{ReplaceAllText: &gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: "none"}}},
		createBullets(1, 2, "BULLET_CHECKBOX"), deleteBullets(1, 2),
		{DeleteNamedRange: &gdocs.DeleteNamedRangeRequest{Name: "n"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range replies {
		filled := map[string]bool{"range": r.CreateNamedRange != nil, "picture": r.InsertInlineImage != nil, "footer": r.CreateFooter != nil, "text": r.ReplaceAllText != nil}
		want := map[int]string{3: "range", 5: "picture", 6: "footer", 7: "text"}[i]
		for kind, is := range filled {
			if is != (kind == want) {
				t.Errorf("the reply %d: got %s %t, want %q", i, kind, is, want)
			}
		}
	}
	if len(replies) != 11 || replies[3].CreateNamedRange.NamedRangeId != "kix.range1" || replies[6].CreateFooter.FooterId != "kix.footer1" || replies[5].InsertInlineImage.ObjectId == "" {
		t.Errorf("got %d replies, of a range %+v, of a footer %+v", len(replies), replies[3].CreateNamedRange, replies[6].CreateFooter)
	}
}

func TestAFaultSaysWhichDocumentAndWhichRequest(t *testing.T) {
	t.Parallel()
	_, err := Apply(docx(t, para("a")), "doc-17", []*gdocs.Request{insertAt(1, "x"), insertAt(90000, "y")})
	// As captured from Google, which does not name the document.
	const want = "Invalid requests[1].insertText: Index 90000 must be less than the end index of the referenced segment, 4."
	if err == nil || !strings.Contains(err.Error(), "doc-17") || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestKindsThatThisDriveDoesNotServeAreRefusedByTheirName(t *testing.T) {
	t.Parallel()
	for want, request := range map[string]*gdocs.Request{
		"createFootnote":         {CreateFootnote: &gdocs.CreateFootnoteRequest{}},
		"deletePositionedObject": {DeletePositionedObject: &gdocs.DeletePositionedObjectRequest{}},
		"insertSectionBreak":     {InsertSectionBreak: &gdocs.InsertSectionBreakRequest{}},
		"replaceImage":           {ReplaceImage: &gdocs.ReplaceImageRequest{}},
		"unmergeTableCells":      {UnmergeTableCells: &gdocs.UnmergeTableCellsRequest{}},
		"updateDocumentStyle":    {UpdateDocumentStyle: &gdocs.UpdateDocumentStyleRequest{}},
		"updateSectionStyle":     {UpdateSectionStyle: &gdocs.UpdateSectionStyleRequest{}},
	} {
		if got := refuse(t, docx(t, para("a")), request); got != "Invalid requests[0]."+want+": This drive does not support this kind of request." {
			t.Errorf("%s: got %q", want, got)
		}
	}
}

func TestReplacementsAreRefusedThatCannotBeCarriedOutAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request *gdocs.ReplaceAllTextRequest
		want    string
	}{
		"nothing to find": {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{}, ReplaceText: "x"}, "The text to find (containsText.text) must not be empty."},
		"no criteria":     {&gdocs.ReplaceAllTextRequest{ReplaceText: "x"}, "The text to find (containsText.text) must not be empty."},
		"an expression":   {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: "a.", SearchByRegex: true}}, "This drive does not support containsText.searchByRegex."},
		"another tab":     {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: "a"}, TabsCriteria: &gdocs.TabsCriteria{TabIds: []string{tabID, "t.1"}}}, `The tab "t.1" was not found.`},
	} {
		if got, want := refuse(t, docx(t, para("a")), &gdocs.Request{ReplaceAllText: c.request}), "Invalid requests[0].replaceAllText: "+c.want; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestTextIsReplacedInTheCaseThatTheRequestAsksFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request *gdocs.ReplaceAllTextRequest
		want    string
		count   int64
	}{
		"in any case":    {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: "AB"}, ReplaceText: "-"}, "§- - -¶", 3},
		"in one case":    {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: "AB", MatchCase: true}, ReplaceText: "-"}, "§ab Ab -¶", 1},
		"in its own tab": {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: "ab", MatchCase: true}, TabsCriteria: &gdocs.TabsCriteria{TabIds: []string{tabID}}}, "§ Ab AB¶", 1},
		"by a paragraph": {&gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: " Ab ", MatchCase: true}, ReplaceText: "\n"}, "§ab¶AB¶", 1},
	} {
		d := docx(t, para("ab Ab AB"))
		replies, err := Apply(d, "id", []*gdocs.Request{{ReplaceAllText: c.request}})
		if err != nil {
			t.Fatal(err)
		}
		if got := outline(get(t, reread(t, d)).Body.Content); got != c.want || replies[0].ReplaceAllText.OccurrencesChanged != c.count {
			t.Errorf("%s: got %q after %d changes, want %q after %d", name, got, replies[0].ReplaceAllText.OccurrencesChanged, c.want, c.count)
		}
	}
}

// Replacements keep their reading of the text, and edits by index theirs: each
// has to see what the other did.
func TestEditsByIndexAndReplacementsSeeEachOther(t *testing.T) {
	t.Parallel()
	replace := func(find, with string) *gdocs.Request {
		return &gdocs.Request{ReplaceAllText: &gdocs.ReplaceAllTextRequest{ContainsText: &gdocs.SubstringMatchCriteria{Text: find}, ReplaceText: with}}
	}
	got := applyTo(t, para("one")+para("two"),
		replace("one", "longer"), insertAt(7, "!"), replace("longer!", "1\n2"), insertAt(4, "x"), deleteRange(1, 3), replace("2x", "end"), insertAt(4, "?"))
	if want := "§end?¶two¶"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestABatchOfABlankDocumentLeavesOneThatCanBeEditedAgain(t *testing.T) {
	t.Parallel()
	data, err := blank.Document()
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, data)
	for range 3 {
		d = apply(t, d, insertAt(1, "x"))
	}
	if got := outline(get(t, d).Body.Content); got != "§xxx¶" {
		t.Errorf("got %q", got)
	}
}

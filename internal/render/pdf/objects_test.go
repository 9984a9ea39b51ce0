package pdf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// A bookmark as qpdf reads it.
type bookmark struct {
	Title string     `json:"title"`
	Page  int        `json:"destpageposfrom1"`
	Dest  []any      `json:"dest"`
	Open  bool       `json:"open"`
	Kids  []bookmark `json:"kids"`
}

// String writes a bookmark as "title@page,y(kids)".
func (b bookmark) String() string {
	out := fmt.Sprintf("%s@%d,%v", b.Title, b.Page, b.Dest[3])
	if len(b.Kids) > 0 {
		out += fmt.Sprint(b.Kids)
	}
	return out
}

func bookmarks(t *testing.T, file []byte) []bookmark {
	t.Helper()
	var read struct{ Outlines []bookmark }
	if err := json.Unmarshal([]byte(rendertest.Tool(t, file, "qpdf", "--json=2", "--json-key=outlines", "FILE")), &read); err != nil {
		t.Fatal(err)
	}
	return read.Outlines
}

func TestBookmarksAreNestedByTheirLevels(t *testing.T) {
	t.Parallel()
	type entry struct {
		title string
		level int
	}
	for _, want := range []struct {
		entries []entry
		tree    string
	}{
		{nil, "[]"},
		{[]entry{{"A", 0}}, "[A@1,100]"},
		{[]entry{{"A", 0}, {"B", 0}}, "[A@1,100 B@1,100]"},
		{[]entry{{"A", 0}, {"a", 1}, {"aa", 2}, {"b", 1}, {"B", 0}}, "[A@1,100[a@1,100[aa@1,100] b@1,100] B@1,100]"},
		{[]entry{{"A", 0}, {"aa", 2}, {"b", 1}}, "[A@1,100[aa@1,100 b@1,100]]"}, // a level that is skipped is closed up
		{[]entry{{"a", 3}, {"A", 0}}, "[a@1,100 A@1,100]"},
		{[]entry{{"A", -1}, {"a", 1}}, "[A@1,100[a@1,100]]"},
	} {
		c := newPage()
		for _, e := range want.entries {
			c.Outline(e.title, e.level, 0)
		}
		got := bookmarks(t, finished(t, c))
		if tree := fmt.Sprint(got); tree != want.tree {
			t.Errorf("%v: got %s, want %s", want.entries, tree, want.tree)
		}
		for _, b := range got {
			if len(b.Kids) > 0 && !b.Open {
				t.Errorf("%v: %s is closed", want.entries, b.Title)
			}
		}
	}
}

// ISO 32000-1, 12.3.3: the count of an item that is open is that of all below it.
func TestBookmarksCountWhatIsBelowThem(t *testing.T) {
	t.Parallel()
	c := newPage()
	for _, e := range []struct {
		title string
		level int
	}{{"A", 0}, {"a", 1}, {"aa", 2}, {"ab", 2}, {"b", 1}, {"B", 0}} {
		c.Outline(e.title, e.level, 0)
	}
	file := string(finished(t, c))
	if got := matching(`/Type /Outlines .* /Count (\d+)`, file); len(got) != 1 || got[0] != "6" {
		t.Errorf("got the counts %q of the tree, want 6", got)
	}
	for title, want := range map[string]string{"A": "4", "a": "2", "aa": "", "B": ""} {
		item := matching(`/Title <`+textString(title)+`>(.*)>>`, file)
		if len(item) != 1 || strings.Join(matching(`/Count (\d+)`, item[0]), "") != want {
			t.Errorf("%s: got %q, want the count %q", title, item, want)
		}
	}
}

func TestABookmarkLeadsToItsPlaceOnItsPage(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.Outline("top", 0, 0)
	c.AddPage(200, 300)
	c.Outline("Fuß 😀", 0, 250)
	if got, want := fmt.Sprint(bookmarks(t, finished(t, c))), "[top@1,100 Fuß 😀@2,50]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheCatalogSaysWhatReadersShow(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		title, lang string
		isOutlined  bool
		has, hasNot []string
	}{
		{"Offer", "en-GB", true, []string{"/DisplayDocTitle true", "/Lang <" + textString("en-GB") + ">", "/PageMode /UseOutlines", "/Outlines "}, nil},
		{"", "", false, []string{"/DisplayDocTitle true"}, []string{"/Lang", "/PageMode", "/Outlines"}},
	} {
		c := NewCanvas(want.title, want.lang)
		c.AddPage(200, 100)
		if want.isOutlined {
			c.Outline("A", 0, 0)
		}
		file := finished(t, c)
		catalog := string(objectsOf(t, file)[catalogObject-1])
		for _, part := range want.has {
			if !strings.Contains(catalog, part) {
				t.Errorf("%q: the catalog is %q, want %q in it", want.title, catalog, part)
			}
		}
		for _, part := range want.hasNot {
			if strings.Contains(catalog, part) {
				t.Errorf("%q: the catalog is %q, want no %q in it", want.title, catalog, part)
			}
		}
		if got := matching(`/Title <(\w*)> /Producer \(Platen\)`, string(file)); len(got) != 1 || got[0] != textString(want.title) {
			t.Errorf("%q: got the titles %q", want.title, got)
		}
	}
}

// ISO 32000-1, 7.9.2.2: UTF-16BE with a byte order mark.
func TestTextsOutsideOfPagesAreUTF16(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "FEFF", "A": "FEFF0041", "é€": "FEFF00E920AC", "👍": "FEFFD83DDC4D"} {
		if got := textString(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// ISO 32000-1, 7.5.4 and 7.5.5.
func TestAFileIsJoinedWithItsTableAndTrailer(t *testing.T) {
	t.Parallel()
	var objects objects
	objects.reserve(1)
	objects.add(stream("/B 6", []byte("stream of eight")))
	info := objects.add(dictionary("/C"))
	objects.set(1, dictionary("/A %d", 5))
	file := objects.join(info, 0)
	if !bytes.HasPrefix(file, []byte("%PDF-1.7\n%")) || !bytes.HasSuffix(file, []byte("\n%%EOF\n")) {
		t.Errorf("got %q", file)
	}
	want := []string{"1 0 obj\n<</A 5>>\nendobj\n\n", "2 0 obj\n<</B 6 /Length 15>>\nstream\nstream of eight\nendstream\nendobj\n\n", "3 0 obj\n<</C>>\nendobj\n\n"}
	if got := objectsOf(t, file); string(bytes.Join(got, nil)) != strings.Join(want, "") {
		t.Errorf("got the objects %q, want %q", got, want)
	}
	at, err := strconv.Atoi(matching(`startxref\n(\d+)\n`, string(file))[0])
	if err != nil || !bytes.HasPrefix(file[at:], []byte("xref\n0 4\n0000000000 65535 f \n")) {
		t.Fatalf("the table is not at %d, %v", at, err)
	}
	for i, entry := range regexp.MustCompile(`(\d{10}) 00000 n \n`).FindAllSubmatch(file[at:], -1) {
		if offset, _ := strconv.Atoi(string(entry[1])); !bytes.HasPrefix(file[offset:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d is not at %d", i+1, offset)
		}
	}
	if trailer := matching(`trailer\n<</Size 4 /Root 1 0 R /Info 3 0 R /ID \[<(\w{32})><\w{32}>\]>>`, string(file)); len(trailer) != 1 {
		t.Errorf("the trailer is not as it should be: %q", file[at:])
	}
}

func TestTheIdentityOfAFileIsThatOfItsContent(t *testing.T) {
	t.Parallel()
	identity := func(content string) string {
		ids := matching(`/ID \[<(\w+)>`, string(objects{dictionary("/A (%s)", content)}.join(1, 0)))
		if len(ids) != 1 {
			t.Fatalf("got the identities %q, want one", ids)
		}
		return ids[0]
	}
	first, again, other := identity("a"), identity("a"), identity("b")
	if again != first || other == first {
		t.Errorf("got %s, %s and %s; want the first two alike and another", first, again, other)
	}
}

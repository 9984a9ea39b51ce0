package protect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/test/pdfrules"
)

// bound is one PDF of many, each called by its place.
func bound(t *testing.T, left string, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	b := NewBinder(&out, "October.csv")
	for i, part := range parts {
		if err := b.Add(fmt.Sprintf("Output %d", i+1), part); err != nil {
			t.Fatalf("part %d: %v", i+1, err)
		}
	}
	if err := b.Close([]byte(left)); err != nil {
		t.Fatal(err)
	}
	rendertest.Tool(t, out.Bytes(), "qpdf", "--check", "FILE")
	return out.Bytes()
}

func TestOnePDFHasThePagesOfManyInTheirOrderWithABookmarkForEach(t *testing.T) {
	t.Parallel()
	invoice, offer, letter := rendered(t, "invoice.docx"), rendered(t, "offer.pptx"), rendered(t, "letter.docx")
	out := bound(t, "", letter, invoice, offer, letter)
	text := func(pdf []byte) string { return rendertest.Tool(t, pdf, "pdftotext", "FILE", "-") }
	if got, want := text(out), text(letter)+text(invoice)+text(offer)+text(letter); got != want {
		t.Errorf("got the text\n%s\nwant\n%s", got, want)
	}
	outline := rendertest.Tool(t, out, "mutool", "show", "FILE", "outline")
	at := 0
	for i, want := range []string{"Output 1.*#page=1", "Output 2.*#page=2", "Output 3", "Output 4"} {
		found := regexp.MustCompile(want).FindStringIndex(outline[at:])
		if found == nil {
			t.Fatalf("bookmark %d: got %s, want %s behind the one before", i+1, outline, want)
		}
		at += found[1]
	}
	if pages := rendertest.Tool(t, out, "mutool", "info", "FILE"); !strings.Contains(pages, "Pages: ") {
		t.Errorf("mutool reads %s", pages)
	}
	if info := rendertest.Tool(t, out, "pdfinfo", "FILE"); !strings.Contains(info, "Title:           October.csv") || !strings.Contains(info, "Tagged:          yes") {
		t.Errorf("got %s, want its title and tags", info)
	}
}

// Those who cannot see the pages read as much as in each PDF alone.
func TestOnePDFHasTheTagsOfAllItsParts(t *testing.T) {
	t.Parallel()
	invoice, offer := rendered(t, "invoice.docx"), rendered(t, "offer.pptx")
	var want []string
	for _, part := range [][]byte{invoice, offer, invoice} {
		want = append(want, "Part("+rendertest.Structure(t, part)+")")
	}
	out := bound(t, "", invoice, offer, invoice)
	if got, want := rendertest.Structure(t, out), strings.Join(want, " "); got != want {
		t.Errorf("got the structure\n  %s\nwant\n  %s", got, want)
	}
	if faults, err := pdfrules.Check(out); err != nil || len(faults) > 0 {
		t.Errorf("got %v and %v, want a PDF that keeps the rules", faults, err)
	}
	texts := func(pdf []byte) string {
		return strings.Join(strings.Fields(regexp.MustCompile(`(?m)^ *"(.*)".*$|^.*$`).ReplaceAllString(rendertest.Tool(t, pdf, "pdfinfo", "-struct-text", "FILE"), "$1")), " ")
	}
	if got, want := texts(bound(t, "", invoice, offer)), texts(invoice)+" "+texts(offer); got != want {
		t.Errorf("got the words of the tags\n  %s\nwant\n  %s", got, want)
	}
}

func TestOnePDFSaysWhatIsNotInIt(t *testing.T) {
	t.Parallel()
	const left = "row 2: The row has no field Name.\r\n"
	for what, parts := range map[string][][]byte{"something": {rendered(t, "letter.docx")}, "nothing": nil} {
		out := bound(t, left, parts...)
		if got := rendertest.Tool(t, out, "pdfdetach", "-save", "1", "-o", "/dev/stdout", "FILE"); !strings.Contains(got, left) {
			t.Errorf("of %s: got %q attached, want %q", what, got, left)
		}
	}
	if got := rendertest.Tool(t, bound(t, "", rendered(t, "letter.docx")), "pdfdetach", "-list", "FILE"); !strings.HasPrefix(got, "0 embedded") {
		t.Errorf("got %q, want nothing attached", got)
	}
}

func TestAPartThatCannotBeReadLeavesThePDFAsItWas(t *testing.T) {
	t.Parallel()
	letter := rendered(t, "letter.docx")
	locked, err := Protector{}.Protect(letter, "secret", false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	b := NewBinder(&out, "October")
	if err := b.Add("good", letter); err != nil {
		t.Fatal(err)
	}
	written := out.Len()
	for what, part := range map[string][]byte{"no PDF": []byte("Dear Ada"), "cut off": letter[:len(letter)/2], "nothing": nil, "encrypted": locked} {
		if err := b.Add("bad", part); platen.KindOf(err) != platen.KindInvalid || out.Len() != written {
			t.Errorf("%s: got %v and %d bytes more, want it refused", what, err, out.Len()-written)
		}
	}
	if err := b.Add("good", letter); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(nil); err != nil {
		t.Fatal(err)
	}
	rendertest.Tool(t, out.Bytes(), "qpdf", "--check", "FILE")
}

// Pictures and fonts that many have stand in the PDF once.
func TestOnePDFHasWhatItsPartsShareOnce(t *testing.T) {
	t.Parallel()
	letter := rendered(t, "invoice.docx")
	one, ten := bound(t, "", letter), bound(t, "", letter, letter, letter, letter, letter, letter, letter, letter, letter, letter)
	if more := (len(ten) - len(one)) / 9; more > len(one)/2 {
		t.Errorf("each further part takes %d bytes, and the first %d; want less than half", more, len(one))
	}
}

type closedPipe struct{ room int }

var errClosed = errors.New("closed")

func (c *closedPipe) Write(b []byte) (int, error) {
	if c.room -= len(b); c.room < 0 {
		return 0, errClosed
	}
	return len(b), nil
}

func TestAReaderWhoLeavesEndsABinder(t *testing.T) {
	t.Parallel()
	b := NewBinder(&closedPipe{room: 20_000}, "October")
	letter := rendered(t, "letter.docx")
	var err error
	for range 100 {
		if err = b.Add("letter", letter); err != nil {
			break
		}
	}
	if !errors.Is(err, errClosed) || platen.KindOf(err) == platen.KindInvalid {
		t.Errorf("got %v, want the error of the reader", err)
	}
	if err := b.Close(nil); !errors.Is(err, errClosed) {
		t.Errorf("close: got %v, want the error of the reader", err)
	}
}

func TestOnePDFHasNoScripts(t *testing.T) {
	t.Parallel()
	scripted := pdfOf([]string{
		`<</Type /Catalog /Pages 2 0 R /OpenAction <</S /JavaScript /JS (open)>>>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`,
		`<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /AA <</O <</S /JavaScript /JS (page)>>>> /Resources <<>> /Annots [<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A 4 0 R>> <</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /URI /URI (https://example.com/)>>>>]>>`,
		`<</S /JavaScript /JS (link)>>`,
	})
	plain := rendertest.Tool(t, bound(t, "", scripted), "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	if strings.Contains(plain, "/JS") || !strings.Contains(plain, "https://example.com/") {
		t.Errorf("got %s, want its links without scripts", plain)
	}
}

// What a Binder holds does not grow with what it has written.
func TestABinderHoldsLittleOfEachPart(t *testing.T) {
	part := rendered(t, "letter.docx")
	b := NewBinder(io.Discard, "October")
	add := func(n int) {
		for range n {
			if err := b.Add("letter", part); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	add(20)
	before := held()
	const more = 150
	add(more)
	if after := held(); after > before && (after-before)/more > 1500 {
		t.Errorf("each part holds %d bytes, want 1,500 at most", (after-before)/more)
	}
	if err := b.Close(nil); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkBinder binds the same letter again and again: how long each takes, how large it is
// in the PDF, and what is held of it.
func BenchmarkBinder(b *testing.B) {
	part := rendered(b, "letter.docx")
	to := &counted{}
	binder := NewBinder(to, "October")
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for b.Loop() {
		if err := binder.Add("letter", part); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(int64(held())-int64(before))/float64(b.N), "held-B/op")
	b.ReportMetric(float64(to.n)/float64(b.N), "written-B/op")
	b.ReportMetric(float64(len(part)), "part-B")
	if err := binder.Close(nil); err != nil {
		b.Fatal(err)
	}
}

type counted struct{ n int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

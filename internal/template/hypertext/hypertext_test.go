package hypertext_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/hypertext"
	"github.com/platenhq/platen/internal/template/rich"
)

// written writes a document in short: what its paragraphs are, and the marks of runs.
func written(d rich.Document) string {
	lines := make([]string, len(d))
	for i, p := range d {
		lines[i] = writtenParagraph(p)
	}
	return strings.Join(lines, "\n")
}

func writtenParagraph(p rich.Paragraph) string {
	line := strings.Repeat(">", p.Quote)
	if p.NewPage {
		line += "page "
	}
	if p.Table != nil {
		return line + writtenTable(p.Table)
	}
	if p.Heading > 0 {
		line += fmt.Sprintf("h%d ", p.Heading)
	}
	if p.Rule {
		line += "rule"
	}
	for _, l := range p.Lists {
		sign := "-"
		switch {
		case l.Marked:
			sign = "."
		case l.Letter:
			sign = "A"
		case l.Roman:
			sign = "I"
		case l.Ordered:
			sign = "#"
		}
		line += fmt.Sprint(sign, l.ID)
	}
	if p.Mark != "" {
		line += "(" + p.Mark + ")"
	}
	if p.Align != "" {
		line += strings.ToLower(string(p.Align)) + " "
	}
	if p.Indent > 0 {
		line += fmt.Sprintf("in%g ", p.Indent)
	}
	if p.RightToLeft {
		line += "rtl "
	}
	for _, r := range p.Runs {
		line += writtenRun(r)
	}
	return line
}

func writtenRun(r rich.Run) string {
	marks := ""
	for _, m := range []struct {
		is   bool
		sign string
	}{
		{r.Bold, "b"}, {r.Italic, "i"}, {r.Underline, "u"}, {r.Strike, "s"}, {r.Code, "c"}, {r.Super, "^"}, {r.Sub, "_"},
		{r.Color != "", "#" + r.Color}, {r.Background != "", "/" + r.Background}, {r.Size > 0, fmt.Sprintf("%gpt", r.Size)}, {r.Scale > 0, fmt.Sprintf("x%.3g", r.Scale)}, {r.Link != "", "l:" + r.Link},
	} {
		if m.is {
			marks += m.sign
		}
	}
	if p := r.Picture; p != nil {
		return fmt.Sprintf("[%spicture %.22s %gx%g %g]", marks, p.Source, p.Width, p.Height, p.Share)
	}
	return "[" + marks + " " + r.Text + "]"
}

func writtenTable(t *rich.Table) string {
	line := fmt.Sprintf("table%d", t.Header)
	if t.Bare {
		line += " bare"
	}
	for _, w := range t.Widths {
		line += fmt.Sprintf(" %.3g/%.3g", w.Points, w.Share)
	}
	for _, r := range t.Rows {
		line += "\n |"
		for _, c := range r.Cells {
			line += fmt.Sprint(c.Column)
			if c.Span > 1 || c.Rows > 1 {
				line += fmt.Sprintf("(%dx%d)", c.Span, c.Rows)
			}
			if c.Background != "" {
				line += "/" + c.Background
			}
			line += strings.ToLower(c.Vertical) + strings.ReplaceAll(written(c.Content), "\n", " // ") + "|"
		}
	}
	return line
}

// A piece is HTML as a program writes it, with what it is read as, and what is left out.
type piece struct{ name, source, want, left string }

func pieces(t testing.TB) []piece {
	t.Helper()
	content, err := os.ReadFile("testdata/pieces.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []piece
	for _, text := range strings.Split("\n"+string(content), "\n=== ")[1:] {
		name, rest, _ := strings.Cut(text, "\n")
		source, want, _ := strings.Cut(rest, "\n---\n")
		want, left, _ := strings.Cut(strings.TrimRight(want, "\n"), "\n!!! ")
		all = append(all, piece{name, source, want, left})
	}
	return all
}

func TestHTMLIsReadAsEditorsMeanIt(t *testing.T) {
	t.Parallel()
	all := pieces(t)
	if len(all) < 60 {
		t.Fatalf("got %d pieces", len(all))
	}
	for _, p := range all {
		d, left, err := hypertext.Read(p.source)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		if got := written(d); got != p.want {
			t.Errorf("=== %s: got\n%s\nwant\n%s", p.name, got, p.want)
		}
		if got := strings.Join(left, ", "); got != p.left {
			t.Errorf("=== %s: left out %q, want %q", p.name, got, p.left)
		}
	}
}

// What is larger than anybody writes is refused, and what was made to take long takes no
// longer than the rest.
func TestHTMLIsBounded(t *testing.T) {
	t.Parallel()
	clause := "<h2>1. Delivery</h2><p>We deliver <strong>within 14 days</strong> to <a href=\"https://example.com/a\">your address</a>, unless:</p><ul><li>you <em>said</em> otherwise,</li><li>it is far.</li></ul>"
	long := strings.Repeat(clause, hypertext.MaxSize/len(clause))
	if d, _, err := hypertext.Read(long); err != nil || len(d) < 4000 {
		t.Errorf("a long text: got %d paragraphs, %v", len(d), err)
	}
	picture := `<p><img src="data:image/png;base64,` + strings.Repeat("A", 4<<20) + `"></p>`
	if d, _, err := hypertext.Read(picture); err != nil || len(d) != 1 || len(d[0].Runs[0].Picture.Source) < 4<<20 {
		t.Errorf("a large picture: %v", err)
	}
	for name, source := range map[string]string{
		"bytes":    strings.Repeat("a ", hypertext.MaxSize),
		"elements": strings.Repeat("<i>a</i>", 25_000),
		"cells":    "<table>" + strings.Repeat("<tr><td>", 6000) + "</table>",
		"spans":    "<table>" + strings.Repeat(`<tr><td colspan="60" rowspan="900">`, 1000) + "</table>",
		"columns":  "<table><tr>" + strings.Repeat("<td>a", 64) + "</table>",
		"pictures": strings.Repeat(`<img src="data:image/png;base64,AA==">`, 300),
	} {
		if _, _, err := hypertext.Read(source); !errors.Is(err, hypertext.ErrTooLarge) {
			t.Errorf("many %s: got %v, want ErrTooLarge", name, err)
		}
	}
	for _, piece := range hostile {
		source := strings.Repeat(piece, 120_000/len(piece))
		d, _, err := hypertext.Read(source)
		if err != nil && !errors.Is(err, hypertext.ErrTooLarge) {
			t.Errorf("many %q: %v", piece, err)
		}
		if runs := runsOf(d); runs > 200_000 {
			t.Errorf("many %q: got %d runs", piece, runs)
		}
		for _, p := range d {
			if len(p.Lists) > rich.MaxDepth || p.Quote > rich.MaxDepth {
				t.Errorf("many %q: got %d lists and %d quotes in one another", piece, len(p.Lists), p.Quote)
			}
		}
	}
}

// Lines of one style are one run, and are not copied for each other.
func TestManyLinesAreCopiedOnce(t *testing.T) {
	source := strings.Repeat("aaaaaaaa<br>", 19_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, _, err := hypertext.Read(source)
	runtime.ReadMemStats(&after)
	if err != nil || len(d) != 1 || len(d[0].Text()) != 19_000*9-1 {
		t.Fatalf("got %d paragraphs, %v", len(d), err)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 100 {
		t.Errorf("%d KiB of HTML took %d MiB, want 100 at most", len(source)>>10, got)
	}
}

// A table may have as many rows as it has cells, whatever its spans say, and an error
// names the limit that was met.
func TestTablesAreMeasuredByWhatStandsInThem(t *testing.T) {
	t.Parallel()
	long := "<table>" + strings.Repeat(`<tr><th colspan="100">a</th></tr><tr><td>b</td><td>c</td></tr>`, 100) + "</table>"
	d, _, err := hypertext.Read(long)
	if err != nil || len(d) != 1 || len(d[0].Table.Rows) != 200 || len(d[0].Table.Widths) != 2 {
		t.Errorf("200 rows of two columns: got %d paragraphs, %v", len(d), err)
	}
	_, _, err = hypertext.Read("<table><tr>" + strings.Repeat("<td>a", 64) + "</table>")
	if err == nil || !strings.Contains(err.Error(), "63 columns") {
		t.Errorf("64 columns: got %v", err)
	}
}

func runsOf(d rich.Document) (n int) {
	d.Each(func(*rich.Run) { n++ })
	return n
}

// hostile are pieces that are long if there are many of them.
var hostile = []string{
	"<div>", "<b>", "<b><p>", "<a href=x>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<table>a", "</p>", "<p></b>", "<font><p>", "<table><b>", "<br>", "<", "&", "&amp", "<!--", "<![CDATA[", "<svg>", "<math><mi>",
	"<li>", "<h1><h2>", "<td>", "<select><option>", "<p style='color:red;color:red'>", "<ol start=999999>", "<i><b><u><s><i><b>", "\x00", "<p><a><p></a>", "</table>", "<tr>", "<col>",
}

func BenchmarkRead(b *testing.B) {
	clause := "<h2>1. Delivery</h2><p>We deliver <strong>within 14 days</strong> to <a href=\"https://example.com/a\">your address</a>, unless:</p><ul><li>you <em>said</em> otherwise,</li><li>it is far.</li></ul>"
	source := strings.Repeat(clause, hypertext.MaxSize/len(clause))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := hypertext.Read(source); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, piece := range hostile {
		source := strings.Repeat(piece, hypertext.MaxSize/len(piece))
		b.Run(fmt.Sprintf("%.12q", piece), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = hypertext.Read(source)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, p := range pieces(f) {
		f.Add(p.source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		d, _, err := hypertext.Read(source)
		if err != nil {
			return
		}
		for _, p := range d {
			if len(p.Lists) > 0 && len(p.Runs) > 0 && strings.HasPrefix(p.Runs[0].Text, "\t") {
				t.Errorf("%q: an entry begins with a tab", source)
			}
		}
		d.Each(func(r *rich.Run) {
			if r.Text == "" && r.Picture == nil {
				t.Errorf("%q: got an empty run", source)
			}
			if r.Link != "" && !hypertext.Leads(r.Link) {
				t.Errorf("%q: got a link to %q", source, r.Link)
			}
		})
	})
}

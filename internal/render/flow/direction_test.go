package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/bidi"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestArabicAndHebrewRunFromRightToLeft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, properties, text string
		want                   []string // words from left to right
		first                  float64  // the left edge of the first, 0 for any
	}{
		{"Hebrew", "<w:bidi/>", "שלום עולם טוב", []string{"טוב", "עולם", "שלום"}, 0},
		{"Arabic", "<w:bidi/>", "مرحبا بكم جميعا", []string{"جميعا", "بكم", "مرحبا"}, 0},
		{"English in Hebrew", "<w:bidi/>", "שלום Platen Docs עולם", []string{"עולם", "Platen", "Docs", "שלום"}, 0},
		{"Hebrew in English", "", "one שלום עולם two", []string{"one", "עולם", "שלום", "two"}, 72},
		{"a number in Hebrew", "<w:bidi/>", "סכום 1,250.00 היום", []string{"היום", "1,250.00", "סכום"}, 0},
		{"on the left", `<w:bidi/><w:jc w:val="right"/>`, "שלום עולם", []string{"עולם", "שלום"}, 72},
	} {
		words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph(test.properties, test.text)})
		slices.SortFunc(words, func(a, b rendertest.Word) int { return int(a.Left - b.Left) })
		var got []string
		for _, w := range words {
			letters := []rune(w.Text)
			if bidi.MayTurn(letters[0]) { // the program tells them from left to right
				slices.Reverse(letters)
			}
			got = append(got, string(letters))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q from left to right, want %q", test.name, got, test.want)
			continue
		}
		if test.first > 0 {
			rendertest.Near(t, test.name+": the left edge", words[0].Left, test.first, 1)
		} else {
			rendertest.Near(t, test.name+": the right edge", words[len(words)-1].Right, 595.3-72, 1)
		}
	}
}

func TestAParagraphFromRightToLeftIsTheMirrorImageOfAnother(t *testing.T) {
	t.Parallel()
	const text = `<w:r><w:t>one</w:t><w:tab/><w:t>two</w:t></w:r>`
	const properties = `<w:tabs><w:tab w:val="left" w:pos="3000"/></w:tabs><w:ind w:start="600" w:firstLine="300"/>`
	left, _ := rendered(t, rendertest.Docx{Body: `<w:p><w:pPr>` + properties + `</w:pPr>` + text + `</w:p>`})
	right, _ := rendered(t, rendertest.Docx{Body: `<w:p><w:pPr><w:bidi/>` + properties + `</w:pPr>` + text + `</w:p>`})
	for _, word := range []string{"one", "two"} {
		a, b := rendertest.Find(t, left, word), rendertest.Find(t, right, word)
		rendertest.Near(t, word, 595.3-b.Right, a.Left, 1)
	}
}

func TestArabicLettersJoin(t *testing.T) {
	t.Parallel()
	words, findings := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "ععع ع")})
	if len(findings) > 0 {
		t.Errorf("got the findings %+v, want none", findings)
	}
	slices.SortFunc(words, func(a, b rendertest.Word) int { return int(a.Left - b.Left) })
	if len(words) != 2 {
		t.Fatalf("got %d words, want 2", len(words))
	}
	one, three := words[0].Right-words[0].Left, words[1].Right-words[1].Left
	if three > 2.8*one {
		t.Errorf("three letters are %.1f points wide, one alone %.1f: want joined ones, which are narrower", three, one)
	}
}

func TestNoLineEndsInsideACluster(t *testing.T) {
	t.Parallel()
	// A letter with its vowels, again and again without a space.
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("<w:bidi/>", strings.Repeat("בָּ", 200))})
	bottom := map[int]int{}
	for _, w := range words {
		bottom[int(w.Base)] += strings.Count(w.Text, "\u05B8") - strings.Count(w.Text, "ב")
	}
	if len(bottom) < 2 {
		t.Fatalf("got %d lines, want several", len(bottom))
	}
	for y, more := range bottom {
		if more != 0 {
			t.Errorf("the line at %d has %d more vowels than letters, want as many", y, more)
		}
	}
}

func TestComplexScriptsHaveTheirOwnFormatting(t *testing.T) {
	t.Parallel()
	const size = `<w:sz w:val="20"/><w:szCs w:val="40"/>`
	run := func(properties, text string) string {
		return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	height := func(properties, text string) float64 {
		words, _ := rendered(t, rendertest.Docx{Body: `<w:p>` + run(properties, text) + `</w:p>`})
		return words[0].Right - words[0].Left
	}
	if small, large := height("", "שלום"), height(size, "שלום"); large < 1.9*small {
		t.Errorf("Hebrew at szCs 20 is %.1f points wide, at sz 10 %.1f: want twice as much", large, small)
	}
	if plain, same := height("", "word"), height(size, "word"); plain != same {
		t.Errorf("Latin letters are %.1f points wide at szCs 20, want %.1f", same, plain)
	}
	if latin, turned := height(size, "123"), height(size+"<w:rtl/>", "123"); turned < 1.9*latin {
		t.Errorf("a number of a run from right to left is %.1f points wide, want twice %.1f", turned, latin)
	}
	if usual, bold := height("", "שלום"), height("<w:bCs/>", "שלום"); bold <= usual {
		t.Errorf("Hebrew with bCs is %.1f points wide, without %.1f: want bold letters", bold, usual)
	}
}

func TestBordersOfAParagraphFromRightToLeftAreMirrored(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: `<w:p><w:pPr><w:bidi/>` + borders(side("left", "8", "0"), side("right", "8", "0")) + `<w:ind w:start="400" w:hanging="100" w:end="1000"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`})
	wantMarks(t, all[0].all("line"), redLine(99.5, 50, 99.5, 70, 1), redLine(235.5, 50, 235.5, 70, 1))
}

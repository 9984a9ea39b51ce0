package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// mono has letters that are all as wide: Courier New's 1229 of 2048 units.
func mono() *Face { return EmbeddedFonts().Face("Courier New", false, false) }

const monoAdvance = 1229.0 / 2048

// shown is a text of these codes as a page's content has it.
func shown(codes ...int) string {
	out := ""
	for _, code := range codes {
		out += fmt.Sprintf("%04X", code)
	}
	return "<" + out + "> Tj"
}

func TestATextIsWrittenFromItsPlaceInItsFontAndColour(t *testing.T) {
	t.Parallel()
	c := newPage()
	if got, want := c.Text(10, 30, "ab", mono(), 8, red), 10+2*8*monoAdvance; !isNear(got, want) {
		t.Errorf("it ends at %v, want %v", got, want)
	}
	c.Text(10, 60, "c", mono(), 8, red)
	c.Text(10, 90, "d", mono(), 9.5, dml.RGB{B: 51})
	c.Text(50, 90, "e", EmbeddedFonts().Face("Arial", false, false), 9.5, dml.RGB{B: 51})
	want := []string{
		"1.000 0.000 0.000 rg", "/F1 8 Tf", "BT", "10.00 70.00 Td", shown(1, 2), "ET",
		"BT", "10.00 40.00 Td", shown(3), "ET",
		"0.000 0.000 0.200 rg", "/F1 9.5 Tf", "BT", "10.00 10.00 Td", shown(4), "ET",
		"/F2 9.5 Tf", "BT", "50.00 10.00 Td", shown(1), "ET",
	}
	if got := content(t, c); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestATextWithoutSizeOrPageIsNotDrawn(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	c.Text(10, 30, "early", mono(), 8, red)
	c.AddPage(200, 100)
	c.Text(10, 30, "small", mono(), 0, red)
	c.Text(10, 30, "smaller", mono(), -1, red)
	c.Text(10, 30, "", mono(), 8, red)
	c.Text(10, 30, "\u00AD\u200B", mono(), 8, red)
	if got := content(t, c); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestLettersThatFollowEachOtherAreOneText(t *testing.T) {
	t.Parallel()
	const size = 10
	// PDF readers add whole thousandths of an em.
	const step = 0.6 * size
	for _, want := range []struct {
		what  string
		xs    []float64
		texts [][]int // of codes
	}{
		{"side by side", []float64{10, 10 + step, 10 + 2*step}, [][]int{{1, 2, 3}}},
		{"a little aside", []float64{10, 10 + step + 0.035, 10 + 2*step - 0.035}, [][]int{{1, 2, 3}}},
		{"further right", []float64{10, 10 + step + 0.045, 10 + 2*step + 0.045}, [][]int{{1}, {2, 3}}},
		{"further left", []float64{10, 10 + step, 10 + 2*step - 0.045}, [][]int{{1, 2}, {3}}},
		{"apart", []float64{10, 50, 90}, [][]int{{1}, {2}, {3}}},
	} {
		c := newPage()
		c.TextAt(want.xs, 50, []rune("abc"), mono(), size, red)
		var texts, places []string
		at := 0
		for _, text := range want.texts {
			texts = append(texts, shown(text...))
			places = append(places, fmt.Sprintf("%.2f 50.00 Td", want.xs[at]))
			at += len(text)
		}
		lines := content(t, c)
		if got := ending(lines, " Tj"); !slices.Equal(got, texts) {
			t.Errorf("%s: got %q, want %q", want.what, got, texts)
		}
		if got := ending(lines, " Td"); !slices.Equal(got, places) {
			t.Errorf("%s: got texts at %q, want %q", want.what, got, places)
		}
	}
}

// ending are the lines that end so.
func ending(lines []string, end string) []string {
	var all []string
	for _, line := range lines {
		if strings.HasSuffix(line, end) {
			all = append(all, line)
		}
	}
	return all
}

func TestLettersThatTheFontLacksAreDrawnInAnother(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.Text(10, 50, "a☐b\u00AD\U0002A700", mono(), 10, red)
	want := []string{"LiberationMono-Regular", "DejaVuSans-Regular", "BoxesWide"}
	var got []string
	for _, f := range c.fonts {
		got = append(got, f.face.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the fonts %q, want %q", got, want)
	}
	if texts := ending(content(t, c), " Tj"); len(texts) != 4 {
		t.Errorf("got the texts %q, want four", texts)
	}
}

func TestStretchedLettersAreAsMuchWider(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	for range 2 {
		c.AddPage(400, 100)
		c.Text(10, 20, "before", mono(), 10, red)
		const step = 0.6 * 10 * 2.5
		c.TextStretched([]float64{10, 10 + step, 10 + 2*step}, 50, []rune("abc"), mono(), 10, 2.5, red)
		c.TextStretched([]float64{10, 50}, 80, []rune("de"), mono(), 10, 0.5, red)
		c.TextStretched([]float64{90}, 80, []rune("f"), mono(), 10, 1, red)
	}
	pages := contents(t, c)
	for _, lines := range pages {
		if got, want := ending(lines, " Tz"), []string{"250.00 Tz", "100 Tz", "50.00 Tz", "100 Tz", "50.00 Tz", "100 Tz"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, want := ending(lines, " Tj"), []string{shown(1, 2, 3, 4, 5, 2), shown(6, 1, 7), shown(8), shown(2), shown(3)}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !slices.Equal(pages[0], pages[1]) {
		t.Errorf("got %q on the first page, %q on the second", pages[0], pages[1])
	}
}

func TestAStretchedTextIsAsWideAsAReaderSeesIt(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	c.AddPage(400, 100)
	c.TextStretched([]float64{20}, 50, []rune("M"), mono(), 40, 3, red)
	word := rendertest.Find(t, rendertest.Words(t, finished(t, c)), "M")
	rendertest.Near(t, "left", word.Left, 20, 0.1)
	rendertest.Near(t, "right", word.Right, 20+3*40*0.6, 0.1)
}

func TestATextIsAsWideAsItsLettersTheirSpacingAndTheirKerning(t *testing.T) {
	t.Parallel()
	arial := EmbeddedFonts().Face("Arial", false, false)
	const a, v = 1366.0 / 2048, 1366.0 / 2048 // Arial's
	const kern = -152.0 / 2048                // of AV, and of VA
	for _, want := range []struct {
		text  string
		face  *Face
		opts  TextOptions
		width float64 // at 10 points
	}{
		{"", mono(), TextOptions{CharSpacing: 2, Kern: true}, 0},
		{"abc", mono(), TextOptions{}, 30 * monoAdvance},
		{"abc", mono(), TextOptions{CharSpacing: 2}, 30*monoAdvance + 6},
		{"abc", mono(), TextOptions{CharSpacing: -1}, 30*monoAdvance - 3},
		{"a\u00ADb", mono(), TextOptions{CharSpacing: 2}, 20*monoAdvance + 4}, // a soft hyphen has neither width nor spacing
		{"a\U0002A700b", mono(), TextOptions{}, 20*monoAdvance + 10*boxWide},
		{"AV", arial, TextOptions{}, 10 * (a + v)},
		{"AV", arial, TextOptions{Kern: true}, 10 * (a + v + kern)},
		{"AVA", arial, TextOptions{Kern: true}, 10 * (2*a + v + 2*kern)},
		{"A", arial, TextOptions{Kern: true}, 10 * a},
	} {
		if got := Measure(want.text, want.face, 10, want.opts); !isNear(got, want.width) {
			t.Errorf("%q %v: got %.5f points, want %.5f", want.text, want.opts, got, want.width)
		}
	}
}

func TestEachLetterHasItsPlace(t *testing.T) {
	t.Parallel()
	arial := EmbeddedFonts().Face("Arial", false, false)
	const step, kern = 13660.0 / 2048, -1520.0 / 2048
	xs, end := Place(100, []rune("A\u00ADV"), arial, 10, TextOptions{CharSpacing: 3})
	want := []float64{100, 100 + step + 3, 100 + step + 3}
	for i, x := range xs {
		if !isNear(x, want[i]) {
			t.Errorf("letter %d is at %v, want %v", i, x, want[i])
		}
	}
	if wantEnd := 100 + 2*step + 6; !isNear(end, wantEnd) {
		t.Errorf("the text ends at %v, want %v", end, wantEnd)
	}
	if xs, _ := Place(100, []rune("AV"), arial, 10, TextOptions{Kern: true}); !isNear(xs[1], 100+step+kern) {
		t.Errorf("V behind A is at %v, want %v", xs[1], 100+step+kern)
	}
}

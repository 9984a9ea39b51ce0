package protect

import (
	"bytes"
	"fmt"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/platenhq/platen/internal/render/pdf/fonts"
)

// markFont has the letters of marks.
var markFont = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(fonts.Read("LiberationSans-Bold")) })

// markPage is a PDF of one page that is as large as a word. Its letters are drawn by procedures
// in the file (ISO 32000-1, 9.6.5): a file to be kept must not lean on fonts of its reader.
func markPage(word string) ([]byte, error) {
	face, err := markFont()
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	const em, height = 1000, 800
	var letters [256]bool
	var objects []addition
	var procedures, names, widths, unicode bytes.Buffer
	width := 0
	advance := [256]int{}
	const fontObject, unicodeObject, firstLetter = 4, 6, 7
	for _, b := range []byte(word) {
		if !letters[b] {
			letters[b] = true
			outline, wide, err := outlineOf(face, rune(b), em)
			if err != nil {
				return nil, err
			}
			advance[b] = wide
			fmt.Fprintf(&procedures, "/u%02X %d 0 R ", b, firstLetter+len(objects))
			fmt.Fprintf(&names, "%d /u%02X ", b, b)
			fmt.Fprintf(&unicode, "1 beginbfchar\n<%02X><%04X>\nendbfchar\n", b, b)
			objects = append(objects, addition{stream: fmt.Appendf(nil, "%d 0 0 -300 %d 1000 d1\n%sf", wide, wide, outline), is: true})
		}
		width += advance[b]
	}
	for _, wide := range advance {
		fmt.Fprintf(&widths, "%d ", wide)
	}
	cmap := "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Mark def\n/CMapType 2 def\n1 begincodespacerange\n<00><FF>\nendcodespacerange\n" + unicode.String() + "endcmap\nend\nend"
	objects = append([]addition{
		{entries: "/Type /Catalog /Pages 2 0 R"},
		{entries: "/Type /Pages /Kids [3 0 R] /Count 1"},
		{entries: fmt.Sprintf("/Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources <</Font <</F1 %d 0 R>>>> /Contents 5 0 R", width, height, fontObject)},
		{entries: fmt.Sprintf("/Type /Font /Subtype /Type3 /FontBBox [0 0 0 0] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs <<%s>> /Encoding <</Type /Encoding /Differences [%s]>> /FirstChar 0 /LastChar 255 /Widths [%s] /Resources <<>> /ToUnicode %d 0 R",
			procedures.String(), names.String(), widths.String(), unicodeObject)},
		{stream: fmt.Appendf(nil, "0.753 0.188 0.188 rg\nBT\n/F1 %d Tf\n0 40 Td\n(%s) Tj\nET", em, word), is: true},
		{stream: []byte(cmap), is: true},
	}, objects...)
	out := bytes.NewBufferString("%PDF-1.7\n")
	var offsets bytes.Buffer
	for i, one := range objects {
		fmt.Fprintf(&offsets, "%010d 00000 n \n", out.Len())
		one.write(out, i+1)
	}
	table := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, offsets.String(), len(objects)+1, table)
	return out.Bytes(), nil
}

// outlineOf draws a letter, and says how wide it is.
func outlineOf(face *sfnt.Font, letter rune, em int) (operators []byte, width int, err error) {
	var buffer sfnt.Buffer
	size := fixed.I(em)
	glyph, err := face.GlyphIndex(&buffer, letter)
	if err != nil {
		return nil, 0, fmt.Errorf("find the letter %q: %w", letter, err)
	}
	wide, err := face.GlyphAdvance(&buffer, glyph, size, font.HintingNone)
	if err != nil {
		return nil, 0, fmt.Errorf("measure the letter %q: %w", letter, err)
	}
	segments, err := face.LoadGlyph(&buffer, glyph, size, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("read the letter %q: %w", letter, err)
	}
	at := func(p fixed.Point26_6) (x, y float64) { return float64(p.X) / 64, -float64(p.Y) / 64 }
	var lastX, lastY float64
	for _, s := range segments {
		x, y := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			operators = fmt.Appendf(operators, "%.1f %.1f m\n", x, y)
		case sfnt.SegmentOpLineTo:
			operators = fmt.Appendf(operators, "%.1f %.1f l\n", x, y)
		case sfnt.SegmentOpQuadTo: // as a cubic curve
			endX, endY := at(s.Args[1])
			operators = fmt.Appendf(operators, "%.1f %.1f %.1f %.1f %.1f %.1f c\n", (lastX+2*x)/3, (lastY+2*y)/3, (endX+2*x)/3, (endY+2*y)/3, endX, endY)
			x, y = endX, endY
		case sfnt.SegmentOpCubeTo:
			secondX, secondY := at(s.Args[1])
			endX, endY := at(s.Args[2])
			operators = fmt.Appendf(operators, "%.1f %.1f %.1f %.1f %.1f %.1f c\n", x, y, secondX, secondY, endX, endY)
			x, y = endX, endY
		}
		lastX, lastY = x, y
	}
	return operators, wide.Round(), nil
}

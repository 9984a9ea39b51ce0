package pdf

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// names are what people write to a customer, in the scripts that no usual font has.
var names = map[string]string{
	"Chinese":    "王小明先生 臺灣臺北市",
	"Japanese":   "株式会社みどり商事 サトウ花子 﨑髙𠮷",
	"Korean":     "주식회사 푸른나무 김민수",
	"Thai":       "นายสมชาย ใจดี กรุงเทพฯ น้ำ",
	"Lao":        "ທ້າວ ສົມພອນ ວຽງຈັນ",
	"Khmer":      "លោក សុខ ភ្នំពេញ",
	"Myanmar":    "ဦးအောင် ရန်ကုန်မြို့",
	"Devanagari": "श्री राजेश कुमार, नई दिल्ली।",
	"Bengali":    "শ্রী রবীন্দ্রনাথ ঠাকুর, কলকাতা।",
	"Tamil":      "திரு. முருகன், சென்னை கொச்சி",
	"Telugu":     "శ్రీ వేంకటేశ్వర రావు, హైదరాబాద్",
	"Kannada":    "ಶ್ರೀ ರಾಜಕುಮಾರ್, ಬೆಂಗಳೂರು",
	"Malayalam":  "ശ്രീ രാമൻ, തിരുവനന്തപുരം",
	"Gujarati":   "શ્રી મોહનદાસ ગાંધી, અમદાવાદ",
	"Gurmukhi":   "ਸ੍ਰੀ ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ, ਅੰਮ੍ਰਿਤਸਰ",
	"Odia":       "ଶ୍ରୀ ଜଗନ୍ନାଥ, ଭୁବନେଶ୍ୱର",
	"Sinhala":    "ශ්\u200dරී ලංකාව, කොළඹ",
	"Armenian":   "Պարոն Արամ Խաչատրյան",
	"Georgian":   "ბატონი გიორგი, თბილისი",
	"Ethiopic":   "አቶ አበበ ቢቂላ፣ አዲስ አበባ",
	"Tibetan":    "བཀྲ་ཤིས་བདེ་ལེགས།",
	"Thaana":     "މާލެ",
	"Emoji":      "Thanks 👍🎂🚀",
}

func TestANameInAnyScriptIsDrawnAndReadBack(t *testing.T) {
	t.Parallel()
	for script, name := range names {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			for style := range 4 {
				face := EmbeddedFonts().Face("Calibri", style&1 != 0, style&2 != 0)
				findings := &render.Findings{}
				for _, r := range name {
					face.Report(findings, r)
				}
				for _, f := range findings.All() {
					t.Errorf("got the finding %s %s, want none", f.Code, f.Message)
				}
				c := NewCanvas("", "")
				c.AddPage(800, 100)
				c.Text(20, 60, name, face, 20, red)
				got := strings.TrimSpace(rendertest.Tool(t, finished(t, c), "pdftotext", "-raw", "FILE", "-"))
				got = strings.NewReplacer("\u202A", "", "\u202B", "", "\u202C", "").Replace(got) // pdftotext marks what runs from right to left
				if script == "Thaana" {                                                          // whose vowels stand above their letters: pdftotext turns them and their letter around
					got, name = inOrder(got), inOrder(name)
				}
				if got != name {
					t.Errorf("the PDF says %q, want %q", got, name)
				}
			}
		})
	}
}

func inOrder(s string) string {
	runes := []rune(s)
	slices.Sort(runes)
	return string(runes)
}

// What a script needs is drawn by its font and not by boxes.
func TestEachScriptFontIsFoundForItsLetters(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]string{
		'漢': "DroidSansFallbackFull", '한': "DroidSansFallback-Hangul", '\u1112': "DroidSansFallback-Hangul", '⑴': "NotoSansJP-Supplement", '𠮷': "NotoSansJP-Supplement",
		'क': "NotoSansDevanagari-Regular", '།': "NotoSerifTibetan-Regular", 'ꯀ': "NotoSansMeeteiMayek-Regular", 'ᏸ': "NotoSansCherokee-Regular", '👍': emojiFont,
		'ꀀ': "NotoSansYi-Regular", '\U0001E900': "NotoSansAdlam-Regular", '✓': dejaVuSans, 'ხ': dejaVuSans,
	} {
		if f := EmbeddedFonts().Fallback(r, false, false); f == nil || f.Family != want {
			t.Errorf("%c is drawn in %s, want %s", r, nameOf(f), want)
		}
	}
}

func nameOf(f *Face) string {
	if f == nil {
		return "no font"
	}
	return f.Name
}

func TestAScriptFontHasSomethingInEachOfItsBlocks(t *testing.T) {
	t.Parallel()
	for _, font := range scriptFonts {
		f := newFontSet().scripts[faceKey{font.name, false, false}]
		f.ready()
		found := 0
		for _, b := range font.blocks {
			for r := b.first; r <= b.last; r++ {
				if f.Has(r) {
					found++
				}
			}
		}
		if found < 30 {
			t.Errorf("%s has %d characters in its blocks, want 30 and more", font.name, found)
		}
	}
}

func TestAFontOfAScriptIsReadWhenATextNeedsIt(t *testing.T) {
	t.Parallel()
	s := newFontSet()
	read := func() (names []string) {
		for _, f := range s.scripts {
			if f.advances != nil {
				names = append(names, f.Name)
			}
		}
		return names
	}
	FaceFor(s.Face("Calibri", false, false), '☐')
	if got := read(); got != nil {
		t.Errorf("a Latin text read %v, want nothing", got)
	}
	FaceFor(s.Face("Calibri", false, false), 'ก')
	if got := read(); !slices.Equal(got, []string{"NotoSansThai-Regular"}) {
		t.Errorf("a Thai text read %v, want NotoSansThai-Regular", got)
	}
}

func TestTheUsualFontsHaveNothingOfWhatIsOnlyInScripts(t *testing.T) {
	t.Parallel()
	for _, f := range EmbeddedFonts().faces {
		f.ready()
		for _, b := range onlyInScripts {
			for r := b.first; r <= b.last; r++ {
				if f.Has(r) {
					t.Errorf("%s has %U", f.Name, r)
				}
			}
		}
	}
}

func TestAnAddedFontComesBeforeThoseOfScripts(t *testing.T) {
	t.Parallel()
	s, err := NewFontSet([]FontFile{{"company.ttf", StrangerFont(t)}})
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[rune]string{'日': "company.ttf", '本': "DroidSansFallbackFull", 0x1F44D: "company.ttf"} {
		if f, _ := FaceFor(s.Face("Arial", false, false), r); f.Family != want {
			t.Errorf("%c is drawn in %s, want %s", r, f.Family, want)
		}
	}
}

// The lines are those of Noto Sans CJK, as of a box.
func TestEastAsianLinesAreAsHighAsThoseOfBoxes(t *testing.T) {
	t.Parallel()
	for _, r := range "漢한⑴" {
		f, _ := FaceFor(EmbeddedFonts().Face("Arial", false, false), r)
		if up, down, gap := f.Ascent(100), f.Descent(100), f.LineGap(100); !isNear(up, 116) || !isNear(down, 28.8) || gap != 0 {
			t.Errorf("%s: the line is %v high, %v deep with a gap of %v; want 116, 28.8 and none", f.Family, up, down, gap)
		}
	}
}

func TestBoldLettersOfAScriptHaveALineAround(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.Text(10, 50, "漢", EmbeddedFonts().Face("Arial", true, false), 25, red)
	c.Text(10, 80, "漢", EmbeddedFonts().Face("Arial", false, true), 25, red)
	got := strings.Join(content(t, c), "\n")
	for _, want := range []string{"q\n1.000 0.000 0.000 RG 0.833 w 1 j [] 0 d 2 Tr\nBT\n10.00 50.00 Td\n", "ET\nQ\n", "\nBT\n1 0 0.3333 1 10.00 20.00 Tm\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q in it", got, want)
		}
	}
}

func glyphsOf(c []*Cluster) (glyphs int) {
	for _, cluster := range c {
		if cluster != nil {
			glyphs += len(cluster.glyphs)
		}
	}
	return glyphs
}

func shaped(text string) []*Cluster {
	runes := []rune(text)
	faces := make([]*Face, len(runes))
	for i, r := range runes {
		var before *Face
		if i > 0 {
			before = faces[i-1]
		}
		faces[i], _ = FaceBehind(before, EmbeddedFonts().Face("Arial", false, false), r)
	}
	return Shape(runes, faces, make([]uint8, len(runes)))
}

// Each of these is one sign to who reads it.
func TestWhatIsWrittenApartAndReadAsOneIsDrawnAsOne(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a family of emoji":     "👨\u200D👩\u200D👧",
		"an emoji with a skin":  "👍🏽",
		"a syllable in parts":   "\u1112\u1161\u11AB",
		"an accent apart":       "e\u0301",
		"a conjunct of Bengali": "ক্ষ",
		"a conjunct of Hindi":   "क्ष",
	} {
		if got := glyphsOf(shaped(text)); got != 1 {
			t.Errorf("%s is drawn with %d glyphs, want 1", name, got)
		}
	}
}

func TestASignOfManyScriptsComesFromTheFontInFront(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"কা।": "NotoSansBengali-Regular", "का।": "NotoSansDevanagari-Regular"} {
		clusters := shaped(text)
		if got := clusters[len(clusters)-1]; got == nil || got.face.Family != want {
			t.Errorf("%s: its last sign is drawn by %v, want %s", text, got != nil, want)
		}
	}
}

// The mark stands where shaping puts it, and the whole is as wide as its letter.
func TestALetterWithItsMarkIsOneGlyphOfThePDF(t *testing.T) {
	t.Parallel()
	face, _ := FaceFor(EmbeddedFonts().Face("Arial", false, false), 'น')
	c := newPage()
	c.Text(10, 50, "น้", EmbeddedFonts().Face("Arial", false, false), 20, red)
	file := inflated(t, streamOf(objectsOf(t, finished(t, c))[c.fonts[0].object+2]))
	got, _, err := parseFace(completed(file, face.tables), 0)
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := parseFace(completed(face.tables.subset([]uint16{glyphOf(t, face, 'น'), glyphOf(t, face, '\u0E49')}, nil), face.tables), 0)
	if err != nil {
		t.Fatal(err)
	}
	outline, _ := got.GlyphDataOutline(1)
	letter, _ := whole.GlyphDataOutline(1)
	mark, _ := whole.GlyphDataOutline(2)
	if len(outline.Segments) != len(letter.Segments)+len(mark.Segments) || !slices.Equal(outline.Segments[:len(letter.Segments)], letter.Segments) {
		t.Fatalf("it has %d segments, want the %d of its letter and the %d of its mark", len(outline.Segments), len(letter.Segments), len(mark.Segments))
	}
	if w := whole.HorizontalAdvance(1); got.HorizontalAdvance(1) != w {
		t.Errorf("it is %v wide, want %v", got.HorizontalAdvance(1), w)
	}
	at, own := outline.Segments[len(letter.Segments)].Args[0], mark.Segments[0].Args[0]
	glyph := shaped("น้")[0].glyphs[1]
	if em := float32(face.tables.em()); at.X-own.X != float32(glyph.x)*em || at.Y-own.Y != float32(glyph.y)*em {
		t.Errorf("its mark is moved by %v, %v, want %v, %v", at.X-own.X, at.Y-own.Y, float32(glyph.x)*em, float32(glyph.y)*em)
	}
}

func glyphOf(t *testing.T, f *Face, r rune) uint16 {
	t.Helper()
	gid, ok := f.glyph(r)
	if !ok {
		t.Fatalf("%s has no %c", f.Name, r)
	}
	return uint16(gid)
}

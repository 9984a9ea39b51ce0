package pdfa

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// newChecker has an empty file, for tests of parts.
func newChecker() *checker {
	return &checker{file: &file{budget: &budget{}}, known: map[Fault]bool{}, separations: map[string]string{}, mixed: map[*any]bool{}}
}

// wantAllocated runs something alone, and checks how much it allocates.
func wantAllocated(t *testing.T, what string, mostMiB uint64, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > mostMiB {
		t.Errorf("%s took %d MiB, want %d at most", what, got, mostMiB)
	}
}

func TestFontFilesThatPointToThemselvesTakeLittle(t *testing.T) {
	const most = 1<<16 - 1
	cmap := binary.BigEndian.AppendUint16([]byte{0, 0}, most) // all tables are one, of all codes
	for range most {
		cmap = binary.BigEndian.AppendUint32(append(cmap, 0, 3, 0, 1), 4+8*most)
	}
	cmap = append(cmap, 0, 4, 0, 32, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0xFF, 0xFE, 0, 0, 0, 0, 0, 1, 0, 0)
	wantAllocated(t, "a table of characters", 200, func() { readCharMaps(cmap) })

	index := func(items ...int) []byte { // of items with these lengths, which follow
		out, at := append(binary.BigEndian.AppendUint16(nil, uint16(len(items))), 4), 1
		for _, n := range append(items, 0) {
			out = binary.BigEndian.AppendUint32(out, uint32(at))
			at += n
		}
		return out
	}
	five := func(v int) []byte { return binary.BigEndian.AppendUint32([]byte{29}, uint32(v)) }
	// Each of 65535 dictionaries leads to the same private one with 65535 subroutines.
	const topSize, privateSize, fontSize = 4*5 + 7, 6, 11
	private, routines := append(five(privateSize), 19), index(make([]int, most)...)
	fonts, glyphs := index(slices.Repeat([]int{fontSize}, most)...), append(index(1), 14)
	glyphsAt := 4 + 2 + len(index(topSize)) + topSize + 2 + 2
	privateAt := glyphsAt + len(glyphs)
	fontsAt := privateAt + len(private) + len(routines)
	selectAt := fontsAt + len(fonts) + fontSize*most
	data := slices.Concat([]byte{1, 0, 4, 4}, []byte{0, 0}, index(topSize),
		five(0), []byte{12, 30}, five(glyphsAt), []byte{17}, five(fontsAt), []byte{12, 36}, five(selectAt), []byte{12, 37}, []byte{0, 0}, []byte{0, 0},
		glyphs, private, routines, fonts)
	for range most {
		data = append(append(append(data, five(privateSize)...), five(privateAt)...), 18)
	}
	data = append(data, 0, 0)
	wantAllocated(t, "a font of fonts", 200, func() {
		if _, err := readCFF(data); err != nil {
			t.Error(err)
		}
	})
}

func TestARowOfPixelsIsNoLargerThanAStream(t *testing.T) {
	t.Parallel()
	f := &file{budget: &budget{}}
	f.unpredict([]byte{2, 1, 2, 3}, dict{"Predictor": number{12, true}, "Columns": number{1 << 19, true}, "Colors": number{1 << 15, true}, "BitsPerComponent": number{8, true}})
	if !f.isOver {
		t.Error("a row of 16 GiB is within the limits")
	}
}

func TestATypeOfMetadataIsNoLongerThanItNeeds(t *testing.T) {
	t.Parallel()
	if got := typeOf(strings.Repeat("bag ", 1<<23)+"Text", nil); got != "" {
		t.Errorf("got a type of %d bytes", len(got))
	}
	if got := typeOf("Bag  open choice of Text", nil); got != "bag Text" {
		t.Errorf("got %q, want a list of texts", got)
	}
}

func TestMetadataOfManyPartsAreReadSoon(t *testing.T) {
	t.Parallel()
	root, err := readXML([]byte("<a>" + strings.Repeat("x<!---->", 500_000) + "</a>"))
	if err != nil || len(root.kids[0].content) != 500_000 {
		t.Errorf("got %v", err)
	}
	if _, err := readXML([]byte("<a>" + strings.Repeat("<b/>", 300_000) + "</a>")); err == nil {
		t.Error("300,000 elements are within the limits")
	}
}

func TestPatternsThatFollowEachOtherAreKnownByTheLast(t *testing.T) {
	t.Parallel()
	c, g := newChecker(), newGraphics()
	for range 100 {
		c.operate("scn", []any{name("P1")}, scope{}, &g)
		c.operate("SCN", []any{name("P2")}, scope{}, &g)
	}
	if g.fill.key != "AtFirst/P1" || g.stroke.key != "AtFirst/P2" {
		t.Errorf("got %.60q and %.60q", g.fill.key, g.stroke.key)
	}
}

func TestFaultsNameWhatCanBeShown(t *testing.T) {
	t.Parallel()
	c := newChecker()
	c.fault("6.2.11.4.1", "the font %s is not in the file", "A\x00\xFFß\n"+strings.Repeat("x", 1<<20))
	c.fault("6.2.6", "the intent %s", name(strings.Repeat("\xE4", 100)))
	for _, f := range c.faults {
		if !utf8.ValidString(f.What) || strings.ContainsAny(f.What, "\x00\n") || utf8.RuneCountInString(f.What) > 100 {
			t.Errorf("got %.200q", f.What)
		}
	}
}

// fileOf is a PDF whose objects are found without a table.
func fileOf(objects ...string) string {
	out := "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"
	for i, o := range objects {
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return out + "trailer\n<</Root 1 0 R>>\n"
}

func streamOf(entries, content string) string {
	return fmt.Sprintf("<<%s /Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

func TestFilesInFilesAreJudgedOnce(t *testing.T) {
	t.Parallel()
	inner := "none"
	for range 4 {
		inner = fileOf("<</Type /Catalog /X ["+strings.Repeat("<</EF <</F 2 0 R>>>>", 200)+"]>>", streamOf("/Filter /ASCIIHexDecode", hex.EncodeToString([]byte(inner))+">"))
	}
	faults, err := Check([]byte(inner), Part2)
	if err != nil || !slices.Contains(faults, Fault{"6.8", "a file in it is no PDF/A"}) {
		t.Errorf("got %v, %v, want a file in it that is no PDF/A", faults, err)
	}
}

func TestWhatIsDrawnHasALimit(t *testing.T) {
	const kept = 1 << 20
	contents := "[" + strings.Repeat("4 0 R ", 1000) + "]"
	in := fileOf("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
		"<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents "+contents+">>", streamOf("", strings.Repeat(" ", kept)))
	wantAllocated(t, "a page", 600, func() {
		faults, err := Check([]byte(in), Part2)
		if err != nil || !slices.ContainsFunc(faults, func(f Fault) bool { return f.Clause == "6.1.13" }) {
			t.Errorf("got %v, %v, want that it is too much", faults, err)
		}
	})
}

func TestCodesOfACMapOfManyRangesAreCounted(t *testing.T) {
	t.Parallel()
	b := &budget{}
	m := &cmap{known: map[[2]int]int{}, spaces: slices.Repeat([]span{{size: 2, from: 1 << 15, to: 1 << 15}}, 1<<20)}
	m.cids(strings.Repeat("x", 1<<15), b.spend)
	if !b.isOver {
		t.Errorf("steps were counted as %d", b.work)
	}
}

func TestWhatCannotBeUnpackedIsNotPassed(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]bool{"/JBIG2Decode": true, "/FlateDecode": true, "/ASCIIHexDecode": false} {
		in := fileOf("<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Kids [3 0 R] /Count 1>>",
			"<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R>>", streamOf("/Filter "+filter, "7120510A>"))
		faults, err := Check([]byte(in), Part2)
		if got := slices.Contains(faults, Fault{"6.1.7", "what is drawn cannot be unpacked"}); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want a fault: %v", filter, faults, err, want)
		}
	}
}

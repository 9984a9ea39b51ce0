package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
)

func u16(values ...int) []byte {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}

func u32(values ...int) []byte {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out
}

// The glyphs of a font made by hand (OpenType, table glyf).
var (
	// One contour of one point, with two bytes of instructions.
	simple = slices.Concat(u16(1, 0, 0, 10, 10, 0, 2), []byte{0xB0, 0x01, 1, 0, 5, 0})
	// Made of glyph 1 at (5, 6), with an instruction.
	composite = slices.Concat(u16(-1, 0, 0, 10, 10, hasInstructions, 1), []byte{5, 6}, u16(1), []byte{0xB0, 0})
	// Made of glyphs 3, in words, and 1, at half its size.
	nested = slices.Concat(u16(-1, 0, 0, 10, 10, argsAreWords|moreComponents, 3, 7, 8, hasScale, 1), []byte{5, 6}, u16(0x2000))
)

// handmadeFont has five glyphs: an empty one, a simple one, an empty one, a
// composite one, and one of both. The first three have advances of their own.
func handmadeFont() map[string][]byte {
	glyf, loca := []byte{}, []int{0}
	for _, glyph := range [][]byte{nil, simple, nil, composite, nested} {
		glyf = pad(append(glyf, glyph...))
		loca = append(loca, len(glyf))
	}
	head, hhea, maxp := make([]byte, 54), make([]byte, 36), make([]byte, 32)
	copy(head[18:], u16(1000))
	copy(head[50:], u16(1))
	copy(hhea[34:], u16(3))
	copy(maxp[4:], u16(5))
	return map[string][]byte{
		"head": head, "hhea": hhea, "maxp": maxp, "OS/2": make([]byte, 96), "post": make([]byte, 32),
		"glyf": glyf, "loca": u32(loca...), "hmtx": u16(500, 1, 600, 2, 700, 3, 4, 5),
	}
}

func written(tables map[string][]byte) []byte {
	var list []table
	for tag, data := range tables {
		list = append(list, table{tag, data})
	}
	return writeTables(list)
}

func readHandmade(t *testing.T) *glyphTables {
	t.Helper()
	f, err := readGlyphTables(written(handmadeFont()), 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAFontFileHasADirectoryOfItsTables(t *testing.T) {
	t.Parallel()
	// Search range, selector and shift are of the largest power of two: 16 × 4, 2, 16 × 5 - 64.
	got := writeTables([]table{{"loca", []byte{1, 2, 3, 4, 5}}, {"OS/2", []byte{6}}, {"none", nil}, {"glyf", []byte{0, 0, 0, 1, 0, 0, 0, 2}}, {"cmap", []byte{7}}, {"maxp", []byte{8, 9}}})
	want := slices.Concat([]byte{0, 1, 0, 0}, u16(5, 64, 2, 16),
		[]byte("OS/2"), u32(0x06000000, 92, 1),
		[]byte("cmap"), u32(0x07000000, 96, 1),
		[]byte("glyf"), u32(3, 100, 8),
		[]byte("loca"), u32(0x01020304+0x05000000, 108, 5),
		[]byte("maxp"), u32(0x08090000, 116, 2),
		[]byte{6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 0, 0, 0, 8, 9, 0, 0})
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

func TestAChecksumIsTheSumOfWords(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		data []byte
		sum  uint32
	}{
		{nil, 0}, {[]byte{1}, 1 << 24}, {[]byte{0, 0, 1, 2}, 258}, {[]byte{0, 0, 0, 3, 0, 0, 0, 4}, 7}, {[]byte{0, 0, 0, 3, 0, 4, 5}, 3 + 4<<16 + 5<<8},
		{[]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2}, 1}, // modulo 2³²
	} {
		if got := checksum(want.data); got != want.sum {
			t.Errorf("%x: got %x, want %x", want.data, got, want.sum)
		}
	}
}

func TestTablesEndAtWholeWords(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]int{0: 0, 1: 4, 3: 4, 4: 4, 5: 8} {
		if got := pad(bytes.Repeat([]byte{7}, length)); len(got) != want || bytes.Count(got, []byte{7}) != length {
			t.Errorf("%d bytes become %v, want %d", length, got, want)
		}
	}
}

func TestTheOutlinesOfAFontAreFound(t *testing.T) {
	t.Parallel()
	short := handmadeFont()
	short["head"][51] = 0
	short["loca"] = u16(0, 0, 10, 10, 20, 33) // in words of two bytes
	for what, tables := range map[string]map[string][]byte{"long offsets": handmadeFont(), "short offsets": short} {
		f, err := readGlyphTables(written(tables), 0)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for gid, want := range [][]byte{nil, simple, nil, composite, nested, nil} {
			if got := f.outline(uint16(gid)); !bytes.HasPrefix(got, want) || len(got)-len(want) > 3 {
				t.Errorf("%s: glyph %d is %x, want %x", what, gid, got, want)
			}
		}
		if f.metrics() != 3 {
			t.Errorf("%s: %d glyphs have an advance of their own, want 3", what, f.metrics())
		}
	}
}

func TestAFontWhoseTablesDoNotFitTogetherIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := readGlyphTables(written(handmadeFont()), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		what   string
		change func(f map[string][]byte)
	}{
		{"no head", func(f map[string][]byte) { delete(f, "head") }},
		{"a short head", func(f map[string][]byte) { f["head"] = f["head"][:53] }},
		{"a short maxp", func(f map[string][]byte) { f["maxp"] = f["maxp"][:5] }},
		{"a short hhea", func(f map[string][]byte) { f["hhea"] = f["hhea"][:35] }},
		{"a short OS/2", func(f map[string][]byte) { f["OS/2"] = f["OS/2"][:77] }},
		{"a short post", func(f map[string][]byte) { f["post"] = f["post"][:7] }},
		{"no advances", func(f map[string][]byte) { f["hhea"][35] = 0 }},
		{"fewer advances than it says", func(f map[string][]byte) { f["hmtx"] = f["hmtx"][:11] }},
		{"fewer places than glyphs", func(f map[string][]byte) { f["loca"] = f["loca"][:23] }},
		{"fewer short places than glyphs", func(f map[string][]byte) { f["head"][51], f["loca"] = 0, make([]byte, 11) }},
		{"a place behind the outlines", func(f map[string][]byte) { copy(f["loca"][20:], u32(len(f["glyf"])+1)) }},
		{"a place before that of the glyph before", func(f map[string][]byte) { copy(f["loca"][12:], u32(19)) }},
		{"no outlines", func(f map[string][]byte) { delete(f, "glyf") }},
	} {
		tables := handmadeFont()
		want.change(tables)
		if _, err := readGlyphTables(written(tables), 0); !errors.Is(err, errFontTables) {
			t.Errorf("%s: got %v, want damaged tables", want.what, err)
		}
	}
	just := handmadeFont()
	just["OS/2"], just["post"], just["maxp"], just["hmtx"] = just["OS/2"][:78], just["post"][:8], just["maxp"][:6], just["hmtx"][:12]
	if _, err := readGlyphTables(written(just), 0); err != nil {
		t.Errorf("tables that are just long enough: %v", err)
	}
}

func TestADirectoryThatPointsOutOfItsFileIsRefused(t *testing.T) {
	t.Parallel()
	good := written(handmadeFont())
	for what, change := range map[string]func(data []byte) []byte{
		"a file of eleven bytes":            func(data []byte) []byte { return data[:11] },
		"a directory that is cut off":       func(data []byte) []byte { return data[:12+16*8-1] },
		"a table that begins behind it":     func(data []byte) []byte { copy(data[20:], u32(len(data)+1)); return data },
		"a table that ends behind it":       func(data []byte) []byte { copy(data[24:], u32(len(data))); return data },
		"a table of a length without bound": func(data []byte) []byte { copy(data[24:], u32(0xFFFFFFFF)); return data },
	} {
		if _, err := readGlyphTables(change(bytes.Clone(good)), 0); !errors.Is(err, errFontTables) {
			t.Errorf("%s: got %v, want damaged tables", what, err)
		}
	}
}

func TestACompositeGlyphNamesItsParts(t *testing.T) {
	t.Parallel()
	f := readHandmade(t)
	for gid, want := range [][]uint16{nil, nil, nil, {1}, {3, 1}, nil} {
		if got := f.parts(uint16(gid)); !slices.Equal(got, want) {
			t.Errorf("glyph %d is made of %v, want %v", gid, got, want)
		}
	}
}

// OpenType, table glyf: the flags say how long a component is.
func TestAComponentIsAsLongAsItsFlagsSay(t *testing.T) {
	t.Parallel()
	for flags, length := range map[int]int{
		0:                          6,
		argsAreWords:               8,
		hasScale:                   8,
		hasXYScale:                 10,
		hasTwoByTwo:                14,
		argsAreWords | hasScale:    10,
		argsAreWords | hasTwoByTwo: 16,
	} {
		first := append(u16(flags|moreComponents, 1), make([]byte, length-4)...)
		outline := slices.Concat(u16(-1, 0, 0, 0, 0), first, u16(0, 2, 0))
		var got []string
		for c := range components(outline) {
			got = append(got, fmt.Sprintf("%d in %d", binary.BigEndian.Uint16(c[2:]), len(c)))
		}
		if want := []string{fmt.Sprintf("1 in %d", length), "2 in 6"}; !slices.Equal(got, want) {
			t.Errorf("flags %x: got glyphs %q, want %q", flags, got, want)
		}
	}
}

func TestComponentsThatAreCutOffAreReadAsFarAsTheyGo(t *testing.T) {
	t.Parallel()
	whole := slices.Concat(u16(-1, 0, 0, 0, 0), u16(moreComponents, 1, 0), u16(0, 2, 0))
	for length, want := range map[int]int{len(whole): 2, 10 + 6 + 4: 2, 10 + 6 + 3: 1, 10 + 6: 1, 10 + 4: 1, 10 + 3: 0, 10: 0, 9: 0, 0: 0} {
		n := 0
		for range components(whole[:length]) {
			n++
		}
		if n != want {
			t.Errorf("%d bytes: got %d components, want %d", length, n, want)
		}
	}
	for range components(whole) {
		break // a reader may stop
	}
	if binary.BigEndian.PutUint16(whole, 1); len(slices.Collect(components(whole))) != 0 {
		t.Error("a simple glyph has components")
	}
}

func TestAGlyphIsCopiedWithoutItsInstructions(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		what       string
		glyph, out []byte
	}{
		{"a simple one", simple, slices.Concat(u16(1, 0, 0, 10, 10, 0, 0), []byte{1, 0, 5, 0})},
		{"one of two contours", slices.Concat(u16(2, 0, 0, 9, 9, 0, 1, 1), []byte{7, 1, 1, 0, 0}), slices.Concat(u16(2, 0, 0, 9, 9, 0, 1, 0), []byte{1, 1, 0, 0})},
		{"a composite one", composite, slices.Concat(u16(-1, 0, 0, 10, 10, 0, 1), []byte{5, 6})},
		{"one of two components", nested, nested},
		{"nothing", nil, nil},
		{"less than a head", u16(1, 0, 0), u16(1, 0, 0)},
		{"one that is cut off", u16(2, 0, 0, 9, 9, 0, 1), u16(2, 0, 0, 9, 9, 0, 1)},
		{"instructions that are cut off", slices.Concat(u16(1, 0, 0, 9, 9, 0, 99), []byte{7}), u16(1, 0, 0, 9, 9, 0, 0)},
	} {
		same := func(part uint16) uint16 { return part }
		if got := appendOutline([]byte("before"), want.glyph, same); !bytes.Equal(got, append([]byte("before"), want.out...)) {
			t.Errorf("%s:\ngot  %x\nwant %x", want.what, got[6:], want.out)
		}
	}
}

func TestASubsetHasItsGlyphsInTheirOrderAndPartsBehindThem(t *testing.T) {
	t.Parallel()
	first := appendOutline(nil, simple, nil)
	// What is made of glyphs, made of others.
	second := func(part uint16) []byte { return appendOutline(nil, composite, func(uint16) uint16 { return part }) }
	both := func(parts map[uint16]uint16) []byte {
		return appendOutline(nil, nested, func(part uint16) uint16 { return parts[part] })
	}
	for _, want := range []struct {
		what   string
		used   []uint16
		glyphs [][]byte
		hmtx   []byte // advance and left side of each
	}{
		{"nothing", nil, [][]byte{nil}, u16(500, 1)},
		{"a simple one", []uint16{1}, [][]byte{nil, first}, u16(500, 1, 600, 2)},
		{"one that shows nothing", []uint16{2}, [][]byte{nil, nil}, u16(500, 1, 700, 3)},
		{"a composite one", []uint16{3}, [][]byte{nil, second(2), first}, u16(500, 1, 700, 4, 600, 2)},
		{"one of both", []uint16{4}, [][]byte{nil, both(map[uint16]uint16{3: 2, 1: 3}), second(3), first}, u16(500, 1, 700, 5, 700, 4, 600, 2)},
		{"a part before its whole", []uint16{1, 2, 3}, [][]byte{nil, first, nil, second(1)}, u16(500, 1, 600, 2, 700, 3, 700, 4)},
		{"all, backwards", []uint16{4, 3, 2, 1}, [][]byte{nil, both(map[uint16]uint16{3: 2, 1: 4}), second(4), nil, first}, u16(500, 1, 700, 5, 700, 4, 700, 3, 600, 2)},
		{"one three times", []uint16{1, 1, 1}, [][]byte{nil, first, first, first}, u16(500, 1, 600, 2, 600, 2, 600, 2)},
		{"one that is not there", []uint16{5, 1}, [][]byte{nil, nil, first}, u16(500, 1, 0, 0, 600, 2)},
	} {
		f := readHandmade(t)
		used := slices.Clone(want.used)
		file := f.subset(used, nil)
		if !slices.Equal(used, want.used) {
			t.Errorf("%s: the list of what is used has become %v", want.what, used)
		}
		glyf, loca := []byte{}, []int{0}
		for _, glyph := range want.glyphs {
			glyf = pad(append(glyf, glyph...))
			loca = append(loca, len(glyf)/2)
		}
		got := tablesOf(file)
		for tag, data := range map[string][]byte{"glyf": glyf, "loca": u16(loca...), "hmtx": want.hmtx} {
			if !bytes.Equal(got[tag], data) {
				t.Errorf("%s: %s is\n%x, want\n%x", want.what, tag, got[tag], data)
			}
		}
		for place, value := range map[string][]byte{"the number of glyphs": got["maxp"][4:6], "of advances": got["hhea"][34:36]} {
			if n := binary.BigEndian.Uint16(value); int(n) != len(want.glyphs) {
				t.Errorf("%s: %s is %d, want %d", want.what, place, n, len(want.glyphs))
			}
		}
		if n := binary.BigEndian.Uint16(got["head"][50:]); n != 0 {
			t.Errorf("%s: the format of loca is %d, want 0, short", want.what, n)
		}
	}
}

// OpenType, table loca: words of two bytes, counted in twos, reach to 131,070.
func TestPlacesAreShortAsFarAsTheyReach(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		offsets []int
		format  uint16
		table   []byte
	}{
		{[]int{0}, 0, u16(0)},
		{[]int{0, 4, 131_070}, 0, u16(0, 2, 0xFFFF)},
		{[]int{0, 4, 131_072}, 1, u32(0, 4, 131_072)},
	} {
		if format, table := writeLoca(want.offsets); format != want.format || !bytes.Equal(table, want.table) {
			t.Errorf("%v: got format %d, %x; want %d, %x", want.offsets, format, table, want.format, want.table)
		}
	}
}

func TestAWidthIsInWholeThousandthsCutOff(t *testing.T) {
	t.Parallel()
	f := readHandmade(t)
	copy(f.tables["head"][18:], u16(2048))
	for gid, want := range []int{244, 292, 341, 341, 341, 0} { // of 500, 600 and 700 units; glyph 5 is not there
		if got := f.width(uint16(gid)); got != want {
			t.Errorf("glyph %d is %d wide, want %d", gid, got, want)
		}
	}
}

func TestASubsetLeavesItsFontAsItIs(t *testing.T) {
	t.Parallel()
	f := readHandmade(t)
	f.tables["head"][51] = 0
	f.subset([]uint16{1}, nil)
	if want := handmadeFont(); !bytes.Equal(f.tables["hmtx"], want["hmtx"]) || !bytes.Equal(f.tables["hhea"], want["hhea"]) || !bytes.Equal(f.tables["maxp"], want["maxp"]) || f.tables["head"][51] != 0 {
		t.Error("the font's own tables have changed")
	}
}

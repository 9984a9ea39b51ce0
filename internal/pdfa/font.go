package pdfa

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// font is one that content names (ISO 32000-1, 9.5 to 9.8).
type font struct {
	dict
	kind, called string
	// inside is the font below one of kind Type0, and otherwise itself; described is its
	// descriptor.
	inside, described dict
	// encoding has the names of a simple font's codes, isSet those that the file gives itself.
	encoding [256]string
	cmap     *cmap // of Type0; nil where it is none that is read here
	program  *program
	// hasFile says that its program is in the file, whether or not it can be read.
	hasFile bool
	byCID   map[int]float64
	width0  float64
	number  int // in the order of their use
}

// A fontKey is a file of a font, and the entry that it stands under.
type fontKey struct {
	file *stream
	key  name
}

// program is what the file of a font says of its glyphs.
type program struct {
	// widths are of glyphs, in thousandths of an em; a glyph by a number that is not there lacks.
	widths []float64
	// byName leads from names to glyphs, byCode from the codes of its own encoding to names.
	byName map[string]int
	byCode map[int]string
	// byCID leads from CIDs to glyphs; nil: they are numbers of glyphs.
	byCID map[int]int
	cmaps []charMap
}

// size is how much was read.
func (p *program) size() int {
	n := len(p.widths) + len(p.byName) + len(p.byCode) + len(p.byCID)
	for _, m := range p.cmaps {
		n += len(m.glyphs)
	}
	return n
}

// charMap is a table of a TrueType font that leads from characters to glyphs.
type charMap struct {
	platform, encoding int
	glyphs             map[int]int
}

var standardFonts = []string{"Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique", "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique",
	"Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic", "Symbol", "ZapfDingbats"}

const symbolic = 4

// font reads one that is set, and checks its dictionaries (6.2.11.2).
func (c *checker) font(o any) *font {
	var key any = o
	d := c.dict(o)
	if d == nil {
		return nil
	}
	if _, ok := o.(reference); !ok {
		key = reflect.ValueOf(d).Pointer()
	}
	const step = 1 << 12
	if f, isKnown := c.fonts[key]; isKnown || !c.spend(step) {
		return f
	}
	f := &font{number: len(c.fonts), dict: d, kind: string(c.name(d["Subtype"])), called: string(c.name(d["BaseFont"])), inside: d}
	c.fonts[key] = f
	c.fontDictionary(d, f.kind)
	switch f.kind {
	case "Type0":
		f.inside = c.dict(at(c.array(d["DescendantFonts"]), 0))
		if f.inside == nil {
			f.inside = dict{}
		}
		c.fontDictionary(f.inside, string(c.name(f.inside["Subtype"])))
		c.composite(f)
	default:
		c.simple(f)
	}
	f.described = c.dict(f.inside["FontDescriptor"])
	c.readable("the name of a font", f.called)
	c.readable("the name of a font", string(c.name(f.described["FontName"])))
	c.readProgram(f)
	return f
}

func at(list array, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func (c *checker) fontDictionary(d dict, kind string) {
	if c.name(d["Type"]) != "Font" {
		c.fault("6.2.11.2", "a font does not say that it is one")
	}
	if !slices.Contains([]string{"Type1", "MMType1", "TrueType", "Type3", "Type0", "CIDFontType0", "CIDFontType2"}, kind) {
		c.fault("6.2.11.2", "a font is of type %q, which there is not", kind)
	}
	if kind != "Type3" && c.name(d["BaseFont"]) == "" {
		c.fault("6.2.11.2", "a font has no name")
	}
}

func (c *checker) simple(f *font) {
	isEmbedded := false
	if d := c.dict(f.dict["FontDescriptor"]); d != nil {
		isEmbedded = d["FontFile"] != nil || d["FontFile2"] != nil || d["FontFile3"] != nil
	}
	if !slices.Contains(standardFonts, f.called) || isEmbedded {
		first, hasFirst := c.get(f.dict["FirstChar"]).(number)
		last, hasLast := c.get(f.dict["LastChar"]).(number)
		widths, hasWidths := c.get(f.dict["Widths"]).(array)
		if !hasFirst || !hasLast || !hasWidths || float64(len(widths)) != last.value-first.value+1 {
			c.fault("6.2.11.2", "the font %s does not say how wide its letters are", f.called)
		}
	}
	base := c.name(f.dict["Encoding"])
	var differences array
	if d, ok := c.get(f.dict["Encoding"]).(dict); ok {
		base, differences = c.name(d["BaseEncoding"]), c.array(d["Differences"])
	}
	switch base {
	case "WinAnsiEncoding":
		f.encoding = winAnsi
	case "MacRomanEncoding":
		f.encoding = macRoman
	case "":
		if f.kind == "TrueType" && differences != nil {
			f.encoding = standard
		}
	}
	if !c.spend(len(differences)) {
		return
	}
	code := 0
	for _, one := range differences {
		switch v := c.get(one).(type) {
		case number:
			code = int(v.value)
		case name:
			if code >= 0 && code < 256 {
				f.encoding[code] = string(v)
			}
			code++
		}
	}
}

// codes cuts a string into the codes of a font; of Type0 into CIDs. spend counts the work.
func (f *font) codes(s string, spend func(int) bool) []int {
	if f.kind != "Type0" {
		codes := make([]int, len(s))
		for i := range len(s) {
			codes[i] = int(s[i])
		}
		return codes
	}
	if f.cmap == nil {
		return nil
	}
	return f.cmap.cids(s, spend)
}

// readProgram reads the font's file.
func (c *checker) readProgram(f *font) {
	d := f.described
	var s *stream
	var key name
	for _, k := range []name{"FontFile", "FontFile2", "FontFile3"} {
		if found := c.stream(d[k]); found != nil {
			s, key = found, k
		}
	}
	if s == nil {
		return
	}
	f.hasFile = true
	kind := c.name(s.dict["Subtype"])
	if kind != "" && kind != "Type1C" && kind != "CIDFontType0C" && kind != "OpenType" {
		c.fault("6.2.11.2", "the file of the font %s is of type %s, which there is not", f.called, kind)
	}
	if f.program = c.program(fontKey{s, key}, kind); f.program == nil {
		c.fault("6.2.11.2", "the file of the font %s cannot be read", f.called)
		return
	}
	c.subset(f)
}

// program reads a font's file once, whichever fonts have it; nil for one that is damaged.
func (c *checker) program(of fontKey, kind name) *program {
	if p, isKnown := c.programs[of]; isKnown {
		return p
	}
	const perEntry = 1 << 6
	c.programs[of] = nil
	data, err := c.unpack(of.file)
	if err != nil || !c.spend(len(data)) {
		return nil
	}
	p, err := readFontFile(data, of.key, kind)
	if err != nil || p == nil || !c.spend(p.size()*perEntry) {
		return nil
	}
	c.programs[of] = p
	return p
}

func readFontFile(data []byte, key, kind name) (p *program, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p, err = nil, fmt.Errorf("font file: %v", cause)
		}
	}()
	switch {
	case key == "FontFile":
		return readType1(data)
	case bytes.HasPrefix(data, []byte("OTTO")) || kind == "OpenType" && tableOf(data, "CFF ") != nil:
		p, err := readCFF(tableOf(data, "CFF "))
		if err == nil {
			p.cmaps = readCharMaps(tableOf(data, "cmap"))
		}
		return p, err
	case key == "FontFile3" && kind != "OpenType":
		return readCFF(data)
	}
	return readTrueType(data)
}

var subsetTag = regexp.MustCompile(`^[A-Z]{6}\+`)

// subset checks what a font says that there is in its file (6.2.11.4.2).
func (c *checker) subset(f *font) {
	if !subsetTag.MatchString(f.called) && !subsetTag.MatchString(string(c.name(f.described["FontName"]))) {
		return
	}
	if listed := c.text(f.described["CharSet"]); listed != "" && f.program.byName != nil && f.kind != "Type0" {
		if !c.spend(len(listed)) {
			return
		}
		names := map[string]bool{".notdef": true}
		for n := range strings.SplitSeq(strings.TrimPrefix(listed, "/"), "/") {
			names[strings.TrimSpace(n)] = true
		}
		for n := range f.program.byName {
			if !names[n] {
				c.fault("6.2.11.4.2", "the font %s does not list all of its letters", f.called)
				break
			}
		}
	}
	if s := c.stream(f.described["CIDSet"]); s != nil && f.kind == "Type0" && c.spend(f.program.size()) {
		bits, err := c.unpack(s)
		if err != nil {
			return
		}
		for _, cid := range c.cidsOf(f) {
			if cid > 0 && (cid/8 >= len(bits) || bits[cid/8]&(0x80>>(cid%8)) == 0) {
				c.fault("6.2.11.4.2", "the font %s does not list all of its characters", f.called)
				return
			}
		}
	}
}

// cidsOf are those that have a glyph in the font's file.
func (c *checker) cidsOf(f *font) []int {
	if f.program.byCID != nil {
		return slices.Collect(maps.Keys(f.program.byCID))
	}
	var out []int
	if s := c.stream(f.inside["CIDToGIDMap"]); s != nil {
		data, _ := c.unpack(s)
		for cid := 0; 2*cid+1 < len(data); cid++ {
			if gid := int(binary.BigEndian.Uint16(data[2*cid:])); gid > 0 && gid < len(f.program.widths) {
				out = append(out, cid)
			}
		}
		return out
	}
	for gid := range f.program.widths {
		out = append(out, gid)
	}
	return out
}

// checkFonts checks the fonts that are drawn with.
func (c *checker) checkFonts() {
	fonts := slices.SortedFunc(maps.Keys(c.used), func(a, b *font) int { return cmp.Compare(a.number, b.number) })
	for _, f := range fonts {
		c.checkFont(f, c.used[f])
	}
}

func (c *checker) checkFont(f *font, used map[int]bool) {
	isSeen := false
	for _, shown := range used {
		isSeen = isSeen || shown
	}
	if f.kind == "Type3" {
		c.type3(f, used)
		return
	}
	if !f.hasFile {
		if isSeen {
			c.fault("6.2.11.4.1", "the font %s is not in the file", f.called)
		}
		return
	}
	if f.kind == "Type0" && c.name(f.inside["Subtype"]) == "CIDFontType2" && c.stream(f.inside["CIDToGIDMap"]) == nil && c.name(f.inside["CIDToGIDMap"]) != "Identity" {
		c.fault("6.2.11.3.2", "the font %s does not say which glyphs its characters are", f.called)
	}
	if f.program == nil {
		return
	}
	if f.kind == "TrueType" {
		c.trueType(f)
	}
	for _, code := range slices.Sorted(maps.Keys(used)) {
		c.glyph(f, code, used[code])
	}
}

// glyph checks a code that is drawn: that there is a glyph of the width that is said
// (6.2.11.4.1, 6.2.11.5, 6.2.11.8).
func (c *checker) glyph(f *font, code int, isSeen bool) {
	gid, isKnown := c.glyphOf(f, code)
	if !isKnown {
		return
	}
	isLacking := gid < 0 || gid >= len(f.program.widths)
	isNotdef := gid == 0 || isLacking && f.kind != "Type0"
	if f.kind == "Type0" {
		isNotdef = code == 0
		isLacking = isLacking || gid == 0 && code != 0
	}
	if isNotdef {
		c.fault("6.2.11.8", "the font %s lacks a letter that is drawn", f.called)
	}
	if !isSeen {
		return
	}
	if isLacking {
		c.fault("6.2.11.4.1", "the font %s lacks a letter that is drawn", f.called)
		return
	}
	said, isSaid := c.saidWidth(f, code)
	if real := f.program.widths[gid]; isSaid && max(said-real, real-said) > 1 {
		c.fault("6.2.11.5", "the font %s has letters of another width than is said", f.called)
	}
}

// saidWidth is how wide a code is by the font's dictionary.
func (c *checker) saidWidth(f *font, code int) (float64, bool) {
	if f.kind == "Type0" {
		w, isSaid := f.byCID[code]
		if !isSaid {
			w = f.width0
		}
		return w, true
	}
	widths, first := c.array(f.dict["Widths"]), c.integer(f.dict["FirstChar"])
	if i := code - first; i >= 0 && i < len(widths) {
		return c.float(widths[i]), true
	}
	if n, ok := c.get(f.described["MissingWidth"]).(number); ok {
		return n.value, true
	}
	return 0, len(widths) > 0
}

// glyphOf is the glyph of a code, -1 for none; false where it cannot be told.
func (c *checker) glyphOf(f *font, code int) (gid int, isKnown bool) {
	p := f.program
	if f.kind == "Type0" {
		if p.byCID != nil {
			gid, ok := p.byCID[code]
			if !ok {
				return -1, true
			}
			return gid, true
		}
		if s := c.stream(f.inside["CIDToGIDMap"]); s != nil {
			data, _ := c.unpack(s)
			if 2*code+1 >= len(data) {
				return 0, true
			}
			return int(binary.BigEndian.Uint16(data[2*code:])), true
		}
		return code, true
	}
	if f.kind == "TrueType" && len(p.cmaps)+len(p.byName) > 0 {
		return c.trueTypeGlyph(f, code)
	}
	called := f.encoding[code]
	if called == "" {
		if p.byCode != nil {
			called = p.byCode[code]
		} else {
			called = standard[code]
		}
	}
	if called == "" {
		return -1, true
	}
	gid, ok := p.byName[called]
	if !ok {
		return -1, true
	}
	return gid, true
}

var procedureWidth = regexp.MustCompile(`^\s*(-?[0-9.]+)\s+(-?[0-9.]+)\s+(?:d0|(?:-?[0-9.]+\s+){4}d1)`)

// type3 checks letters that are drawn by procedures.
func (c *checker) type3(f *font, used map[int]bool) {
	for _, code := range slices.Sorted(maps.Keys(used)) {
		s := c.stream(c.dict(f.dict["CharProcs"])[name(f.encoding[code])])
		if s == nil || f.encoding[code] == ".notdef" {
			if f.encoding[code] == ".notdef" {
				c.fault("6.2.11.8", "the font %s lacks a letter that is drawn", f.called)
			}
			continue
		}
		data, err := c.unpack(s)
		if err != nil {
			continue
		}
		found := procedureWidth.FindSubmatch(data)
		if found == nil {
			continue
		}
		real, _ := numeral(string(found[1]))
		if said, isSaid := c.saidWidth(f, code); used[code] && isSaid && max(said-real.value, real.value-said) > 1 {
			c.fault("6.2.11.5", "a font has letters of another width than is said")
		}
	}
}

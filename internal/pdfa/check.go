package pdfa

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Part is one of ISO 19005, of level B.
type Part int

// The parts.
const (
	Part2 Part = 2
	Part3 Part = 3
)

// A Fault is a rule that a file breaks, by its clause of ISO 19005-2, and what breaks it in words.
type Fault struct{ Clause, What string }

func (f Fault) String() string { return f.Clause + ": " + f.What }

// maxFaults bounds what is said of a file.
const maxFaults = 100

// checker holds one file against the rules.
type checker struct {
	*file
	part   Part
	faults []Fault
	known  map[Fault]bool
	// intent is the colour space of the profile that device colours mean, "" for none.
	intent string
	used   map[*font]map[int]bool // codes that are shown, false for those that are shown unseen alone
	fonts  map[any]*font
	drawn  map[string]bool // contents, with the colours that they begin in
	depth  int
	// associated are file specifications that an array AF names.
	associated map[int]bool
	// separations are colorants by their names, with how they are mixed; mixed are the spaces
	// that were looked at.
	separations map[string]string
	mixed       map[*any]bool
	programs    map[fontKey]*program
	// level is how many files the file is in, inside what was found of those in it.
	level  int
	inside map[*stream]bool
	nested int // nodes of trees that are open
	// mixes says that the page at hand is drawn with transparency.
	mixes bool
	// extra are described schemas by their namespaces, kinds types that they describe.
	extra map[string]xmpSchema
	kinds map[string]string
}

// Check returns what keeps a file from conforming, nil for one that does, as far as programs can
// tell. An error: it cannot be read as a PDF at all.
func Check(pdf []byte, part Part) (faults []Fault, err error) {
	return check(pdf, part, 0, &budget{})
}

func check(pdf []byte, part Part, level int, b *budget) (faults []Fault, err error) {
	defer func() {
		if cause := recover(); cause != nil { // a damaged file must not end the program
			faults, err = nil, fmt.Errorf("%w: %v", errNoPDF, cause)
		}
	}()
	c := &checker{part: part, known: map[Fault]bool{}, used: map[*font]map[int]bool{}, fonts: map[any]*font{}, drawn: map[string]bool{}, associated: map[int]bool{}, separations: map[string]string{},
		mixed: map[*any]bool{}, programs: map[fontKey]*program{}, level: level, inside: map[*stream]bool{}}
	read, err := open(pdf, b)
	if err != nil {
		return nil, err
	}
	c.file = read
	clear(read.objects) // those that the tables needed
	clear(read.streams)
	read.notes = c.atom
	c.frame()
	c.everyObject()
	root := c.dict(c.trailer["Root"])
	c.findIntent(root)
	c.catalog(root)
	c.pages(root["Pages"], dict{}, map[int]bool{})
	c.checkFonts()
	if c.isOver {
		c.fault("6.1.13", "it unpacks to more than is looked into")
	}
	return c.faults, nil
}

// maxWork bounds what is looked at: bytes of content, and steps through what refers to itself.
const maxWork = 400 << 20

// enter goes into a node of a tree, and is false where it is too deep. leave comes behind both.
func (c *checker) enter() bool {
	if c.nested++; c.nested > maxDepth {
		c.isOver = true
	}
	return c.nested <= maxDepth
}

func (c *checker) leave() { c.nested-- }

func (c *checker) fault(clause, format string, arguments ...any) {
	if len(c.faults) == maxFaults {
		return
	}
	for i, a := range arguments {
		switch a := a.(type) {
		case string:
			arguments[i] = shown(a)
		case name:
			arguments[i] = shown(string(a))
		}
	}
	f := Fault{clause, fmt.Sprintf(format, arguments...)}
	if !c.known[f] {
		c.known[f] = true
		c.faults = append(c.faults, f)
	}
}

// shown is a name of a file as a message has it: short, and of characters that can be seen.
func shown(s string) string {
	const longest = 60
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s[:min(len(s), longest*utf8.UTFMax)]))
	if len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return string(runes)
}

var head = regexp.MustCompile(`^%PDF-1\.[0-7](?:\r\n|\r|\n)%[\x80-\xff]{4}`)

// frame checks what stands around objects.
func (c *checker) frame() {
	begin := c.data[:min(len(c.data), 32)]
	latin := make([]rune, len(begin)) // a byte a character, for the expression
	for i, b := range begin {
		latin[i] = rune(b)
	}
	if !head.MatchString(string(latin)) {
		c.fault("6.1.2", "it does not begin with %%PDF-1.n and a comment of four bytes that are no ASCII")
	}
	if at := bytes.LastIndex(c.data, []byte("%%EOF")); at >= 0 {
		switch string(c.data[at+5:]) {
		case "", "\n", "\r", "\r\n":
		default:
			c.fault("6.1.3", "something stands behind its end")
		}
	}
	if id := c.array(c.trailer["ID"]); len(id) == 0 || c.text(id[0]) == "" {
		c.fault("6.1.3", "it has no ID")
	}
	if c.trailer["Encrypt"] != nil {
		c.fault("6.1.3", "it is encrypted")
	}
	for _, at := range c.tables {
		rest := c.data[at+len("xref"):]
		switch {
		case bytes.HasPrefix(rest, []byte("\r\n")):
			rest = rest[2:]
		case bytes.HasPrefix(rest, []byte("\n")), bytes.HasPrefix(rest, []byte("\r")):
			rest = rest[1:]
		default:
			rest = nil
		}
		if len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
			c.fault("6.1.4", "xref and the line behind it do not follow each other")
		}
	}
}

// atom checks strings, names and numbers (6.1.6, 6.1.13).
func (c *checker) atom(o any) {
	switch o := o.(type) {
	case text:
		if o.isOdd {
			c.fault("6.1.6", "a string in hexadecimal digits has an odd number of them")
		}
		if o.isForeign {
			c.fault("6.1.6", "a string in hexadecimal digits has others in it")
		}
		if len(o.value) > 32767 {
			c.fault("6.1.13", "a string has more than 32767 bytes")
		}
	case name:
		if len(o) > 127 {
			c.fault("6.1.13", "a name has more than 127 bytes")
		}
	case number:
		v := max(o.value, -o.value)
		switch {
		case o.isInteger && (o.value > 2147483647 || o.value < -2147483648):
			c.fault("6.1.13", "an integer has more than 32 bits")
		case !o.isInteger && (v > 3.403e38 || v != 0 && v < 1.175e-38):
			c.fault("6.1.13", "a number is too large or too small")
		}
	}
}

// everyObject reads all objects, and checks how they are written.
func (c *checker) everyObject() {
	if len(c.places) > 8388607 {
		c.fault("6.1.13", "it has more than 8388607 objects")
	}
	for _, n := range slices.Sorted(maps.Keys(c.places)) {
		at := c.places[n]
		o := c.load(n)
		if at.in == 0 && at.offset >= 0 && at.offset < len(c.data) {
			c.written(n, at, o)
		}
		if s, ok := o.(*stream); ok {
			c.streamWritten(s)
		}
		c.generic(o, 0)
	}
}

var objectHead = regexp.MustCompile(`^\d+[ \r\n\t\f\x00]\d+[ \r\n\t\f\x00]obj[\r\n]`)

// written checks the spaces around an object (6.1.9).
func (c *checker) written(n int, at place, o any) {
	for at.offset < len(c.data) && isSpace(c.data[at.offset]) {
		at.offset++
	}
	rest := c.data[at.offset:]
	ok := objectHead.Match(rest[:min(len(rest), 40)])
	if at.offset > 0 {
		before := c.data[at.offset-1]
		ok = ok && (before == '\n' || before == '\r')
	}
	p := &parser{data: c.data, at: at.offset}
	defer func() { c.readOn(p.at - at.offset) }()
	if s, isStream := o.(*stream); isStream {
		p.at = s.begin
		if end := bytes.Index(c.data[p.at+len(s.raw):], []byte("endstream")); end >= 0 {
			p.at += len(s.raw) + end + len("endstream")
		} else {
			c.readOn(len(c.data) - p.at)
		}
	} else {
		p.token()
		p.token()
		if p.token() != keyword("obj") {
			return // none: a place that leads elsewhere
		}
		p.object()
	}
	p.skip()
	if !bytes.HasPrefix(c.data[p.at:], []byte("endobj")) {
		ok = false
	} else {
		before, after := c.data[p.at-1], p.peek(len("endobj"))
		ok = ok && (before == '\n' || before == '\r') && (after == '\n' || after == '\r')
	}
	if !ok {
		c.fault("6.1.9", "object %d is not written with the spaces that it needs", n)
	}
}

// filters are those of ISO 32000-1, table 6, but for LZW.
var filters = []name{"ASCIIHexDecode", "ASCII85Decode", "FlateDecode", "RunLengthDecode", "CCITTFaxDecode", "JBIG2Decode", "DCTDecode", "JPXDecode"}

// streamWritten checks how a stream is written (6.1.7).
func (c *checker) streamWritten(s *stream) {
	begin := s.begin
	switch {
	case bytes.HasPrefix(c.data[begin:], []byte("\r\n")):
		begin += 2
	case bytes.HasPrefix(c.data[begin:], []byte("\n")):
		begin++
	default:
		c.fault("6.1.7", "the word stream of object %d does not end its line", s.number)
		begin++
	}
	length, isLength := c.get(s.dict["Length"]).(number)
	end := begin + int(length.value)
	if !isLength || end < begin || end > len(c.data) {
		c.fault("6.1.7", "the stream of object %d has another length than it says", s.number)
	} else if rest := c.data[end:]; !bytes.HasPrefix(rest, []byte("\nendstream")) && !bytes.HasPrefix(rest, []byte("\r\nendstream")) && !bytes.HasPrefix(rest, []byte("\rendstream")) {
		c.fault("6.1.7", "the stream of object %d has another length than it says", s.number)
	}
	for _, key := range []name{"F", "FFilter", "FDecodeParms"} {
		if s.dict[key] != nil {
			c.fault("6.1.7", "the stream of object %d is in another file", s.number)
		}
	}
	parameters := c.list(s.dict["DecodeParms"])
	for i, filter := range c.list(s.dict["Filter"]) {
		n := c.name(filter)
		isIdentity := n == "Crypt" && i < len(parameters) && c.name(c.dict(parameters[i])["Name"]) == "Identity"
		if !slices.Contains(filters, n) && !isIdentity {
			c.fault("6.1.7", "a stream is packed by %s", n)
		}
	}
}

// generic checks what counts for an object wherever it stands.
func (c *checker) generic(o any, depth int) {
	if depth > maxDepth {
		return
	}
	switch o := o.(type) {
	case array:
		for _, one := range o {
			c.generic(one, depth+1)
		}
	case *stream:
		c.generic(o.dict, depth+1)
	case dict:
		for _, one := range o {
			c.generic(one, depth+1)
		}
		files := c.list(o["AF"])
		if !c.spend(len(files)) {
			return
		}
		for _, one := range files {
			if r, ok := one.(reference); ok {
				c.associated[r.number] = true
			}
		}
		switch {
		case c.name(o["Type"]) == "StructElem" && o["S"] != nil:
			c.readable("the type of an element", string(c.name(o["S"])))
		case c.name(o["Type"]) == "Font" || c.name(o["Type"]) == "FontDescriptor":
			c.readable("the name of a font", string(c.name(o["BaseFont"])))
			c.readable("the name of a font", string(c.name(o["FontName"])))
		}
	}
}

func (c *checker) readable(what, s string) {
	if !utf8.ValidString(s) {
		c.fault("6.1.8", "%s is no UTF-8", what)
	}
}

// catalog checks what is said of the file as a whole.
func (c *checker) catalog(root dict) {
	if root["AA"] != nil {
		c.fault("6.5.2", "actions begin when something is done with the file")
	}
	if root["Requirements"] != nil {
		c.fault("6.11", "it asks something of its reader")
	}
	if c.get(root["NeedsRendering"]) == true {
		c.fault("6.4.2", "it is drawn from a form of XFA")
	}
	names := c.dict(root["Names"])
	if names["AlternatePresentations"] != nil {
		c.fault("6.10", "it can be shown in other ways")
	}
	c.nameTree(names["JavaScript"], map[int]bool{}, func(o any) { c.action(o, map[int]bool{}) })
	c.nameTree(names["EmbeddedFiles"], map[int]bool{}, func(any) {})
	c.action(root["OpenAction"], map[int]bool{})
	c.outline(c.dict(root["Outlines"])["First"], map[int]bool{})
	perms := c.dict(root["Perms"])
	for _, key := range slices.Sorted(maps.Keys(perms)) {
		if key != "UR3" && key != "DocMDP" {
			c.fault("6.1.12", "its permissions have an entry %s", key)
		}
	}
	if perms["DocMDP"] != nil {
		for _, one := range c.array(c.dict(perms["DocMDP"])["Reference"]) {
			signed := c.dict(one)
			if signed["DigestLocation"] != nil || signed["DigestMethod"] != nil || signed["DigestValue"] != nil {
				c.fault("6.1.12", "its permissions say how a digest is made")
			}
		}
	}
	form := c.dict(root["AcroForm"])
	if form["XFA"] != nil {
		c.fault("6.4.2", "its form is one of XFA")
	}
	if c.get(form["NeedAppearances"]) == true {
		c.fault("6.4.1", "readers draw the fields of its form")
	}
	c.fields(form["Fields"], map[int]bool{})
	c.layers(c.dict(root["OCProperties"]))
	c.embedded()
	c.metadata(root)
}

func (c *checker) fields(list any, seen map[int]bool) {
	defer c.leave()
	if !c.enter() {
		return
	}
	for _, one := range c.array(list) {
		if r, ok := one.(reference); ok {
			if seen[r.number] {
				continue
			}
			seen[r.number] = true
		}
		field := c.dict(one)
		if field["AA"] != nil || c.name(field["Subtype"]) == "Widget" && field["A"] != nil {
			c.fault("6.4.1", "a field of its form has an action")
		}
		if c.name(field["FT"]) == "Sig" {
			c.signature(c.dict(field["V"]))
		}
		c.fields(field["Kids"], seen)
	}
}

// signature checks that one covers the whole file (6.4.3).
func (c *checker) signature(s dict) {
	covered := c.array(s["ByteRange"])
	if len(covered) != 4 {
		return
	}
	if c.integer(covered[0]) != 0 || c.integer(covered[2])+c.integer(covered[3]) != len(c.data) {
		c.fault("6.4.3", "a signature does not cover the file")
	}
}

// nameTree calls each for the values of a tree of names.
func (c *checker) nameTree(o any, seen map[int]bool, each func(any)) {
	defer c.leave()
	if !c.enter() {
		return
	}
	if r, ok := o.(reference); ok {
		if seen[r.number] {
			return
		}
		seen[r.number] = true
	}
	node := c.dict(o)
	list := c.array(node["Names"])
	for i := 1; i < len(list); i += 2 {
		each(list[i])
	}
	for _, kid := range c.array(node["Kids"]) {
		c.nameTree(kid, seen, each)
	}
}

func (c *checker) outline(o any, seen map[int]bool) {
	defer c.leave()
	if !c.enter() {
		return
	}
	for range maxObjects {
		r, ok := o.(reference)
		if !ok || seen[r.number] {
			return
		}
		seen[r.number] = true
		item := c.dict(o)
		c.action(item["A"], map[int]bool{})
		c.outline(item["First"], seen)
		o = item["Next"]
	}
}

var (
	actions      = []name{"GoTo", "GoToR", "GoToE", "Thread", "URI", "Named", "SubmitForm"}
	namedActions = []name{"NextPage", "PrevPage", "FirstPage", "LastPage"}
)

// action checks one with those that follow it (6.5.1).
func (c *checker) action(o any, seen map[int]bool) {
	defer c.leave()
	const step = 1 << 6
	if !c.enter() || !c.spend(step) {
		return
	}
	if r, ok := o.(reference); ok {
		if seen[r.number] {
			return
		}
		seen[r.number] = true
	}
	d, isDict := c.get(o).(dict)
	if !isDict {
		return
	}
	kind := c.name(d["S"])
	if !slices.Contains(actions, kind) {
		c.fault("6.5.1", "it has an action %s", kind)
	}
	if kind == "Named" && !slices.Contains(namedActions, c.name(d["N"])) {
		c.fault("6.5.1", "it has an action %s", c.name(d["N"]))
	}
	for _, next := range c.list(d["Next"]) {
		c.action(next, seen)
	}
}

// allActions checks those that an entry AA holds.
func (c *checker) allActions(o any) {
	for _, one := range c.dict(o) {
		c.action(one, map[int]bool{})
	}
}

// layers checks optional content (6.9).
func (c *checker) layers(properties dict) {
	if properties == nil {
		return
	}
	all := map[int]bool{}
	for _, one := range c.array(properties["OCGs"]) {
		if r, ok := one.(reference); ok {
			all[r.number] = true
		}
	}
	names := map[string]bool{}
	for _, one := range append(array{properties["D"]}, c.array(properties["Configs"])...) {
		config := c.dict(one)
		if config == nil {
			continue
		}
		called := c.text(config["Name"])
		if called == "" {
			c.fault("6.9", "a setting of its layers has no name")
		} else if names[called] {
			c.fault("6.9", "two settings of its layers have one name")
		}
		names[called] = true
		if config["AS"] != nil {
			c.fault("6.9", "its layers show by themselves")
		}
		if config["Order"] != nil {
			missing := maps.Clone(all)
			c.ordered(config["Order"], missing, 0)
			if len(missing) > 0 {
				c.fault("6.9", "the order of its layers lacks some")
			}
		}
	}
}

func (c *checker) ordered(o any, missing map[int]bool, depth int) {
	if r, ok := o.(reference); ok {
		delete(missing, r.number)
	}
	if depth < maxDepth && c.spend(1) {
		for _, one := range c.array(o) {
			c.ordered(one, missing, depth+1)
		}
	}
}

var mimeType = regexp.MustCompile(`^[-\w+.]+/[-\w+.]+$`)

// embedded checks the files in the file (6.8).
func (c *checker) embedded() {
	for _, n := range slices.Sorted(maps.Keys(c.places)) {
		c.specifications(c.load(n), n, 0)
	}
}

// specifications finds those of files in an object.
func (c *checker) specifications(o any, n, depth int) {
	if depth > maxDepth {
		return
	}
	switch o := o.(type) {
	case array:
		for _, one := range o {
			c.specifications(one, 0, depth+1)
		}
	case *stream:
		c.specifications(o.dict, 0, depth+1)
	case dict:
		if held := c.dict(o["EF"]); held != nil {
			c.specification(o, held, n)
		}
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if key != "EF" {
				c.specifications(o[key], 0, depth+1)
			}
		}
	}
}

func (c *checker) specification(d, held dict, n int) {
	if d["F"] == nil || d["UF"] == nil {
		c.fault("6.8", "a file in it has no name under F and UF")
	}
	for _, key := range slices.Sorted(maps.Keys(held)) {
		s := c.stream(held[key])
		if s == nil {
			continue
		}
		if c.part == Part3 {
			if !mimeType.MatchString(string(c.name(s.dict["Subtype"]))) {
				c.fault("6.8", "a file in it does not say of what type it is")
			}
			continue
		}
		if !c.isArchive(s) {
			c.fault("6.8", "a file in it is no PDF/A")
		}
	}
	if c.part == Part3 {
		if c.name(d["AFRelationship"]) == "" {
			c.fault("6.8", "a file in it does not say how it belongs to it")
		}
		if !c.associated[n] {
			c.fault("6.8", "a file in it belongs to nothing of it")
		}
	}
}

// isArchive judges a file in the file once, within what is left of the limits.
func (c *checker) isArchive(s *stream) bool {
	const deepest = 2
	if found, isKnown := c.inside[s]; isKnown || c.level == deepest {
		return found
	}
	content, err := c.unpack(s)
	if err == nil {
		var faults []Fault
		faults, err = check(content, Part2, c.level+1, c.budget)
		c.inside[s] = err == nil && len(faults) == 0
	}
	return c.inside[s]
}

// pages goes through the tree of pages.
func (c *checker) pages(o any, inherited dict, seen map[int]bool) {
	defer c.leave()
	if !c.enter() {
		return
	}
	r, ok := o.(reference)
	if !ok || seen[r.number] {
		return
	}
	seen[r.number] = true
	node := c.dict(o)
	kids := c.array(node["Kids"])
	if kids == nil || c.name(node["Type"]) == "Page" {
		c.page(node, inherited)
		return
	}
	own := maps.Clone(inherited)
	for _, key := range []name{"Resources", "MediaBox", "CropBox"} {
		if node[key] != nil {
			own[key] = node[key]
		}
	}
	for _, kid := range kids {
		c.pages(kid, own, seen)
	}
}

func (c *checker) page(page, inherited dict) {
	for _, key := range []name{"MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"} {
		box := page[key]
		if box == nil {
			box = inherited[key]
		}
		if a := c.array(box); len(a) == 4 {
			for i := range 2 {
				side := c.float(a[i+2]) - c.float(a[i])
				if side = max(side, -side); side < 3 || side > 14400 {
					c.fault("6.1.13", "a page is smaller than 3 or larger than 14400 points")
				}
			}
		}
	}
	if page["AA"] != nil {
		c.fault("6.5.2", "actions begin when a page is opened or closed")
	}
	if page["PresSteps"] != nil {
		c.fault("6.10", "a page is shown in steps")
	}
	c.mixes = false
	g := newGraphics()
	resources := scope{own: c.dict(page["Resources"]), above: c.dict(inherited["Resources"])}
	var content []byte
	for _, one := range c.list(page["Contents"]) {
		if s := c.stream(one); s != nil {
			part := c.drawing(s)
			if len(content)+len(part) > maxStream {
				c.isOver = true
				return
			}
			content = append(append(content, part...), '\n')
		}
	}
	group := c.dict(page["Group"])
	if group != nil && c.name(group["S"]) == "Transparency" {
		c.mixes = true
		if group["CS"] != nil {
			c.paint(c.space(group["CS"], resources, 0), false, 0)
		}
	}
	c.content(content, resources, g)
	for _, one := range c.array(page["Annots"]) {
		c.annotation(c.dict(one), resources)
	}
	if c.mixes && c.intent == "" && (group == nil || group["CS"] == nil) {
		c.fault("6.2.10", "a page mixes colours and does not say in which space")
	}
}

var annotations = []name{"Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Popup",
	"FileAttachment", "Widget", "PrinterMark", "TrapNet", "Watermark", "Redact"}

// annotation checks one (6.3, 6.4.1), with what it looks like.
func (c *checker) annotation(a dict, resources scope) {
	const step = 1 << 7
	if a == nil || !c.spend(step) {
		return
	}
	kind := c.name(a["Subtype"])
	if !slices.Contains(annotations, kind) {
		c.fault("6.3.1", "it has an annotation %s", kind)
	}
	c.action(a["A"], map[int]bool{})
	c.allActions(a["AA"])
	if kind == "Widget" && (a["A"] != nil || a["AA"] != nil) {
		c.fault("6.4.1", "a field of its form has an action")
	}
	flags, hasFlags := c.get(a["F"]).(number)
	const invisible, hidden, print, noView, toggle = 1, 2, 4, 32, 256
	switch {
	case !hasFlags && kind != "Popup":
		c.fault("6.3.2", "an annotation %s does not say whether it is printed", kind)
	case hasFlags && int(flags.value)&(invisible|hidden|noView|toggle|print) != print:
		c.fault("6.3.2", "an annotation %s is hidden or not printed", kind)
	}
	looks := c.dict(a["AP"])
	if looks == nil {
		box := c.array(a["Rect"])
		isNothing := len(box) == 4 && c.float(box[0]) == c.float(box[2]) && c.float(box[1]) == c.float(box[3])
		if kind != "Popup" && kind != "Link" && !isNothing {
			c.fault("6.3.3", "an annotation %s does not say what it looks like", kind)
		}
		return
	}
	if len(looks) != 1 || looks["N"] == nil {
		c.fault("6.3.3", "an annotation %s looks different when something is done with it", kind)
	}
	isButton := kind == "Widget" && c.inheritedName(a, "FT") == "Btn"
	switch shown := c.get(looks["N"]).(type) {
	case *stream:
		if isButton && len(looks) == 1 {
			c.fault("6.3.3", "a button has one look for all its states")
		}
		c.form(shown, resources, newGraphics())
	case dict:
		if !isButton && len(looks) == 1 {
			c.fault("6.3.3", "an annotation %s has looks for states", kind)
		}
		if !c.spend(len(shown) * step) {
			return
		}
		for _, state := range slices.Sorted(maps.Keys(shown)) {
			if s := c.stream(shown[state]); s != nil {
				c.form(s, resources, newGraphics())
			}
		}
	}
}

// inheritedName is an entry of a field, or of one above it.
func (c *checker) inheritedName(d dict, key name) name {
	for range 20 {
		if d[key] != nil {
			return c.name(d[key])
		}
		if d = c.dict(d["Parent"]); d == nil {
			break
		}
	}
	return ""
}

// Words says in one line what a file breaks, at most some of it.
func Words(faults []Fault) string {
	const most = 3
	var list []string
	for _, f := range faults[:min(len(faults), most)] {
		list = append(list, f.What)
	}
	if more := len(faults) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

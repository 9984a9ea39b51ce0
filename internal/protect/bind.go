package protect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

const (
	// mostShared is how many pictures and fonts a Binder knows again.
	mostShared = 4096
	// inOneTable is after how many objects a Binder writes where they are. It keeps their
	// places until then.
	inOneTable = 20_000
)

// A Binder writes one PDF that has the pages of many, which come one after the other. It
// writes each as soon as it comes, and keeps some 100 bytes of it. Pictures and fonts that
// several have stand there once. Each PDF has a bookmark, with its own bookmarks below. The
// tags of all make one tree (ISO 32000-1, 14.7); links, layers and annotations stay, and forms
// become what they look like. Scripts, attached files and properties are left out.
//
// Nothing is encrypted. A Binder is not safe for concurrent use.
type Binder struct {
	out    io.Writer
	title  string
	size   int64 // of what is written
	failed error // of out, for ever

	objects  int // numbers that are given
	held     objectStream
	places   []place // of objects that stand in no table yet
	table    int64   // where the last table is; 0: there is none
	id       types.Object
	shared   map[[32]byte]int // the numbers of pictures and fonts by their content
	newest   model.Version
	parts    int
	pages    int
	trees    []types.Object // roots of the pages of each part
	bookmark types.Dict     // the last one, which is not written yet
	marker   int            // its number
	first    int            // that of the first one
	tags     tagTree
	layers   map[string]types.Array
	language *string // of all parts; empty: they have several, or none
}

// The objects that a Binder writes last.
const (
	boundCatalog = iota + 1
	boundPages
	boundOutlines
	boundTags
	boundWhole // the element that has those of all parts
	boundParents
	boundIDs // of elements
	boundInfo
	boundReserved = boundInfo
)

// NewBinder begins a PDF with a title.
func NewBinder(out io.Writer, title string) *Binder {
	preparePDFCPU()
	b := &Binder{out: out, title: title, objects: boundReserved, shared: map[[32]byte]int{}, newest: model.V17, layers: map[string]types.Array{}, id: types.NewHexLiteral(random(16))}
	b.write([]byte("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"))
	return b
}

// Add writes the pages of a PDF, with a bookmark of this title. KindInvalid with code
// "pdf_unreadable": it cannot be read or is encrypted, and nothing of it is written.
func (b *Binder) Add(title string, pdf []byte) (err error) {
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			err = unreadableError(fmt.Errorf("panic: %v", cause))
		}
	}()
	if b.failed != nil {
		return b.failed
	}
	part, err := b.open(title, pdf)
	if err != nil {
		return unreadableError(err)
	}
	b.include(part)
	return b.failed
}

// open reads a part, and prepares all that is to be written of it.
func (b *Binder) open(title string, pdf []byte) (*boundPart, error) {
	p := &boundPart{b: b, numbers: map[int]int{}, title: title, next: b.objects}
	for _, asDrawn := range []bool{false, true} {
		read, err := api.ReadContext(bytes.NewReader(pdf), appending())
		if err == nil {
			err = read.EnsurePageCount()
		}
		if err != nil {
			return nil, err
		}
		if read.E != nil || read.PageCount == 0 {
			return nil, errors.New("it is encrypted, or has no pages")
		}
		p.pdf, p.tagsRoot, p.lang = read, read.RootDict["StructTreeRoot"], read.RootDict["Lang"]
		if _, err = fixAnnotations(read, asDrawn); err == nil {
			err = validate(read)
		}
		if err == nil {
			break
		}
		if asDrawn {
			return nil, err
		}
	}
	return p, p.prepare()
}

// include writes a part that was prepared.
func (b *Binder) include(p *boundPart) {
	b.objects = p.next
	b.parts++
	b.pages += p.pdf.PageCount
	b.newest = max(b.newest, p.pdf.XRefTable.Version())
	b.trees = append(b.trees, reference(p.pageTree))
	for _, o := range p.ready {
		b.put(o.number, o.object, o.stream)
	}
	for key, number := range p.sharing {
		b.shared[key] = number
	}
	b.tags.include(p)
	for key, list := range p.layers {
		b.layers[key] = append(b.layers[key], list...)
	}
	lang := ""
	if text, err := model.Text(p.lang); err == nil {
		lang = text
	}
	switch {
	case b.language == nil:
		b.language = &lang
	case *b.language != lang:
		*b.language = ""
	}
	b.mark(p.mark, p.bookmark)
	b.flushHeld()
	if len(b.places) > inOneTable {
		b.writeTable()
	}
}

// mark sets a bookmark behind those that are there.
func (b *Binder) mark(number int, entries types.Dict) {
	entries["Parent"] = reference(boundOutlines)
	if b.bookmark == nil {
		b.first = number
	} else {
		entries["Prev"] = reference(b.marker)
		b.bookmark["Next"] = reference(number)
		b.put(b.marker, b.bookmark, nil)
	}
	b.bookmark, b.marker = entries, number
}

// Close writes the end of the PDF. left is a text about what is not in it, which is attached
// as errors.txt, and readers are asked to show that; empty: nothing is left out. A PDF without
// a page gets an empty one.
func (b *Binder) Close(left []byte) error {
	if b.parts == 0 && b.failed == nil {
		if err := b.Add(b.title, blankPage()); err != nil {
			return err
		}
	}
	catalog := types.Dict{"Type": types.Name("Catalog"), "Pages": reference(boundPages), "PageMode": types.Name("UseOutlines"),
		"Outlines": reference(boundOutlines), "ViewerPreferences": types.Dict{"DisplayDocTitle": types.Boolean(true)}}
	if b.newest == model.V20 {
		catalog["Version"] = types.Name("2.0")
	}
	if b.language != nil && *b.language != "" {
		catalog["Lang"] = textString(*b.language)
	}
	if len(left) > 0 {
		catalog["PageMode"] = types.Name("UseAttachments")
		catalog["Names"] = types.Dict{"EmbeddedFiles": types.Dict{"Names": types.Array{textString(leftOut), b.attach(left)}}}
	}
	if len(b.layers["OCGs"]) > 0 {
		catalog["OCProperties"] = types.Dict{"OCGs": b.layers["OCGs"], "D": types.Dict{"ON": b.layers["ON"], "OFF": b.layers["OFF"], "Order": b.layers["Order"]}}
	}
	b.tags.close(b, catalog)
	b.put(b.marker, b.bookmark, nil)
	b.put(boundOutlines, types.Dict{"Type": types.Name("Outlines"), "First": reference(b.first), "Last": reference(b.marker), "Count": types.Integer(b.parts)}, nil)
	b.put(boundPages, types.Dict{"Type": types.Name("Pages"), "Count": types.Integer(b.pages), "Kids": types.Array(b.trees)}, nil)
	b.put(boundInfo, types.Dict{"Title": textString(b.title), "Producer": types.StringLiteral("Platen")}, nil)
	b.put(boundCatalog, catalog, nil)
	b.flushHeld()
	b.writeTable()
	b.write(fmt.Appendf(nil, "startxref\n%d\n%%%%EOF\n", b.table))
	return b.failed
}

// leftOut is the name of the file that says what is not in a PDF.
const leftOut = "errors.txt"

// attach writes a text as an attached file (ISO 32000-1, 7.11.4).
func (b *Binder) attach(text []byte) types.Object {
	file, specification := b.number(), b.number()
	b.put(file, types.Dict{"Type": types.Name("EmbeddedFile"), "Subtype": types.Name("text/plain"), "Params": types.Dict{"Size": types.Integer(len(text))}}, text)
	b.put(specification, types.Dict{"Type": types.Name("Filespec"), "F": textString(leftOut), "UF": textString(leftOut), "EF": types.Dict{"F": reference(file), "UF": reference(file)},
		"Desc": textString("What is not in this PDF, and why")}, nil)
	return reference(specification)
}

// number gives a number to a new object.
func (b *Binder) number() int {
	b.objects++
	return b.objects
}

func reference(number int) types.IndirectRef { return *types.NewIndirectRef(number, 0) }

// textString is a text as a PDF has it: letters of ASCII as they are.
func textString(text string) types.Object {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return types.NewHexLiteral([]byte(text))
	}
	return types.NewHexLiteral([]byte(types.EncodeUTF16String(text)))
}

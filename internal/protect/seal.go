package protect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/platenhq/platen/internal/platen"
)

// A Signer makes detached CMS signatures with the certificate of an organization.
type Signer interface {
	// Sign signs what has this SHA-256, with a certificate that is valid at that time.
	Sign(ctx context.Context, sum [sha256.Size]byte, at time.Time) ([]byte, error)
	Room() int    // bytes that a signature has at most
	Name() string // of the organization
}

// Seal signs a PDF as a whole (PAdES, ETSI EN 319 142-1): its bytes stay as they are, and the
// signature is added behind them. at is when the PDF says that it was signed. Nothing may be
// changed in it afterwards. An error of the signer is returned as it is.
//
// KindInvalid: the PDF cannot be read, or is encrypted; ProtectAndSeal seals such a one. Or, with
// platen.CodeSealUnset, there is no Signer.
func (p Protector) Seal(ctx context.Context, pdf []byte, at time.Time) ([]byte, error) {
	by, err := p.signer()
	if err != nil {
		return nil, err
	}
	f, err := readFrame(pdf)
	if err != nil {
		return nil, err
	}
	return f.sign(ctx, pdf, bytes.Clone, by, at)
}

func (p Protector) signer() (Signer, error) {
	if p.Signer == nil {
		return nil, platen.ErrSealUnset()
	}
	return p.Signer()
}

// ProtectAndSeal is Protect, and then Seal of what came out of it.
func (p Protector) ProtectAndSeal(ctx context.Context, pdf []byte, password string, preventCopy bool, at time.Time) ([]byte, error) {
	by, err := p.signer()
	if err != nil {
		return nil, err
	}
	f, err := readFrame(pdf)
	if err != nil {
		return nil, err
	}
	f.catalog.Delete("Version") // as encrypt has it
	f.catalog.Delete("Metadata")
	key := random(32)
	protected, err := protectWith(key, pdf, password, preventCopy)
	if err != nil {
		return nil, err
	}
	return f.sign(ctx, protected, (&directEncrypter{block: block(key)}).sealed, by, at)
}

// A frame is what a signature changes of a PDF: its catalog and its first page, unencrypted.
type frame struct {
	root, page types.IndirectRef
	catalog    types.Dict
	first      types.Dict
}

// readFrame reads it out of a PDF that is not encrypted.
func readFrame(pdf []byte) (f frame, err error) {
	if len(pdf) > MaxInput {
		return f, platen.Errorf(platen.KindTooLarge, "pdf_too_large", "The PDF is larger than %d MiB: make the template smaller.", MaxInput>>20)
	}
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			f, err = frame{}, unreadableError(fmt.Errorf("panic: %v", cause))
		}
	}()
	preparePDFCPU()
	config := model.NewDefaultConfiguration()
	config.Offline = true
	config.Limits = limits
	pages, err := api.ReadContext(bytes.NewReader(pdf), config)
	if err != nil {
		return frame{}, unreadableError(err)
	}
	if pages.E != nil {
		return frame{}, unreadableError(errors.New("the PDF is encrypted"))
	}
	if f, err = findFrame(pages.XRefTable); err != nil {
		return frame{}, unreadableError(err)
	}
	return f, nil
}

func findFrame(table *model.XRefTable) (frame, error) {
	if table.Root == nil {
		return frame{}, errors.New("there is no catalog")
	}
	catalog, err := table.Catalog()
	if err != nil {
		return frame{}, err
	}
	f := frame{root: *table.Root, catalog: catalog.Clone().(types.Dict)}
	if f.catalog["AcroForm"] != nil {
		form, err := table.DereferenceDict(f.catalog["AcroForm"])
		if err != nil {
			return frame{}, err
		}
		fields, err := table.DereferenceArray(form["Fields"])
		if err != nil {
			return frame{}, err
		}
		form = form.Clone().(types.Dict)
		form["Fields"] = append(types.Array{}, fields...)
		f.catalog["AcroForm"] = form
	}
	at := f.catalog["Pages"]
	for range 100 { // levels of the tree
		ref, ok := at.(types.IndirectRef)
		if !ok {
			return frame{}, errors.New("there is no first page")
		}
		node, err := table.DereferenceDict(ref)
		if err != nil || node == nil {
			return frame{}, errors.Join(errors.New("there is no first page"), err)
		}
		kids, err := table.DereferenceArray(node["Kids"])
		if err != nil {
			return frame{}, err
		}
		if len(kids) > 0 {
			at = kids[0]
			continue
		}
		f.page, f.first = ref, node.Clone().(types.Dict)
		annotations, err := table.DereferenceArray(f.first["Annots"])
		if err != nil {
			return frame{}, err
		}
		f.first["Annots"] = append(types.Array{}, annotations...)
		return f, nil
	}
	return frame{}, errors.New("there is no first page")
}

var (
	startOfTable = regexp.MustCompile(`startxref\s+(\d+)\s+%%EOF\s*$`)
	sizeEntry    = regexp.MustCompile(`/Size\s+(\d+)`)
	// Entries that a table takes over from the one before it.
	keptEntry = regexp.MustCompile(`/(?:(?:Encrypt|Info)\s+\d+\s+\d+\s+R|ID\s*\[\s*<[0-9A-Fa-f]*>\s*<[0-9A-Fa-f]*>\s*\])`)
)

// A tail is how a file ends.
type tail struct {
	table, size int
	isStream    bool
	kept        string // entries
}

func readTail(pdf []byte) (t tail, err error) {
	start := startOfTable.FindSubmatch(pdf[max(0, len(pdf)-1024):])
	if start == nil {
		return t, errors.New("the file has no end")
	}
	t.table, _ = strconv.Atoi(string(start[1]))
	if t.table <= 0 || t.table >= len(pdf) {
		return t, errors.New("the file has no table of objects")
	}
	dictionary := pdf[t.table:]
	if bytes.HasPrefix(dictionary, []byte("xref")) {
		i := bytes.LastIndex(dictionary, []byte("trailer"))
		if i < 0 {
			return t, errors.New("the file has no trailer")
		}
		dictionary = dictionary[i:]
	} else {
		t.isStream = true
		dictionary, _, _ = bytes.Cut(dictionary, []byte("stream"))
	}
	size := sizeEntry.FindSubmatch(dictionary)
	if size == nil {
		return t, errors.New("the file does not say how many objects it has")
	}
	t.size, _ = strconv.Atoi(string(size[1]))
	for _, entry := range keptEntry.FindAll(dictionary, -1) {
		t.kept += " " + string(entry)
	}
	return t, nil
}

// sign adds a signature behind the bytes of a PDF, whose strings encrypt encrypts.
func (f frame) sign(ctx context.Context, pdf []byte, encrypt func([]byte) []byte, by Signer, at time.Time) ([]byte, error) {
	t, err := readTail(pdf)
	if err != nil {
		return nil, unreadableError(err)
	}
	field, signature := t.size, t.size+1
	text := func(s []byte) string { return fmt.Sprintf("<%X>", encrypt(s)) }
	catalog, page := f.catalog.Clone().(types.Dict), f.first.Clone().(types.Dict)
	form, _ := catalog["AcroForm"].(types.Dict)
	if form == nil {
		form = types.Dict{"Fields": types.Array{}}
	}
	form["Fields"] = append(form["Fields"].(types.Array), *types.NewIndirectRef(field, 0))
	form["SigFlags"] = types.Integer(3) // there are signatures, and only appending keeps them
	catalog["AcroForm"] = form
	page["Annots"] = append(page["Annots"].(types.Array), *types.NewIndirectRef(field, 0))

	out := bytes.NewBuffer(make([]byte, 0, len(pdf)+2*by.Room()+8<<10))
	out.Write(pdf)
	if !bytes.HasSuffix(pdf, []byte("\n")) {
		out.WriteByte('\n')
	}
	type placed struct{ number, generation, at int }
	var objects []placed
	object := func(number, generation int, dictionary string) {
		objects = append(objects, placed{number, generation, out.Len()})
		fmt.Fprintf(out, "%d %d obj\n%s\nendobj\n", number, generation, dictionary)
	}
	object(f.root.ObjectNumber.Value(), f.root.GenerationNumber.Value(), encryptStrings(catalog, encrypt).PDFString())
	object(f.page.ObjectNumber.Value(), f.page.GenerationNumber.Value(), encryptStrings(page, encrypt).PDFString())
	object(field, 0, fmt.Sprintf("<</Type /Annot /Subtype /Widget /FT /Sig /T %s /TU %s /Rect [0 0 0 0] /F 132 /P %s /V %d 0 R>>",
		text([]byte("Seal")), text(utf16Text("Seal of "+by.Name())), f.page.PDFString(), signature))
	const rangeRoom = len("[0 0000000000 0000000000 0000000000]")
	head := fmt.Sprintf("<</Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /M %s /Name %s /ByteRange ",
		text([]byte(pdfDate(at))), text(utf16Text(by.Name())))
	object(signature, 0, head+strings.Repeat(" ", rangeRoom)+" /Contents <"+strings.Repeat("0", 2*by.Room())+">>>")
	rangeAt := objects[3].at + len(fmt.Sprintf("%d 0 obj\n", signature)) + len(head)
	from := rangeAt + rangeRoom + len(" /Contents ")
	to := from + 2*by.Room() + 2

	table := out.Len()
	said := fmt.Sprintf("/Size %d /Root %s%s /Prev %d", signature+1, f.root.PDFString(), t.kept, t.table)
	if t.isStream {
		number := signature + 1
		said = strings.Replace(said, fmt.Sprintf("/Size %d", number), fmt.Sprintf("/Size %d", number+1), 1)
		objects = append(objects, placed{number, 0, table})
		var index strings.Builder
		var entries bytes.Buffer
		for _, o := range objects {
			fmt.Fprintf(&index, "%d 1 ", o.number)
			entries.Write([]byte{1, byte(o.at >> 24), byte(o.at >> 16), byte(o.at >> 8), byte(o.at), byte(o.generation >> 8), byte(o.generation)})
		}
		fmt.Fprintf(out, "%d 0 obj\n<</Type /XRef /W [1 4 2] /Index [%s] %s /Length %d>>\nstream\n", number, strings.TrimSpace(index.String()), said, entries.Len())
		out.Write(entries.Bytes())
		out.WriteString("\nendstream\nendobj\n")
	} else {
		out.WriteString("xref\n")
		for _, o := range objects {
			fmt.Fprintf(out, "%d 1\n%010d %05d n \n", o.number, o.at, o.generation)
		}
		fmt.Fprintf(out, "trailer\n<<%s>>\n", said)
	}
	fmt.Fprintf(out, "startxref\n%d\n%%%%EOF\n", table)

	sealed := out.Bytes()
	copy(sealed[rangeAt:], fmt.Sprintf("[0 %d %d %d]", from, to, len(sealed)-to))
	h := sha256.New()
	h.Write(sealed[:from])
	h.Write(sealed[to:])
	cms, err := by.Sign(ctx, [sha256.Size]byte(h.Sum(nil)), at)
	if err != nil {
		return nil, err
	}
	if len(cms) > by.Room() {
		return nil, fmt.Errorf("the signature has %d bytes, and there is room for %d", len(cms), by.Room())
	}
	hex.Encode(sealed[from+1:], cms)
	return sealed, nil
}

// encryptStrings is an object with its strings encrypted.
func encryptStrings(o types.Object, encrypt func([]byte) []byte) types.Object {
	switch o := o.(type) {
	case types.Dict:
		out := types.Dict{}
		for k, v := range o {
			out[k] = encryptStrings(v, encrypt)
		}
		return out
	case types.Array:
		out := make(types.Array, len(o))
		for i, v := range o {
			out[i] = encryptStrings(v, encrypt)
		}
		return out
	case types.StringLiteral:
		if b, err := types.Unescape(o.Value()); err == nil {
			return types.HexLiteral(hex.EncodeToString(encrypt(b)))
		}
	case types.HexLiteral:
		if b, err := o.Bytes(); err == nil {
			return types.HexLiteral(hex.EncodeToString(encrypt(b)))
		}
	}
	return o
}

// utf16Text is a text in UTF-16 (ISO 32000-1, 7.9.2.2).
func utf16Text(s string) []byte {
	out := []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u>>8), byte(u))
	}
	return out
}

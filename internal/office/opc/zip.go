package opc

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
)

// Limits of a container. The largest files of a collection of real ones stay
// an order of magnitude below each.
const (
	maxEntries   = 10_000
	maxEntrySize = 64 << 20  // bytes, uncompressed
	maxTotalSize = 256 << 20 // bytes, uncompressed
	maxXMLSize   = 96 << 20  // bytes, all XML parts together, uncompressed
	maxRatio     = 250       // uncompressed to compressed, for entries above ratioFloor
	ratioFloor   = 16 << 20  // bytes: blank pictures of that size pack to a thousandth
	maxNameBytes = 512
)

// entryMark begins what the directory of a zip file says of each entry (APPNOTE 4.3.12).
const entryMark = "PK\x01\x02"

// dosEpoch is the date of the parts that we write, 1980-01-01: zip cannot say
// "no date", and a real one would make two equal files differ.
const dosEpoch = 1<<5 | 1

// ReadPackage opens a .docx or .pptx file. Every fault in it comes back
// as a *FormatError: not a zip, cut off, password protected, larger inside than
// our limits, with names that lead out of the container, without a main part,
// or with XML that declares a document type or nests too deeply. Data is kept,
// not copied, and must not change while the package is in use.
func ReadPackage(data []byte) (*Package, error) {
	if err := refuseOther(data); err != nil {
		return nil, err
	}
	// Before they are read: each takes a quarter of a kilobyte then. Files that are in
	// this one as they are have theirs, too.
	if bytes.Count(data, []byte(entryMark)) > 2*maxEntries {
		return nil, &FormatError{Message: fmt.Sprintf("the file has more than %d parts", maxEntries)}
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, &FormatError{Message: "the file is damaged or was cut off while it was copied", Err: err}
	}
	if len(archive.File) > maxEntries {
		return nil, &FormatError{Message: fmt.Sprintf("the file has more than %d parts", maxEntries)}
	}
	p := &Package{byName: map[string]*part{}, relations: map[string][]Relationship{}}
	var total uint64
	left := uint64(len(data))
	for _, f := range archive.File {
		if err := checkEntry(f); err != nil {
			return nil, err
		}
		if f.CompressedSize64 > left {
			return nil, &FormatError{Message: "the file is damaged or was cut off while it was copied", Err: fmt.Errorf("the parts up to %s say that they are longer than the file", Printable(f.Name))}
		}
		left -= f.CompressedSize64
		if total += f.UncompressedSize64; total > maxTotalSize {
			return nil, &FormatError{Message: fmt.Sprintf("the file holds more than %d MiB when it is unpacked", maxTotalSize>>20)}
		}
		if p.Has(f.Name) {
			return nil, &FormatError{Message: "the file holds two parts named " + Printable(f.Name)}
		}
		p.add(&part{name: f.Name, file: f})
	}
	if err := p.checkXML(); err != nil {
		return nil, err
	}
	if err := p.checkMain(); err != nil {
		return nil, err
	}
	return p, p.makePlain()
}

const notOffice = "the file is not a .docx or .pptx file"

// WhyOther says of what is no .docx or .pptx file what it is instead and what to do about
// it, as the end of a sentence; empty where nothing tells what it is.
func WhyOther(data []byte) string {
	if e, ok := errors.AsType[*FormatError](refuseOther(data)); ok && e.Message != notOffice {
		return e.Message
	}
	return ""
}

// refuseOther recognises what people upload instead of a .docx or .pptx.
func refuseOther(data []byte) error {
	switch {
	case len(data) == 0:
		return &FormatError{Message: "the file is empty"}
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		// An encrypted office file is an OLE container with a stream of this
		// name (MS-OFFCRYPTO 2.3.4.4); the old binary formats are OLE too.
		if bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")) {
			return &FormatError{Message: "the file is password protected: remove the password and upload it again"}
		}
		return &FormatError{Message: "the file has the old binary office format, or is password protected: save it as .docx or .pptx without a password"}
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return &FormatError{Message: "the file is a PDF, not a .docx or .pptx file"}
	case bytes.HasPrefix(data, []byte(`{\rtf`)):
		return &FormatError{Message: "the file is rich text (RTF): save it as .docx"}
	case !bytes.HasPrefix(data, []byte("PK")):
		return &FormatError{Message: notOffice}
	}
	return nil
}

func checkEntry(f *zip.File) error {
	name := f.Name
	switch {
	case len(name) > maxNameBytes || name == "":
		return &FormatError{Message: "the file holds a part whose name is empty or too long"}
	case strings.ContainsAny(name, "\\\x00") || strings.HasPrefix(name, "/") || strings.Contains(name, ":"),
		path.Clean(name) != strings.TrimSuffix(name, "/"), name == "..", strings.HasPrefix(name, "../"):
		return &FormatError{Message: "the file holds a part with a forbidden name, " + Printable(name)}
	case f.Flags&1 != 0:
		return &FormatError{Message: "the file is password protected: remove the password and upload it again"}
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return &FormatError{Message: "the file is compressed in a way that office files do not use"}
	case f.UncompressedSize64 > maxEntrySize:
		return &FormatError{Message: fmt.Sprintf("the part %s is larger than %d MiB", Printable(name), maxEntrySize>>20)}
	case f.UncompressedSize64 > ratioFloor && f.UncompressedSize64/max(f.CompressedSize64, 1) > maxRatio:
		return &FormatError{Message: "the part " + Printable(name) + " is compressed like a zip bomb"}
	}
	return nil
}

// checkXML unpacks every XML part, so that a damaged or hostile one is refused
// when the file comes in and not when it is used.
func (p *Package) checkXML() error {
	var size int
	var all xmlSize
	for _, e := range p.parts {
		if !isXML(e.name) {
			continue
		}
		data, err := e.bytes()
		if err != nil {
			return describeDamage(e.name, err)
		}
		own, err := scanXML(e.name, data)
		if err != nil {
			return err
		}
		e.size = own
		size += len(data)
		all.elements, all.nodes = all.elements+own.elements, all.nodes+own.nodes
		if size > maxXMLSize || all.isTooLarge() {
			return &FormatError{Message: "the file is too large to be worked on: its text and structure exceed the limit"}
		}
	}
	return nil
}

// checkSize looks at what edits made of the XML parts.
func (p *Package) checkSize() error {
	var all xmlSize
	for _, e := range p.parts {
		own := e.size
		if e.isChanged && isXML(e.name) {
			data, err := e.bytes()
			if err != nil {
				return err
			}
			if own, err = scanXML(e.name, data); err != nil {
				return err
			}
		}
		all.elements, all.nodes = all.elements+own.elements, all.nodes+own.nodes
	}
	if all.isTooLarge() {
		return &RequestError{Message: fmt.Sprintf("The file would have %d elements, at most %d are worked on.", all.elements, maxElements)}
	}
	return nil
}

func (p *Package) checkMain() error {
	if _, err := p.XML(contentTypesPart); err != nil {
		return err
	}
	main := p.MainPart()
	if main == "" || !p.Has(main) {
		return &FormatError{Message: "the file is a zip but not a .docx or .pptx file: it names no main part"}
	}
	_, err := p.XML(main)
	return err
}

func isXML(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".xml", ".rels", ".vml":
		return true
	}
	return false
}

// inflate unpacks an entry. The zip reader stops at the size that the entry
// declares, which checkEntry has limited, and checks its CRC.
func inflate(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if f.CompressedSize64 == 0 && f.UncompressedSize64 > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	// A declared size is only a claim: memory grows with what really comes.
	var out bytes.Buffer
	out.Grow(int(min(f.UncompressedSize64, 64*f.CompressedSize64)) + bytes.MinRead)
	if _, err := io.Copy(&out, r); err != nil {
		return nil, err
	}
	if out.Len() == 0 {
		return []byte{}, nil
	}
	return out.Bytes(), nil
}

// writeEntry writes a part; what did not change is copied through buffer.
func writeEntry(w *zip.Writer, e *part, buffer []byte) error {
	if !e.isChanged {
		if err := copyEntry(w, e.file, buffer); err != nil {
			return fmt.Errorf("copy part %s: %w", e.name, err)
		}
		return nil
	}
	data, err := e.bytes()
	if err != nil {
		return fmt.Errorf("write part %s: %w", e.name, err)
	}
	packed, err := deflate(data)
	if err != nil {
		return fmt.Errorf("compress part %s: %w", e.name, err)
	}
	header := &zip.FileHeader{
		Name: e.name, Method: zip.Deflate, CreatorVersion: 20, ReaderVersion: 20,
		CRC32: crc32.ChecksumIEEE(data), CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(len(data)),
	}
	//lint:ignore SA1019 CreateRaw writes ModifiedDate as it is and does not look at Modified.
	header.ModifiedDate = dosEpoch
	// Raw, because the sizes are known: some readers dislike data descriptors.
	body, err := w.CreateRaw(header)
	if err != nil {
		return fmt.Errorf("write part %s: %w", e.name, err)
	}
	if _, err := body.Write(packed); err != nil {
		return fmt.Errorf("write part %s: %w", e.name, err)
	}
	return nil
}

// copyEntry is zip.Writer.Copy without a buffer of its own for each entry.
func copyEntry(w *zip.Writer, f *zip.File, buffer []byte) error {
	packed, err := f.OpenRaw()
	if err != nil {
		return err
	}
	header := f.FileHeader // a copy, because w keeps it
	entry, err := w.CreateRaw(&header)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(entry, packed, buffer)
	return err
}

// packers are kept, because each is much larger than what it packs. They are
// quick: a part gets a tenth longer, in a third of the time.
var packers = sync.OnceValue(func() *sync.Pool {
	return &sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, flate.BestSpeed)
		if err != nil {
			panic(err) // an unknown level
		}
		return w
	}}
})

func deflate(data []byte) ([]byte, error) {
	w := packers().Get().(*flate.Writer)
	defer packers().Put(w)
	var packed bytes.Buffer
	packed.Grow(len(data)/4 + 64)
	w.Reset(&packed)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

func describeDamage(name string, err error) error {
	return &FormatError{Message: "the file is damaged: " + Printable(name) + " cannot be unpacked", Err: err}
}

// Printable makes a name from a file fit for a message.
func Printable(name string) string {
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFD {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
}

// Pack makes the container of a tree of files, each a part under its path.
func Pack(files fs.FS) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	// The order of the walk puts [Content_Types].xml first, as readers that
	// guess the type of a zip expect.
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return writeEntry(w, &part{name: name, data: data, isChanged: true}, nil)
	})
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

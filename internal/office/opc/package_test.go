package opc

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/platenhq/platen/internal/office/officetest"
)

// with returns the parts of a small document with one more, or one changed.
func with(name, content string) map[string]string {
	parts := officetest.WordParts(`<w:p/>`, nil)
	parts[name] = content
	return parts
}

func without(name string) map[string]string {
	parts := officetest.WordParts(`<w:p/>`, nil)
	delete(parts, name)
	return parts
}

func TestReadPackageRefusesHostileAndBrokenFiles(t *testing.T) {
	t.Parallel()
	good := officetest.Zip(t, officetest.WordParts(`<w:p/>`, nil))
	body := func(inner string) []byte { return officetest.Zip(t, officetest.WordParts(inner, nil)) }
	many := map[string]string{}
	for i := range maxEntries + 1 {
		many[fmt.Sprintf("x/%d.bin", i)] = ""
	}
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "empty"},
		{"text", []byte("hello"), "not a .docx or .pptx"},
		{"PDF", []byte("%PDF-1.7"), "PDF"},
		{"RTF", []byte(`{\rtf1}`), "RTF"},
		{"encrypted", append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), utf16le("EncryptedPackage")...), "password protected: remove"},
		{"old format", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1WordDocument"), "old binary office format"},
		{"cut off", good[:len(good)-40], "cut off"},
		{"no main part", officetest.Zip(t, without("word/document.xml")), "names no main part"},
		{"no relationships", officetest.Zip(t, without("_rels/.rels")), "names no main part"},
		{"no content types", officetest.Zip(t, without("[Content_Types].xml")), "[Content_Types].xml is missing"},
		{"other zip", officetest.Zip(t, map[string]string{"a.txt": "a"}), "incomplete"},
		{"path upwards", officetest.Zip(t, with("../evil.xml", "<a/>")), "forbidden name"},
		{"path inside", officetest.Zip(t, with("word/../../evil.xml", "<a/>")), "forbidden name"},
		{"absolute path", officetest.Zip(t, with("/etc/passwd", "")), "forbidden name"},
		{"backslash", officetest.Zip(t, with(`word\x.xml`, "<a/>")), "forbidden name"},
		{"drive letter", officetest.Zip(t, with(`C:x`, "")), "forbidden name"},
		{"twice, in two cases", officetest.Zip(t, with("Word/Document.xml", "<a/>")), "two parts named"},
		{"doctype", officetest.Zip(t, with("word/styles.xml", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`)), "document type"},
		{"external entity", officetest.Zip(t, with("customXml/item1.xml", `<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`)), "document type"},
		{"unknown entity", officetest.Zip(t, with("word/document.xml", `<a>&b;</a>`)), "not valid XML"},
		{"not XML", officetest.Zip(t, with("word/document.xml", `PK`)), "is empty"},
		{"unclosed", officetest.Zip(t, with("word/document.xml", `<a><b></a>`)), "not valid XML"},
		{"too deep", body(strings.Repeat("<w:p>", maxDepth) + strings.Repeat("</w:p>", maxDepth)), "nested too deeply"},
		{"too many elements", officetest.Pack(t, zip.Store, officetest.WordParts(strings.Repeat("<a/>", maxElements+1), nil)), "too large"},
		{"bomb", officetest.Zip(t, with("word/media/a.bin", strings.Repeat("\x00", 2<<20))), "zip bomb"},
		{"too many attributes", officetest.Pack(t, zip.Store, officetest.WordParts("<a "+strings.Repeat(`b=""`, maxNodes)+"/>", nil)), "too large"},
		{"too many parts", officetest.Zip(t, many), "more than 10000 parts"},
		{"huge by declaration", declaring(t, good, maxEntrySize+1), "larger than 64 MiB"},
		{"zip encryption", flagged(t, good), "password protected"},
		{"damaged", damagedEntry(t), "cannot be unpacked"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadPackage(c.data)
			var fault *FormatError
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, c.want) {
				t.Errorf("got %v, want a FormatError with %q", err, c.want)
			}
		})
	}
}

func TestWhatCouldNotBeReadAgainIsNotWritten(t *testing.T) {
	t.Parallel()
	p, err := ReadPackage(officetest.Pack(t, zip.Deflate, officetest.WordParts(strings.Repeat("<a/>", maxElements/2), nil)))
	if err != nil {
		t.Fatal(err)
	}
	for elements, refused := range map[int]bool{maxElements/2 - 1000: false, maxElements/2 + 1000: true} {
		p.SetPart("customXml/item1.xml", "application/xml", []byte("<b>"+strings.Repeat("<a/>", elements)+"</b>"))
		_, err := p.Bytes()
		var fault *RequestError
		if errors.As(err, &fault) != refused {
			t.Errorf("%d elements more: got %v, want it refused: %t", elements, err, refused)
		}
	}
}

func utf16le(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

// directory calls change for the header of each entry in the central directory.
func directory(data []byte, change func(header []byte)) []byte {
	data = bytes.Clone(data)
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("PK\x01\x02"))
		if i < 0 {
			return data
		}
		at += i
		change(data[at:])
		at += 4
	}
}

func declaring(t *testing.T, data []byte, size uint32) []byte {
	t.Helper()
	return directory(data, func(header []byte) { binary.LittleEndian.PutUint32(header[24:], size) })
}

func flagged(t *testing.T, data []byte) []byte {
	t.Helper()
	return directory(data, func(header []byte) { header[8] |= 1 })
}

// damagedEntry is a file whose main part does not have the bytes that its
// checksum was made of.
func damagedEntry(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range officetest.WordParts(`<w:p/>`, nil) {
		sum := crc32.ChecksumIEEE([]byte(content))
		if name == "word/document.xml" {
			sum++
		}
		f, err := w.CreateRaw(&zip.FileHeader{Name: name, CRC32: sum, CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBytesKeepsUntouchedEntriesAsTheyAre(t *testing.T) {
	t.Parallel()
	parts := with("word/media/image 1.png", "not really a picture")
	parts["word/_rels/document.xml.rels"] = officetest.RelationsStart +
		`<Relationship Id="i" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/image" Target="media/image%201.png"/>` +
		`<Relationship Id="l" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://example.com/a" TargetMode="External"/></Relationships>`
	data := officetest.Zip(t, parts)
	p := read(t, data)
	if same, err := p.Bytes(); err != nil || len(rawEntries(t, same)) != len(parts) {
		t.Fatalf("Bytes: %d entries, %v", len(rawEntries(t, same)), err)
	}
	if r, ok := p.Relationship("word/document.xml", "i"); !ok || r.Type != "image" || r.Target != "word/media/image 1.png" {
		t.Errorf("image relationship: %+v, %v", r, ok)
	}
	if r, _ := p.Relationship("/word/document.xml", "l"); !r.External || r.Target != "https://example.com/a" {
		t.Errorf("link relationship: %+v", r)
	}
	tree, err := p.XML("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	tree.FindElement("//w:p").CreateElement("w:r")
	p.SetPart("word/new.xml", "application/x-new+xml", []byte("<new/>"))
	untouched, _ := p.Bytes()
	if bytes.Contains(rawEntries(t, untouched)["word/document.xml"], []byte("w:r")) {
		t.Error("an edit without Touch was written")
	}
	p.Touch("word/document.xml")
	first, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := p.Bytes(); !bytes.Equal(first, again) {
		t.Error("the same package gives other bytes the second time")
	}
	before, after := rawEntries(t, data), rawEntries(t, first)
	for name := range before {
		changed := name == "word/document.xml" || name == contentTypesPart
		if got := !bytes.Equal(before[name], after[name]); got != changed {
			t.Errorf("%s: changed %v, want %v", name, got, changed)
		}
	}
	q := read(t, first)
	if got := q.ContentType("word/new.xml"); got != "application/x-new+xml" {
		t.Errorf("content type %q", got)
	}
	if got, _ := q.Part("WORD/New.xml"); string(got) != "<new/>" {
		t.Errorf("new part %q", got)
	}
	if got := q.ContentType("word/document.xml"); got != officetest.WordMain {
		t.Errorf("content type of the main part %q", got)
	}
}

// rawEntries returns the compressed bytes of each entry.
func rawEntries(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string][]byte{}
	for _, f := range r.File {
		raw, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		if entries[f.Name], err = io.ReadAll(raw); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}

func TestXMLUsesCustomaryPrefixes(t *testing.T) {
	t.Parallel()
	const (
		w  = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
		mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
	)
	cases := []struct{ name, in, want string }{
		{"generated names", `<ns0:a xmlns:ns0="` + w + `"><ns0:b ns0:val="1"/></ns0:a>`, `<w:a xmlns:w="` + w + `"><w:b w:val="1"/></w:a>`},
		{"default namespace", `<a xmlns="` + w + `" xmlns:w="` + w + `"><b w:val="1" id="2"/></a>`, `<w:a xmlns:w="` + w + `"><w:b w:val="1" id="2"/></w:a>`},
		{"foreign default inside", `<x:a xmlns:x="` + w + `"><b xmlns="urn:b"><c/></b><x:d/></x:a>`, `<w:a xmlns:w="` + w + `"><b xmlns="urn:b"><c/></b><w:d/></w:a>`},
		{"a customary prefix for something else", `<w:a xmlns:w="urn:w"><w:b/></w:a>`, `<other-w:a xmlns:other-w="urn:w"><other-w:b/></other-w:a>`},
		{"lists of prefixes", `<x:a xmlns:x="` + w + `" xmlns:y="` + mc + `" xmlns:w14="urn:n" y:Ignorable="w14 z"><y:Choice Requires="w14"/></x:a>`,
			`<w:a xmlns:w="` + w + `" xmlns:mc="` + mc + `" xmlns:other-w14="urn:n" mc:Ignorable="other-w14 z"><mc:Choice Requires="other-w14"/></w:a>`},
		{"nothing to do", `<w:a xmlns:w="` + w + `"><a:b xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/></w:a>`, ""},
	}
	for _, c := range cases {
		tree, err := parseXML("x.xml", []byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.want == "" {
			c.want = c.in
		}
		if got, _ := tree.WriteToString(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestXMLReadsUTF16(t *testing.T) {
	t.Parallel()
	source := append([]byte("\xFF\xFE"), utf16le(`<?xml version="1.0" encoding="UTF-16"?><a>ä𝒳</a>`)...)
	tree, err := parseXML("x.xml", source)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := must(tree.WriteToString()), `<?xml version="1.0" encoding="UTF-8"?><a>ä𝒳</a>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	hidden := append([]byte("\xFF\xFE"), utf16le(`<!DOCTYPE a><a/>`)...)
	if _, err := parseXML("x.xml", hidden); err == nil {
		t.Error("a document type in UTF-16 was accepted")
	}
}

func must(s string, err error) string {
	if err != nil {
		return err.Error()
	}
	return s
}

// read opens a package.
func read(t testing.TB, data []byte) *Package {
	t.Helper()
	p, err := ReadPackage(data)
	if err != nil {
		t.Fatalf("ReadPackage: %v", err)
	}
	return p
}

package opc

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/platenhq/platen/internal/office/officetest"
)

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
		{"bomb", officetest.Zip(t, with("word/media/a.bin", strings.Repeat("\x00", 17<<20))), "zip bomb"},
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

func TestAPartWithADocumentTypeIsNotWritten(t *testing.T) {
	t.Parallel()
	p := document(t, nil)
	p.SetPart("customXml/item1.xml", "", []byte("<!DOCTYPE a><a/>"))
	data, err := p.Bytes()
	wantFormatError(t, err, "customXml/item1.xml declares a document type")
	if data != nil {
		t.Errorf("got %d bytes with the error", len(data))
	}
}

// The preview of an embedded object, a scan of an empty page: most of such a picture is
// one byte, so that 1.4 MB pack to 2 KB.
func TestABlankPictureIsNoBomb(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1_500_000, 5 << 20, 16 << 20} {
		parts := officetest.WordParts(`<w:p/>`, nil)
		parts["word/media/image1.emf"] = strings.Repeat("\xff", size)
		if _, err := ReadPackage(officetest.Pack(t, zip.Deflate, parts)); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestTheLargestEntryThatIsReadIsAtTheLimit(t *testing.T) {
	t.Parallel()
	xml := uint64(0)
	for _, content := range officetest.WordParts(`<w:p/>`, nil) {
		xml += uint64(len(content))
	}
	large := make([]byte, maxEntrySize/maxRatio+1)
	three := func(rest uint64) []claim {
		return []claim{
			{name: "a.bin", packed: large, size: maxEntrySize}, {name: "b.bin", packed: large, size: maxEntrySize},
			{name: "c.bin", packed: large, size: maxEntrySize}, {name: "d.bin", packed: large, size: rest},
		}
	}
	cases := []struct {
		name    string
		entries []claim
		want    string // of its fault; none when empty
	}{
		{"an entry of 64 MiB", []claim{{name: "a.bin", packed: large, size: maxEntrySize}}, ""},
		{"a byte more", []claim{{name: "a.bin", packed: large, size: maxEntrySize + 1}}, "a.bin is larger than 64 MiB"},
		{"256 MiB together", three(maxTotalSize - 3*maxEntrySize - xml), ""},
		{"a byte more together", three(maxTotalSize - 3*maxEntrySize - xml + 1), "more than 256 MiB when it is unpacked"},
		{"250 times its compressed size", []claim{{name: "a.bin", packed: make([]byte, 80<<10), size: 250 * 80 << 10}}, ""},
		{"251 times", []claim{{name: "a.bin", packed: make([]byte, 80<<10), size: 251 * 80 << 10}}, "a.bin is compressed like a zip bomb"},
		{"16 MiB of one byte", []claim{{name: "a.bin", packed: []byte{0}, size: 16 << 20}}, ""},
		{"a byte more of one byte", []claim{{name: "a.bin", packed: []byte{0}, size: 16<<20 + 1}}, "zip bomb"},
		{"17 MiB of nothing", []claim{{name: "a.bin", size: 17 << 20}}, "zip bomb"},
		{"more packed bytes than the file has", []claim{{name: "a.bin", packed: []byte{0}, size: 1, more: 1 << 20}}, "damaged or was cut off"},
		{"more packed bytes than there are numbers", []claim{{name: "a.bin", packed: []byte{0}, size: 1, more: 1<<64 - 2}, {name: "b.bin", packed: []byte{0}, size: 1, more: 1<<64 - 2}}, "damaged or was cut off"},
		{"a name of 512 bytes", []claim{{name: strings.Repeat("n", 512)}}, ""},
		{"a name of 513 bytes", []claim{{name: strings.Repeat("n", 513)}}, "empty or too long"},
		{"no name", []claim{{name: ""}}, "empty or too long"},
		{"compressed by bzip2", []claim{{name: "a.bin", method: 12}}, "compressed in a way"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadPackage(claiming(t, c.entries...))
			if c.want != "" {
				wantFormatError(t, err, c.want)
			} else if err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
}

// OPC's names are paths below the container (ECMA-376 part 2, 6.2.2).
func TestNamesOfPartsAreCleanPathsInsideTheFile(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{
		"word/media/image 1.png": true, "word/media/": true, "customXml/ütem1.bin": true, "..a": true, "a..": true,
		"./a.bin": false, "word//a.bin": false, "word/./a.bin": false, "..": false, "word/..": false, "a\x00.bin": false, "a//": false,
	} {
		_, err := ReadPackage(claiming(t, claim{name: name}))
		if allowed {
			if err != nil {
				t.Errorf("%q: got %v, want no error", name, err)
			}
			continue
		}
		wantFormatError(t, err, "forbidden name")
	}
}

func TestAsManyPartsAreReadAsTheLimitSays(t *testing.T) {
	t.Parallel()
	entries := make([]claim, maxEntries-len(officetest.WordParts(``, nil)))
	for i := range entries {
		entries[i].name = fmt.Sprintf("x/%d.bin", i)
	}
	p, err := ReadPackage(claiming(t, entries...))
	if err != nil || !p.Has(entries[len(entries)-1].name) {
		t.Errorf("got %v, want a package of %d parts", err, maxEntries)
	}
}

func TestAllXMLTogetherIsLimited(t *testing.T) {
	t.Parallel()
	parts := with("customXml/item1.xml", "<a>"+strings.Repeat(" ", 50<<20)+"</a>")
	parts["customXml/item2.xml"] = parts["customXml/item1.xml"][:46<<20]
	_, err := ReadPackage(officetest.Pack(t, zip.Store, parts))
	wantFormatError(t, err, "its text and structure exceed the limit")
	delete(parts, "customXml/item2.xml")
	if _, err := ReadPackage(officetest.Pack(t, zip.Store, parts)); err != nil {
		t.Errorf("50 MiB: got %v, want no error", err)
	}
}

func TestOnlyXMLIsLookedThroughForDocumentTypes(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{
		"customXml/ITEM.XML": true, "word/drawings/vmlDrawing1.vml": true, "word/_rels/footer1.XML.RELS": true,
		"word/embeddings/a.bin": false, "word/xml": false,
	} {
		_, err := ReadPackage(officetest.Zip(t, with(name, `<!DOCTYPE a><a/>`)))
		if refused {
			wantFormatError(t, err, name+" declares a document type")
		} else if err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
	}
}

func TestWhatIsNotXMLMayBeDamaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]claim{
		"less than its header says": {name: "a.bin", packed: []byte("abc"), size: 5},
		"nothing, not five bytes":   {name: "a.bin", size: 5},
		"more than its header says": {name: "a.bin", packed: []byte("abc"), size: 2},
		"no compressed data":        {name: "a.bin", method: zip.Deflate, packed: []byte("\xFF\xFF"), size: 5},
	} {
		p := read(t, claiming(t, c))
		if got, ok := p.Part("a.bin"); ok {
			t.Errorf("%s: got %q, want no contents", name, got)
		}
		if !p.Has("a.bin") {
			t.Errorf("%s: the part is not there", name)
		}
		_, err := p.XML("a.bin")
		wantFormatError(t, err, "a.bin cannot be unpacked")
		if errors.Unwrap(err) == nil {
			t.Errorf("%s: the error has no cause for the log", name)
		}
	}
}

func TestAnEmptyPartIsReadAsNoBytes(t *testing.T) {
	t.Parallel()
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		p := read(t, officetest.Pack(t, method, with("a.bin", "")))
		if got, ok := p.Part("a.bin"); !ok || got == nil || len(got) > 0 {
			t.Errorf("packed by method %d: got %v, %t; want no bytes", method, got, ok)
		}
	}
}

func TestMainPartsAreThereAndAreXML(t *testing.T) {
	t.Parallel()
	main := func(target string) map[string]string {
		return with("_rels/.rels", officetest.RelationsStart+`<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="`+target+`"/></Relationships>`)
	}
	_, err := ReadPackage(officetest.Zip(t, main("word/other.xml")))
	wantFormatError(t, err, "names no main part")
	_, err = ReadPackage(officetest.Zip(t, with("[Content_Types].xml", "<Types>")))
	wantFormatError(t, err, "[Content_Types].xml is not valid XML")
	if _, err = ReadPackage(officetest.Zip(t, main("/WORD/document.xml"))); err != nil {
		t.Errorf("a main part in other case: got %v, want no error", err)
	}
}

// A zip cannot say that an entry has no date; 1 January 1980 is its first (APPNOTE 4.4.6).
func TestWrittenPartsHaveNoDateAndTellTheirSizesInFront(t *testing.T) {
	t.Parallel()
	p := document(t, nil)
	p.SetPart("word/new.xml", "", []byte(strings.Repeat("<a/>", 100)))
	data, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	header := archive.File[len(archive.File)-1].FileHeader
	if header.Name != "word/new.xml" {
		t.Fatalf("the last entry is %s, want word/new.xml", header.Name)
	}
	const dataDescriptor = 8 // bit 3 of the flags (APPNOTE 4.4.4)
	if got := header.Modified.Format(time.DateOnly); got != "1980-01-01" || header.Flags&dataDescriptor != 0 || header.Method != zip.Deflate {
		t.Errorf("got the date %s, flags %b, method %d; want 1980-01-01, no data descriptor, %d", got, header.Flags, header.Method, zip.Deflate)
	}
	// 2.0 is the version that compressed entries need (APPNOTE 4.4.3.2).
	if header.CreatorVersion != 20 || header.ReaderVersion != 20 {
		t.Errorf("got the versions %d and %d, want 20", header.CreatorVersion, header.ReaderVersion)
	}
	if header.CompressedSize64 >= header.UncompressedSize64 || header.UncompressedSize64 != 400 {
		t.Errorf("got %d bytes of %d, want less of 400", header.CompressedSize64, header.UncompressedSize64)
	}
}

func TestNamesInMessagesAreShortAndPrintable(t *testing.T) {
	t.Parallel()
	eighty := strings.Repeat("n", 80)
	for name, want := range map[string]string{
		"word/document.xml": "word/document.xml",
		"":                  "",
		"ü 漢.xml":           "ü 漢.xml",
		eighty:              eighty,
		eighty + "n":        eighty + "…",
		"a\nb\x1Fc\x7Fd":    "a?b?c?d",
		"a\xFFb\uFFFDc":     "a?b?c",
		eighty[1:] + "ü":    eighty[1:] + "?…", // cut inside a character of two bytes
	} {
		if got := Printable(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestPackPutsTheContentTypesFirst(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	parts := officetest.WordParts(`<w:p/>`, nil)
	for name, content := range parts {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	data, err := Pack(files)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if got := archive.File[0].Name; got != contentTypesPart || len(archive.File) != len(parts) {
		t.Errorf("got %d entries, the first of them %s; want %d and %s: folders are no parts", len(archive.File), got, len(parts), contentTypesPart)
	}
	p := read(t, data)
	for name, want := range parts {
		if got := content(t, p, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	again, err := Pack(files)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("the same files gave other bytes the second time (%v)", err)
	}
}

// unreadable are files that are listed and cannot be read.
type unreadable struct{ fstest.MapFS }

func (unreadable) ReadFile(string) ([]byte, error) { return nil, fs.ErrPermission }

func TestPackTellsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	if data, err := Pack(unreadable{fstest.MapFS{"a.xml": {}}}); !errors.Is(err, fs.ErrPermission) || data != nil {
		t.Errorf("got %d bytes, %v; want %v", len(data), err, fs.ErrPermission)
	}
}

// What a zip file names is in memory before anything of it is looked at.
func TestAFileOfCountlessPartsTakesNoMemory(t *testing.T) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := range 60_000 {
		if _, err := z.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	taken := testing.AllocsPerRun(1, func() { _, err = ReadPackage(out.Bytes()) })
	wantFormatError(t, err, "more than 10000 parts")
	if taken > 100 {
		t.Errorf("took %v pieces of memory, want none for the parts", taken)
	}
}

package opc

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/platenhq/platen/internal/office/officetest"
)

// read opens a package.
func read(t testing.TB, data []byte) *Package {
	t.Helper()
	p, err := ReadPackage(data)
	if err != nil {
		t.Fatalf("ReadPackage: %v", err)
	}
	return p
}

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

func utf16le(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

func must(s string, err error) string {
	if err != nil {
		return err.Error()
	}
	return s
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

// wantFormatError wants the fault of a file, with these words in its message.
func wantFormatError(t *testing.T, err error, words string) {
	t.Helper()
	var fault *FormatError
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, words) {
		t.Errorf("got %v, want a FormatError with %q", err, words)
	}
}

// A claim is an entry of a zip whose header says of it what it likes.
type claim struct {
	name   string
	method uint16
	packed []byte
	more   uint64 // bytes that it says to have packed beyond these
	size   uint64 // when unpacked
}

// claiming is a small document with more entries.
func claiming(t *testing.T, claims ...claim) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range officetest.WordParts(`<w:p/>`, nil) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range claims {
		f, err := w.CreateRaw(&zip.FileHeader{Name: c.name, Method: c.method, CompressedSize64: uint64(len(c.packed)) + c.more, UncompressedSize64: c.size})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(c.packed); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// document is a small document, opened, with these further parts.
func document(t *testing.T, more map[string]string) *Package {
	t.Helper()
	parts := officetest.WordParts(`<w:p/>`, nil)
	maps.Copy(parts, more)
	return read(t, officetest.Zip(t, parts))
}

// reread writes a package and opens what was written.
func reread(t *testing.T, p *Package) *Package {
	t.Helper()
	return read(t, bytesOf(t, p))
}

// bytesOf is a package as it is written.
func bytesOf(t *testing.T, p *Package) []byte {
	t.Helper()
	data, err := p.Bytes()
	if err != nil {
		t.Fatalf("Bytes: %v", err)
	}
	return data
}

// content is what a part holds.
func content(t *testing.T, p *Package, name string) string {
	t.Helper()
	data, ok := p.Part(name)
	if !ok {
		t.Fatalf("there is no part %s that can be read", name)
	}
	return string(data)
}

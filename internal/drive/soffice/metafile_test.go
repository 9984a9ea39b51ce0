package soffice

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// record is one of EMF+: its kind, flags, and content.
func record(kind, flags uint16, content []byte) []byte {
	content = append(content, make([]byte, (4-len(content)%4)%4)...)
	b := binary.LittleEndian.AppendUint16(nil, kind)
	b = binary.LittleEndian.AppendUint16(b, flags)
	b = numbers(b, uint32(12+len(content)), uint32(len(content)))
	return append(b, content...)
}

func numbers(b []byte, all ...uint32) []byte {
	for _, n := range all {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// bitmap is the object of a picture in a file of its own.
func bitmap(file string) []byte {
	return append(numbers(nil, 0xdbc01002, 1, 0, 0, 0, 0, 1), file...)
}

// inMetafile is that of a metafile.
func inMetafile(file []byte) []byte {
	return append(numbers(nil, 0xdbc01002, 2, 3, uint32(len(file))), file...)
}

const imageObject, continued = 0x0500, 0x8000

// emf is a metafile that draws the object, which is in one record or several.
func emf(objects ...[]byte) []byte {
	plus := append([]byte("EMF+"), record(0x4001, 0, numbers(nil, 0xdbc01002, 0, 96, 96))...)
	for _, o := range objects {
		plus = append(plus, o...)
	}
	one := uint32(0x42c80000) // 100
	plus = append(plus, record(0x401a, 0, numbers(nil, 0, 2, 0, 0, one, one, 0, 0, one, one))...)
	plus = append(plus, record(0x4002, 0, nil)...)
	comment := append(numbers(nil, 70, uint32(12+len(plus)), uint32(len(plus))), plus...)
	end := numbers(nil, 14, 20, 0, 16, 20)
	size := uint32(108 + len(comment) + len(end))
	header := numbers(nil, 1, 108, 0, 0, 100, 100, 0, 0, 2646, 2646, 0x464d4520, 0x10000, size, 3, 1, 0, 0, 0,
		1024, 768, 320, 240, 0, 0, 0, 320_000, 240_000)
	return slices.Concat(header, comment, end)
}

// inParts are records of one object.
func inParts(object []byte, at int) []byte {
	total := numbers(nil, uint32(len(object)))
	return append(record(0x4008, imageObject|continued, slices.Concat(total, object[:at])),
		record(0x4008, imageObject|continued, slices.Concat(total, object[at:]))...)
}

// wmf is a metafile of the old kind that holds one of the new, in comments of
// so many bytes.
func wmf(emf []byte, each int) []byte {
	b := []byte{1, 0, 9, 0, 0, 3}
	left := len(emf)
	for chunk := range slices.Chunk(emf, each) {
		left -= len(chunk)
		comment := append([]byte("WMFC"), numbers(nil, 1, 0x10000)...)
		comment = append(comment, 0, 0)
		comment = numbers(comment, 0, uint32(len(emf)/each+1), uint32(len(chunk)), uint32(left), uint32(len(emf)))
		b = append(append(b, comment...), chunk...)
	}
	return b
}

func TestAMetafileWithASVGPictureIsNotShownToLibreOffice(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Program: fake(t, pdfOf)})
	linked := svg(`<image xlink:href="file:///etc/picture.png"/>`)
	hostile := emf(record(0x4008, imageObject, bitmap(linked)))
	deep := hostile
	for range maxNested {
		deep = emf(record(0x4008, imageObject, inMetafile(deep)))
	}
	for name, content := range map[string][]byte{
		"a picture":       hostile,
		"packed":          []byte(packed(t, string(hostile))),
		"packed within":   emf(record(0x4008, imageObject, bitmap(packed(t, linked)))),
		"as a metafile":   emf(record(0x4008, imageObject, inMetafile([]byte(linked)))),
		"in parts":        emf(inParts(bitmap(" "+linked), 32)),
		"in WMF":          wmf(hostile, 50),
		"in others":       deep,
		"of StarOffice":   []byte("VCLMTF\x01\x00"),
		"EPS":             emf(record(0x4008, imageObject, bitmap(eps))),
		"of no size":      emf(numbers(nil, 0x4008, 0, 0), record(0x4008, imageObject, bitmap(linked))),
		"after an object": emf(record(0x4008, imageObject, bitmap("BM")), record(0x4008, imageObject|1, bitmap(linked))),
	} {
		if _, err := p.PDF(t.Context(), drawn(t, "a.png", string(content)), ".docx"); !errors.Is(err, ErrLinked) {
			t.Errorf("%s: got %v, want %v", name, err, ErrLinked)
		}
	}
	png := "\x89PNG\r\n\x1a\n"
	good := emf(record(0x4008, imageObject, bitmap(png)), inParts(bitmap(png+linked), 32), record(0x4008, 0x0400, []byte(linked)))
	for name, content := range map[string][]byte{
		"pixels":       good,
		"in a WMF":     wmf(good, 50),
		"a metafile":   emf(record(0x4008, imageObject, inMetafile(good))),
		"cut off":      hostile[:130],
		"not a letter": {1, 0, 0, 0},
	} {
		if _, err := p.PDF(t.Context(), drawn(t, "a.emf", string(content)), ".docx"); err != nil {
			t.Errorf("%s: got %v, want its PDF", name, err)
		}
	}
}

func FuzzCheckMetafileEnds(f *testing.F) {
	whole := emf(inParts(bitmap("BM, a bitmap"), 32))
	for _, seed := range [][]byte{whole, wmf(whole, 50), whole[:150]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, picture []byte) {
		if err := checkMetafile(picture, 0); err != nil && !errors.Is(err, ErrLinked) {
			t.Error(fmt.Errorf("got %w, want %w", err, ErrLinked))
		}
	})
}

package soffice

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// errMetafile is what a metafile is refused with.
var errMetafile = fmt.Errorf("%w: its metafile holds a picture of a kind that metafiles do not have", ErrLinked)

// isMetafile tells EMF and WMF, with the header of placeable ones and without.
func isMetafile(head []byte) bool {
	return bytes.HasPrefix(head, []byte{1, 0, 0, 0}) || bytes.HasPrefix(head, []byte{1, 0, 9, 0}) ||
		bytes.HasPrefix(head, []byte{2, 0, 9, 0}) || bytes.HasPrefix(head, []byte{0xd7, 0xcd, 0xc6, 0x9a})
}

// checkMetafile refuses an EMF or WMF picture with a picture in it that is
// neither pixels nor a metafile: LibreOffice would take SVG there, too. Where a
// file contradicts itself it goes the way of LibreOffice (7.4).
func checkMetafile(picture []byte, depth int) error {
	if depth > maxNested {
		return errMetafile
	}
	if !bytes.HasPrefix(picture, []byte{1, 0, 0, 0}) {
		if picture = extractEnhanced(picture); picture == nil {
			return nil
		}
	}
	objects := emfPlus{depth: depth}
	for len(picture) >= 8 {
		// Type, size; of a comment the size of its data, and its kind (MS-EMF 2.3.3).
		if kind := number(picture); kind == 70 && len(picture) >= 16 && string(picture[12:16]) == "EMF+" {
			data := picture[16:]
			if size := max(4, number(picture[8:])) - 4; uint64(size) < uint64(len(data)) {
				data = data[:size]
			}
			if err := objects.records(data); err != nil {
				return err
			}
		}
		size := number(picture[4:])
		if size < 8 || uint64(size) > uint64(len(picture)) {
			break
		}
		picture = picture[size:]
	}
	return objects.join()
}

// extractEnhanced puts together the EMF picture that lies in comments of a WMF picture
// (MS-WMF 2.3.6.1); nil if there is none.
func extractEnhanced(picture []byte) (emf []byte) {
	const header = 34 // bytes of a comment before its data
	for {
		at := bytes.Index(picture, []byte("WMFC"))
		if at < 0 || len(picture)-at < header {
			return emf
		}
		size := number(picture[at+22:])
		picture = picture[at+header:]
		if uint64(size) <= uint64(len(picture)) {
			emf, picture = append(emf, picture[:size]...), picture[size:]
		}
	}
}

// An emfPlus goes through the records of EMF+ (MS-EMFPLUS 2.3) in the comments
// of a metafile.
type emfPlus struct {
	depth int // of the metafile in others
	// An object may be in several records.
	inParts bool
	flags   uint16 // of its first
	object  []byte
}

func (o *emfPlus) records(data []byte) error {
	const isObject, header, continued = 0x4008, 12, 0x8000
	for len(data) >= header {
		kind, flags := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint16(data[2:])
		size, content := number(data[4:]), data[header:]
		switch {
		case kind == isObject && (flags&continued != 0 || o.inParts && flags|continued == o.flags|continued):
			if !o.inParts {
				o.inParts, o.flags, o.object = true, flags, nil
			}
			// The size of the whole object is before each of its parts.
			if n := min(uint64(number(data[8:])), uint64(len(content))); n >= 4 {
				o.object = append(o.object, content[4:n]...)
			}
		default:
			if err := o.join(); err != nil {
				return err
			}
		}
		if kind == isObject && flags&continued == 0 {
			if err := o.image(flags, content); err != nil {
				return err
			}
		}
		if size < header {
			return errMetafile
		}
		data = data[min(uint64(size), uint64(len(data))):]
	}
	return nil
}

// join checks an object that was in several records.
func (o *emfPlus) join() error {
	if !o.inParts {
		return nil
	}
	o.inParts = false
	return o.image(o.flags, o.object)
}

// image checks an object if it is a picture (MS-EMFPLUS 2.2.1.4).
func (o *emfPlus) image(flags uint16, object []byte) error {
	const isImage, isBitmap, isMeta = 0x0500, 1, 2
	if flags&0x7f00 != isImage || len(object) < 8 {
		return nil
	}
	header := 16
	switch number(object[4:]) {
	case isBitmap:
		header = 28
		if len(object) >= header && number(object[8:]) != 0 && number(object[24:]) == 0 {
			return nil // pixels, and no file
		}
	case isMeta:
	default:
		return nil
	}
	if len(object) <= header {
		return nil
	}
	file := object[header:]
	switch {
	case isRaster(file), bytes.HasPrefix(file, []byte("BM")), bytes.HasPrefix(file, []byte("II*\x00")), bytes.HasPrefix(file, []byte("MM\x00*")):
		return nil
	case isMetafile(file):
		return checkMetafile(file, o.depth+1)
	}
	return errMetafile
}

// number reads 32 bits.
func number(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

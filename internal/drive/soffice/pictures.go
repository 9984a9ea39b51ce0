package soffice

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// maxDrawing bounds an SVG picture in bytes, unpacked.
const maxDrawing = 64 << 20

// checkPictures refuses a file with an SVG picture that refers to anything
// outside itself: LibreOffice (7.4) puts pictures of the machine into the PDF
// that way, whatever its settings say of links.
func checkPictures(content []byte) error {
	file, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil // it is LibreOffice's to say that this is no office file
	}
	for _, e := range file.File {
		if ext := strings.ToLower(path.Ext(e.Name)); ext == ".xml" || ext == ".rels" || ext == ".vml" {
			continue
		}
		if err := checkPicture(e); err != nil {
			return err
		}
	}
	return nil
}

func checkPicture(e *zip.File) error {
	unreadable := fmt.Errorf("%w: its part %.200q is damaged", ErrUnreadable, e.Name)
	r, err := e.Open()
	if err != nil {
		return unreadable
	}
	defer r.Close()
	drawing, err := drawingIn(r)
	switch {
	case err != nil:
		return unreadable
	case drawing != nil && !selfContained(drawing):
		return fmt.Errorf("%w: %.200q", ErrLinked, e.Name)
	}
	return nil
}

// drawingIn returns what may be an SVG picture, packed by gzip or not: what
// begins like XML, whatever its name is. nil for anything else.
func drawingIn(r io.Reader) (*io.LimitedReader, error) {
	head, r, err := begin(r)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		if head, r, err = begin(unpacked); err != nil {
			return nil, err
		}
	}
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} { // of the byte order
		head = bytes.TrimPrefix(head, []byte(mark))
	}
	if !bytes.HasPrefix(bytes.TrimLeft(head, "\x00 \t\r\n"), []byte("<")) {
		return nil, nil
	}
	return &io.LimitedReader{R: r, N: maxDrawing}, nil
}

// begin reads the first kilobyte, and returns a reader that has it still.
func begin(r io.Reader) (head []byte, whole io.Reader, err error) {
	head = make([]byte, 1<<10)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], io.MultiReader(bytes.NewReader(head[:n]), r), err
}

// selfContained tells whether an SVG picture refers to parts of itself alone.
// Where a reader may click leads nowhere in a picture. What is not well-formed
// or declares entities, which may stand for anything, is not self-contained.
func selfContained(drawing *io.LimitedReader) bool {
	d := xml.NewDecoder(drawing)
	for {
		token, err := d.Token()
		if err != nil {
			return errors.Is(err, io.EOF) && drawing.N > 0
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local != "a" && refersElsewhere(t.Attr) {
				return false
			}
		case xml.Directive:
			if bytes.Contains(t, []byte("<!ENTITY")) {
				return false
			}
		}
	}
}

func refersElsewhere(attributes []xml.Attr) bool {
	for _, a := range attributes {
		value := strings.TrimSpace(a.Value)
		if a.Name.Local == "href" && value != "" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "data:") {
			return true
		}
	}
	return false
}

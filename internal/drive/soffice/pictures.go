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

// maxDrawings bounds the SVG pictures of a file together, in bytes unpacked: they
// take the processor's time to look through.
const maxDrawings = 64 << 20

// checkPictures refuses a file with an SVG picture that refers to anything
// outside itself: LibreOffice (7.4) puts pictures of the machine into the PDF
// that way, whatever its settings say of links.
func checkPictures(content []byte) error {
	file, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil // it is LibreOffice's to say that this is no office file
	}
	left := int64(maxDrawings)
	for _, e := range file.File {
		if ext := strings.ToLower(path.Ext(e.Name)); ext == ".xml" || ext == ".rels" || ext == ".vml" {
			continue
		}
		if left, err = checkPicture(e, left); err != nil {
			return err
		}
	}
	return nil
}

// checkPicture looks through one part and says how much of the limit is left
// for others.
func checkPicture(e *zip.File, limit int64) (left int64, err error) {
	r, err := e.Open()
	if err != nil {
		return 0, fmt.Errorf("%w: its part %.200q is damaged", ErrUnreadable, e.Name)
	}
	defer r.Close()
	content, err := drawingIn(r)
	if err != nil {
		return 0, fmt.Errorf("%w: its part %.200q is damaged", ErrUnreadable, e.Name)
	}
	if content == nil {
		return limit, nil
	}
	drawing := &io.LimitedReader{R: content, N: limit}
	ok := selfContained(drawing)
	switch {
	case drawing.N <= 0:
		return 0, fmt.Errorf("%w: its SVG pictures have more than %d MiB", ErrUnreadable, maxDrawings>>20)
	case !ok:
		return 0, fmt.Errorf("%w: %.200q", ErrLinked, e.Name)
	}
	return drawing.N, nil
}

// drawingIn returns what may be an SVG picture, packed by gzip or not: what
// begins like XML, whatever its name is. nil for anything else.
func drawingIn(r io.Reader) (io.Reader, error) {
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
	return r, nil
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
func selfContained(drawing io.Reader) bool {
	d := xml.NewDecoder(drawing)
	for {
		token, err := d.Token()
		if err != nil {
			return errors.Is(err, io.EOF)
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

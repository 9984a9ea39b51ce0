package soffice

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

const (
	// maxInspected bounds what is looked at of a file, in bytes unpacked: the
	// beginning of each part, and all of SVG pictures, of metafiles and
	// of packages in the file.
	maxInspected = 64 << 20
	// maxNested is how deep packages may lie in a file: a document that it takes
	// in, one that this takes in, the workbook of its chart.
	maxNested = 3
	// sniffed is how much of a part tells what it is. LibreOffice looks for an SVG
	// picture in the first two kilobytes.
	sniffed = 4 << 10
)

// drawingPattern is wider than what LibreOffice takes for an SVG picture.
var drawingPattern = regexp.MustCompile(`(?i)<svg|<[^\s<>/!?]+:svg[\s>/]|doctype`)

// errTooMuch is what reading ends with at maxInspected.
var errTooMuch = fmt.Errorf("%w: it has more than %d MiB of drawings and embedded files", ErrUnreadable, maxInspected>>20)

// An inspection looks for what LibreOffice must not see. Like LibreOffice it
// detects pictures by their content, under any name.
type inspection struct {
	ctx  context.Context
	left int64 // of maxInspected
}

// checkPictures refuses a file with an SVG picture that refers to anything
// outside itself: LibreOffice (7.4) puts pictures of the machine into the PDF
// that way, even if its settings forbid links. So it does one with a picture
// for which LibreOffice starts programs of the machine.
func checkPictures(ctx context.Context, content []byte) error {
	file, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil // it is LibreOffice's to say that this is no office file
	}
	i := &inspection{ctx: ctx, left: maxInspected}
	return i.parts(file, 0)
}

func (i *inspection) parts(file *zip.Reader, depth int) error {
	for _, e := range file.File {
		err := i.part(e, depth)
		switch {
		case i.ctx.Err() != nil:
			return context.Cause(i.ctx)
		case errors.Is(err, ErrUnreadable):
			return err
		case errors.Is(err, ErrLinked), errors.Is(err, ErrProgram):
			return fmt.Errorf("%.200q: %w", e.Name, err)
		case err != nil:
			return fmt.Errorf("%w: its part %.200q is damaged", ErrUnreadable, e.Name)
		}
	}
	return nil
}

func (i *inspection) part(e *zip.File, depth int) error {
	r, err := e.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	content, head, err := begin(&inspected{i, r})
	if err != nil {
		return err
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) { // .svgz
		unpacked, err := gzip.NewReader(content)
		if err != nil {
			return err
		}
		if content, head, err = begin(&inspected{i, unpacked}); err != nil {
			return err
		}
	}
	switch {
	case isProgram(head):
		return ErrProgram
	case bytes.HasPrefix(head, []byte("PK")):
		return i.inspectNested(content, depth+1)
	case bytes.HasPrefix(head, []byte("VCLMTF")), bytes.HasPrefix(head, []byte("SVGDI")):
		return errMetafile // of StarOffice, which may hold EMF+
	case isMetafile(head):
		picture, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		return checkMetafile(picture, 0)
	case isDrawing(e.Name, head):
		return checkDrawing(content)
	}
	return nil
}

// inspectNested looks through a package in the file, such as a document that is taken
// in by w:altChunk, or the workbook of a chart.
func (i *inspection) inspectNested(r io.Reader, depth int) error {
	if depth > maxNested {
		return fmt.Errorf("%w: files lie more than %d deep in it", ErrUnreadable, maxNested)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	file, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	return i.parts(file, depth)
}

// begin passes over marks of the byte order and white space, and returns what
// follows with its beginning, which is still to be read.
func begin(r io.Reader) (content *bufio.Reader, head []byte, err error) {
	content = bufio.NewReaderSize(r, sniffed)
	for {
		b, err := content.ReadByte()
		if errors.Is(err, io.EOF) {
			return content, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if bytes.IndexByte([]byte("\x00 \t\r\n\xef\xbb\xbf\xff\xfe"), b) < 0 {
			break
		}
	}
	if err := content.UnreadByte(); err != nil {
		return nil, nil, err
	}
	head, err = content.Peek(sniffed)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return content, head, err
}

// isDrawing tells whether a part may be an SVG picture: what begins like XML,
// but the parts of the document itself only when they look like one.
func isDrawing(name string, head []byte) bool {
	if !bytes.HasPrefix(head, []byte("<")) {
		return false
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".xml", ".rels", ".vml":
		return drawingPattern.Match(bytes.ReplaceAll(head, []byte{0}, nil))
	}
	return true
}

// isProgram tells EPS, plain or with a preview, which LibreOffice has gs,
// pstoedit or convert draw where it finds them.
func isProgram(head []byte) bool {
	return bytes.HasPrefix(head, []byte("%!PS")) || bytes.HasPrefix(head, []byte{0xc5, 0xd0, 0xd3, 0xc6})
}

// inspected is a reader that ends with the time and the bytes of an inspection.
type inspected struct {
	i *inspection
	r io.Reader
}

func (r *inspected) Read(p []byte) (int, error) {
	if err := r.i.ctx.Err(); err != nil {
		return 0, err
	}
	if r.i.left <= 0 {
		return 0, errTooMuch
	}
	n, err := r.r.Read(p[:min(int64(len(p)), r.i.left)])
	r.i.left -= int64(n)
	return n, err
}

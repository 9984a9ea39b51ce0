package opc

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
)

// Kind is what kind of an office file a package is.
type Kind int

// The kinds. OtherKind is any file but a document or presentation.
const (
	OtherKind Kind = iota
	DocumentKind
	PresentationKind
)

// maxContentTypes is how many bytes of content types KindOf reads.
const maxContentTypes = 4 << 20

// KindOf returns the kind of an office file and reads only its content types (ECMA-376 part
// 2, 10.1.2): the main part may have any name. Whether the rest is sound, ReadPackage
// tells. A file of more parts than that takes is of OtherKind.
func KindOf(data []byte) Kind {
	// Before they are read: each takes a quarter of a kilobyte then.
	if !bytes.HasPrefix(data, []byte("PK")) || bytes.Count(data, []byte(entryMark)) > 2*maxEntries {
		return OtherKind
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && archive == nil {
		return OtherKind
	}
	for _, f := range archive.File {
		if !strings.EqualFold(f.Name, contentTypesPart) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return OtherKind
		}
		defer r.Close()
		return kindOfTypes(io.LimitReader(r, maxContentTypes))
	}
	return OtherKind
}

// kindOfTypes finds the content type of the main part.
func kindOfTypes(r io.Reader) Kind {
	for d := xml.NewDecoder(r); ; {
		t, err := d.Token()
		if err != nil {
			return OtherKind
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local != "ContentType" {
				continue
			}
			if kind := mainKind(strings.ToLower(a.Value)); kind != OtherKind {
				return kind
			}
		}
	}
}

// mainKind is the kind of file whose main part has a content type, such as
// application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml.
func mainKind(contentType string) Kind {
	switch {
	case !strings.HasSuffix(contentType, ".main+xml"):
		return OtherKind
	case strings.Contains(contentType, "wordprocessingml."), strings.Contains(contentType, "ms-word."):
		return DocumentKind
	case strings.Contains(contentType, "presentationml."), strings.Contains(contentType, "ms-powerpoint."):
		return PresentationKind
	}
	return OtherKind
}

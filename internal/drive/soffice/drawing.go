package soffice

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// checkDrawing refuses an SVG picture that refers to anything but parts of
// itself. Where a reader may click leads nowhere in a picture. A picture that
// is malformed, or has declarations that change how it is read, such as
// entities, may refer to anything.
func checkDrawing(drawing io.Reader) error {
	d := xml.NewDecoder(drawing)
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.Token()
		var malformed *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &malformed):
			return fmt.Errorf("%w: its SVG is malformed", ErrLinked)
		case err != nil:
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local != "a" && refersElsewhere(t.Attr) {
				return ErrLinked
			}
		case xml.Directive:
			// Its own declarations could hide elements from us.
			if bytes.ContainsAny(t, "[<") {
				return fmt.Errorf("%w: its SVG has declarations of its own", ErrLinked)
			}
		case xml.ProcInst:
			if t.Target == "xml" && !plainEncoding(t.Inst) {
				return fmt.Errorf("%w: its SVG is not in UTF-8", ErrLinked)
			}
		}
	}
}

var utf8Pattern = regexp.MustCompile(`(?i)\sencoding\s*=\s*("utf-8"|'utf-8')`)

// plainEncoding tells whether an XML declaration leaves no doubt that what
// follows is in UTF-8.
func plainEncoding(declaration []byte) bool {
	return !bytes.Contains(bytes.ToLower(utf8Pattern.ReplaceAll(declaration, nil)), []byte("encoding"))
}

func refersElsewhere(attributes []xml.Attr) bool {
	for _, a := range attributes {
		value := strings.TrimSpace(a.Value)
		if a.Name.Local == "href" && value != "" && !strings.HasPrefix(value, "#") && !isRasterURL(value) {
			return true
		}
	}
	return false
}

// isRasterURL tells whether a URL is itself a picture of pixels. LibreOffice
// does not go by the type that a URL says.
func isRasterURL(url string) bool {
	const enough = 12 // characters, for the nine bytes before
	kind, data, ok := strings.Cut(url, ";base64,")
	if !ok || !strings.HasPrefix(kind, "data:image/") || strings.ContainsAny(kind, "; ,") {
		return false
	}
	var begin []byte
	for i := 0; i < len(data) && len(begin) < enough; i++ {
		if !strings.ContainsRune(" \t\r\n", rune(data[i])) {
			begin = append(begin, data[i])
		}
	}
	picture, err := base64.StdEncoding.AppendDecode(nil, begin)
	return err == nil && isRaster(picture)
}

// isRaster tells PNG, JPEG and GIF by their first bytes.
func isRaster(picture []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a"} {
		if bytes.HasPrefix(picture, []byte(magic)) {
			return true
		}
	}
	return false
}

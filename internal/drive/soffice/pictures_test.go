package soffice

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// drawn is a document with an SVG picture.
func drawn(t *testing.T, name, svg string) []byte {
	t.Helper()
	return docx(t, fmt.Sprintf(picture, 1, "embed", "drawing")+paragraph("words"),
		`<Relationship Id="drawing" Type="KIND/image" Target="media/`+name+`"/>`, part{"word/media/" + name, svg})
}

func svg(inner string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">` + inner + `</svg>`
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// pixels are the beginning of a PNG.
const pixels = "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAJ"

func TestAPictureThatRefersElsewhereIsNotShownToLibreOffice(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Program: fake(t, pdfOf)})
	const linked = `<image xlink:href="file:///etc/picture.png"/>`
	// To whom declarations end at the quote, the picture is one of them.
	hidden := `<!DOCTYPE svg [<?x '?>]>` + svg(linked+`<!-- '>> <svg> -->`)
	for text, name := range map[string]string{
		svg(linked): "a.svg",
		svg(`<g><image href=" http://example.com/a.png"/></g>`):             "a.svg",
		svg(`<use xlink:href="other.svg#part"/>`):                           "b.svg",
		"\xef\xbb\xbf <?xml version='1.0'?>" + svg(linked):                  "a.png",
		packed(t, svg(linked)):                                              "a.svgz",
		packed(t, svg(linked+" ")):                                          "a.jpeg",
		`<!DOCTYPE svg [<!ENTITY e "x">]>` + svg("&e;"):                     "a.svg",
		`<?xml version="1.0" encoding="UTF-7"?>` + svg(""):                  "a.svg",
		`<?xml version="1.0" encoding = "UTF-7"?>` + svg(""):                "a.svg",
		`<?xml version='1.0' encoding	=	'iso-2022-jp'?>` + svg(""):          "a.svg",
		`<?xml encoding="utf-8" version="1.0" encoding="UTF-7"?>` + svg(""): "a.svg",
		hidden:                       "a.svg",
		svg(linked + "  "):           "a.xml",
		packed(t, svg(linked+"   ")): "a.rels",
		`<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:image href="a.png"/></s:svg>`:              "a.vml",
		`<?xml version="1.0"?><!DOCTYPE svg><s><image href="a.png"/></s>`:                                               "b.xml",
		strings.Repeat(" ", 5000) + svg(linked):                                                                         "a.svg",
		strings.Repeat("\n", 1500) + svg(linked):                                                                        "a.xml",
		svg(`<image href="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(svg(linked))) + `"/>`): "a.svg",
		svg(`<image href="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte(svg(linked))) + `"/>`):     "a.svg",
		svg(`<image href="data:image/svg+xml,%3Csvg/%3E"/>`):                                                            "a.svg",
		svg(`<image href="data:,"/>`):                                                                                   "a.svg",
		svg(`<image href="data:image/png;base64,!` + pixels + `"/>`):                                                    "a.svg",
		"\xff\xfe<\x00s\x00v\x00g\x00":                                                                                  "a.svg",
		`<svg>`:                                                                                                         "a.svg",
	} {
		if _, err := p.PDF(t.Context(), drawn(t, name, text), ".docx"); !errors.Is(err, ErrLinked) {
			t.Errorf("%s %q: got %v, want %v", name, text, err, ErrLinked)
		}
	}
	for text, name := range map[string]string{
		svg(`<image xlink:href="data:image/png;base64,` + pixels + `"/><use href="#a"/><a href="https://example.com"><path d=""/></a>`): "a.svg",
		svg(`<image href="data:image/jpeg;base64, /9j/
4AAQSkZJRg=="/><image href="data:image/gif;base64,R0lGODlhAQABAAAAACw="/>`): "a.svg",
		`<?xml version="1.0" encoding='utf-8' standalone="no"?>` + svg(""): "a.svg",
		`<root href="elsewhere"><text>malformed, and no picture</root>`:    "a.xml",
		strings.Repeat(" ", 70_000):                                        "a.png",
		`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` + svg(""): "a.svg",
		packed(t, svg("")):              "a.svgz",
		"\xd7\xcd\xc6\x9a\x00\x00<\x00": "a.wmf",
		"":                              "a.png",
	} {
		if _, err := p.PDF(t.Context(), drawn(t, name, text), ".docx"); err != nil {
			t.Errorf("%s %q: got %v, want its PDF", name, text, err)
		}
	}
}

func TestSVGPicturesAreLookedThroughWithinALimit(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Program: fake(t, pdfOf), Timeout: 5 * time.Minute})
	large := strings.Repeat("<!-- "+strings.Repeat("x", 1<<20)+" -->", 40)
	bomb := part{"word/media/b.svgz", packed(t, svg(large))}
	file := docx(t, paragraph("words"), "", part{"word/media/a.svgz", bomb.content}, bomb)
	if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrUnreadable) {
		t.Errorf("80 MiB: got %v, want %v", err, ErrUnreadable)
	}
	if _, err := p.PDF(t.Context(), docx(t, paragraph("words"), "", bomb), ".docx"); err != nil {
		t.Errorf("40 MiB: got %v, want its PDF", err)
	}
}

// eps is a picture that is a program in PostScript.
const eps = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n%%EndComments\n0 0 100 100 rectfill\nshowpage\n%%EOF\n"

func TestPicturesThatAreProgramsAreNotShownToLibreOffice(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Program: fake(t, pdfOf)})
	for name, content := range map[string]string{
		"a.eps": eps, "a.xml": "%!PS", "a.png": packed(t, eps), "b.png": "\xc5\xd0\xd3\xc6\x1e\x00\x00\x00",
		"a.docx": string(drawn(t, "a.emf", eps)),
	} {
		if _, err := p.PDF(t.Context(), drawn(t, name, content), ".docx"); !errors.Is(err, ErrProgram) {
			t.Errorf("%s: got %v, want %v", name, err, ErrProgram)
		}
	}
	if _, err := p.PDF(t.Context(), drawn(t, "a.ps", "100% of it"), ".docx"); err != nil {
		t.Errorf("got %v, want its PDF", err)
	}
}

// holding is a document that includes another file, which LibreOffice does
// for any type of relationship.
func holding(t *testing.T, kind, name string, file []byte) []byte {
	t.Helper()
	return docx(t, paragraph("words")+`<w:altChunk r:id="chunk"/>`, `<Relationship Id="chunk" Type="KIND/`+kind+`" Target="`+name+`"/>`, part{"word/" + name, string(file)})
}

func TestPicturesOfFilesInTheFileAreLookedThroughToo(t *testing.T) {
	t.Parallel()
	p := open(t, Options{Seats: 1, Program: fake(t, pdfOf)})
	linked := drawn(t, "a.svg", svg(`<image href="file:///etc/picture.png"/>`))
	for name, file := range map[string][]byte{
		"taken in":      holding(t, "aFChunk", "chunk.docx", linked),
		"as a picture":  holding(t, "image", "chunk.xml", linked),
		"in one within": holding(t, "aFChunk", "a.docx", holding(t, "aFChunk", "b.docx", linked)),
	} {
		if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrLinked) {
			t.Errorf("%s: got %v, want %v", name, err, ErrLinked)
		}
	}
	harmless := drawn(t, "a.svg", svg(""))
	if _, err := p.PDF(t.Context(), holding(t, "package", "embeddings/Sheet.xlsx", harmless), ".docx"); err != nil {
		t.Errorf("a workbook: got %v, want its PDF", err)
	}
	for range maxNested + 1 {
		harmless = holding(t, "aFChunk", "a.docx", harmless)
	}
	for want, file := range map[string][]byte{
		"more than 3 deep": harmless,
		"damaged":          holding(t, "aFChunk", "a.docx", []byte("PK\x03\x04 and no more")),
		"more than 64 MiB": docx(t, "", "", part{"a.xlsx", "PK" + strings.Repeat("x", maxInspected)}),
	} {
		if _, err := p.PDF(t.Context(), file, ".docx"); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %v that says %q", err, ErrUnreadable, want)
		}
	}
}

// Package hypertext reads HTML as rich text: what editors, office programs and writers of
// Markdown make. It knows neither tags nor data.
//
// Nothing that stands in HTML is fetched or run. Elements and attributes of a list are
// read, and what a reader of the text would miss without them is named (Read).
package hypertext

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/platenhq/platen/internal/template/rich"
)

const (
	// MaxSize is how many bytes HTML may have beside the data URIs of its pictures.
	MaxSize = 256 << 10
	// maxElements is how many elements may begin in it.
	maxElements = 20_000
	// maxCells is how many cells its tables may have, those that merged ones cover
	// included, and maxColumns how many columns in which a cell begins, as in Word.
	maxCells, maxColumns = 5000, 63
	// maxPictures is how many pictures stand in it.
	maxPictures = 200
)

// ErrTooLarge: HTML is larger than it may be. The message says in which way.
var ErrTooLarge = errors.New("the HTML is too large")

func tooLarge(what string, most int) error {
	return fmt.Errorf("%w: it has more than %d %s", ErrTooLarge, most, what)
}

// inlines are elements that are a part of their line, and blocks those that are not.
var (
	inlines = []string{
		"a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "del", "dfn", "em", "font", "i", "img", "input", "ins", "kbd", "label", "mark", "q", "s", "samp", "small",
		"span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
	}
	blocks = []string{
		"address", "article", "aside", "blockquote", "caption", "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure",
		"footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "search", "section", "summary",
		"table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
	}
	// refused are elements that do more than stand in a text.
	refused = []string{
		"applet", "audio", "base", "button", "canvas", "embed", "form", "frame", "iframe", "link", "math", "meta", "noembed", "noframes", "noscript", "object", "plaintext", "script", "select", "style", "svg", "template", "textarea", "video", "xmp",
	}
)

func isKnown(name string) bool {
	return slices.Contains(inlines, name) || slices.Contains(blocks, name)
}

// Read reads HTML. left is what was left out of it, in words, each once: elements that do
// more than stand in a text, handlers of events, links that lead nowhere, pictures that
// are neither in the HTML nor at a public address. The error is ErrTooLarge.
func Read(source string) (d rich.Document, left []string, err error) {
	r := &reader{}
	source, err = r.lift(source)
	if err != nil {
		return nil, nil, err
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(Nest(source, isKnown)), body)
	if err != nil { // there is one only for what is nested too deep
		return nil, nil, tooLarge("elements in one another", maxOpen)
	}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	r.removeHidden(body)
	r.nodes(body, place{})
	r.end()
	switch {
	case r.isWide:
		return nil, nil, tooLarge("columns in a table", maxColumns)
	case r.cells > maxCells:
		return nil, nil, tooLarge("cells of tables", maxCells)
	}
	return trim(r.made), r.left, nil
}

// lift takes the data URIs of pictures out of HTML, and notes what will be left out. A text
// without elements gets one for each of its breaks, which are meant.
func (r *reader) lift(source string) (string, error) {
	var b strings.Builder
	elements, taken, isTitle := 0, 0, false
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(source)-taken > MaxSize {
				return "", tooLarge("KiB beside its pictures", MaxSize>>10)
			}
			if elements == 0 {
				return withBreaks(b.String())
			}
			return b.String(), nil
		case html.StartTagToken, html.SelfClosingTagToken:
			if elements++; elements > maxElements {
				return "", tooLarge("elements", maxElements)
			}
			raw := string(z.Raw())
			t := z.Token()
			r.refuse(t)
			isTitle = t.Data == "title"
			if t.Data != "img" {
				b.WriteString(raw)
				continue
			}
			for i, a := range t.Attr {
				if a.Key == "src" && hasPrefix(strings.TrimSpace(a.Val), "data:") {
					if len(r.pictures) == maxPictures {
						return "", tooLarge("pictures", maxPictures)
					}
					taken += len(a.Val)
					t.Attr[i].Val = fmt.Sprintf("data:%d", len(r.pictures))
					r.pictures = append(r.pictures, strings.TrimSpace(a.Val))
				}
			}
			b.WriteString(t.String())
		case html.CommentToken, html.DoctypeToken:
			b.WriteString("<!---->") // or what is on both sides might be read as one
		case html.TextToken:
			if !isTitle {
				b.Write(z.Raw())
			}
		default:
			isTitle = false
			b.Write(z.Raw())
		}
	}
}

func withBreaks(text string) (string, error) {
	text = strings.NewReplacer("\r\n", "<br>", "\n", "<br>", "\r", "<br>").Replace(text)
	if strings.Count(text, "<br>") > maxElements {
		return "", tooLarge("lines", maxElements)
	}
	return text, nil
}

// refuse notes what of an element is left out.
func (r *reader) refuse(t html.Token) {
	if slices.Contains(refused, t.Data) {
		r.leave("<" + t.Data + ">")
	}
	for _, a := range t.Attr {
		if strings.HasPrefix(a.Key, "on") && len(a.Key) > 3 {
			if !isWord(a.Key) {
				a.Key = "a handler of an event"
			}
			r.leave(a.Key)
		}
		if a.Key == "background" || a.Key == "style" && strings.Contains(strings.ToLower(a.Val), "url(") {
			r.leave("a picture of the background")
		}
	}
}

// maxLeft is how much of what was left out is named.
const maxLeft = 6

func (r *reader) leave(what string) {
	if len(r.left) < maxLeft && !slices.Contains(r.left, what) {
		r.left = append(r.left, what)
	}
}

// trim leaves out empty paragraphs at both ends, which editors put there.
func trim(d rich.Document) rich.Document {
	isEmpty := func(p rich.Paragraph) bool {
		return p.Table == nil && !p.Rule && !p.NewPage && len(p.Lists) == 0 && len(p.Runs) == 0
	}
	for len(d) > 0 && isEmpty(d[0]) {
		d = d[1:]
	}
	for len(d) > 0 && isEmpty(d[len(d)-1]) {
		d = d[:len(d)-1]
	}
	return d
}

// schemes are those of addresses that HTML may lead to.
var schemes = []string{"http", "https", "mailto", "tel"}

// Leads tells whether an address is one that HTML may lead to.
func Leads(address string) bool {
	u, err := url.Parse(strings.TrimSpace(address))
	return err == nil && slices.Contains(schemes, u.Scheme) && (u.Host != "" || u.Opaque != "")
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

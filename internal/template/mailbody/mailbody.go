// Package mailbody makes the HTML of mails: elements and attributes of a list, nothing that
// runs, and nothing that is fetched. It knows neither tags nor data: what it gets is filled.
package mailbody

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/platenhq/platen/internal/template/hypertext"
)

// frame are the elements around what a mail says. They may be written, and are made here.
var frame = []string{"html", "head", "body", "title", "meta"}

// elements are those that a mail may have, with their attributes beside those of everywhere.
var elements = map[string][]string{
	"a": {"href"}, "abbr": nil, "b": nil, "blockquote": nil, "br": nil, "caption": nil, "code": nil, "dd": nil, "del": nil, "div": nil, "dl": nil, "dt": nil,
	"em": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "hr": nil, "i": nil, "ins": nil, "li": nil, "ol": {"start", "type"}, "p": nil, "pre": nil,
	"s": nil, "small": nil, "span": nil, "strong": nil, "sub": nil, "sup": nil, "table": {"border", "cellpadding", "cellspacing"}, "tbody": nil,
	"td": {"colspan", "rowspan"}, "tfoot": nil, "th": {"colspan", "rowspan", "scope"}, "thead": nil, "tr": nil, "u": nil, "ul": nil,
}

var everywhere = []string{"align", "bgcolor", "dir", "height", "lang", "role", "style", "title", "valign", "width"}

// properties are those that a style may set, and beginnings of their names with a hyphen.
var properties = []string{
	"background", "background-color", "border", "border-", "color", "direction", "display", "font", "font-", "height", "letter-spacing", "line-height", "list-style-type",
	"margin", "margin-", "max-width", "min-width", "padding", "padding-", "text-align", "text-decoration", "text-indent", "text-transform", "vertical-align", "white-space", "width", "word-break",
}

// plainValue is a value of a property: colours and lengths, and no function that names an address.
var plainValue = regexp.MustCompile(`^(?:[-#%.,'" a-zA-Z0-9!]|(?:rgb|rgba|hsl|hsla)\([0-9%., ]*\))*$`)

// tagMark stands for a tag of the template language where a template is checked.
const tagMark = '\ue000'

// Check says what a template has that its mail would lack; empty: nothing.
func Check(template string) string {
	z := html.NewTokenizer(strings.NewReader(mask(template)))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if fault := checkElement(z.Token()); fault != "" {
				return fault
			}
		}
	}
}

func checkElement(t html.Token) string {
	further, ok := elements[t.Data]
	switch {
	case slices.Contains(frame, t.Data):
	case !ok && slices.Contains([]string{"img", "picture", "video", "audio", "link"}, t.Data):
		return "has <" + t.Data + ">: a mail fetches nothing; leave it out"
	case !ok && (t.Data == "style" || t.Data == "font"):
		return "has <" + t.Data + ">: set the attribute style of elements in place of it"
	case !ok:
		return "has <" + t.Data + ">, which mails may not have: use text, links, lists and tables"
	}
	for _, a := range t.Attr {
		switch {
		case slices.Contains(frame, t.Data) && a.Key != "style":
		case strings.ContainsRune(a.Key, tagMark):
			return "has a tag in place of an attribute of <" + t.Data + ">: write the attribute, and the tag as its value"
		case !slices.Contains(everywhere, a.Key) && !slices.Contains(further, a.Key):
			return "has the attribute " + a.Key + " of <" + t.Data + ">, which mails may not have: leave it out"
		case strings.ContainsRune(a.Val, tagMark):
		case a.Key == "style" && len(styles(a.Val)) < declarations(a.Val):
			return "has a style of <" + t.Data + "> that mails may not have: set colours, fonts, borders and lengths, without url() and @"
		case a.Key == "href" && !hypertext.Leads(a.Val):
			return "has a link that leads nowhere in a mail: begin it with https://, mailto: or tel:"
		}
	}
	return ""
}

// mask puts a character in place of each tag of the template language, which may have '<'.
func mask(template string) string {
	var b strings.Builder
	for {
		before, behind, ok := strings.Cut(template, "{{")
		b.WriteString(before)
		_, rest, closed := strings.Cut(behind, "}}")
		if !ok || !closed {
			return b.String()
		}
		b.WriteRune(tagMark)
		template = rest
	}
}

// Document is HTML that was filled as a whole document in a language (BCP 47; empty: none is
// named). One whose body has no style gets ours. What mails may not have is left out.
func Document(filled, language string) string {
	parsed, err := html.Parse(strings.NewReader(hypertext.Nest(filled, isElement, frame...)))
	if err != nil { // there is one only for what is nested too deep
		return ""
	}
	body := find(parsed, atom.Body)
	root := element("html")
	if language != "" {
		root.Attr = []html.Attribute{{Key: "lang", Val: language}}
		if base, _, _ := strings.Cut(language, "-"); slices.Contains([]string{"ar", "fa", "he", "ur"}, base) {
			root.Attr = append(root.Attr, html.Attribute{Key: "dir", Val: "rtl"})
		}
	}
	head := element("head")
	head.AppendChild(element("meta", "charset", "utf-8"))
	head.AppendChild(element("meta", "name", "viewport", "content", "width=device-width"))
	root.AppendChild(head)
	made, into := element("body", "style", outer), element("div", "style", inner)
	made.AppendChild(into)
	if own := strings.Join(styles(attribute(body, "style")), ";"); own != "" {
		made = element("body", "style", own)
		into = made
	}
	root.AppendChild(made)
	keep(into, body)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>")
	if err := html.Render(&b, root); err != nil {
		return ""
	}
	return b.String()
}

// The look of a mail that has none of its own.
const (
	outer = "margin:0;padding:24px 12px;background-color:#f4f4f2;color:#1c1c1a;font-family:'Segoe UI',Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5"
	inner = "max-width:600px;margin:0 auto;padding:24px;background-color:#ffffff;border-radius:6px"
)

// WithLink is a document of Document with a link at its end.
func WithLink(document, address, text string) string {
	parsed, err := html.Parse(strings.NewReader(document))
	if err != nil {
		return document
	}
	into := find(parsed, atom.Body)
	if attribute(into, "style") == outer && into.FirstChild != nil {
		into = into.FirstChild
	}
	p, a := element("p"), element("a", "href", address)
	a.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	p.AppendChild(a)
	into.AppendChild(p)
	var b strings.Builder
	if err := html.Render(&b, parsed); err != nil {
		return document
	}
	return b.String()
}

// keep copies what mails may have from one element into another.
func keep(into, from *html.Node) {
	for n := from.FirstChild; n != nil; n = n.NextSibling {
		switch {
		case n.Type == html.TextNode:
			into.AppendChild(&html.Node{Type: html.TextNode, Data: n.Data})
		case n.Type == html.ElementNode && n.Namespace == "":
			further, ok := elements[n.Data]
			if !ok {
				continue
			}
			made := element(n.Data)
			for _, a := range n.Attr {
				if a.Namespace != "" || !slices.Contains(everywhere, a.Key) && !slices.Contains(further, a.Key) {
					continue
				}
				switch {
				case a.Key == "style":
					a.Val = strings.Join(styles(a.Val), ";")
				case a.Key == "href" && !hypertext.Leads(a.Val):
					continue
				}
				made.Attr = append(made.Attr, html.Attribute{Key: a.Key, Val: a.Val})
			}
			into.AppendChild(made)
			keep(made, n)
		}
	}
}

// styles are the declarations of a style that mails may have.
func styles(text string) (kept []string) {
	for one := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(one, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		known := slices.ContainsFunc(properties, func(p string) bool {
			return name == p || strings.HasSuffix(p, "-") && strings.HasPrefix(name, p)
		})
		if known && value != "" && plainValue.MatchString(value) && !strings.HasPrefix(name, "border-image") {
			kept = append(kept, name+":"+value)
		}
	}
	return kept
}

// declarations is how many declarations a style has.
func declarations(text string) (n int) {
	for one := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(one) != "" {
			n++
		}
	}
	return n
}

func isElement(name string) bool {
	_, ok := elements[name]
	return ok
}

func element(name string, attributes ...string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	for i := 0; i < len(attributes); i += 2 {
		n.Attr = append(n.Attr, html.Attribute{Key: attributes[i], Val: attributes[i+1]})
	}
	return n
}

func find(n *html.Node, what atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.DataAtom == what && d.Type == html.ElementNode {
			return d
		}
	}
	return n
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

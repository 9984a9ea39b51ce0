package untouched

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"
)

// part is an entry of an Office file.
type part struct {
	name string
	data []byte
}

func unzip(file []byte) ([]part, error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		parts = append(parts, part{f.Name, data})
	}
	return parts, nil
}

// withTag writes the tag before the first text of the main story or of a slide
// and says into which part; nothing, when there is no text.
func withTag(file []byte) (tagged []byte, where string, err error) {
	parts, err := unzip(file)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		data := p.data
		if where == "" && (strings.HasPrefix(p.name, "word/document") || strings.HasPrefix(p.name, "ppt/slides/slide")) && strings.HasSuffix(p.name, ".xml") {
			if at := firstText(data); at >= 0 {
				where = p.name
				data = slices.Concat(data[:at], []byte(tag), data[at:])
			}
		}
		entry, err := w.Create(p.name)
		if err != nil {
			return nil, "", err
		}
		if _, err := entry.Write(data); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), where, nil
}

// firstText is where the first text begins that is no alternative to another
// and that nobody has deleted or computed.
func firstText(data []byte) int {
	d := xml.NewDecoder(bytes.NewReader(data))
	hidden := 0
	for {
		token, err := d.Token()
		if err != nil {
			return -1
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "AlternateContent", "del", "moveFrom", "fldSimple", "fld", "sdt":
				hidden++
			case "fldChar":
				switch attribute(token, "fldCharType") {
				case "begin":
					hidden++
				case "end":
					hidden--
				}
			case "t":
				if hidden == 0 && (strings.Contains(token.Name.Space, "wordprocessingml") || strings.Contains(token.Name.Space, "drawingml")) {
					at := int(d.InputOffset())
					if data[at-2] != '/' {
						return at
					}
				}
			}
		case xml.EndElement:
			switch token.Name.Local {
			case "AlternateContent", "del", "moveFrom", "fldSimple", "fld", "sdt":
				hidden--
			}
		}
	}
}

func attribute(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// differ lists what the filled file has other than the one before, but for the
// text with the tag, and says how many elements were looked at.
func differ(before, after []byte, where string) (found []string, elements int) {
	old, err1 := unzip(before)
	fresh, err2 := unzip(after)
	if err := errors.Join(err1, err2); err != nil {
		return []string{err.Error()}, 0
	}
	filled := map[string][]byte{}
	for _, p := range fresh {
		if _, twice := filled[p.name]; twice {
			found = append(found, p.name+" is there twice")
		}
		filled[p.name] = p.data
	}
	for _, p := range old {
		data, there := filled[p.name]
		delete(filled, p.name)
		switch {
		case !there:
			found = append(found, p.name+" is gone")
			continue
		case p.name != where && !bytes.Equal(p.data, data):
			found = append(found, p.name+" was rewritten, though nothing in it was filled")
		}
		if !strings.HasSuffix(p.name, ".xml") && !strings.HasSuffix(p.name, ".rels") {
			continue
		}
		was, err1 := flat(p.data)
		is, err2 := flat(data)
		if err := errors.Join(err1, err2); err != nil {
			found = append(found, p.name+": "+err.Error())
			continue
		}
		for _, line := range was {
			if line[0] == '<' {
				elements++
			}
		}
		found = append(found, unequal(p.name, was, is)...)
	}
	for name := range filled {
		found = append(found, name+" is new")
	}
	return found, elements
}

// flat lists what is in an XML file: a line for each element with its
// attributes, for each text, comment and instruction. Names are in the form
// {namespace}name, for a prefix is no part of a name.
func flat(data []byte) ([]string, error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var lines []string
	scopes := []map[string]string{{}} // what prefixes mean, by open element
	text := ""
	end := func() {
		if text != "" {
			lines, text = append(lines, "text "+text), ""
		}
	}
	for {
		token, err := d.Token()
		if err == io.EOF {
			end()
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		if chars, ok := token.(xml.CharData); ok {
			text += string(chars)
			continue
		}
		end()
		switch token := token.(type) {
		case xml.StartElement:
			scope := maps.Clone(scopes[len(scopes)-1])
			scopes = append(scopes, scope)
			lines = append(lines, element(token, scope))
		case xml.EndElement:
			scopes = scopes[:len(scopes)-1]
			lines = append(lines, "end "+token.Name.Local)
		case xml.Comment:
			lines = append(lines, "comment "+string(token))
		case xml.ProcInst:
			lines = append(lines, "instruction "+token.Target+" "+string(token.Inst))
		case xml.Directive:
			lines = append(lines, "directive "+string(token))
		}
	}
}

const compatibility = "http://schemas.openxmlformats.org/markup-compatibility/2006"

// element writes a start tag and adds the prefixes that it declares to scope.
func element(e xml.StartElement, scope map[string]string) string {
	for _, a := range e.Attr {
		if a.Name.Space == "xmlns" {
			scope[a.Name.Local] = a.Value
		}
	}
	var attributes []string
	for _, a := range e.Attr {
		value := a.Value
		switch {
		case a.Name.Space == "xmlns" || a.Name.Local == "xmlns":
			a.Name = xml.Name{Local: "declares"}
		case a.Name.Space == compatibility || e.Name.Space == compatibility && a.Name.Local == "Requires":
			// Their values are prefixes (ECMA-376 part 3, 7).
			prefixes := strings.Fields(value)
			for i, p := range prefixes {
				prefix, rest, _ := strings.Cut(p, ":")
				prefixes[i] = scope[prefix] + ":" + rest
			}
			value = strings.Join(prefixes, " ")
		}
		attributes = append(attributes, fmt.Sprintf("{%s}%s=%q", a.Name.Space, a.Name.Local, value))
	}
	sort.Strings(attributes)
	// A namespace may be declared twice, by two prefixes.
	attributes = slices.Compact(attributes)
	return fmt.Sprintf("<{%s}%s %s>", e.Name.Space, e.Name.Local, strings.Join(attributes, " "))
}

// unequal compares two files line by line. The text with the tag must have
// become the same with the value; its element may now say that spaces count.
func unequal(name string, was, is []string) []string {
	const spaces = ` {http://www.w3.org/XML/1998/namespace}space="preserve"`
	var found []string
	if len(was) != len(is) {
		found = append(found, fmt.Sprintf("%s: %d lines became %d", name, len(was), len(is)))
	}
	for i := range min(len(was), len(is)) {
		if was[i] == is[i] || strings.ReplaceAll(was[i], tag, value) == is[i] {
			continue
		}
		if i+1 < len(was) && strings.Contains(was[i+1], tag) && strings.TrimSuffix(was[i], " >")+spaces+">" == is[i] {
			continue
		}
		found = append(found, fmt.Sprintf("%s, line %d: %.120s became %.120s", name, i+1, was[i], is[i]))
		if len(was) != len(is) {
			break // all that follows is shifted
		}
	}
	return found
}

func TestTheComparisonFindsWhatDiffers(t *testing.T) {
	t.Parallel()
	file := func(parts ...string) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for i := 0; i < len(parts); i += 2 {
			entry, err := w.Create(parts[i])
			if err == nil {
				_, err = io.WriteString(entry, parts[i+1])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	const name, other = "word/document.xml", "word/styles.xml"
	before := file(name, `<a x="1" y="2"><w:t xmlns:w="urn:w">`+tag+` b</w:t><c xmlns="urn:c"/></a>`, other, "<s/>")
	good := `<a y='2' x='1'><u:t xmlns:u="urn:w">A value &amp; &lt;more&gt; b</u:t><d:c xmlns:d="urn:c"></d:c></a>`
	for what, c := range map[string]struct {
		after []byte
		want  int
	}{
		"the same but filled":    {file(name, good, other, "<s/>"), 0},
		"another namespace":      {file(name, strings.Replace(good, "urn:c", "urn:e", 1), other, "<s/>"), 1},
		"another attribute":      {file(name, strings.Replace(good, "'1'", "'3'", 1), other, "<s/>"), 1},
		"an attribute more":      {file(name, strings.Replace(good, "<d:c ", "<d:c z='1' ", 1), other, "<s/>"), 1},
		"an element less":        {file(name, good[:strings.Index(good, "<d:c")]+"</a>", other, "<s/>"), 2},
		"another text":           {file(name, strings.Replace(good, " b<", " d<", 1), other, "<s/>"), 1},
		"a part less":            {file(name, good), 1},
		"a part more":            {file(name, good, other, "<s/>", "x.bin", ""), 1},
		"a part written anew":    {file(name, good, other, "<s></s>"), 1},
		"a part of another kind": {file(name, good, other, "<t/>"), 3},
		"no file at all":         {[]byte("x"), 1},
	} {
		if found, _ := differ(before, c.after, name); len(found) != c.want {
			t.Errorf("%s: got %q, want %d differences", what, found, c.want)
		}
	}
}

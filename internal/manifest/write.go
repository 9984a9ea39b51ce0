package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

const header = "# Written by 'platen export', read by 'platen apply'.\n"

// encode writes a file. References are pointers of values of its workflows that stand as they
// are, as does the password of a sender; of every other text it makes one in which nothing is a
// reference.
func encode(f Files, references []map[string]bool) ([]byte, error) {
	root, senders, workflows := mapping(), mapping(), mapping()
	root.Content = []*yaml.Node{textNode("version"), scalarNode(strconv.Itoa(Version))}
	for _, s := range f.Senders {
		if err := addMember(senders, s.Name, s.Settings, map[string]bool{"/password": true}); err != nil {
			return nil, err
		}
	}
	for i, e := range f.Workflows {
		if err := addMember(workflows, e.Name, e.Workflow, references[i]); err != nil {
			return nil, err
		}
	}
	if len(f.Senders) > 0 {
		root.Content = append(root.Content, textNode("senders"), senders)
	}
	root.Content = append(root.Content, textNode("workflows"), workflows)
	var b bytes.Buffer
	b.WriteString(header)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

// addMember adds a value, as JSON has it, to a mapping.
func addMember(to *yaml.Node, name string, value any, references map[string]bool) error {
	sent, err := json.Marshal(value)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	n, err := nodeOf(decoder, "", references)
	to.Content = append(to.Content, textNode(name), n)
	return err
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func scalarNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

// nodeOf is the next value of a decoder, with its members in their order.
func nodeOf(d *json.Decoder, pointer string, references map[string]bool) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		n := mapping()
		if t == '[' {
			n.Kind = yaml.SequenceNode
		}
		for d.More() {
			at := pointer + "/" + strconv.Itoa(len(n.Content))
			if t == '{' {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				at = pointer + "/" + escaped(name.(string))
				n.Content = append(n.Content, textNode(name.(string)))
			}
			value, err := nodeOf(d, at, references)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, value)
		}
		_, err = d.Token() // the end
		return n, err
	case string:
		if !references[pointer] {
			t = literal(t)
		}
		return textNode(t), nil
	case json.Number:
		return scalarNode(t.String()), nil
	case bool:
		return scalarNode(strconv.FormatBool(t)), nil
	}
	return scalarNode("null"), nil
}

// textNode is a text in the plainest style that is read back as it is.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: stringTag, Value: text}
	if strings.Contains(text, "\n") {
		n.Style = yaml.LiteralStyle
	}
	written, err := yaml.Marshal(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}})
	var back yaml.Node
	if err == nil {
		err = yaml.Unmarshal(written, &back)
	}
	if err != nil || len(back.Content) == 0 || len(back.Content[0].Content) != 1 || back.Content[0].Content[0].Value != text || back.Content[0].Content[0].Tag != stringTag {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// maxSlug is in characters: with four bytes each a file name has room for more.
const maxSlug = 60

// slug is a name as a part of file names and of variables: its letters and digits, with
// single hyphens in between.
func slug(name string) string {
	fields := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	letters := []rune(strings.Join(fields, "-"))
	return strings.TrimSuffix(string(letters[:min(len(letters), maxSlug)]), "-")
}

// variable is the name of the variable of the environment that has the secret of one part of
// a workflow with this slug, such as the password of a document. A letter beyond ASCII stands
// as its number, so that two names in another script have two variables.
func variable(prefix, slug string, number int) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(slug) {
		switch {
		case r == '-':
			b.WriteByte('_')
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, "U%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	return fmt.Sprintf("%s_%s_%d", prefix, b.String(), number)
}

package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/catalog"
)

// whyNoObject says where what was typed in is no JSON, or that it is another value than an
// object; empty: it is one.
func whyNoObject(in catalog.Printer, text string) string {
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		at := len(strings.TrimRight(text, " \t\r\n"))
		syntax, ok := errors.AsType[*json.SyntaxError](err)
		if ok && int(syntax.Offset) <= at && !strings.HasPrefix(syntax.Error(), "unexpected end") {
			return whyNoJSON(in, text, max(int(syntax.Offset)-1, 0))
		}
		line, column := placeIn(text, at)
		return in.Text("The data is not JSON: it ends too early, at line %d, column %d. A bracket or a quotation mark is not closed.", line, column)
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return in.Text("The data is JSON, but no object: put it between { and }, with a name for each value.")
	}
	return ""
}

// whyNoJSON is about the character at a place, counted in bytes.
func whyNoJSON(in catalog.Printer, text string, at int) string {
	line, column := placeIn(text, at)
	char, _ := utf8.DecodeRuneInString(text[at:])
	before := strings.TrimRight(text[:at], " \t\r\n")
	shown, cure := fmt.Sprintf("“%c”", char), ""
	switch {
	case char == '\n' || char == '\r':
		shown, cure = in.Text("a line break"), in.Text(`In a text it is written \n.`)
	case char < ' ':
		shown = in.Text("a control character")
	case (char == '}' || char == ']') && strings.HasSuffix(before, ","):
		cure = in.Text("Take away the comma before it.")
	case char == '"':
		cure = in.Text("A comma or a colon is missing before it.")
	case char != '{' && char != '[' && char != '}' && char != ']' && char != ',' && char != ':':
		cure = in.Text(`Names and texts stand in straight double quotation marks, such as "Ada".`)
	}
	return strings.TrimSpace(in.Text("The data is not JSON at line %d, column %d: %s cannot stand here.", line, column, shown) + " " + cure)
}

// placeIn is where a place of a text is, in lines and characters from 1.
func placeIn(text string, at int) (line, column int) {
	before := text[:at]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
}

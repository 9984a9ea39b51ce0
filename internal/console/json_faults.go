package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// whyNoObject says where what was typed in is no JSON, or that it is another value than an
// object; empty: it is one.
func whyNoObject(text string) string {
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		at := len(strings.TrimRight(text, " \t\r\n"))
		syntax, ok := errors.AsType[*json.SyntaxError](err)
		if ok && int(syntax.Offset) <= at && !strings.HasPrefix(syntax.Error(), "unexpected end") {
			return whyNoJSON(text, max(int(syntax.Offset)-1, 0))
		}
		line, column := placeIn(text, at)
		return fmt.Sprintf("The data is not JSON: it ends too early, at line %d, column %d. A bracket or a quotation mark is not closed.", line, column)
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return "The data is JSON, but no object: put it between { and }, with a name for each value."
	}
	return ""
}

// whyNoJSON is about the character at a place, counted in bytes.
func whyNoJSON(text string, at int) string {
	line, column := placeIn(text, at)
	char, _ := utf8.DecodeRuneInString(text[at:])
	before := strings.TrimRight(text[:at], " \t\r\n")
	shown, cure := fmt.Sprintf("“%c”", char), ""
	switch {
	case char == '\n' || char == '\r':
		shown, cure = "a line break", ` In a text it is written \n.`
	case char < ' ':
		shown = "a control character"
	case (char == '}' || char == ']') && strings.HasSuffix(before, ","):
		cure = " Take away the comma before it."
	case char == '"':
		cure = " A comma or a colon is missing before it."
	case char != '{' && char != '[' && char != '}' && char != ']' && char != ',' && char != ':':
		cure = ` Names and texts stand in straight double quotation marks, such as "Ada".`
	}
	return fmt.Sprintf("The data is not JSON at line %d, column %d: %s cannot stand here.%s", line, column, shown, cure)
}

// placeIn is where a place of a text is, in lines and characters from 1.
func placeIn(text string, at int) (line, column int) {
	before := text[:at]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
}

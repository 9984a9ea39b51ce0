package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// explain adds to a refused body what it looks like, for the person who sets
// up the sender.
func explain(err error, body []byte, contentType string) error {
	var e *platen.Error
	if !errors.As(err, &e) || e.Kind != platen.KindInvalid {
		return err
	}
	found := appearance(body, contentType)
	if found == "" {
		return err
	}
	out := *e
	out.Message += " (found " + found + ")"
	return &out
}

// isForm tells whether a body is form data, and not only called so: curl -d and others
// call everything that.
func isForm(body []byte, contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	body = bytes.TrimLeft(body, " \t\r\n")
	switch {
	case err != nil || len(body) == 0 || json.Valid(body):
		return false
	case media == "multipart/form-data":
		return bytes.HasPrefix(body, []byte("--"))
	}
	return media == "application/x-www-form-urlencoded" && bytes.IndexByte(body, '=') > 0 && strings.IndexByte(`{["<`, body[0]) < 0
}

func appearance(body []byte, contentType string) string {
	if isForm(body, contentType) {
		return "form data: set the sender to JSON"
	}
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return "UTF-16 text: send UTF-8"
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 {
		return ""
	}
	switch c := body[0]; {
	case c == '[':
		return "a list: send its objects one by one"
	case c == '"':
		return "a string"
	case c == '-', '0' <= c && c <= '9':
		return "a number"
	case bytes.Equal(body, []byte("null")), bytes.Equal(body, []byte("true")), bytes.Equal(body, []byte("false")):
		return string(body)
	case c == '<':
		return "XML or HTML"
	}
	return ""
}

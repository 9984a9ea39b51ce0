package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A redactor takes out of answers what an account is known by: ids, names, addresses,
// links, tokens. An id becomes the same other id everywhere, so that what refers to
// something still does.
type redactor struct {
	ids    map[string]string
	hidden []string
}

func newRedactor(hidden []string) *redactor {
	r := &redactor{ids: map[string]string{}}
	for _, h := range hidden {
		if h != "" {
			r.hidden = append(r.hidden, h)
		}
	}
	return r
}

// isID tells by its name whether a field holds ids.
func isID(field string) bool {
	return field == "id" || field == "ids" || field == "etag" || field == "parents" || strings.HasSuffix(field, "Id") || strings.HasSuffix(field, "Ids")
}

// isMapByID tells of the fields of documents that are maps whose keys are ids.
func isMapByID(field string) bool {
	switch field {
	case "headers", "footers", "footnotes", "lists", "inlineObjects", "positionedObjects", "namedRanges", "suggestedParagraphStyleChanges", "suggestedTextStyleChanges",
		"suggestedBulletChanges", "suggestedListPropertiesChanges", "suggestedInlineObjectPropertiesChanges", "suggestedTableCellStyleChanges", "suggestedTableRowStyleChanges",
		"suggestedDocumentStyleChanges", "suggestedNamedStylesChanges", "suggestedPositionedObjectPropertiesChanges", "suggestedPositionedObjectIds", "appProperties", "properties":
		return true
	}
	return false
}

// isPersonal tells of fields whose texts are left out as a whole.
func isPersonal(field string) bool {
	switch field {
	case "displayName", "emailAddress", "photoLink", "name", "originalFilename", "title", "domain", "permissionId", "nextPageToken", "revisionId", "headRevisionId", "resourceKey", "consumer":
		return true
	}
	return false
}

// learn notes the ids of an answer.
func (r *redactor) learn(body []byte) {
	var said any
	if json.Unmarshal(body, &said) == nil {
		r.learnIn("", said)
	}
}

func (r *redactor) learnIn(field string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if isMapByID(field) {
				r.note(key)
				r.learnIn("", inner)
				if text, ok := inner.(string); ok {
					r.note(text)
				}
				continue
			}
			r.learnIn(key, inner)
		}
	case []any:
		for _, inner := range v {
			r.learnIn(field, inner)
		}
	case string:
		if isID(field) {
			r.note(v)
		}
	}
}

// short are ids that the interfaces name in their reference, or that no account is
// known by.
const short = 4

func (r *redactor) note(id string) {
	if len(id) <= short || r.ids[id] != "" || id == property {
		return
	}
	r.ids[id] = fmt.Sprintf("redacted.%d", len(r.ids)+1)
}

// body is an answer without what is the account's; nil for one that is no JSON.
func (r *redactor) body(body []byte) json.RawMessage {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var said any
	if decoder.Decode(&said) != nil {
		return nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(r.value("", said)) != nil {
		return nil
	}
	return out.Bytes()
}

func (r *redactor) value(field string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, inner := range v {
			all[r.text(key)] = r.value(key, inner)
		}
		return all
	case []any:
		for i := range v {
			v[i] = r.value(field, v[i])
		}
		return v
	case string:
		if isPersonal(field) && v != "" {
			if id := r.ids[v]; id != "" {
				return id
			}
			return "redacted"
		}
		return r.text(v)
	}
	return value
}

// What an account is known by in any text: addresses, links, tokens and long numbers.
var (
	links  = regexp.MustCompile(`[a-z][a-z0-9+.-]{1,20}://[^\s"'<>]+`)
	mails  = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+`)
	opaque = regexp.MustCompile(`[A-Za-z0-9_.-]{20,}`)
	longNo = regexp.MustCompile(`[0-9]{9,}`)
)

// text hides in a text what an account is known by.
func (r *redactor) text(s string) string {
	if id := r.ids[s]; id != "" {
		return id
	}
	for _, h := range r.hidden {
		s = strings.ReplaceAll(s, h, "redacted")
	}
	known := make([]string, 0, len(r.ids))
	for id := range r.ids {
		if len(id) > 2*short && strings.Contains(s, id) {
			known = append(known, id)
		}
	}
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // the longest first: one may begin with another
	for _, id := range known {
		s = strings.ReplaceAll(s, id, r.ids[id])
	}
	s = links.ReplaceAllString(s, "https://redacted.example/")
	s = mails.ReplaceAllString(s, "redacted@example.com")
	s = opaque.ReplaceAllStringFunc(s, func(word string) string {
		if isWords(word) {
			return word
		}
		return "redacted"
	})
	return longNo.ReplaceAllString(s, "0")
}

// isWords tells a name of an interface, such as SUGGESTIONS_INLINE or
// files.batchUpdate.v1, from a token: it has few digits and no letters behind one.
var wordsOnly = regexp.MustCompile(`^[A-Za-z_.-]+[0-9]{0,2}$`)

func isWords(word string) bool {
	if !wordsOnly.MatchString(word) {
		return false
	}
	// Tokens change between upper and lower case all the time, names at words alone.
	changes := 0
	for i := 1; i < len(word); i++ {
		if isUpper(word[i]) != isUpper(word[i-1]) && word[i] != '_' && word[i-1] != '_' {
			changes++
		}
	}
	return changes <= len(word)/3
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

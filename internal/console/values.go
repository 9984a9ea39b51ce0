package console

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A wrongValue is a value of the data that the message of a failed run names by its place.
type wrongValue struct {
	Number int
	Place  string // such as Items, item 2, Price
	Value  string // as JSON
	Line   int    // of the indented data, from 1
	Said   string // what is wrong with it, and how it is written
}

// Short is the value, cut off where it is long.
func (v wrongValue) Short() string {
	const most = 40
	if utf8.RuneCountInString(v.Value) <= most {
		return v.Value
	}
	return string([]rune(v.Value)[:most]) + "…"
}

// A dataPart is a piece of the data as it is shown; Number is that of a wrong value, else 0.
type dataPart struct {
	Text   string
	Number int
}

// markValues cuts indented data at the values that messages name, each once. A message
// quotes no value, and the data tells which of the places that it may name are there.
func markValues(data string, messages []string) (parts []dataPart, found []wrongValue) {
	places := placesIn(messages)
	shown, line := 0, 1
	var named []said
	walkValues(data, func(place string, from, to int) {
		at, ok := places[strings.ToLower(place)]
		if !ok || place == "" || from < shown {
			return
		}
		delete(places, strings.ToLower(place)) // of two that differ in case, the first counts
		line += strings.Count(data[shown:from], "\n")
		found = append(found, wrongValue{Number: len(found) + 1, Place: place, Value: data[from:to], Line: line})
		parts = append(parts, dataPart{Text: data[shown:from]}, dataPart{Text: data[from:to], Number: len(found)})
		line += strings.Count(data[from:to], "\n")
		named, shown = append(named, at), to
	})
	for i, at := range named {
		found[i].Said = at.words(messages, named)
	}
	return append(parts, dataPart{Text: data[shown:]}), found
}

// said is where a message names a place: from to the colon behind it.
type said struct{ message, from, colon int }

// words are those about the place, up to what is said of anything else.
func (s said) words(messages []string, all []said) string {
	text := messages[s.message]
	end := len(text)
	for _, other := range all {
		if other.message == s.message && other.from > s.from {
			end = min(end, other.from)
		}
	}
	text = text[s.colon+len(": ") : end]
	for _, next := range []string{" {{", " And "} { // of a tag, or how many more there are
		text, _, _ = strings.Cut(text, next)
	}
	return strings.TrimSpace(text)
}

// maxPlace is how long a place may be, in bytes.
const maxPlace = 400

// placesIn returns what may be a place in messages, in small letters: what stands before a
// colon, from the beginning of a sentence on.
func placesIn(messages []string) map[string]said {
	places := map[string]said{}
	for n, message := range messages {
		for from := 0; from < len(message); from++ {
			if from > 0 && !strings.HasSuffix(message[:from], ". ") && !strings.HasSuffix(message[:from], "? ") {
				continue
			}
			for colon := from; colon < min(len(message), from+maxPlace); colon++ {
				if place := strings.ToLower(message[from:colon]); strings.HasPrefix(message[colon:], ": ") {
					if _, known := places[place]; !known {
						places[place] = said{n, from, colon}
					}
				}
			}
		}
	}
	return places
}

// walkValues visits each value of JSON, what is inside of one before it, with its place as
// messages write it and the bytes where it stands.
func walkValues(data string, visit func(place string, from, to int)) {
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	var walk func(place, joint string) error
	walk = func(place, joint string) error {
		from := int(d.InputOffset())
		from += len(data[from:]) - len(strings.TrimLeft(data[from:], " \t\r\n,:"))
		token, err := d.Token()
		if err != nil {
			return err
		}
		opened, _ := token.(json.Delim)
		for item := 1; opened != 0 && d.More(); item++ {
			if opened == '[' {
				err = walk(place+", item "+strconv.Itoa(item), ", ")
			} else if token, err = d.Token(); err == nil {
				err = walk(fmt.Sprint(place, joint, token), ".")
			}
			if err != nil {
				return err
			}
		}
		if opened != 0 {
			_, err = d.Token()
		}
		visit(place, from, int(d.InputOffset()))
		return err
	}
	_ = walk("", "") // what is no JSON has no values
}

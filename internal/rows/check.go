package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// A Checker reads rows as far as they can be taken, and gathers what is wrong with others.
type Checker struct {
	Limit     int64  // bytes of a row
	Reference string // the field that holds the reference of a row; empty: none does
	Number    string // the field that holds its number, and is no part of it; empty: none does
	Most      int    // faults that are kept

	Count  int // of all rows
	Wrong  int // of them
	Faults []platen.Fault

	numbers map[int]bool
}

// Check yields the rows that can be taken. The first error about the file ends it.
func (c *Checker) Check(from Rows) Rows {
	return func(yield func(platen.BatchRow, error) bool) {
		for row, err := range from {
			if err != nil && row.Number == 0 {
				yield(row, err)
				return
			}
			c.Count++
			if c.Count > platen.MaxBatchRows {
				yield(platen.BatchRow{}, platen.Errorf(platen.KindTooLarge, "batch_too_long", "The file has more than %d rows. Send it in parts.", platen.MaxBatchRows))
				return
			}
			if err == nil {
				err = c.look(&row)
			}
			if err != nil {
				c.add(row.Number, err)
				continue
			}
			if !yield(row, nil) {
				return
			}
		}
		if c.Count == 0 {
			yield(platen.BatchRow{}, platen.Errorf(platen.KindInvalid, "batch_without_rows", "The file has no rows. Send a table with names in its first row, a JSON list of objects, or one object on each line."))
		}
	}
}

// Whole is Check for a batch that is stored with all its rows or not at all: behind the first
// row that cannot be taken none is yielded.
func (c *Checker) Whole(from Rows) Rows {
	return func(yield func(platen.BatchRow, error) bool) {
		for row, err := range c.Check(from) {
			if err != nil || c.Wrong == 0 {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
		if c.Wrong > 0 {
			yield(platen.BatchRow{}, c.err())
		}
	}
}

// look reads a row as an event is read.
func (c *Checker) look(row *platen.BatchRow) error {
	row.Body = bytes.TrimPrefix(row.Body, []byte("\ufeff"))
	if int64(len(row.Body)) > c.Limit {
		return fault("has more than %d bytes: an event may have no more", c.Limit)
	}
	if _, err := platen.SourceFields(row.Body); err != nil {
		return err
	}
	if c.Reference != "" {
		text, ok := textAt(row.Body, c.Reference)
		if !ok || text != "" && !platen.IsReference(text) {
			return fault("has no reference in %s: it must be a text or a number of 1 to %d printable characters", c.Reference, platen.MaxReference)
		}
		row.Reference = text
	}
	if c.Number != "" {
		return c.takeNumber(row)
	}
	return nil
}

// textAt is the text or number at a dotted path of an object; empty: there is nothing. It is
// not ok for anything else.
func textAt(body []byte, path string) (text string, ok bool) {
	value := json.RawMessage(body)
	for _, name := range strings.Split(path, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return "", false
		}
		if value = object[name]; value == nil {
			return "", true
		}
	}
	var v any
	in := json.NewDecoder(bytes.NewReader(value))
	in.UseNumber()
	if in.Decode(&v) != nil {
		return "", false
	}
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

func (c *Checker) add(number int, err error) {
	c.Wrong++
	if len(c.Faults) == c.Most {
		return
	}
	message := "cannot be read"
	if known, ok := errors.AsType[*platen.Error](err); ok {
		message = strings.TrimPrefix(known.Message, "the body ")
	}
	c.Faults = append(c.Faults, platen.Fault{Row: number, Message: message})
}

// err is the error of a file with rows that cannot be taken.
func (c *Checker) err() error {
	first := c.Faults[0]
	e := platen.Errorf(platen.KindInvalid, CodeInvalid, "%d of %d rows cannot be taken, and nothing was stored: see errors. Row %d %s.", c.Wrong, c.Count, first.Row, first.Message)
	e.Faults = c.Faults
	return e
}

// takeNumber takes the number of a row out of its data.
func (c *Checker) takeNumber(row *platen.BatchRow) error {
	text, ok := textAt(row.Body, c.Number)
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 1 || n > math.MaxInt32 { // tables number rows by their lines
		return fault("has no number of a row in %s: it must be a whole number from 1 to %d", c.Number, math.MaxInt32)
	}
	if c.numbers[n] {
		return fault("has the number %d, as another row of the file", n)
	}
	if c.numbers == nil {
		c.numbers = map[int]bool{}
	}
	c.numbers[n] = true
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(row.Body, &fields); err != nil {
		return err
	}
	if _, ok := fields[c.Number]; !ok {
		return fault("has its number within %s: name a field that is in none", c.Number)
	}
	delete(fields, c.Number)
	var body bytes.Buffer
	out := json.NewEncoder(&body)
	out.SetEscapeHTML(false)
	if err := out.Encode(fields); err != nil {
		return err
	}
	row.Number, row.Body = n, bytes.TrimSpace(body.Bytes())
	return nil
}

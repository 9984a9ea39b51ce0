package platen

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A ReviewCorrection is that somebody who was to approve an output has corrected its data
// instead: it is made again of that, and all are asked in another round.
type ReviewCorrection struct {
	By     string   // who did; empty once the source data was erased
	Fields []string // that differ from the data of before, such as "Items[1].Price"; likewise
	At     time.Time
	UserID string // usr_… of who was signed in; empty: it came by a link
}

// Limits of corrections.
const (
	MaxCorrections     = 50  // of one output
	MaxCorrectedFields = 50  // that are named; the last one may be more
	maxCorrectedName   = 100 // characters
	more               = "…"
)

// Correct lets somebody have the output of a review made again. failed: it could not be made
// of what it was corrected to. KindInvalid with code "review_ended": it waits for nobody any
// more. KindForbidden: "not_an_approver".
func (r *Review) Correct(c ReviewCorrection, failed bool) error {
	switch {
	case failed && r.Verdict == VerdictCorrected:
		_, err := r.For(c.By, c.At)
		return err
	case r.Verdict != "":
		return Errorf(KindInvalid, "review_ended", "The output waits for nobody any more: it is %s.", r.Verdict)
	case !c.At.Before(r.ExpiresAt):
		return Errorf(KindInvalid, "review_ended", "The time to approve the output is over.")
	}
	if _, err := r.For(c.By, c.At); err != nil {
		return err
	}
	r.Verdict, r.DecidedAt = VerdictCorrected, &c.At
	return nil
}

// ErrNothingCorrected is KindInvalid for a correction that changes no field.
func ErrNothingCorrected() error {
	return Errorf(KindInvalid, "nothing_corrected", "The data is what the output was made of. Change a field, or approve or reject the output.")
}

// ErrTooManyCorrections is KindInvalid for an output that was corrected too often.
func ErrTooManyCorrections() error {
	return Errorf(KindInvalid, "too_many_corrections", "The output was corrected %d times, and is not corrected any more: reject it, and send the event again.", MaxCorrections)
}

// CorrectedFields names the fields in which two JSON objects differ, in the order of their
// names, MaxCorrectedFields at most. Values are compared as they are written: 1 and 1.0
// differ.
func CorrectedFields(before, after []byte) ([]string, error) {
	a, err := readObject(before)
	if err != nil {
		return nil, err
	}
	b, err := readObject(after)
	if err != nil {
		return nil, err
	}
	var found []string
	addDifferences(&found, "", a, b)
	return shortened(found), nil
}

// JoinCorrectedFields names the fields of two corrections, one after the other. Nobody was
// asked about the first.
func JoinCorrectedFields(first, second []string) []string {
	all := slices.DeleteFunc(slices.Concat(first, second), func(name string) bool { return name == more })
	slices.Sort(all)
	all = slices.Compact(all)
	if slices.Contains(first, more) || slices.Contains(second, more) {
		all = append(all, more)
	}
	return shortened(all)
}

func shortened(names []string) []string {
	if len(names) > MaxCorrectedFields {
		names = append(names[:MaxCorrectedFields-1], more)
	}
	return names
}

func readObject(text []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	d.UseNumber()
	if err := d.Decode(&v); err != nil && err != io.EOF {
		return nil, err
	}
	return v, nil
}

func addDifferences(found *[]string, at string, a, b any) {
	if len(*found) > MaxCorrectedFields {
		return
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			names := slices.Collect(maps.Keys(a))
			for name := range b {
				if _, both := a[name]; !both {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			for _, name := range names {
				x, in := a[name]
				y, out := b[name]
				if in != out {
					addField(found, below(at, name))
					continue
				}
				addDifferences(found, below(at, name), x, y)
			}
			return
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				addDifferences(found, at+"["+strconv.Itoa(i+1)+"]", a[i], b[i])
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		addField(found, at)
	}
}

func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// addField adds a name, shortened, once.
func addField(found *[]string, name string) {
	if utf8.RuneCountInString(name) > maxCorrectedName {
		name = string([]rune(name)[:maxCorrectedName-1]) + more
	}
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "\ufffd"), "\x00", "\ufffd") // no text of the database holds U+0000
	if !slices.Contains(*found, name) {
		*found = append(*found, name)
	}
}

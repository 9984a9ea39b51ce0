package fill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// A Content is what a copy of a template has in it.
type Content int

const (
	// Unclear: neither of the others. The template may have changed since the copy was
	// made, or has blocks, rows, pictures or links.
	Unclear Content = iota
	// Untouched: the texts of the template.
	Untouched
	// Filled: what the texts of the template come to with the data, also where that
	// changes nothing.
	Filled
)

// Examine tells what a copy of a template has in it, and what the template comes to
// with the data. It reads the texts of both and changes nothing. A template that
// is not there or cannot be read makes the copy Unclear.
func (f *Filling) Examine(ctx context.Context, drive Drive, copied platen.File) (Content, Outcome, error) {
	unpictured := *f
	unpictured.Obtain = nil
	var untouched, filled []string
	var out Outcome
	_, err := edit(ctx, drive, f.document.File, platen.ReadTexts, func(t Template) (batch, error) {
		said, err := t.texts()
		if err != nil {
			return batch{}, err
		}
		untouched = sortedTexts(said)
		b, worked, err := unpictured.compose(t)
		if out = worked; err == nil && b.replacesOnly() {
			filled = sortedTexts(b.replaceIn(said))
		}
		return batch{}, nil
	})
	switch {
	case IsUnreadable(err):
		return Unclear, out, nil
	case err != nil:
		return Unclear, out, fmt.Errorf("read the template: %w", err)
	}
	found, err := Texts(ctx, drive, copied)
	switch {
	case err != nil:
		return Unclear, out, fmt.Errorf("read the copy: %w", err)
	case filled != nil && slices.Equal(found, filled):
		return Filled, out, nil
	case slices.Equal(found, untouched):
		return Untouched, out, nil
	}
	return Unclear, out, nil
}

// IsUnreadable tells of an error that says that a file cannot be read, now or later.
func IsUnreadable(err error) bool {
	if err == nil {
		return false
	}
	kind := platen.KindOf(err)
	return kind == platen.KindNotFound || kind == platen.KindForbidden || kind == platen.KindInvalid
}

// ErrNoTemplate says that the template of a copy is not there or cannot be read, now
// or later: nothing can be compared with it.
var ErrNoTemplate = errors.New("the template of the copy cannot be read")

// IsUntouched tells whether nothing was filled into a copy: it has the texts of its
// template, or, where that was edited since, tags that no value can have brought.
// event is the data that would fill it, a JSON object; nil: nobody knows what may have.
func IsUntouched(ctx context.Context, drive Drive, template, copied platen.File, event []byte) (bool, error) {
	want, err := Texts(ctx, drive, template)
	if IsUnreadable(err) {
		return false, errors.Join(ErrNoTemplate, err)
	}
	if err != nil {
		return false, fmt.Errorf("read the template: %w", err)
	}
	got, err := Texts(ctx, drive, copied)
	if err != nil {
		return false, fmt.Errorf("read the copy: %w", err)
	}
	if slices.Equal(got, want) {
		return true, nil
	}
	if mayHoldTag(event) {
		return false, nil
	}
	return HasTags(ctx, drive, copied)
}

// HasTags tells whether tags stand in a file, descriptions of pictures included.
func HasTags(ctx context.Context, drive Drive, file platen.File) (bool, error) {
	t, err := Read(ctx, drive, file)
	if err != nil {
		return false, fmt.Errorf("look for tags: %w", err)
	}
	e := lang.NewEvaluator(nil, lang.Builtins{})
	nonce, requests := platen.NewKey(), 0
	t.Show(
		func(d *docs.Document) { made, _ := ComposeDocument(d, e, nonce); requests = len(made) },
		func(p *slides.Presentation) { made, _ := ComposePresentation(p, e, nonce); requests = len(made) },
	)
	found := func(f lang.Finding) bool { return f.Tag != "" }
	return requests > 0 || len(e.Missing()) > 0 || slices.ContainsFunc(e.Findings(), found), nil
}

// mayHoldTag tells whether values of the data have braces, so that what they are
// filled into may look like a template.
func mayHoldTag(event []byte) bool {
	var data any
	if err := json.Unmarshal(event, &data); err != nil {
		return true
	}
	return holdsBrace(data)
}

func holdsBrace(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, "{")
	case []any:
		return slices.ContainsFunc(v, holdsBrace)
	case map[string]any:
		for _, inner := range v {
			if holdsBrace(inner) {
				return true
			}
		}
	}
	return false
}

// Texts reads the texts of a file, sorted: two files have the same where nothing was
// written into one of them since it was copied from the other.
func Texts(ctx context.Context, drive Drive, file platen.File) (all []string, err error) {
	_, err = edit(ctx, drive, file, platen.ReadTexts, func(t Template) (batch, error) {
		said, err := t.texts()
		all = sortedTexts(said)
		return batch{}, err
	})
	return all, err
}

func sortedTexts(texts []string) []string {
	return slices.Sorted(slices.Values(texts))
}

// replaceIn makes the changes of a batch that replaces only, in its order.
func (b batch) replaceIn(texts []string) []string {
	changed := slices.Clone(texts)
	replace := func(tag, value string) {
		for i, text := range changed {
			changed[i] = strings.ReplaceAll(text, tag, value)
		}
	}
	for _, r := range b.document {
		replace(r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
	}
	for _, r := range b.presentation {
		replace(r.ReplaceAllText.ContainsText.Text, r.ReplaceAllText.ReplaceText)
	}
	return changed
}

// texts are what the template says: a text for each header, footer and footnote, whose
// keys differ from file to file, and one for all else.
func (t Template) texts() (all []string, err error) {
	t.Show(
		func(d *docs.Document) { all, err = texts(d) },
		func(p *slides.Presentation) { all, err = texts(p) },
	)
	return all, err
}

// texts joins what stands under "content" in an answer of the Docs or the Slides API,
// wherever that is text: how text is cut into runs says nothing.
func texts(answer any) ([]string, error) {
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	var whole any
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	var apart []string
	var walk func(to *strings.Builder, key string, value any)
	walk = func(to *strings.Builder, key string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if key == "headers" || key == "footers" || key == "footnotes" {
					var one strings.Builder
					walk(&one, k, v[k])
					apart = append(apart, one.String())
					continue
				}
				walk(to, k, v[k])
			}
		case []any:
			for _, inner := range v {
				walk(to, key, inner)
			}
		case string:
			if key == "content" {
				to.WriteString(v)
			}
		}
	}
	var body strings.Builder
	walk(&body, "", whole)
	return append(apart, body.String()), nil
}

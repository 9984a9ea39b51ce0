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

	"github.com/platenhq/platen/internal/platen"
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
	// Filled: the texts of the template, filled with the data, also where that changes
	// nothing.
	Filled
)

// Examine tells what a copy of a template has in it, and the outcome of the template
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

// IsUnreadable tells of an error that says that a file cannot be read, now or later. A
// connection that broke says nothing about a file: its owner can connect again.
func IsUnreadable(err error) bool {
	if e, ok := errors.AsType[*platen.Error](err); err == nil || ok && e.Code == platen.CodeConnectionBroken {
		return false
	}
	kind := platen.KindOf(err)
	return kind == platen.KindNotFound || kind == platen.KindForbidden || kind == platen.KindInvalid
}

// A Comparison tells what stands in a copy beside its template.
type Comparison struct {
	// Untouched: nothing was filled into the copy. It has the texts of its template, or,
	// where that was edited since or cannot be read, tags that no value can have brought.
	Untouched bool
	// HasTags: tags stand in the copy, descriptions of pictures included.
	HasTags bool
	// NoTemplate: the template is not there or cannot be read, now or later.
	NoTemplate bool
}

// Compare reads a template and a copy of it, each once. with is what would fill the
// copy; nil: nobody knows what may have. The error is that of reading the copy, or one
// of the template that may pass.
func Compare(ctx context.Context, drive Drive, template, copied platen.File, with *Filling) (Comparison, error) {
	want, err := Texts(ctx, drive, template)
	gone := IsUnreadable(err)
	if err != nil && !gone {
		return Comparison{}, fmt.Errorf("read the template: %w", err)
	}
	var got []string
	hasTags := false
	_, err = edit(ctx, drive, copied, platen.ReadTexts, func(t Template) (batch, error) {
		said, err := t.texts()
		got, hasTags = sortedTexts(said), t.hasTags()
		return batch{}, err
	})
	if err != nil {
		return Comparison{}, fmt.Errorf("read the copy: %w", err)
	}
	asTemplate := !gone && slices.Equal(got, want)
	return Comparison{Untouched: asTemplate || hasTags && !with.mayBringTags(), HasTags: hasTags, NoTemplate: gone}, nil
}

// hasTags tells whether there is anything to fill. A template's texts are enough.
func (t Template) hasTags() bool {
	e := lang.NewEvaluator(nil, lang.Builtins{})
	nonce, requests := platen.NewKey(), 0
	t.Show(
		func(d *docs.Document) { made, _ := ComposeDocument(d, e, nonce); requests = len(made) },
		func(p *slides.Presentation) { made, _ := ComposePresentation(p, e, nonce); requests = len(made) },
	)
	found := func(f lang.Finding) bool { return f.Tag != "" }
	return requests > 0 || len(e.Missing()) > 0 || slices.ContainsFunc(e.Findings(), found)
}

// mayBringTags tells whether values of the data or of the built-in tags have braces, so
// that what they are filled into may look like a template.
func (f *Filling) mayBringTags() bool {
	if f == nil {
		return true
	}
	var data any
	if err := json.Unmarshal(f.event, &data); err != nil {
		return true
	}
	return holdsBrace(data) || holdsBrace(f.builtins.WorkflowName) || holdsBrace(f.builtins.AutomationID)
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

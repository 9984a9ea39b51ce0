package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Change is one field that an apply sets. Before and After are as JSON; empty: not there.
type Change struct{ Path, Before, After string }

// A changes is what differs between an entry and what is there.
type changes struct {
	workflow  []Change
	webhook   []Change
	documents []documentChanges // of the entry's documents, in their order
	// extra are indexes of documents that are there and in no file.
	extra []int
	// extraWebhook: there is an outgoing webhook, and the file names none.
	extraWebhook bool
	parts        []partChanges // receivers, targets and schedules
	extraParts   []extraPart
}

type documentChanges struct {
	current  int // index of the document that is there; -1: it is to be added
	template []Change
	settings []Change
}

func (c changes) all() []Change {
	all := append(slices.Clone(c.workflow), c.webhook...)
	for _, d := range c.documents {
		all = append(append(all, d.template...), d.settings...)
	}
	for _, p := range c.parts {
		all = append(all, p.settings...)
	}
	return all
}

// hidden stands for a value that is a secret.
const hidden = "(hidden)"

// compare finds what differs. An error says what no apply can change.
func compare(e Entry, o observed) (changes, error) {
	var c changes
	want, have := e.Workflow, o.said
	if want.Color == "" {
		want.Color = have.Color
	}
	if want.Icon == "" {
		want.Icon = have.Icon
	}
	if auto := want.AutoCreate == nil || *want.AutoCreate; auto != (have.AutoCreate == nil) {
		return c, fmt.Errorf("%s: workflows.%s.autoCreate is given when a workflow is made, and is %v: write that, or give the workflow another name", e.at("/autoCreate"), e.Name, !auto)
	}
	if len(want.SourceFields) > 0 && !slices.Equal(want.SourceFields, o.Source.Fields) {
		return c, fmt.Errorf("%s: workflows.%s.sourceFields are given when a workflow is made, and are [%s]: write these, or leave them out", e.at("/sourceFields"), e.Name, strings.Join(o.Source.Fields, ", "))
	}
	c.workflow = e.between("", flat(have.Settings), flat(want.Settings))
	switch {
	case want.OutgoingWebhook != nil:
		address := func(w Workflow) map[string]string { return flat(w.OutgoingWebhook) }
		c.webhook = e.between("/outgoingWebhook", address(have), address(want))
	case have.OutgoingWebhook != nil:
		c.extraWebhook = true
	}
	of, extra := match(e, o)
	c.extra = extra
	for i, d := range want.Documents {
		pointer, found := fmt.Sprintf("/documents/%d", i), documentChanges{current: of[i]}
		before, after := map[string]string{}, flat(withoutTemplate(d))
		if of[i] >= 0 {
			before = flat(have.Documents[of[i]])
			if now := o.templates[of[i]]; !now.Has(hash(e.Templates[i])) {
				found.template = []Change{{dotted(pointer + "/template"), digest(now.SHA256), e.template(i)}}
			}
		} else {
			found.template = []Change{{dotted(pointer + "/template"), "", e.template(i)}}
		}
		found.settings = e.between(pointer, before, after)
		c.documents = append(c.documents, found)
	}
	var err error
	c.parts, c.extraParts, err = compareParts(e, o)
	return c, err
}

func withoutTemplate(d Document) Document {
	d.Template = ""
	return d
}

func hash(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// digest is a hash as people compare it.
func digest(hash string) string {
	if hash == "" {
		return "gone from the drive"
	}
	return "sha256 " + hash[:12]
}

func (e Entry) template(i int) string {
	name := e.Documents[i].Template
	if e.secrets[fmt.Sprintf("/documents/%d/template", i)] {
		name = hidden
	}
	return digest(hash(e.Templates[i])) + " of " + name
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimSpace(b.String())
}

// flat are the fields of a value by their pointers, and each as JSON. What has its zero
// value is left out.
func flat(v any) map[string]string {
	sent, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	var read any
	if decoder.Decode(&read) != nil {
		return nil
	}
	all := map[string]string{}
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(pointer+"/"+escaped(name), member)
			}
		case []any:
			for i, item := range v {
				walk(pointer+"/"+strconv.Itoa(i), item)
			}
		case string:
			if v != "" {
				all[pointer] = quoted(v)
			}
		case nil:
		default:
			all[pointer] = fmt.Sprint(v)
		}
	}
	walk("", read)
	return all
}

// between are the fields that differ, below a pointer, in the order of their names.
func (o origin) between(pointer string, before, after map[string]string) []Change {
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	var found []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] == after[name] {
			continue
		}
		at := pointer + "/" + strings.TrimPrefix(name, "/")
		change := Change{dotted(at), before[name], after[name]}
		if o.isSecret(at) {
			change.Before, change.After = hide(change.Before), hide(change.After)
		}
		found = append(found, change)
	}
	return found
}

// isSecret tells whether the environment gave the value at a pointer, or a part of it, or
// the value is a password.
func (o origin) isSecret(pointer string) bool {
	for secret := range o.secrets {
		if secret == pointer || strings.HasPrefix(secret, pointer+"/") {
			return true
		}
	}
	return strings.HasSuffix(pointer, "/pdfPassword") || strings.HasSuffix(pointer, "/password") || strings.HasSuffix(pointer, "/secret")
}

func hide(value string) string {
	if value == "" {
		return ""
	}
	return hidden
}

// match finds which document that is there each of the entry's is: the one with its output
// name and template, else with its output name, else with its template, else the next of
// its kind that is left. -1: none is. extra are those that are left then.
func match(e Entry, o observed) (of, extra []int) {
	of, taken := make([]int, len(e.Documents)), map[int]bool{}
	for i := range of {
		of[i] = -1
	}
	same := func(i, j int, name, template bool) bool {
		return o.Documents[j].Type == kindOf(e.Documents[i].Template) &&
			(!name || o.said.Documents[j].OutputName == e.Documents[i].OutputName) &&
			(!template || o.templates[j].Has(hash(e.Templates[i])))
	}
	for _, by := range []struct{ name, template bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		for i := range of {
			for j := range o.Documents {
				if of[i] < 0 && !taken[j] && same(i, j, by.name, by.template) {
					of[i], taken[j] = j, true
				}
			}
		}
	}
	for j := range o.Documents {
		if !taken[j] {
			extra = append(extra, j)
		}
	}
	return of, extra
}

// members are the names of a document's settings that changes are in.
func members(all []Change, index int) map[string]bool {
	names := map[string]bool{}
	for _, c := range all {
		name := strings.TrimPrefix(c.Path, fmt.Sprintf("documents[%d].", index))
		name, _, _ = strings.Cut(name, ".")
		name, _, _ = strings.Cut(name, "[")
		names[name] = true
	}
	return names
}

package preview

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxLines is how many items a list that is typed in may have.
const maxLines = 200

// A form is data as somebody types it: a text for each source field.
type form struct {
	root  map[string]any
	lists map[string]bool
}

// makeEvent makes an event of texts by source field. The fields of a list have
// a line for each item; lists are those of the template, and those where
// somebody typed several lines. Fields without a text are left out.
func makeEvent(fields []string, texts map[string]string, lists map[string]bool) ([]byte, error) {
	f := form{root: map[string]any{}, lists: map[string]bool{}}
	for path := range lists {
		f.lists[path] = true
	}
	lines := map[string][]string{}
	for _, name := range fields {
		text := strings.Trim(strings.ReplaceAll(texts[name], "\r\n", "\n"), "\n")
		if text == "" {
			continue
		}
		all := strings.SplitN(text, "\n", maxLines+1)
		lines[name] = all[:min(len(all), maxLines)]
		if parent := parentOf(name); len(all) > 1 && parent != "" && !f.inList(parent) {
			f.lists[parent] = true
		}
	}
	for _, name := range fields {
		if of := lines[name]; of != nil {
			f.put(name, of)
		}
	}
	out, err := json.Marshal(f.root)
	if err != nil {
		return nil, fmt.Errorf("write the data that was typed in: %w", err)
	}
	return out, nil
}

func parentOf(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '.'))]
}

func (f form) inList(path string) bool {
	for ; path != ""; path = parentOf(path) {
		if f.lists[path] {
			return true
		}
	}
	return false
}

// put stores what was typed for a field: in a list line by line, else as one
// text. What does not fit to what another field made of the same path stays
// under its whole name, which tags find as well.
func (f form) put(name string, lines []string) {
	list := parentOf(name)
	for list != "" && !f.lists[list] {
		list = parentOf(list)
	}
	if list == "" {
		var value any = strings.Join(lines, "\n")
		if f.lists[name] {
			value = lines
		}
		if !setAt(f.root, strings.Split(name, "."), value) {
			setAt(f.root, []string{name}, value)
		}
		return
	}
	items, ok := f.items(list)
	if !ok {
		setAt(f.root, []string{name}, lines)
		return
	}
	rest := strings.Split(strings.TrimPrefix(name, list+"."), ".")
	for i, line := range lines {
		if len(*items) <= i {
			*items = append(*items, map[string]any{})
		}
		setAt((*items)[i].(map[string]any), rest, line)
	}
}

// items is the list at a path; a list inside another one belongs to its first
// item.
func (f form) items(path string) (*[]any, bool) {
	at := f.root
	steps := strings.Split(path, ".")
	for i, step := range steps {
		isList := f.lists[strings.Join(steps[:i+1], ".")]
		if at[step] == nil && isList {
			at[step] = &[]any{map[string]any{}}
		} else if at[step] == nil {
			at[step] = map[string]any{}
		}
		switch next := at[step].(type) {
		case map[string]any:
			at = next
		case *[]any:
			if i == len(steps)-1 {
				return next, true
			}
			at = (*next)[0].(map[string]any)
		default:
			return nil, false
		}
	}
	return nil, false
}

// setAt stores a value at a path, unless something else is there.
func setAt(at map[string]any, path []string, value any) bool {
	for _, step := range path[:len(path)-1] {
		if at[step] == nil {
			at[step] = map[string]any{}
		}
		next, ok := at[step].(map[string]any)
		if !ok {
			return false
		}
		at = next
	}
	last := path[len(path)-1]
	if at[last] != nil {
		return false
	}
	at[last] = value
	return true
}

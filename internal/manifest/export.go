package manifest

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/platenhq/platen/client"
)

// File is the name of the file that an export writes.
const File = "platen.yaml"

// Export returns the files, by their paths, that say of workflows what is there. No secret
// is in them: a password that has no tag, and the secret of a target, a schedule or a sender, is a
// reference to a variable, which variables names.
func Export(ctx context.Context, api *client.Client, ids []string) (files map[string][]byte, variables []string, err error) {
	files = map[string][]byte{}
	var entries []Entry
	used := map[string]map[string]bool{} // names of senders, by owner
	var references []map[string]bool
	taken := map[string]bool{}
	for _, id := range ids {
		o, err := observe(ctx, api, "", id)
		if err != nil {
			return nil, nil, fmt.Errorf("export %s: %w", id, err)
		}
		templates, err := o.contents(ctx, api)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			if e.Name == o.Name {
				return nil, nil, fmt.Errorf("two workflows have the name %q, %s among them: give one another name, or name those to export by their ids", o.Name, o.ID)
			}
		}
		name := unused(taken, cmp.Or(slug(o.Name), "workflow"))
		e, written := Entry{Name: o.Name, Workflow: o.said}, map[string]bool{}
		refer := func(prefix string, i int, pointer string) string {
			of := variable(prefix, name, i+1)
			variables, written[fmt.Sprintf(pointer, i)] = append(variables, of), true
			return "${" + of + "}"
		}
		for i := range e.Documents {
			d := &e.Documents[i]
			if d.Email != nil && d.Email.Sender != "" {
				if used[o.Owner.ID] == nil {
					used[o.Owner.ID] = map[string]bool{}
				}
				used[o.Owner.ID][d.Email.Sender] = true
			}
			number := fmt.Sprint(i + 1)
			d.Template = "templates/" + name + "-" + number + extensions[o.Documents[i].Type]
			files[d.Template] = templates[i]
			if d.PDFPassword != "" && !holdsTag(d.PDFPassword) {
				d.PDFPassword = refer("PDF_PASSWORD", i, "/documents/%d/pdfPassword")
			}
		}
		for i := range e.Targets {
			if e.Targets[i].Secret == hidden {
				e.Targets[i].Secret = refer("TARGET_SECRET", i, "/targets/%d/secret")
			}
		}
		for i := range e.Schedules {
			if e.Schedules[i].Secret == hidden {
				e.Schedules[i].Secret = refer("SCHEDULE_SECRET", i, "/schedules/%d/secret")
			}
		}
		entries, references = append(entries, e), append(references, written)
	}
	senders, passwords, err := exportSenders(ctx, api, used)
	if err != nil {
		return nil, nil, err
	}
	variables = append(passwords, variables...)
	files[File], err = encode(Files{Workflows: entries, Senders: senders}, references)
	return files, variables, err
}

// unused is a name that is not taken yet, and takes it.
func unused(taken map[string]bool, name string) string {
	found := name
	for n := 2; taken[found]; n++ {
		found = fmt.Sprintf("%s-%d", name, n)
	}
	taken[found] = true
	return found
}

// holdsTag tells a template from a text that is the same for everybody, as an export of the
// service does.
func holdsTag(text string) bool {
	_, rest, ok := strings.Cut(text, "{{")
	return ok && strings.Contains(rest, "}}")
}

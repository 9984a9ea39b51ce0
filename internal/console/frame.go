package console

import (
	"context"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
)

// A frame is what stands around a page for somebody who signed in.
type frame struct {
	// Here is the entry of the side bar that the page belongs to: today, workflows, find,
	// numbers, senders, usage, operators, or the id of a workflow.
	Here string
	// Workflows are those of the side bar; More says that there are others.
	Workflows []client.Workflow
	More      bool
}

// onSide is how many workflows the side bar has.
const onSide = 12

// around reads what stands around a page, but not what the page has read. Without the list of
// workflows the page is shown all the same. A token for single workflows has no list.
func (r request) around(ctx context.Context, read []client.Workflow) *frame {
	f := &frame{Here: here(r.URL.Path)}
	if r.me.Token.WorkflowIDs != nil {
		return f
	}
	if read != nil {
		live := slices.DeleteFunc(slices.Clone(read), func(w client.Workflow) bool { return w.Status == "ARCHIVED" })
		f.Workflows, f.More = live[:min(len(live), onSide)], len(live) > onSide
		return f
	}
	page := client.Page{Limit: onSide}
	found, err := client.Collect(r.api.Workflows(client.WithPage(ctx, &page), client.WorkflowQuery{Statuses: []string{"COMPLETE", "INCOMPLETE"}}))
	if err == nil {
		f.Workflows, f.More = found, page.Next != ""
	}
	return f
}

func here(path string) string {
	for _, entry := range [][2]string{{findPath, "find"}, {consolePath + "series/", "numbers"}, {sendersPath, "senders"}, {usagePath, "usage"}, {operatorPath, "operators"}} {
		if strings.HasPrefix(path, entry[0]) {
			return entry[1]
		}
	}
	id, isOne := strings.CutPrefix(path, consolePath+"workflows/")
	if id, _, _ = strings.Cut(id, "/"); isOne && id != "" {
		return id
	}
	if path == "/" {
		return "today"
	}
	return "workflows"
}

// A crumb is a page that another is below: its path below the base, and what it is called,
// by a text of ours or by its own name.
type crumb struct{ Path, Text, Name string }

var toWorkflows = crumb{Path: consolePath + "workflows/", Text: say("Workflows")}

func (workflowPage) above() []crumb    { return []crumb{toWorkflows} }
func (outputsPage) above() []crumb     { return []crumb{toWorkflows} }
func (runsPage) above() []crumb        { return []crumb{toWorkflows} }
func (batchesPage) above() []crumb     { return []crumb{toWorkflows} }
func (eventsPage) above() []crumb      { return []crumb{toWorkflows} }
func (newWorkflowPage) above() []crumb { return []crumb{toWorkflows} }
func (importPage) above() []crumb      { return []crumb{toWorkflows} }
func (numbersPage) above() []crumb {
	return []crumb{{Path: consolePath + "series/", Text: say("Series of numbers")}}
}

func (p runPage) above() []crumb {
	at := consolePath + "workflows/" + p.WorkflowID + "/"
	return []crumb{toWorkflows, {Path: at, Name: p.Workflow.Name}, {Path: at + "runs/", Text: say("Runs")}}
}

func (p batchPage) above() []crumb {
	at := consolePath + "workflows/" + p.WorkflowID + "/"
	return []crumb{toWorkflows, {Path: at, Name: p.Workflow.Name}, {Path: at + "batches/", Text: say("Batches")}}
}

// A workflowHead stands above every page of a workflow.
type workflowHead struct {
	Base string
	client.Workflow
	Tab string
}

func headOf(base string, w client.Workflow, tab string) workflowHead {
	return workflowHead{base, w, tab}
}

// A tabLink leads to a page of a workflow.
type tabLink struct{ Name, Path, Text string }

// Tabs are the pages of a workflow.
func (workflowHead) Tabs() []tabLink {
	return []tabLink{
		{"overview", "", say("Overview")}, {"outputs", "outputs/", say("Documents")}, {"runs", "runs/", say("Runs")}, {"batches", "batches/", say("Batches")}, {"template", "template/", say("Template")},
		{"data", "data/", say("Data")}, {"delivery", "delivery/", say("Delivery")}, {"events", "events/", say("Events")}, {"settings", "settings/", say("Settings")},
	}
}

// MakeAt is the form that makes a document; empty: the page does not offer it.
func (h workflowHead) MakeAt() string {
	if h.Status != "COMPLETE" || len(h.Documents) == 0 || !slices.Contains([]string{"overview", "outputs", "template"}, h.Tab) {
		return ""
	}
	return h.Documents[0].PreviewURL
}

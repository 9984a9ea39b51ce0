package api

import (
	"maps"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// The settings of a workflow itself are listed here alone. Requests, answers, copies, exports
// and imports have them from here.

// A workflowPatch has those that a request names.
type workflowPatch struct {
	name, color, icon, locale, orderedBy *string
}

// workflowExtensions are those that the specification does not have, as answers and exports
// show them.
type workflowExtensions struct {
	Locale    string `json:"locale,omitempty"`
	OrderedBy string `json:"orderedBy,omitempty"`
}

func extensionsOf(w platen.Workflow) workflowExtensions {
	return workflowExtensions{Locale: w.Locale, OrderedBy: w.OrderedBy}
}

func (in *workflowPatch) members() members {
	return members{
		"name":      text(&in.name, line(platen.MaxWorkflowName)),
		"color":     text(&in.color, color),
		"icon":      text(&in.icon, icon),
		"locale":    orNone(&in.locale, locale),
		"orderedBy": orNone(&in.orderedBy, short(platen.MaxTextTemplate)),
	}
}

// workflowNames are the fields of a workflowPatch.
func workflowNames() []string {
	return slices.Sorted(maps.Keys(new(workflowPatch).members()))
}

func (in workflowPatch) apply(to *platen.Workflow) {
	set(&to.Name, in.name)
	set(&to.Color, in.color)
	set(&to.Icon, in.icon)
	set(&to.Locale, in.locale)
	set(&to.OrderedBy, trimmed(in.orderedBy))
}

// settingsOfWorkflow makes another workflow like w.
func settingsOfWorkflow(w platen.Workflow) workflowPatch {
	return workflowPatch{name: &w.Name, color: &w.Color, icon: &w.Icon, locale: &w.Locale, orderedBy: &w.OrderedBy}
}

package console

import (
	"maps"
	"slices"
	"strings"
)

// A doneNote is what the page of a workflow says of a form that was carried out.
type doneNote struct {
	Text    string // empty: nothing is said
	Address string // a new one that it made; empty: none
	Rest    string
	place   string // the form beside which it stands
}

// A change is what a form has done, as addresses name it.
type change string

const (
	newPreview  change = "preview-address"
	newAddress  change = "address"
	newFormLink change = "form-link"
)

// doneNotes are those of each change, but for those of workflowTexts. A form of a document has its id in place.
var doneNotes = map[change]doneNote{
	"name":                  {Text: say("The name is saved."), place: "name"},
	"archived":              {Text: say("The workflow is archived."), place: "archive"},
	"added":                 {Text: say("The template is added."), place: "of"},
	"settings":              {Text: say("The settings are saved."), place: formSettings},
	"mail":                  {Text: say("The mail is saved."), place: formMail},
	"mail-removed":          {Text: say("No mail is sent any more."), place: formMail},
	"approval":              {Text: say("The approval is saved. It counts for events that come from now on."), place: formApproval},
	"approval-removed":      {Text: say("Outputs wait for nobody any more. Those that wait already still do."), place: formApproval},
	"template":              {Text: say("The template is replaced."), place: "of"},
	"removed":               {Text: say("The template is removed."), place: "documents"},
	"kept":                  {Text: say("The version is kept."), place: formKeep},
	"restored":              {Text: say("The version is put back."), place: "of"},
	newPreview:              {Text: say("The new preview address is"), Rest: say("The one before leads nowhere."), place: formPreview},
	"receiver":              {Text: say("The receiver is saved."), place: "receiver"},
	"receiver-removed":      {Text: say("The receiver is removed: nobody is told any more."), place: "receiver"},
	"secret":                {Text: say("A new secret is made. The one before signs along for 24 hours."), place: "secret"},
	"test-receiver":         {Text: say("The test receiver is saved."), place: "test-receiver"},
	"test-receiver-removed": {Text: say("The test receiver is removed: tests tell nobody."), place: "test-receiver"},
	"rule-added":            {Text: say("The receiver is added. It gets events of runs that start from now on. Test it below."), place: "receivers"},
	"rule":                  {Text: say("The receiver is saved."), place: formRule},
	"rule-secret":           {Text: say("A new secret is made. The one before signs along for 24 hours."), place: formRule},
	"rule-removed":          {Text: say("The receiver is removed. Events that it did not get fail."), place: "receivers"},
	"target-added":          {Text: say("The target is added. Documents that are made from now on are stored there, too. Test it below."), place: "targets"},
	"target":                {Text: say("The target is saved."), place: formTarget},
	"target-removed":        {Text: say("The target is removed. What it has stays there."), place: "targets"},
	"schedule-added":        {Text: say("The schedule is added. It starts runs from its next time on."), place: "schedules"},
	"schedule":              {Text: say("The schedule is saved."), place: formSchedule},
	"schedule-run":          {Text: say("It starts within seconds. Load the page again to see what became of it."), place: formSchedule},
	"schedule-removed":      {Text: say("The schedule is removed. What it started stays."), place: "schedules"},
	"public-form":           {Text: say("The form is saved."), place: formPublic},
	"public-form-removed":   {Text: say("The form is removed. What it made stays."), place: formPublic},
	newFormLink:             {Text: say("The new link is"), Rest: say("The one before leads nowhere."), place: formPublicRotate},
	newAddress:              {Text: say("The new address is"), place: "rotate"},
	"verification":          {Text: say("What senders are asked for is saved."), place: "verification"},
	"verification-removed":  {Text: say("Senders are asked for nothing any more."), place: "verification"},
}

func noteOf(what change) doneNote {
	if t := textForm(string(what)); t != nil {
		return doneNote{Text: t.saved, place: t.Form}
	}
	return doneNotes[what]
}

// donePage is the page of a workflow, with what was done; of is the document, the receiver, the
// target or the schedule that was changed, empty where none was.
func donePage(workflow string, what change, of string) string {
	place := noteOf(what).place
	if place == "documents" || place == "receivers" || place == "targets" || place == "schedules" { // it is not there any more
		of = ""
	}
	return tabPath(workflow, tabOf(place)) + "?" + query("done", string(what), "of", of) + "#done"
}

// Done is what the page says beside a form.
func (p workflowPage) Done(place string) doneNote {
	note := noteOf(p.change)
	if p.changeOf != "" {
		note.place += "-" + p.changeOf
	}
	if note.Text == "" || note.place != place {
		return doneNote{}
	}
	switch p.change {
	case newAddress:
		note.Address = p.Source.URL
	case newFormLink:
		note.Address = p.PublicForm().URL
	case newPreview:
		if row := p.row(p.changeOf); row != nil {
			note.Address = row.PreviewURL
		}
	}
	return note
}

// saving are the forms that save what was typed in. Others do something.
var saving = []string{"name", formSettings, formMail, formApproval, "receiver", "test-receiver", "verification", formPublic, formRule, formTarget, formSchedule}

// NotDone says at the top of the page that a form was not carried out; empty: none failed.
func (p workflowPage) NotDone() saying {
	all := []saying{p.Problem}
	for _, field := range slices.Sorted(maps.Keys(p.Faults)) {
		all = append(all, p.Faults[field])
	}
	why := sentences(all...)
	if why == "" {
		return ""
	}
	return own(p.in.Text(p.failedWord())) + ": " + why
}

// FormAt is the id of the element that holds the form that is open.
func (p workflowPage) FormAt() string {
	if document, ok := strings.CutPrefix(p.Form, "versions-"); ok {
		return "form-" + formKeep + "-" + document
	}
	return "form-" + p.Form
}

func (p workflowPage) failedWord() string {
	if slices.Contains(saving, formKind(p.Form)) || textForm(p.Form) != nil {
		return say("Not saved")
	}
	return say("Not done")
}

// removedOr is what a change to this address was: without one, it removes.
func removedOr(address string, what change) change {
	if address == "" {
		return what + "-removed"
	}
	return what
}

package console

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/platenhq/platen/client"
)

// A tab is a page of a workflow, by the end of its path; overview is the first.
type tab string

const (
	tabOverview tab = "overview"
	tabTemplate tab = "template" // what its documents are made from
	tabData     tab = "data"     // where its events come from, and what they look like
	tabDelivery tab = "delivery" // whom it tells, by events and mails
	tabSettings tab = "settings"
)

// formTabs are the tabs of forms; those of workflowTexts are the settings', others the
// template's.
var formTabs = map[string]tab{
	"verification": tabData, "rotate": tabData, "test-receiver": tabData, formPublic: tabData, formPublicRotate: tabData, formSchedule: tabData, formScheduleRemove: tabData, "schedules": tabData,
	"receiver": tabDelivery, "secret": tabDelivery, "recover": tabDelivery, formMail: tabDelivery, formApproval: tabDelivery, formTarget: tabDelivery, formTargetRemove: tabDelivery, "targets": tabDelivery, formRule: tabDelivery, formRuleRemove: tabDelivery, "receivers": tabDelivery,
	"name": tabSettings, "archive": tabSettings, "copy": tabSettings, formSettings: tabSettings,
}

// tabOf is the tab that has a form, which may be one of a document, a receiver, a target or a schedule.
func tabOf(form string) tab {
	if t, ok := formTabs[formKind(form)]; ok {
		return t
	}
	if textForm(form) != nil {
		return tabSettings
	}
	return tabTemplate
}

// tabPath is where a tab of a workflow is below the base.
func tabPath(workflow string, t tab) string {
	path := consolePath + "workflows/" + workflow + "/"
	if t == tabOverview {
		return path
	}
	return path + string(t) + "/"
}

// routeTabs are the pages of a workflow itself.
func (s *site) routeTabs(mux *http.ServeMux, one string) {
	mux.HandleFunc("GET "+one+"{$}", s.page("workflow", s.workflow(tabOverview)))
	for _, t := range []tab{tabTemplate, tabData, tabDelivery, tabSettings} {
		mux.HandleFunc("GET "+one+string(t)+"/{$}", s.page("workflow", s.workflow(t)))
	}
}

// An overview says whether a workflow is well, and what it makes.
type overview struct {
	Chart  chart // of the last 30 days
	Newest []pictured
	// Mistakes are those of its templates. Faulty is the first template that has some;
	// IsChecked says that they are known.
	Mistakes  int
	Faulty    string
	IsChecked bool
}

// MistakesAt is the page that lists the mistakes of the first document that has some.
func (p workflowPage) MistakesAt() string {
	return "template/?" + query("check", p.Overview.Faulty) + "#of-" + p.Overview.Faulty
}

// First is the template that the overview shows; nil: there is none.
func (p workflowPage) First() *documentRow {
	if len(p.Documents) == 0 {
		return nil
	}
	return &p.Documents[0]
}

// Picture is where the pages of the template are below the host.
func (d documentRow) Picture() string { return pagesOf(d.PreviewURL) }

// MailedTo tells whether a document is sent by mail.
func (p workflowPage) Mailed() bool {
	return slices.ContainsFunc(p.Documents, func(d documentRow) bool { return d.Email != nil })
}

// readOverview reads what the first tab shows beside the newest runs.
func (s *site) readOverview(ctx context.Context, r request, p *workflowPage) error {
	counted, err := r.api.CountWorkflowAutomations(ctx, r.workflowID(), true)
	if err == nil {
		p.Overview.Chart = chartOf(r.Printer, true, counted)
	} else { // it takes too long; the page says the rest
		p.Overview.Chart = chart{Daily: true, Missing: true}
		s.Log.LogAttrs(ctx, slog.LevelWarn, "automations were not counted for a page", slog.String("error", err.Error()))
	}
	p.Overview.Newest = newestPictures(p.Recent)
	kept := r.keptCheckOf(ctx, p.Workflow)
	for _, d := range p.Workflow.Documents {
		p.Overview.Mistakes += kept.mistakes[d.ID]
	}
	p.Overview.Faulty, p.Overview.IsChecked = kept.faulty(p.Workflow), len(p.Documents) > 0 && kept.failed == nil
	if len(p.Documents) > 0 {
		p.Documents[0].lose(kept.failed)
	}
	if p.OutgoingWebhook == nil {
		return nil
	}
	return r.readReceiver(ctx, p)
}

// mistakesIn is how many mistakes a check found. Before the first event no name is wrong.
func mistakesIn(c client.DocumentCheck) int {
	if len(c.SourceFields) == 0 {
		c.Unfilled = nil
	}
	found := shown(c, "")
	return len(found.Numbered) + len(found.Faults) + len(found.Unfilled)
}

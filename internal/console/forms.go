package console

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// routeForms are those of a workflow's page. Each address leads to its form when it is
// opened: after a refusal it is the page's, which may be loaded again.
func (s *site) routeForms(mux *http.ServeMux, one string) {
	mux.HandleFunc("GET /console/new-workflow", s.page("new-workflow", s.newWorkflow))
	mux.HandleFunc("POST /console/new-workflow", s.page("new-workflow", s.createWorkflow))
	shown := func(path, form string, show func(context.Context, request) (view, error)) {
		mux.HandleFunc("POST "+one+path, s.page("workflow", show))
		s.routeBack(mux, one+path, form)
	}
	checked := func(path, form string, what change, do edit) { shown(path, form, s.form(form, what, do)) }
	plain := func(path, form string, what change, do func(context.Context, request) error) {
		checked(path, form, what, func(ctx context.Context, r request) (string, error) { return "", do(ctx, r) })
	}
	plain("name", "name", "name", s.rename)
	for _, t := range workflowTexts {
		plain(t.Form, t.Form, change(t.Form), t.save)
	}
	plain("archive", "archive", "archived", s.archive)
	checked("documents/", "add", "added", s.addDocument)
	checked("documents/{document}/settings", formSettings, "settings", s.setDocument)
	checked("documents/{document}/mail", formMail, "mail", s.setMail)
	plain("documents/{document}/mail/remove", formMail, "mail-removed", s.removeMail)
	checked("documents/{document}/approval", formApproval, "approval", s.setApproval)
	plain("documents/{document}/approval/remove", formApproval, "approval-removed", s.removeApproval)
	checked("documents/{document}/template", "template", "template", s.replaceTemplate)
	plain("documents/{document}/remove", "remove", "removed", s.removeDocument)
	plain("documents/{document}/preview-address", formPreview, newPreview, s.rotatePreview)
	shown("documents/{document}/check", formSample, s.checkDocument)
	mux.HandleFunc("POST "+one+"documents/{document}/sample", s.sample)
	s.routeBack(mux, one+"documents/{document}/sample", formSample)
	shown("receiver", "receiver", s.setReceiver)
	plain("receiver/rotate", "secret", "secret", s.rotateSecret)
	shown("receiver/recover", "recover", s.recoverEvents)
	shown("receiver/secret", "secret", s.showSecret)
	shown("test", "receiver", s.testReceiver)
	shown("test-receiver", "test-receiver", s.setTestReceiver)
	shown("test-receiver/secret", "test-receiver", s.showTestSecret)
	plain("receivers/", formRule, "rule-added", s.setRule)
	shown("receivers/check", formRule, s.checkRules)
	plain("receivers/{receiver}/change", formRule, "rule", s.setRule)
	plain("receivers/{receiver}/remove", formRuleRemove, "rule-removed", s.removeRule)
	plain("receivers/{receiver}/rotate", formRule, "rule-secret", s.rotateRule)
	shown("receivers/{receiver}/secret", formRule, s.showRuleSecret)
	shown("receivers/{receiver}/test", formRule, s.testRule)
	plain("targets/", formTarget, "target-added", s.setTarget)
	plain("targets/{target}/change", formTarget, "target", s.setTarget)
	plain("targets/{target}/remove", formTargetRemove, "target-removed", s.removeTarget)
	shown("targets/{target}/test", formTarget, s.testTarget)
	plain("schedules/", formSchedule, "schedule-added", s.setSchedule)
	plain("schedules/{schedule}/change", formSchedule, "schedule", s.setSchedule)
	plain("schedules/{schedule}/run", formSchedule, "schedule-run", s.runSchedule)
	plain("schedules/{schedule}/remove", formScheduleRemove, "schedule-removed", s.removeSchedule)
	plain("public-form", formPublic, "public-form", s.setPublicForm)
	plain("public-form/rotate", formPublicRotate, newFormLink, s.rotatePublicForm)
	plain("public-form/remove", formPublicRotate, "public-form-removed", s.removePublicForm)
	plain("source/rotate", "rotate", newAddress, s.rotateSource)
	plain("source/verification", "verification", "verification", s.setVerification)
	plain("source/verification/remove", "verification", "verification-removed", s.removeVerification)
}

// Forms of a document.
const (
	formSettings = "settings"
	formMail     = "mail"
	formApproval = "approval"
	formSample   = "sample"
	formPreview  = "preview"
	formKeep     = "keep"
)

// routeBack leads from the address of a form to the form.
func (s *site) routeBack(mux *http.ServeMux, path, form string) {
	if strings.HasSuffix(path, "/") {
		path += "{$}"
	}
	mux.HandleFunc("GET "+path, s.page("workflow", func(_ context.Context, r request) (view, error) {
		name := r.formName(form)
		return view{to: tabPath(r.workflowID(), tabOf(form)) + "?" + query("form", name) + "#form-" + name}, nil
	}))
}

// formName is what the page calls a form: one of a document, a receiver, a target or a
// schedule has the id of that.
func (r request) formName(form string) string {
	if id := r.formOf(); id != "" {
		form += "-" + id
	}
	return form
}

// formOf is the id of what the form is of; empty: it is of the workflow.
func (r request) formOf() string {
	return cmp.Or(r.PathValue("document"), r.PathValue("receiver"), r.PathValue("target"), r.PathValue("schedule"))
}

// documentPath is below /v0.
func (r request) documentPath() string {
	return r.workflowPath() + "/documents/" + r.PathValue("document") + "/"
}

// An edit is what a form of the workflow's page asks for. It returns the id of the
// document whose template is new, empty where none is: the page shows its mistakes.
type edit func(context.Context, request) (document string, err error)

// form carries out what a form of the workflow's page asks for and leads back to the
// page, which says beside the form why something was not done.
func (s *site) form(name string, what change, do edit) func(context.Context, request) (view, error) {
	return func(ctx context.Context, r request) (view, error) {
		document, failed := do(client.WithIfMatch(ctx, r.typed("etag")), r)
		if failed == nil {
			switch {
			case document == "":
				return view{to: donePage(r.PathValue("workflow"), what, r.formOf())}, nil
			case name == formSettings || name == formMail || name == formApproval:
				return view{to: savedPage(r.PathValue("workflow"), document, name)}, nil
			}
			return view{to: checkedPage(r.PathValue("workflow"), document, what)}, nil
		}
		return s.refusedForm(ctx, r, name, failed)
	}
}

// refusedForm is the page of the workflow with a form that was not carried out.
func (s *site) refusedForm(ctx context.Context, r request, name string, failed error) (view, error) {
	beside, above, err := r.explainForm(failed)
	if err != nil {
		return view{}, err
	}
	p, err := s.workflowPage(ctx, r, tabOf(name))
	if row := p.row(r.PathValue("document")); row != nil && row.lose(failed) {
		above = ""
	}
	p.Form, p.Problem, p.Faults, p.Typed = r.formName(name), above, beside, r.PostForm
	return view{Title: r.Text(p.failedWord()) + ": " + p.Name, Page: p, status: http.StatusBadRequest}, err
}

// refused is what a form says before /v0 is asked, in the language of the page.
func refused(detail string) error {
	return &client.Error{Status: http.StatusBadRequest, Detail: detail}
}

// refusedField is refused for one field of a form.
func refusedField(field, detail string) error {
	return &client.Error{Status: http.StatusBadRequest, Detail: detail, Faults: []client.Fault{{Pointer: "/" + field, Detail: detail}}}
}

// typed is a field of a form without the white space around it.
func (r request) typed(field string) string { return strings.TrimSpace(r.PostForm.Get(field)) }

// certain refuses a change that cannot be taken back unless its box is ticked.
func (r request) certain() error {
	if r.PostForm.Has("certain") {
		return nil
	}
	return refused(r.Text("Tick the box first: this cannot be taken back here."))
}

func (s *site) rename(ctx context.Context, r request) error {
	name := r.typed("name")
	if name == "" {
		return refusedField("name", r.Text("The name must not be empty."))
	}
	_, err := r.api.UpdateWorkflow(ctx, r.workflowID(), client.WorkflowChange{Name: name})
	return err
}

func (s *site) archive(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.api.ArchiveWorkflow(ctx, r.workflowID())
}

// setReceiver sets the outgoing webhook, changes it, or removes it where nothing was
// typed in. The page then tells what is wrong with an address that was taken.
func (s *site) setReceiver(ctx context.Context, r request) (view, error) {
	saved, failed := r.changeReceiver(client.WithIfMatch(ctx, r.typed("etag")))
	if failed != nil {
		return s.refusedForm(ctx, r, "receiver", failed)
	}
	if len(saved.Findings) == 0 {
		return view{to: donePage(r.PathValue("workflow"), removedOr(r.typed("webhookUrl"), "receiver"), "")}, nil
	}
	return view{to: toldPage(r.PathValue("workflow"), &saved)}, nil
}

// changeReceiver returns the receiver as it was saved; without an id where it was removed.
func (r request) changeReceiver(ctx context.Context) (saved client.OutgoingWebhook, err error) {
	w, err := r.api.Workflow(ctx, r.workflowID())
	if err != nil {
		return saved, err
	}
	switch address := r.typed("webhookUrl"); {
	case r.PostForm.Has("etag") && (r.typed("etag") == "") != (w.OutgoingWebhook == nil):
		// Somebody set a receiver meanwhile, or removed it.
		return saved, &client.Error{Status: http.StatusPreconditionFailed}
	case address == "" && w.OutgoingWebhook == nil:
		return saved, refused(r.Text("Type in the address that events are to be sent to."))
	case address == "":
		return saved, r.api.DeleteOutgoingWebhook(ctx, r.workflowID())
	case w.OutgoingWebhook == nil:
		return r.api.CreateOutgoingWebhook(ctx, r.workflowID(), address)
	default:
		return r.api.UpdateOutgoingWebhook(ctx, r.workflowID(), address)
	}
}

// showSecret is workflow with the secret that events are signed with.
func (s *site) showSecret(ctx context.Context, r request) (view, error) {
	found, err := r.api.SigningSecret(ctx, r.workflowID())
	if err != nil {
		return view{}, err
	}
	p, err := s.workflowPage(ctx, r, tabDelivery)
	p.Secret = &found
	return view{Title: p.Name, Page: p}, err
}

func (s *site) rotateSecret(ctx context.Context, r request) error {
	_, err := r.api.RotateSigningSecret(ctx, r.workflowID())
	return err
}

// recoverEvents is recoverFailed of the workflow's page.
func (s *site) recoverEvents(ctx context.Context, r request) (view, error) {
	v, failed := r.recovered(ctx)
	if failed != nil {
		return s.refusedForm(ctx, r, "recover", failed)
	}
	return v, nil
}

func (s *site) rotateSource(ctx context.Context, r request) error {
	hours, err := strconv.Atoi(r.typed("overlapHours"))
	if err != nil {
		return refused(r.Text("Type in the hours as a whole number, 0 for none."))
	}
	_, err = r.api.RotateSource(ctx, r.workflowID(), client.SourceRotation{OverlapHours: &hours})
	return err
}

// setVerification replaces what is asked. The form shows what is set but for secrets: a
// signature that is set stays asked for until somebody asks for nothing.
func (s *site) setVerification(ctx context.Context, r request) error {
	set, err := r.api.SourceVerification(ctx, r.workflowID())
	if err != nil {
		return err
	}
	switch {
	case set.Scheme != nil && r.typed("scheme") == "":
		return refused(r.Text("A signature is asked for, and this would take it away. Choose it and type in its secret, or use Ask for nothing first."))
	case set.Scheme != nil && r.typed("secrets") == "":
		return refused(r.Text("Type in the secret, too: what is set is replaced, and the page cannot show the secret that was."))
	}
	wanted := client.NewSourceVerification{Scheme: r.typed("scheme"), Secrets: strings.Fields(r.typed("secrets")), Networks: strings.Fields(r.typed("networks"))}
	if set.ToleranceSeconds != nil && platen.VerificationScheme(r.typed("scheme")).HasTimestamp() {
		wanted.ToleranceSeconds = *set.ToleranceSeconds // the form has no field for it
	}
	if wanted.Scheme == string(platen.SchemeHMAC) {
		wanted.Header, wanted.Encoding = r.typed("header"), r.typed("encoding")
		wanted.Prefix = strings.TrimLeft(r.PostForm.Get("prefix"), " ") // it may end with a space
	}
	_, err = r.api.SetSourceVerification(ctx, r.workflowID(), wanted)
	return err
}

func (s *site) removeVerification(ctx context.Context, r request) error {
	return r.api.RemoveSourceVerification(ctx, r.workflowID())
}

// sampleData is the event that was typed in; nil: none was.
func (r request) sampleData() (data []byte, problem string) {
	text := r.PostForm.Get("data")
	if strings.TrimSpace(text) == "" {
		return nil, ""
	}
	if problem := whyNoObject(r.Printer, text); problem != "" {
		return nil, problem
	}
	return []byte(text), ""
}

// sample answers with the pages of a document that was filled with what was typed in.
// What keeps it from having pages is shown beside the form.
func (s *site) sample(w http.ResponseWriter, r *http.Request) {
	in, ok := s.begin(w, r)
	if !ok {
		return
	}
	pdf, err := in.samplePDF(r.Context())
	if err != nil {
		s.page("workflow", s.form(formSample, "", func(context.Context, request) (string, error) { return "", err }))(w, r)
		return
	}
	w.Header().Set("Content-Type", platen.MIMEPDF)
	w.Header().Set("Content-Length", strconv.Itoa(len(pdf)))
	w.Header().Set("Content-Disposition", `inline; filename="sample.pdf"`)
	_, _ = w.Write(pdf) // fails only when nobody listens any more
}

func (r request) samplePDF(ctx context.Context) ([]byte, error) {
	data, problem := r.sampleData()
	if problem != "" {
		return nil, refused(problem)
	}
	if data == nil {
		data = []byte("{}")
	}
	// /v0 takes the id of another's document for a mistake of the body.
	if _, err := r.api.Document(ctx, r.workflowID(), r.PathValue("document")); err != nil {
		return nil, err
	}
	made, err := r.api.Preview(ctx, r.workflowID(), client.PreviewRequest{DocumentID: r.PathValue("document"), Data: data})
	if err != nil {
		return nil, err
	}
	if len(made.Documents) == 0 || made.Documents[0].PDF == nil {
		return nil, refused(r.Text("The template cannot be filled with this data. Check it to see why."))
	}
	return made.Documents[0].PDF, nil
}

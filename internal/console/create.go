package console

import (
	"context"
	"crypto/rand"
	"net/http"
	"path"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
)

type newWorkflowPage struct {
	Name, File, Receiver string
	// Once tells a form that was sent twice from two that are alike.
	Once    string
	NoDrive bool // no template can be kept
	Problem saying
	Faults  faults
}

// Fault is what is wrong with a field; id is that of the field.
func (p newWorkflowPage) Fault(field, id string) besideField {
	return besideField{ID: "fault-" + id, Text: p.Faults[field]}
}

func (s *site) newWorkflow(ctx context.Context, r request) (view, error) {
	lacks, err := s.lacksDrive(ctx, r)
	return view{Title: r.Text("New workflow"), Page: newWorkflowPage{Once: rand.Text(), NoDrive: lacks}}, err
}

// createWorkflow makes a workflow, with a template out of a file that was chosen or a
// copy of a drive file, and leads to its mistakes.
func (s *site) createWorkflow(ctx context.Context, r request) (view, error) {
	p := newWorkflowPage{Name: r.typed("name"), File: r.typed("file"), Receiver: r.typed("receiver"), Once: r.typed("once")}
	if p.Name == "" && r.file != nil {
		p.Name = proposedName(r.file.name)
	}
	content, err := r.chosen()
	if err != nil {
		p.Faults, p.Problem, err = r.explainForm(err)
		return p.again(r), err
	}
	if p.Faults = p.refuse(r.Printer, content); len(p.Faults) > 0 {
		return p.again(r), nil
	}
	if content != nil || p.File != "" {
		lacks, err := s.lacksDrive(ctx, r)
		if err != nil {
			return view{}, err
		}
		if lacks {
			p.Problem = own(r.Text("No drive is connected for you yet, so that no template can be kept, and nothing was made. Ask the operator of this Platen to connect one."))
			return p.again(r), nil
		}
	}
	wanted := client.NewWorkflow{Name: p.Name}
	if p.File != "" {
		wanted.Document = &client.NewDocument{FileID: p.File, DocumentSettings: withPDF()}
	}
	if p.Receiver != "" {
		wanted.OutgoingWebhook = &client.OutgoingWebhookAddress{URL: p.Receiver}
	}
	made, failed := r.api.CreateWorkflow(client.WithIdempotencyKey(ctx, p.Once), wanted)
	if failed != nil {
		if p.Faults, p.Problem, err = r.explainForm(failed); err != nil {
			return view{}, err
		}
		return p.again(r), nil
	}
	if content == nil {
		if len(made.Documents) == 0 {
			return view{to: toldPage(made.ID, made.OutgoingWebhook)}, nil
		}
		return view{to: checkedPage(made.ID, made.Documents[0].ID, "")}, nil
	}
	document, failed := r.firstTemplate(ctx, made.ID, content)
	if failed == nil {
		return view{to: checkedPage(made.ID, document, "")}, nil
	}
	// The workflow is there, so its page is where the file is chosen again.
	why, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	r.SetPathValue("workflow", made.ID)
	w, err := s.workflowPage(ctx, r, tabTemplate)
	w.Form, w.Problem = "add", sentences(own(r.Text("The workflow was made, and its template was not added:")), why, own(r.Text("Choose the file again here.")))
	return view{Title: w.Name, Page: w, status: http.StatusBadRequest, name: "workflow"}, err
}

// firstTemplate uploads the template of a new workflow once, however often its form is
// sent: /v0 keeps no answers to uploads. Of two at the same time the later one goes.
func (r request) firstTemplate(ctx context.Context, workflowID string, content []byte) (string, error) {
	before, err := r.api.Workflow(ctx, workflowID)
	if err != nil {
		return "", err
	}
	if len(before.Documents) > 0 {
		return before.Documents[0].ID, nil
	}
	document, err := r.uploadTemplate(ctx, workflowID, content)
	if err != nil {
		return "", err
	}
	after, err := r.api.Workflow(ctx, workflowID)
	if err != nil {
		return "", err
	}
	if len(after.Documents) == 0 || after.Documents[0].ID == document {
		return document, nil
	}
	return after.Documents[0].ID, r.api.RemoveDocument(ctx, workflowID, document)
}

// refuse says what is wrong with a form before anything is made of it.
func (p newWorkflowPage) refuse(in catalog.Printer, content []byte) faults {
	switch {
	case content != nil && p.File != "":
		return faults{"fileId": own(in.Text("Choose a file, or type in an address: the workflow begins with one template."))}
	case content != nil && opc.KindOf(content) == opc.OtherKind:
		if why := opc.WhyOther(content); why != "" {
			return faults{"upload": sentences(own(in.Text("This is no .docx or .pptx file:")), theirs(in, "", why+"."))}
		}
		return faults{"upload": own(in.Text("This is no .docx or .pptx file. Save the template as one in your word processor, and choose it again."))}
	case p.Name == "":
		return faults{"name": own(in.Text("The name must not be empty. Choose a file, whose name it takes, or type one in."))}
	}
	return nil
}

// again shows the form with what was typed in. A browser sends no file without its user,
// so a file is chosen again.
func (p newWorkflowPage) again(r request) view {
	p.Once = rand.Text() // a key belongs to what it was first sent with
	return view{Title: r.Text("New workflow"), Page: p, status: http.StatusBadRequest}
}

// checkedPage is the page of a workflow, with the mistakes of a document and with what was
// done to it; empty: nothing is said of that.
func checkedPage(workflow, document string, what change) string {
	return tabPath(workflow, tabTemplate) + "?" + query("check", document, "done", string(what)) + "#of-" + document
}

// savedPage is checkedPage once settings of a form were saved.
func savedPage(workflow, document, form string) string {
	at := tabPath(workflow, tabOf(form)) + "?saved=" + document
	if form == formApproval {
		return at + "&card=" + form + "#approval-of-" + document
	}
	return at + "#of-" + document
}

// toldPage is the page of a workflow, with the first that was found in its receiver; nil:
// it has none.
func toldPage(workflow string, receiver *client.OutgoingWebhook) string {
	if receiver != nil && len(receiver.Findings) > 0 {
		return tabPath(workflow, tabDelivery) + "?" + query("told", receiver.Findings[0].Code) + "#receiver"
	}
	return tabPath(workflow, tabOverview)
}

// proposedName is what a workflow is called after its template's file.
func proposedName(file string) string {
	file = path.Base(strings.ReplaceAll(file, `\`, "/"))
	name := strings.Join(strings.Fields(strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "_", " ")), " ")
	if runes := []rune(name); len(runes) > platen.MaxWorkflowName {
		name = string(runes[:platen.MaxWorkflowName])
	}
	return name
}

package preview

import (
	"context"
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// trialsAtOnce is how many files of rows are tried at once, one of each owner: a trial
// works for many seconds, and previews are not to wait for it.
const trialsAtOnce = 2

// A rowTrial are the templates of a workflow, read once, for many events.
type rowTrial struct {
	p         *Previewer
	wf        platen.Workflow
	templates []triedTemplate
}

// A triedTemplate is the template of a document, or one that is appended to its outputs.
type triedTemplate struct {
	document platen.Document
	*check.Template
	isWhole bool // it is no appendix
}

// TryRows reads the templates of a workflow once, so that many events can be tried on them.
// Nothing is made. Appended files that the caller cannot read, and large ones, are left out.
// The trial is to be closed. KindRateLimited with code "preview_busy": too many are tried.
func (p *Previewer) TryRows(ctx context.Context, wf platen.Workflow) (platen.RowTrial, error) {
	release, err := take(ctx, p.trials, wf.Owner.ID)
	if err != nil {
		return platen.RowTrial{}, err
	}
	t := &rowTrial{p: p, wf: wf}
	asked := &check.Template{}
	drive, err := p.Drives(ctx, wf.Owner.ID)
	for _, d := range wf.Documents {
		if err == nil {
			err = t.read(ctx, drive, d, asked)
		}
	}
	if err != nil {
		release()
		return platen.RowTrial{}, err
	}
	all := asked.Requirements()
	return platen.RowTrial{Try: t.try, Close: release, Unused: func(fields []string) (unused []platen.UnusedField) {
		for _, f := range lang.Unused(all, fields) {
			unused = append(unused, platen.UnusedField(f))
		}
		return unused
	}}, nil
}

// read reads the templates of a document, and has asked ask for what they do.
func (t *rowTrial) read(ctx context.Context, drive Drive, d platen.Document, asked *check.Template) error {
	source, err := readTemplate(ctx, drive, d)
	if err != nil {
		return err
	}
	whole := check.Read(source)
	t.templates = append(t.templates, triedTemplate{d, whole, true})
	asked.Append(whole)
	included, err := t.p.wholeOf(ctx, t.wf, d, whole, nil, false)
	if err != nil {
		return err
	}
	if included.template != nil {
		asked.Append(included.template)
	}
	own := t.p.driveOfCaller(ctx, drive, t.wf)
	for _, id := range d.Appended() {
		file, err := drive.File(ctx, id)
		filledAs, ok := platen.AppendedAs(file.MIMEType)
		if err != nil || !ok || filledAs == "" || !opens(ctx, own, drive, id) {
			continue // a check of the document says what is wrong with it
		}
		of := d.OfAppendix(file, filledAs)
		appended, err := readAppended(ctx, own, of, file)
		if err != nil && !fill.IsUnreadable(err) {
			return err
		}
		if err == nil && appended != nil {
			t.templates = append(t.templates, triedTemplate{of, appended, false})
			asked.Append(appended)
		}
	}
	addTexts(whole, d, true) // behind the filling of the file, which has none of them
	if e := d.Email; e != nil {
		for _, text := range []string{e.To, e.Subject, e.Text} {
			whole.Add(fill.EmailField, text)
		}
	}
	return nil
}

// try says what is wrong with an event. The error is that of a template that cannot be
// worked out at all.
func (t *rowTrial) try(row []byte) ([]platen.RowFinding, error) {
	made, all, err := t.decide(row)
	if err != nil || len(all) > 0 {
		return all, err
	}
	for _, one := range t.templates {
		d, ok := made[one.document.ID]
		switch {
		case !ok, !one.isWhole && len(d.Appendices) == 0:
			continue
		case !one.isWhole:
			d = one.document
		}
		filling, err := t.p.filling(t.wf, d, row)
		if err != nil {
			return nil, err
		}
		out, err := one.Try(filling)
		if err != nil {
			return nil, err
		}
		add := func(field string, ofTemplate bool, f platen.TemplateFinding) {
			all = append(all, platen.RowFinding{DocumentID: one.document.ID, Field: field, OfTemplate: ofTemplate, Code: f.Code, Message: f.Message, Nearest: f.Nearest, Note: f.Note})
		}
		for _, f := range out.Findings {
			message := f.WithValue()
			if f.Tag != "" && f.Field == "" && !strings.Contains(message, f.Tag) {
				message = f.Tag + ": " + message
			}
			add(f.Field, !f.Data, platen.TemplateFinding{Code: f.Code, Message: message, Nearest: f.Nearest, Note: f.Note})
		}
		missing := platen.TemplateFinding{Code: fill.CodeFieldsMissing, Message: "The row has no value for it, and the document is not made without.", Note: one.document.OnMissing != platen.MissingFail}
		if missing.Note {
			missing.Message = "The row has no value for it, so the document shows nothing there."
		}
		for _, name := range out.Missing {
			add(name, false, missing)
		}
		if r := one.RefusedFor(one.document, t.p.alts(out)); r != nil {
			add("", one.RefusedFor(one.document, t.p.alts(fill.Outcome{})) != nil, r.Finding())
		}
		if !one.isWhole {
			continue
		}
		for _, r := range filling.Refusals(nil) {
			field := r.Where
			if len(r.Missing) > 0 {
				field = r.Missing[0]
			}
			add(field, false, r.Finding())
		}
		for _, wrong := range filling.InvoiceFindings(true) {
			add(wrong.Where, wrong.Code == platen.CodeInvoiceMap, wrong)
		}
		for _, odd := range filling.CheckName() {
			add("outputName", false, platen.TemplateFinding{Code: odd.Code, Message: odd.Message, Note: true})
		}
	}
	return all, nil
}

// decide returns the documents that conditions let be made of an event, by their ids, or what
// is wrong with conditions: the event fails as a whole then.
func (t *rowTrial) decide(row []byte) (made map[string]platen.Document, wrong []platen.RowFinding, err error) {
	var plan platen.Plan
	for _, d := range t.wf.Documents {
		plan.Documents = append(plan.Documents, platen.PlannedDocument{Document: d})
	}
	data, err := lang.ParseData(row)
	if err != nil {
		return nil, nil, fmt.Errorf("parse a row: %w", err)
	}
	builtins := lang.Builtins{AcceptedAt: t.p.Now(), Zone: t.p.Location, AutomationID: fill.SampleAutomationID, WorkflowName: t.wf.Name, Locale: t.wf.Locale}
	err = plan.Decide(func(d platen.Document, c platen.Condition) (bool, error) {
		holds, f := fill.Holds(c, data, builtins)
		if f != nil {
			wrong = append(wrong, platen.RowFinding{DocumentID: d.ID, Field: c.Setting, Code: fill.CodeConditionFaulty, Message: "The condition cannot be worked out: " + f.Message})
		}
		return holds, nil
	})
	made = make(map[string]platen.Document, len(plan.Documents))
	for _, planned := range plan.Documents {
		made[planned.Document.ID] = planned.Document
	}
	return made, wrong, err
}

package console

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
)

// An invoicePage is how the e-invoice of a document is made.
type invoicePage struct {
	Workflow client.Workflow
	Document client.Document
	// Asked is what the form has: as it is stored, proposed or typed in.
	Asked    client.EInvoice
	Rows     []mapRow
	Proposed bool
	Saved    bool
	// Beside is what is wrong beyond single rows, Problem why the form was refused.
	Beside  []saying
	Problem saying
	Counts  *client.EInvoiceCount
}

// Terms are those that can be added, by their numbers.
func (invoicePage) Terms() []mapRow {
	var all []mapRow
	gatherTerms(einvoice.Outlined(), &all)
	slices.SortFunc(all, func(a, b mapRow) int { return einvoice.CompareTerms(a.Term, b.Term) })
	return all
}

func gatherTerms(o *einvoice.Outline, all *[]mapRow) {
	for number, term := range o.Terms {
		if number != "BT-24" { // the profile's
			*all = append(*all, mapRow{Term: number, Name: term.Name, Group: o.Name})
		}
	}
	for _, group := range o.Groups {
		gatherTerms(group, all)
	}
}

// Blank are the rows for what is added.
func (invoicePage) Blank() []int { return []int{1, 2, 3} }

func (p invoicePage) above() []crumb {
	return []crumb{toWorkflows, {Path: tabPath(p.Workflow.ID, tabOf(formSettings)), Name: p.Workflow.Name}}
}

// invoiceSuffix is where below a document its e-invoice is set.
const invoiceSuffix = "documents/{document}/einvoice"

func (s *site) routeInvoices(mux *http.ServeMux, one string) {
	mux.HandleFunc("GET "+one+invoiceSuffix, s.page("invoice", s.invoiceSetting))
	mux.HandleFunc("POST "+one+invoiceSuffix, s.page("invoice", s.setInvoice))
	mux.HandleFunc("GET "+readInvoicePath, s.page("read-invoice", s.askForInvoice))
	mux.HandleFunc("POST "+readInvoicePath, s.page("read-invoice", s.readInvoice))
}

func invoicePath(r request) string {
	return "/console/workflows/" + r.workflowID() + "/documents/" + r.PathValue("document") + "/einvoice"
}

// invoiceOf reads what the page shows beside its form.
func (s *site) invoiceOf(ctx context.Context, r request) (invoicePage, error) {
	var p invoicePage
	var err error
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return p, err
	}
	i := slices.IndexFunc(p.Workflow.Documents, func(d client.Document) bool { return d.ID == r.PathValue("document") })
	if i < 0 {
		return p, errNoPage
	}
	p.Document = p.Workflow.Documents[i]
	p.Asked = client.EInvoice{Syntax: string(platen.InvoiceCII), Profile: string(platen.InvoiceEN16931)}
	if p.Document.EInvoice != nil {
		p.Asked = *p.Document.EInvoice
	}
	return p, nil
}

// invoiceSetting shows the setting with what a check finds in it, or a proposal.
func (s *site) invoiceSetting(ctx context.Context, r request) (view, error) {
	p, err := s.invoiceOf(ctx, r)
	if err != nil {
		return view{}, err
	}
	p.Saved = r.URL.Query().Has("saved")
	profile := r.URL.Query().Get("propose")
	switch {
	case profile != "":
		proposed, err := r.api.ProposeEInvoice(ctx, p.Workflow.ID, p.Document.ID, profile)
		if err != nil {
			return view{}, err
		}
		p.Asked, p.Proposed = proposed.EInvoice, true
		p.Rows = mapRows(p.Asked.Map)
		for _, term := range proposed.Open {
			p.Rows = append(p.Rows, mapRow{Pointer: pointerOf(term.Term), Term: term.Term, Name: term.Name, Open: true})
		}
	case p.Document.EInvoice != nil:
		p.Rows = mapRows(p.Asked.Map)
		if err := p.check(ctx, r); err != nil {
			return view{}, err
		}
	}
	return view{Title: r.Text("E-invoice of %s", p.Document.File.Name), Page: p}, nil
}

// check puts what a check finds beside the rows.
func (p *invoicePage) check(ctx context.Context, r request) error {
	found, err := r.api.CheckDocument(ctx, p.Workflow.ID, p.Document.ID, nil)
	if err != nil {
		said, err := r.explained(err)
		if err != nil {
			return err
		}
		p.Beside = append(p.Beside, sentences(own(r.Text("The template could not be checked:")), said))
		return nil
	}
	p.Counts = found.EInvoices
	for _, f := range found.Findings {
		if place, ok := strings.CutPrefix(f.Where, "einvoice"); ok {
			message := f.Message
			if len(f.Nearest) > 0 {
				message += " Did you mean " + f.Nearest[0] + "?"
			}
			p.wrong(strings.ReplaceAll(strings.TrimPrefix(place, ".map"), ".", "/"), theirs(r.Printer, "", message))
		}
	}
	return nil
}

// wrong says something of the row at a pointer, or of the whole.
func (p *invoicePage) wrong(pointer string, message saying) {
	for i := range p.Rows {
		if p.Rows[i].Pointer == pointer {
			p.Rows[i].Wrong = append(p.Rows[i].Wrong, message)
			return
		}
	}
	p.Beside = append(p.Beside, message)
}

// rowField begins the names of fields that are rows of a map.
const rowField = "map"

// typedRows are the rows of the form: those that were there, and those that were added.
func typedRows(r request) []mapRow {
	var names []string
	for name := range r.PostForm {
		if strings.HasPrefix(name, rowField+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var rows []mapRow
	for _, name := range names {
		rows = append(rows, mapRow{Pointer: strings.TrimPrefix(name, rowField), Text: r.PostForm.Get(name)})
	}
	terms, texts := r.PostForm["term"], r.PostForm["text"]
	for i, term := range terms {
		if i < len(texts) && strings.TrimSpace(term) != "" {
			rows = append(rows, mapRow{Pointer: pointerOf(term), Text: texts[i]})
		}
	}
	return rows
}

// setInvoice saves the setting, or takes it away.
func (s *site) setInvoice(ctx context.Context, r request) (view, error) {
	p, err := s.invoiceOf(ctx, r)
	if err != nil {
		return view{}, err
	}
	rows := typedRows(r)
	wanted := client.EInvoice{Syntax: r.typed("syntax"), Profile: r.typed("profile"), Map: mapOf(rows)}
	if r.PostForm.Has("remove") {
		wanted = client.EInvoice{}
	}
	_, failed := r.api.UpdateDocument(ctx, p.Workflow.ID, p.Document.ID, client.DocumentSettings{EInvoice: &wanted})
	if failed == nil {
		return view{to: invoicePath(r) + "?saved"}, nil
	}
	said, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	p.Asked = wanted
	p.Rows = mapRows(wanted.Map)
	refusal := refusalIn(failed)
	if refusal == nil || len(refusal.Faults) == 0 {
		p.Problem = said
	} else {
		for _, fault := range refusal.Faults {
			pointer := strings.TrimPrefix(fault.Pointer, "/einvoice/map")
			p.wrong(pointer, theirs(r.Printer, "", strings.TrimPrefix(pointer, "/")+" "+strings.TrimSuffix(fault.Detail, ".")+"."))
		}
		p.Problem = own(r.Text("Nothing was saved. What is wrong stands beside the rows, or below."))
	}
	return view{Title: r.Text("E-invoice of %s", p.Document.File.Name), Page: p, status: http.StatusBadRequest}, nil
}

// Groups are the rows by the groups of the standard.
func (p invoicePage) Groups() []mapGroup { return mapGroups(p.Rows) }

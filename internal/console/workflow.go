package console

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

type documentRow struct {
	client.Document
	Versions []version // the newest first
	Tag      string    // what it was when the page was made
	// Checked is what was found in the template, once somebody asked; Problem why it
	// could not be looked at.
	Checked *checked
	Problem saying
	// Saved: its settings were just saved.
	Saved bool
	// Gone: its file is not in the drive any more, or not for the workflow's owner.
	Gone bool
	// Unknown are fields that the template names and the event of LastRun did not have.
	Unknown []client.UnknownField
	LastRun string // aut_…
}

// lose notes that the file of the document is gone, where an answer of /v0 says so.
func (d *documentRow) lose(err error) bool {
	if !isGone(err) {
		return false
	}
	d.Gone = true
	return true
}

// isGone tells an answer about a document's own file from one about a file that was named.
func isGone(err error) bool {
	p := refusalIn(err)
	return p != nil && p.Code == "drive_file_not_found" && len(p.Faults) == 0
}

// Mail is what its form shows: nothing where no mail is sent.
func (d documentRow) Mail() client.Email {
	if d.Email == nil {
		return client.Email{}
	}
	return *d.Email
}

// SeriesNames are the series that the document takes numbers of, as the form takes them.
func (d documentRow) SeriesNames() string { return strings.Join(d.Numbers, ", ") }

// Profile is what its PDFs conform to, empty for nothing.
func (d documentRow) Profile() string {
	if d.PDF == nil {
		return ""
	}
	return d.PDF.Profile
}

// AppendedFiles are the files behind each PDF, as the form takes them.
func (d documentRow) AppendedFiles() string { return strings.Join(d.Appendices, "\n") }

type workflowPage struct {
	client.Workflow
	Tab       tab
	Overview  overview
	Curl      string
	Example   string // an event with the source's fields
	Sample    string // an event that can be sent; empty where the tab shows none
	Documents []documentRow
	Recent    []runRow
	Receiver  *client.EndpointState
	// Rules are receivers beside the outgoing webhook.
	Rules []ruleRow
	// Targets are where outputs are stored as well.
	Targets []targetRow
	// Schedules start runs by the clock.
	Schedules []scheduleRow
	// Waiting is how many events wait for the receiver, and LastFault why it did not take
	// the last one.
	Waiting   int
	LastFault string
	Tested    *client.TestDelivery
	TestFault saying
	Asked     client.SourceVerification
	Secret    *client.SigningSecret // once it was asked for
	// Public is the public form; nil: there is none. PublicTag says what it was.
	Public    *client.PublicForm
	PublicTag string
	// TestCurl is a command that sends a test event. TestAddress is the receiver of
	// test events; empty: they are not delivered. TestSecret is set after the user
	// asked to see it.
	TestCurl, TestAddress string
	TestSecret            *client.SigningSecret
	// Form is the open form. If its submission failed, Problem is the reason, and Typed
	// has its values.
	Form    string
	Problem saying
	Typed   url.Values
	// ApprovalSaved says that what was just saved is who approves.
	ApprovalSaved bool
	Faults        faults
	in            catalog.Printer
	// change is what a form has just done, and changeOf the document that it changed.
	change   change
	changeOf string
	// Told is what is wrong with the receiver that was just saved.
	Told saying
	// Tag and ReceiverTag say what the workflow and its receiver were when the page was
	// made.
	Tag, ReceiverTag, TestTag string
}

// Fault is what is wrong with a field of a form; id is that of the field.
func (p workflowPage) Fault(form, field, id string) besideField {
	if p.Form != form {
		return besideField{}
	}
	return besideField{ID: "fault-" + id, Text: p.Faults[field]}
}

// Value is what a field of a form shows: what was typed into it when the form was not
// carried out.
func (p workflowPage) Value(form, field, otherwise string) string {
	if p.Form == form && p.Typed != nil {
		return p.Typed.Get(field)
	}
	return otherwise
}

// Ticked is Value of a box.
func (p workflowPage) Ticked(form, field string, otherwise bool) bool {
	if p.Form == form && p.Typed != nil {
		return p.Typed.Has(field)
	}
	return otherwise
}

// Last is the newest run; nil before the first event.
func (p workflowPage) Last() *runRow {
	if len(p.Recent) == 0 {
		return nil
	}
	return &p.Recent[0]
}

// ReceiverAddress is empty if the workflow has no outgoing webhook.
func (p workflowPage) ReceiverAddress() string {
	if p.OutgoingWebhook == nil {
		return ""
	}
	return p.OutgoingWebhook.URL
}

// Networks are those that senders are in, as the form takes them.
func (p workflowPage) Networks() string { return strings.Join(p.Asked.Networks, " ") }

func isWorkflow(id string) bool   { return platenID("workflow", id) }
func isAutomation(id string) bool { return platenID("automation", id) }

// workflow shows a tab of one workflow.
func (s *site) workflow(t tab) func(context.Context, request) (view, error) {
	return func(ctx context.Context, r request) (view, error) {
		live, newest := "", []client.Automation(nil)
		if t == tabOverview || t == tabData {
			live, newest = r.watchedRuns(ctx)
		}
		p, err := s.workflowPage(ctx, r, t, newest...)
		asked := r.URL.Query()
		if p.Form = asked.Get("form"); told[asked.Get("told")] != "" {
			p.Told = own(r.Text(told[asked.Get("told")]))
		}
		saved := asked.Get("saved")
		p.change, p.changeOf = change(asked.Get("done")), cmp.Or(asked.Get("of"), asked.Get("check"))
		if document := cmp.Or(saved, asked.Get("check")); err == nil && document != "" && t != tabOverview && t != tabData {
			err = r.checkIn(ctx, &p, document, nil)
		}
		if row := p.row(saved); row != nil {
			row.Saved, p.ApprovalSaved = true, asked.Get("card") == formApproval
		}
		return view{Title: p.Name, Page: p, Live: live}, err
	}
}

// workflowPage reads what a tab shows. newest are the newest runs, where they were read.
func (s *site) workflowPage(ctx context.Context, r request, t tab, newest ...client.Automation) (p workflowPage, err error) {
	p.Tab, p.in = t, r.Printer
	if p.Workflow, err = r.api.Workflow(client.WithETag(ctx, &p.Tag), r.workflowID()); err != nil {
		return p, err
	}
	if err := r.readDocuments(ctx, &p); err != nil {
		return p, err
	}
	switch t {
	case tabDelivery:
		err = r.readDelivery(ctx, &p)
	case tabTemplate:
		if err = r.readVersions(ctx, &p); err == nil {
			_, err = r.readRecent(ctx, &p, newest)
		}
		if len(p.Documents) > 0 {
			p.Documents[0].lose(r.keptCheckOf(ctx, p.Workflow).failed)
		}
	case tabData:
		err = r.readData(ctx, &p, newest)
	case tabOverview:
		var made bool
		if made, err = r.readRecent(ctx, &p, newest); err == nil {
			err = s.readOverview(ctx, r, &p)
		}
		if err == nil && !made {
			r.readExample(ctx, &p, made)
		}
	}
	return p, err
}

func (r request) readDelivery(ctx context.Context, p *workflowPage) error {
	if err := r.readTargets(ctx, p); err != nil {
		return err
	}
	if err := r.readRules(ctx, p); err != nil || p.OutgoingWebhook == nil {
		return err
	}
	if _, err := r.api.OutgoingWebhook(client.WithETag(ctx, &p.ReceiverTag), r.workflowID()); err != nil {
		return err
	}
	return r.readReceiver(ctx, p)
}

func (r request) readData(ctx context.Context, p *workflowPage, newest []client.Automation) (err error) {
	if err := r.readTestReceiver(ctx, p); err != nil {
		return err
	}
	if err := r.readPublicForm(ctx, p); err != nil {
		return err
	}
	if err := r.readSchedules(ctx, p); err != nil {
		return err
	}
	if p.Asked, err = r.api.SourceVerification(ctx, r.workflowID()); err != nil {
		return err
	}
	made, err := r.readRecent(ctx, p, newest)
	if err == nil {
		r.readExample(ctx, p, made)
	}
	return err
}

// readRecent reads the newest runs, and what they say of the templates. made tells whether
// one of them made its documents.
func (r request) readRecent(ctx context.Context, p *workflowPage, newest []client.Automation) (made bool, err error) {
	const most = 10
	recent := newest[:min(len(newest), most)]
	if len(recent) == 0 {
		if recent, err = r.newestRuns(ctx, r.workflowID(), most, client.AutomationQuery{}); err != nil {
			return false, err
		}
	}
	p.Recent = rowsOf(r.Printer, recent, p.Workflow)
	run, made := newestMade(recent)
	last, err := r.detailOf(ctx, run)
	if err != nil {
		return made, err
	}
	p.Example = shapeOfRun(last)
	if err := r.readUnknown(ctx, p, recent, last); err != nil {
		return made, err
	}
	if p.Example == "" && len(p.Source.Fields) > 0 { // else a check would miss what nobody knows of yet
		p.Example = exampleEvent(p.Source.Fields)
	}
	return made, nil
}

// readExample finds an event that can be sent.
func (r request) readExample(ctx context.Context, p *workflowPage, made bool) {
	example := p.Example
	switch {
	case !made || example == "":
		kept := r.keptCheckOf(ctx, p.Workflow)
		if len(p.Documents) > 0 {
			p.Documents[0].lose(kept.failed)
		}
		example = cmp.Or(exampleOf(kept.all...), example, exampleEvent(nil))
	case isMadeUp(example):
		example = fit(example, r.keptCheckOf(ctx, p.Workflow).all)
	}
	p.Sample = example
	p.Curl, p.TestCurl = curlTo(p.Source.URL, example), curlTo(p.Source.TestURL, example)
}

// readReceiver reads what its receiver does, and how many events wait for it.
func (r request) readReceiver(ctx context.Context, p *workflowPage) error {
	state, err := r.stateOf(ctx, r.workflowID(), "")
	if isNotFound(err) { // it was taken away meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	waiting, err := r.waitingFor(ctx, r.workflowID(), "")
	p.Receiver, p.Waiting = &state, countPending(waiting)
	if state.State != "READY" || state.Failures > 0 {
		p.LastFault = lastFailure(waiting)
	}
	return err
}

// maxSchemas is of how many documents an example fills the tags.
const maxSchemas = 3

// checkOf is what a workflow's first templates ask for, and how many mistakes they have.
func (r request) checkOf(ctx context.Context, w client.Workflow) (found keptCheck) {
	for i, d := range w.Documents[:min(len(w.Documents), maxSchemas)] {
		of, err := r.check(ctx, w.ID, d.ID, nil)
		if err != nil && i == 0 {
			found.failed = err // the page shows why where somebody asks for the check
		}
		found.all = append(found.all, of.Schema)
		found.mistakes = found.with(d.ID, mistakesIn(of))
	}
	return found
}

// A keptCheck has the schemas of a workflow, and until when they count.
type keptCheck struct {
	all      []json.RawMessage
	mistakes map[string]int // by document; never changed
	failed   error          // why the first template could not be read
	until    time.Time
}

// with are the mistakes, with so many of one document.
func (k keptCheck) with(document string, n int) map[string]int {
	all := maps.Clone(k.mistakes)
	if all == nil {
		all = map[string]int{}
	}
	all[document] = n
	return all
}

// faulty is the first document that has mistakes; empty: none is known of.
func (k keptCheck) faulty(w client.Workflow) string {
	for _, d := range w.Documents {
		if k.mistakes[d.ID] > 0 {
			return d.ID
		}
	}
	return ""
}

// mistakesAt is where the mistakes of a workflow stand that is called ready else. It asks no
// drive: empty means that none is known of, for example since no page has checked it lately.
func (s *site) mistakesAt(w client.Workflow) string {
	kept, _ := s.checks.Get(w.ID)
	if d := kept.faulty(w); d != "" && w.Status == "COMPLETE" {
		return checkedPage(w.ID, d, "")
	}
	return ""
}

func (k keptCheck) size() (n int) {
	for _, schema := range k.all {
		n += len(schema)
	}
	return n
}

// keptCheckOf is checkOf for a page that loads itself again with each run: a drive is asked
// once a minute, and after a form of the workflow was sent. What cannot be read is left out.
func (r request) keptCheckOf(ctx context.Context, w client.Workflow) keptCheck {
	if r.checks == nil {
		return keptCheck{}
	}
	now := time.Now()
	kept, ok := r.checks.Get(w.ID)
	if !ok || now.After(kept.until) {
		kept = r.checkOf(ctx, w)
		kept.until = now.Add(time.Minute)
		r.checks.Put(w.ID, kept)
	}
	return kept
}

// readDocuments reads each document as it is to be changed.
func (r request) readDocuments(ctx context.Context, p *workflowPage) error {
	for _, d := range p.Workflow.Documents {
		row := documentRow{Document: d}
		if r.me.Token.Write && p.Tab != tabOverview && p.Tab != tabData {
			var err error
			if row.Document, err = r.api.Document(client.WithETag(ctx, &row.Tag), r.workflowID(), d.ID); err != nil {
				return err
			}
		}
		p.Documents = append(p.Documents, row)
	}
	return nil
}

// maxExample is how many bytes an event may have that is shown as an example.
const maxExample = 8 << 10

// newestMade is the newest of the runs whose documents were made: events like its own are
// filled. made is false where there is none, and it is the newest, if any.
func newestMade(newest []client.Automation) (run client.Automation, made bool) {
	for _, a := range newest {
		if a.State == "COMPLETED" {
			return a, true
		}
	}
	if len(newest) > 0 {
		run = newest[0]
	}
	return run, false
}

// detailOf reads an automation with the data of its event; one without an id has none.
func (r request) detailOf(ctx context.Context, a client.Automation) (client.AutomationDetail, error) {
	if a.ID == "" {
		return client.AutomationDetail{}, nil
	}
	return r.api.Automation(ctx, r.workflowID(), a.ID)
}

// unknownIn finds a missing field among those that the data has nowhere; nil: it has it.
func unknownIn(a client.AutomationDetail, name string) *client.UnknownField {
	i := slices.IndexFunc(a.UnknownFields, func(f client.UnknownField) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &a.UnknownFields[i]
}

// shapeOfRun is an event like that of a run, with values that are nobody's: its lists and
// numbers stand where the template wants them, which the names of fields do not tell. It is
// empty where there is none, or it is large or erased.
func shapeOfRun(of client.AutomationDetail) string {
	text := shapeOf(of.SourceData)
	if len(text) > maxExample {
		return ""
	}
	return text
}

// readUnknown finds the fields that templates name and the event of the newest run that has
// ended did not have. A template whose content was replaced since then may be right now.
func (r request) readUnknown(ctx context.Context, p *workflowPage, newest []client.Automation, last client.AutomationDetail) error {
	i := slices.IndexFunc(newest, func(a client.Automation) bool { return a.State == "COMPLETED" || a.State == "FAILED" })
	if i < 0 || len(newest[i].MissingFields) == 0 {
		return nil
	}
	if newest[i].ID != last.ID {
		var err error
		if last, err = r.detailOf(ctx, newest[i]); err != nil {
			return err
		}
	}
	if p.Tab == tabOverview || p.Tab == tabData {
		if err := r.readVersions(ctx, p); err != nil {
			return err
		}
	}
	for _, o := range last.Outputs {
		row := p.row(o.DocumentID)
		if row == nil || row.replacedSince(last.AcceptedAt) {
			continue
		}
		row.LastRun = last.ID
		for _, name := range o.MissingFields {
			if f := unknownIn(last, name); f != nil {
				row.Unknown = append(row.Unknown, *f)
			}
		}
	}
	return nil
}

// replacedSince tells whether the template got another content after that time. What it
// said before is a version then.
func (d documentRow) replacedSince(at time.Time) bool {
	return slices.ContainsFunc(d.Versions, func(v version) bool {
		return v.Cause != string(platen.VersionKept) && v.CreatedAt.After(at)
	})
}

// testReceiver is workflow with what the receiver made of a test event.
func (s *site) testReceiver(ctx context.Context, r request) (view, error) {
	sent, failed := r.api.TestOutgoingWebhook(ctx, r.workflowID())
	fault, err := r.explained(failed)
	if err != nil {
		return view{}, err
	}
	p, err := s.workflowPage(ctx, r, tabDelivery)
	p.Tested, p.TestFault = &sent, fault
	return view{Title: p.Name, Page: p}, err
}

// explained takes out of an error what the page can say itself: that something could
// not be done, not that the page is not for this caller.
func (r request) explained(err error) (saying, error) {
	p := refusalIn(err)
	if p == nil || endsSession(p) || p.Code == "scope_missing" || strings.HasSuffix(p.Code, "_not_found") && p.Status != 400 {
		return "", err
	}
	return saidIn(r.Printer, p), nil
}

package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// Templates looks at the templates of documents in the drive of their
// workflow's owner. Errors of the drive are as Drive says.
type Templates interface {
	// CheckTemplate finds the mistakes of a document. fields are those of the
	// source, nil when nothing is known of them. With data, a JSON object, what
	// cannot be worked out with it is found, too.
	CheckTemplate(ctx context.Context, wf platen.Workflow, d platen.Document, fields []string, data []byte) (platen.TemplateCheck, error)
	// CountConditions tells of how many events each of these conditions is true.
	CountConditions(ctx context.Context, wf platen.Workflow, conditions []platen.Condition, events []platen.PastEvent) ([]platen.ConditionCount, error)
	// CountInvoices tells of how many events an e-invoice is made.
	CountInvoices(ctx context.Context, wf platen.Workflow, d platen.Document, events []platen.PastEvent) (platen.InvoiceCount, error)
	// ProposeInvoice proposes a map for an e-invoice by the names of fields.
	ProposeInvoice(ctx context.Context, wf platen.Workflow, d platen.Document, profile platen.InvoiceProfile, fields []string) (platen.InvoiceProposal, error)
	// SampleOf fills a document with sample data and keeps nothing of it.
	// KindRateLimited when too many are being filled.
	SampleOf(ctx context.Context, wf platen.Workflow, d platen.Document, data []byte) (platen.Sample, error)
	// TryRows reads the templates of a workflow once, to try many events on them.
	// KindRateLimited when too many are being tried.
	TryRows(ctx context.Context, wf platen.Workflow) (platen.RowTrial, error)
}

// A TagFinding says of the tags of one name whether anything fills them.
type TagFinding struct {
	Name   string
	Filled bool
	// Optional: only conditions and what stands behind them ask for it.
	Optional bool
	Nearest  []string // the names most like it, best first, where nothing fills it
}

// TagCheck finds the tags of texts and tells which of them source fields or
// built-ins fill, each name once, in reading order.
type TagCheck func(texts, fields []string) []TagFinding

// checkDocument looks for mistakes where an automation fills tags: in the
// template, and in the templates for names and passwords.
func (s *server) checkDocument(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	in, err := readCheck(body)
	if err != nil {
		return err
	}
	if s.tags == nil || s.templates == nil {
		return platen.Errorf(platen.KindUnavailable, "check_unavailable", "Templates cannot be checked here.")
	}
	fields, err := s.fieldsToCheck(r.Context(), wf, in.data)
	if err != nil {
		return err
	}
	checked, err := s.checkWith(r.Context(), wf, d, fields, in.data)
	if err != nil {
		return err
	}
	places := []place{{"template", checked.Texts}, {"outputName", []string{d.OutputName}}}
	if len(checked.AppendedTexts) > 0 {
		places = append(places, place{"appendices", checked.AppendedTexts})
	}
	if d.OutputFolder != "" {
		places = append(places, place{"outputFolder", platen.FolderPath(d.OutputFolder)})
	}
	if d.EnablePDFPassword {
		places = append(places, place{"pdfPassword", []string{d.PDFPassword}})
	}
	for _, c := range d.Conditions() {
		places = append(places, place{c.Setting, []string{c.Tags()}})
	}
	if e := d.Email; e != nil {
		places = append(places, place{"email", e.Templates()})
	}
	out := s.check(d, places, fields)
	for _, one := range wf.MailBrings(d) {
		out.MailBrings = append(out.MailBrings, broughtJSON{one.ID, one.File.Name, one.When})
	}
	targets, err := s.Targets.Targets(r.Context(), caller(r.Context()), wf.ID)
	if err != nil {
		return err
	}
	for _, f := range wf.SettingFindings(d, targets) {
		out.Settings = append(out.Settings, settingFindingJSON{f.In, f.Code, f.Message, f.Severity()})
	}
	invoices, refused, err := s.countInvoices(r.Context(), wf, d, in.data)
	if err != nil {
		return err
	}
	out.Invoices = invoices
	out.Findings, out.Schema = checkedOf(append(checked.Findings, refused...)), checked.Schema
	if out.Conditions, err = s.countConditions(r.Context(), wf, d, in.data); err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// Conditions are counted over so many events of a workflow, and so many bytes of them.
const (
	countedEvents = 100
	countedBytes  = 4 << 20
)

// countConditions tells of how many of the last events each condition of a document is
// true, or with data of that alone.
func (s *server) countConditions(ctx context.Context, wf platen.Workflow, d platen.Document, data []byte) ([]conditionJSON, error) {
	out := []conditionJSON{}
	if len(d.Conditions()) == 0 {
		return out, nil
	}
	events, err := s.pastEvents(ctx, wf, data)
	if err != nil {
		return nil, err
	}
	counts, err := s.templates.CountConditions(ctx, wf, d.Conditions(), events)
	for _, c := range counts {
		out = append(out, conditionJSON{c.Setting, c.When, c.Made, c.Skipped, c.Faulty})
	}
	return out, err
}

// pastEvents are the last events of a workflow, or data alone.
func (s *server) pastEvents(ctx context.Context, wf platen.Workflow, data []byte) ([]platen.PastEvent, error) {
	if data != nil {
		return []platen.PastEvent{{Body: data, AcceptedAt: s.now()}}, nil
	}
	if err := edge.Reserve(ctx, 2*countedBytes); err != nil { // as they are stored, and opened
		return nil, err
	}
	return s.Automations.LatestEvents(ctx, wf.ID, countedEvents, countedBytes)
}

// fieldsToCheck are the fields that tags are looked up in: those of the data, or without
// data those that the source has and lately had.
func (s *server) fieldsToCheck(ctx context.Context, wf platen.Workflow, data []byte) ([]string, error) {
	if data != nil {
		return platen.SourceFields(data)
	}
	seen, err := s.Sources.SeenFields(ctx, wf.ID)
	if err != nil {
		return nil, err
	}
	return platen.KnownFields(wf.Source.Fields, seen, s.now()), nil
}

// nilIfNone is nil where there are no fields: before the first event no name is wrong.
func nilIfNone(fields []string) []string {
	if len(fields) == 0 {
		return nil
	}
	return fields
}

// checkWith looks up the names of a template in fields, those of the data if there is any.
// Where the document does without a field, the data may lack what the source has, and
// before the first event anything but a name that is like one of the data. A folder and a
// password fail without theirs all the same.
func (s *server) checkWith(ctx context.Context, wf platen.Workflow, d platen.Document, fields []string, data []byte) (platen.TemplateCheck, error) {
	if data == nil {
		return s.checkTemplate(ctx, wf, d, nilIfNone(fields), nil)
	}
	if d.OnMissing == platen.MissingFail {
		return s.checkTemplate(ctx, wf, d, fields, data)
	}
	ofSource, err := s.fieldsToCheck(ctx, wf, nil)
	if err != nil {
		return platen.TemplateCheck{}, err
	}
	checked, err := s.checkTemplate(ctx, wf, d, platen.UnionOfFields(fields, ofSource), data)
	if len(ofSource) == 0 {
		checked.Findings = slices.DeleteFunc(checked.Findings, func(f platen.TemplateFinding) bool {
			return f.Code == codeUnknownField && len(f.Nearest) == 0 && f.Where != "outputFolder" && f.Where != "pdfPassword"
		})
	}
	return checked, err
}

const codeUnknownField = "unknown_field"

func (s *server) checkTemplate(ctx context.Context, wf platen.Workflow, d platen.Document, fields []string, data []byte) (platen.TemplateCheck, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	checked, err := s.templates.CheckTemplate(ctx, wf, d, fields, data)
	if err != nil {
		return checked, sampleError(ctx, err)
	}
	return checked, nil
}

// A place is where tags may stand.
type place struct {
	name  string
	texts []string
}

func (s *server) check(d platen.Document, places []place, fields []string) checkJSON {
	out := checkJSON{DocumentID: d.ID, SourceFields: append([]string{}, fields...), Tags: []tagJSON{}, Unfilled: []string{}, Settings: []settingFindingJSON{}}
	at, needed := map[string]int{}, map[string]bool{}
	for _, p := range places {
		for _, f := range s.tags(p.texts, fields) {
			needed[f.Name] = needed[f.Name] || !f.Filled && !f.Optional
			if i, ok := at[f.Name]; ok {
				out.Tags[i].In = append(out.Tags[i].In, p.name)
				continue
			}
			at[f.Name] = len(out.Tags)
			out.Tags = append(out.Tags, tagJSON{Name: f.Name, In: []string{p.name}, Filled: f.Filled, Nearest: append([]string{}, f.Nearest...)})
		}
	}
	for _, tag := range out.Tags {
		if needed[tag.Name] {
			out.Unfilled = append(out.Unfilled, tag.Name)
		}
	}
	return out
}

// templateError says of our own copy of a file what driveError says of a file
// that the client named.
func templateError(err error) error {
	switch code := codeOf(err); code {
	case "drive_file_not_found", "drive_file_forbidden":
		return &platen.Error{Kind: platen.KindInvalid, Code: code, Err: err,
			Message: "The template is not in the drive of the workflow's owner any more. Restore it there, replace the template, or put a version back."}
	}
	return err
}

// checkedJSON is a mistake of a template.
type checkedJSON struct {
	Where   string   `json:"where"`
	Around  string   `json:"around"`
	Offset  int      `json:"offset"`
	Tag     string   `json:"tag"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Nearest []string `json:"nearest"`
	// Severity is mistake or note.
	Severity string `json:"severity"`
}

func checkedOf(findings []platen.TemplateFinding) []checkedJSON {
	out := make([]checkedJSON, len(findings))
	for i, f := range findings {
		out[i] = checkedJSON{f.Where, f.Around, f.Offset, f.Tag, f.Code, f.Message, append([]string{}, f.Nearest...), f.Severity()}
	}
	return out
}

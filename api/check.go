package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

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
	// SampleOf fills a document with sample data and keeps nothing of it.
	// KindRateLimited when too many are being filled.
	SampleOf(ctx context.Context, wf platen.Workflow, d platen.Document, data []byte) (platen.Sample, error)
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
	if e := d.Email; e != nil {
		places = append(places, place{"email", append(platen.EmailRecipients(e.To), e.Subject, e.Text)})
	}
	out := s.check(d, places, fields)
	for _, f := range inspectSettings(d) {
		out.Settings = append(out.Settings, settingFindingJSON{f.in, f.message})
	}
	out.Findings, out.Schema = checkedOf(checked.Findings), checked.Schema
	return edge.WriteJSON(w, http.StatusOK, out)
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

// A settingFinding is what is wrong with a document's own settings.
type settingFinding struct{ in, code, message string }

const codeUnclosed = "tag_not_closed"

// inspectSettings finds what the specification lets nobody refuse when it is
// set, and what no event can make good.
func inspectSettings(d platen.Document) []settingFinding {
	var findings []settingFinding
	add := func(f settingFinding) { findings = append(findings, f) }
	const unclosed = "has a tag that is not closed: it stays as it is; put }} behind the name"
	if platen.UnclosedTag(d.OutputName) {
		add(settingFinding{"outputName", codeUnclosed, unclosed})
	}
	if platen.UnclosedTag(d.OutputFolder) {
		add(settingFinding{"outputFolder", codeUnclosed, unclosed})
	}
	if e := d.Email; e != nil && (platen.UnclosedTag(e.To) || platen.UnclosedTag(e.Subject) || platen.UnclosedTag(e.Text)) {
		add(settingFinding{"email", codeUnclosed, unclosed})
	}
	if d.EnablePDFPassword && platen.UnclosedTag(d.PDFPassword) {
		add(settingFinding{"pdfPassword", codeUnclosed, "has a tag that is not closed: every output fails; put }} behind the name"})
	}
	empty := strings.TrimSpace(d.PDFPassword) == ""
	switch {
	case d.EnablePDFPassword && !d.CreatePDFCopy:
		cure := "set createPdfCopy, or switch encryption off"
		if empty {
			cure = "set createPdfCopy and a pdfPassword, or switch encryption off"
		}
		add(settingFinding{in: "enablePdfPassword", code: "encrypts_nothing", message: "encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: " + cure})
	case d.EnablePDFPassword && empty:
		add(settingFinding{in: "pdfPassword", code: "pdf_password_empty", message: "is empty and enablePdfPassword is true: every output fails; set a password, or switch encryption off"})
	case d.EnablePDFPassword && !d.RemoveOutput:
		add(settingFinding{in: "removeOutput", code: "original_unencrypted", message: "is false and enablePdfPassword is true: the original stays beside the encrypted PDF and has no password. On Platen's own drive its address asks for credentials; on Google everybody opens it who may open its folder. Set removeOutput, or switch encryption off"})
	}
	if d.Email != nil && d.Email.Attach == platen.AttachPDF && !d.CreatePDFCopy {
		add(settingFinding{in: "email", code: "email_without_pdf", message: "is to bring a PDF, and none is made: every mail fails; set createPdfCopy, or attach to link"})
	}
	if len(d.Appendices) > 0 && !d.CreatePDFCopy {
		add(settingFinding{in: "appendices", code: "appends_nothing", message: "does nothing, for no PDF is made that the files could stand behind: set createPdfCopy, or empty the list"})
	}
	if d.RemoveOutput && !d.CreatePDFCopy {
		add(settingFinding{in: "removeOutput", code: "removes_nothing", message: "does nothing, for no PDF is made that could stand for the output: set createPdfCopy, or switch it off"})
	}
	return findings
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

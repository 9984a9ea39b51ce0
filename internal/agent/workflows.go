package agent

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/platenhq/platen/client"
)

// mostWorkflows is how many a list holds.
const mostWorkflows = 200

type workflows struct {
	Workflows []workflow `json:"workflows"`
	More      bool       `json:"more" jsonschema:"there are more than these"`
}

type workflow struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Status    string     `json:"status" jsonschema:"COMPLETE: it takes events; INCOMPLETE: a template is missing"`
	Locale    string     `json:"locale,omitempty"`
	Receiver  bool       `json:"receiver" jsonschema:"an outgoing webhook gets an event for each document"`
	Documents []document `json:"documents"`
}

type document struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Template string `json:"template"`
	PDF      bool   `json:"pdf" jsonschema:"outputs are PDFs"`
	Password bool   `json:"password" jsonschema:"their PDFs are encrypted"`
	Mailed   bool   `json:"mailed" jsonschema:"outputs of real runs are sent by mail"`
	Numbered bool   `json:"numbered" jsonschema:"a real run draws numbers of series without gaps"`
	When     string `json:"when,omitempty" jsonschema:"made only of events for which this formula is true"`
}

func toWorkflow(w client.Workflow) workflow {
	out := workflow{ID: w.ID, Name: w.Name, Status: w.Status, Locale: w.Locale, Receiver: w.OutgoingWebhook != nil, Documents: []document{}}
	for _, d := range w.Documents {
		out.Documents = append(out.Documents, document{ID: d.ID, Type: d.Type, Template: d.File.Name, PDF: d.CreatePDFCopy, Password: d.EnablePDFPassword, Mailed: d.Email != nil, Numbered: len(d.Numbers) > 0, When: d.When})
	}
	return out
}

func (s server) listWorkflows(ctx context.Context, _ struct{}) (workflows, error) {
	out := workflows{Workflows: []workflow{}}
	for _, id := range s.token.WorkflowIDs { // no others
		w, err := s.api.Workflow(ctx, id)
		if err != nil {
			return out, err
		}
		out.Workflows = append(out.Workflows, toWorkflow(w))
	}
	if s.token.WorkflowIDs != nil {
		return out, nil
	}
	for w, err := range s.api.Workflows(ctx, open) {
		if err != nil {
			return out, err
		}
		if out.More = len(out.Workflows) == mostWorkflows; out.More {
			break
		}
		out.Workflows = append(out.Workflows, toWorkflow(w))
	}
	return out, nil
}

type ofWorkflow struct {
	Workflow string `json:"workflow" jsonschema:"id of the workflow (wkf_…), or its name"`
}

type description struct {
	workflow
	Data   []dataOf `json:"data" jsonschema:"what each document asks of an event"`
	Checks []check  `json:"checks"`
}

type dataOf struct {
	Document string `json:"document"`
	Schema   object `json:"schema" jsonschema:"JSON Schema of the data"`
}

func (s server) describeWorkflow(ctx context.Context, in ofWorkflow) (description, error) {
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return description{}, err
	}
	out := description{workflow: toWorkflow(w), Data: []dataOf{}, Checks: []check{}}
	for _, d := range w.Documents {
		found, err := s.api.CheckDocument(ctx, w.ID, d.ID, nil)
		if err != nil {
			return out, fmt.Errorf("document %s: %w", d.ID, err)
		}
		out.Data = append(out.Data, dataOf{Document: d.ID, Schema: object{found.Schema}})
		out.Checks = append(out.Checks, toCheck(found))
	}
	return out, nil
}

type withData struct {
	ofWorkflow
	Document string `json:"document,omitempty" jsonschema:"id of one document (doc_…); without it every document of the workflow"`
	Data     object `json:"data,omitzero" jsonschema:"the event: one JSON object as describe_workflow asks for it"`
}

type checks struct {
	Checks []check `json:"checks"`
}

type check struct {
	Document string    `json:"document"`
	Unfilled []string  `json:"unfilled" jsonschema:"names of tags that nothing fills"`
	Mistakes []mistake `json:"mistakes"`
}

type mistake struct {
	Where   string   `json:"where"`
	Tag     string   `json:"tag,omitempty"`
	Code    string   `json:"code,omitempty"`
	Message string   `json:"message"`
	Nearest []string `json:"nearest,omitempty" jsonschema:"what may have been meant"`
	Note    bool     `json:"note,omitempty" jsonschema:"it may be meant so"`
}

func toMistakes(findings []client.TemplateFinding) []mistake {
	out := []mistake{}
	for _, f := range findings {
		out = append(out, mistake{Where: f.Where, Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest, Note: f.Severity == client.SeverityNote})
	}
	return out
}

func toCheck(found client.DocumentCheck) check {
	out := check{Document: found.DocumentID, Unfilled: append([]string{}, found.Unfilled...), Mistakes: toMistakes(found.Findings)}
	for _, f := range found.Faults {
		out.Mistakes = append(out.Mistakes, mistake{Where: f.In, Message: f.Message})
	}
	return out
}

func (s server) checkTemplate(ctx context.Context, in withData) (checks, error) {
	out := checks{Checks: []check{}}
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return out, err
	}
	of, err := documents(w, in.Document)
	if err != nil {
		return out, err
	}
	var data any
	if in.Data.RawMessage != nil {
		data = in.Data
	}
	for _, d := range of {
		found, err := s.api.CheckDocument(ctx, w.ID, d.ID, data)
		if err != nil {
			return out, fmt.Errorf("document %s: %w", d.ID, err)
		}
		out.Checks = append(out.Checks, toCheck(found))
	}
	return out, nil
}

type previewed struct {
	Documents []sample `json:"documents"`
	files     []*mcp.ResourceContents
}

type sample struct {
	Document      string    `json:"document"`
	Name          string    `json:"name" jsonschema:"of the output"`
	Made          bool      `json:"made" jsonschema:"false: the template cannot be filled with this data"`
	MissingFields []string  `json:"missingFields" jsonschema:"names of tags that the data has no field for"`
	Mistakes      []mistake `json:"mistakes"`
	PDFFindings   []string  `json:"pdfFindings" jsonschema:"what the PDF does not show as its template has it"`
}

// attached are the PDFs.
func (p previewed) attached() []mcp.Content {
	var out []mcp.Content
	for _, f := range p.files {
		out = append(out, &mcp.EmbeddedResource{Resource: f})
	}
	return out
}

func (s server) preview(ctx context.Context, in withData) (previewed, error) {
	out := previewed{Documents: []sample{}}
	w, err := s.workflow(ctx, in.Workflow)
	if err != nil {
		return out, err
	}
	made, err := s.api.Preview(ctx, w.ID, client.PreviewRequest{DocumentID: in.Document, Data: in.Data.orEmpty()})
	if err != nil {
		return out, err
	}
	for _, d := range made.Documents {
		one := sample{Document: d.DocumentID, Name: d.OutputName, Made: d.PDF != nil, MissingFields: append([]string{}, d.MissingFields...), Mistakes: toMistakes(d.Findings), PDFFindings: []string{}}
		for _, f := range d.PDFFindings {
			one.PDFFindings = append(one.PDFFindings, f.Message)
		}
		out.Documents = append(out.Documents, one)
		if d.PDF != nil {
			out.files = append(out.files, &mcp.ResourceContents{URI: "platen://preview/" + d.DocumentID + ".pdf", MIMEType: "application/pdf", Blob: d.PDF})
		}
	}
	return out, nil
}

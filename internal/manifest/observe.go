package manifest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/platenhq/platen/client"
)

// An observed workflow is one as an installation has it, with the entity tags by which a
// change tells whether it still is so.
type observed struct {
	client.Workflow
	said      Workflow // what a file would say of it, without templates and fields of the source
	templates []client.TemplateState
	parts     map[string][]tagged // receivers, targets and schedules, in the order of said
	tags      tags
}

type tags struct {
	workflow, webhook    string
	documents, templates []string
}

// gone is the entity tag of a template that is not in the drive any more: no other has it.
const gone = `"gone"`

// observe reads a workflow with the caller's eyes, whose id is caller.
func observe(ctx context.Context, api *client.Client, caller, id string) (observed, error) {
	var o observed
	var err error
	if o.Workflow, err = api.Workflow(client.WithETag(ctx, &o.tags.workflow), id); err != nil {
		return o, err
	}
	o.said.Settings = settingsOf(o.Workflow)
	if !o.AutoCreate {
		o.said.AutoCreate = new(bool)
	}
	if o.OutgoingWebhook != nil {
		w, err := api.OutgoingWebhook(client.WithETag(ctx, &o.tags.webhook), id)
		if err != nil {
			return o, err
		}
		o.said.OutgoingWebhook = &client.OutgoingWebhookAddress{URL: w.URL}
	}
	n := len(o.Documents)
	o.templates, o.tags.documents, o.tags.templates = make([]client.TemplateState, n), make([]string, n), make([]string, n)
	for i, d := range o.Documents {
		if o.Documents[i], err = api.Document(client.WithETag(ctx, &o.tags.documents[i]), id, d.ID); err != nil {
			return o, err
		}
		o.templates[i], err = api.TemplateState(client.WithETag(ctx, &o.tags.templates[i]), id, d.ID)
		switch {
		case client.CodeOf(err) == "drive_file_not_found" && o.Owner.ID == caller: // of others it may be one that the caller cannot open
			o.tags.templates[i] = gone
		case err != nil:
			return o, fmt.Errorf("the template of %s: %w", d.ID, err)
		}
		o.said.Documents = append(o.said.Documents, documentOf(o.Name, o.Documents[i]))
	}
	o.parts = map[string][]tagged{}
	for _, kind := range partKinds {
		if o.parts[kind.member], err = kind.observe(ctx, api, id, &o.said); err != nil {
			return o, err
		}
	}
	return o, nil
}

// contents reads what an export alone has: the templates, and which fields of the source
// were given.
func (o *observed) contents(ctx context.Context, api *client.Client) (templates [][]byte, err error) {
	exported, err := api.ExportWorkflow(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(exported), int64(len(exported)))
	if err != nil {
		return nil, fmt.Errorf("read the export of %s: %w", o.ID, err)
	}
	entries := map[string][]byte{}
	for _, f := range archive.File {
		if entries[f.Name], err = unpack(f); err != nil {
			return nil, fmt.Errorf("read the export of %s: %s: %w", o.ID, f.Name, err)
		}
	}
	var portable struct {
		Workflow struct {
			SourceFields []string `json:"sourceFields"`
		} `json:"workflow"`
		Documents []struct {
			Template string `json:"template"`
		} `json:"documents"`
	}
	if err := json.Unmarshal(entries[workflowEntry], &portable); err != nil {
		return nil, fmt.Errorf("read the export of %s: %w", o.ID, err)
	}
	if len(portable.Documents) != len(o.Documents) {
		return nil, fmt.Errorf("%s was changed while it was read: run the command again", o.ID)
	}
	o.said.SourceFields = portable.Workflow.SourceFields
	for _, d := range portable.Documents {
		templates = append(templates, entries[d.Template])
	}
	return templates, nil
}

func unpack(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, maxExport+1))
	if err == nil && len(content) > maxExport {
		err = fmt.Errorf("it has more than %d bytes", maxExport)
	}
	return content, err
}

// The form of an export, which an import reads.
const (
	workflowEntry   = "workflow.json"
	portableFormat  = "platen-workflow"
	portableVersion = 1
	maxExport       = 16 << 20 // bytes
)

// pack makes of an entry what an import takes. Ids of the drive, which no import takes, the
// outgoing webhook, receivers, targets and schedules are set afterwards.
func pack(e Entry) ([]byte, error) {
	sent, err := json.Marshal(e.Workflow)
	if err != nil {
		return nil, err
	}
	workflow := map[string]any{}
	if err := json.Unmarshal(sent, &workflow); err != nil {
		return nil, err
	}
	workflow["name"] = e.Name
	documents, _ := workflow["documents"].([]any)
	delete(workflow, "documents")
	delete(workflow, "outgoingWebhook")
	for _, kind := range partKinds {
		delete(workflow, kind.member)
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for i, document := range documents {
		d := document.(map[string]any)
		name := fmt.Sprintf("templates/%d%s", i+1, extensions[kindOf(e.Documents[i].Template)])
		d["template"] = name
		delete(d, "appendices")
		delete(d, "outputFolderId")
		if err := put(archive, name, e.Templates[i]); err != nil {
			return nil, err
		}
	}
	if documents == nil {
		documents = []any{}
	}
	described, err := json.Marshal(map[string]any{"format": portableFormat, "version": portableVersion, "workflow": workflow, "documents": documents})
	if err == nil {
		err = put(archive, workflowEntry, described)
	}
	if err == nil {
		err = archive.Close()
	}
	return b.Bytes(), err
}

var extensions = map[string]string{"CLOUD_DOCS": ".docx", "CLOUD_SLIDES": ".pptx"}

func put(archive *zip.Writer, name string, content []byte) error {
	w, err := archive.Create(name)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

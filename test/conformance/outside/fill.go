package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// methods of a path item; its other members are no operations.
var methods = []string{"get", "post", "put", "patch", "delete"}

// guesses are parameters whose right values are known to the service alone,
// or that change the meaning of a repeat. The Go suite tests them.
var guesses = []string{"cursor", "Idempotency-Key", "If-Match", "If-None-Match"}

// fill puts real ids into the contract.
func (p *preparer) fill(ctx context.Context, contract object) error {
	var all []struct {
		Documents []struct {
			File struct{ ID string }
		}
	}
	if err := p.call(ctx, http.MethodGet, "/workflows/", nil, &all); err != nil {
		return err
	}
	for _, w := range all {
		for _, d := range w.Documents {
			p.file = d.File.ID
		}
	}
	if p.file == "" {
		return errors.New("the instance has no workflow with a template to copy")
	}
	components := contract["components"].(object)
	p.narrow(components["schemas"].(object))
	for _, item := range contract["paths"].(object) {
		if err := p.fillPath(ctx, item.(object), components["parameters"].(object)); err != nil {
			return err
		}
	}
	delete(contract, "webhooks")
	withoutExamples(contract)
	return nil
}

// narrow leaves of what requests may hold those values that a tool can both
// make and make wrong: most make a value wrong by appending to it.
func (p *preparer) narrow(schemas object) {
	properties := func(schema any) object { return schema.(object)["properties"].(object) }
	file := object{"type": "string", "enum": []any{p.file}}
	address := object{"type": "string", "enum": []any{"http://receiver.example:8080"}}
	longest := object{"type": "string", "pattern": "^[A-Za-z0-9 -]{64}$"}
	create := properties(schemas["NewWorkflow"])
	properties(create["outgoingWebhook"])["webhookUrl"] = address
	properties(schemas["OutgoingWebhookAddress"])["webhookUrl"] = address
	create["icon"], properties(schemas["WorkflowChange"])["icon"] = longest, longest
	create["locale"] = object{"type": "string", "enum": []any{"de-AT"}}
	properties(schemas["WorkflowChange"])["locale"] = create["locale"]
	schemas["FileId"] = file
	// The drive, the mail server and the template language decide whether these are taken.
	for _, name := range []string{"NewWorkflowDocument", "NewDocument", "DocumentChange"} {
		for _, setting := range []string{"outputFolder", "outputFolderId", "outputSharing", "email", "approval", "numbers", "appendices", "when", "appendicesWhen", "outputSharingWhen"} {
			delete(properties(schemas[name]), setting)
		}
	}
	// Without it every document is previewed; the id is of a workflow to come.
	delete(properties(schemas["PreviewRequest"]), "documentId")
	// Tools know nothing of uniqueItems: short names come out equal.
	schemas["SourceFields"].(object)["items"] = object{"type": "string"}
}

func (p *preparer) fillPath(ctx context.Context, item, parameters object) error {
	shared, _ := item["parameters"].([]any)
	for _, method := range methods {
		op, ok := item[method].(object)
		if !ok {
			continue
		}
		made, err := p.prepare(ctx, op["operationId"].(string))
		if err != nil {
			return err
		}
		own, _ := op["parameters"].([]any)
		filled := []any{}
		for _, one := range append(slices.Clone(shared), own...) {
			ref := one.(object)["$ref"].(string)
			given := parameters[ref[strings.LastIndexByte(ref, '/')+1:]].(object)
			name := given["name"].(string)
			if slices.Contains(guesses, name) {
				continue
			}
			if id := made[name]; id != "" {
				given = object{"name": name, "in": "path", "required": true, "schema": object{"type": "string", "enum": []any{id}}}
			}
			filled = append(filled, given)
		}
		op["parameters"] = filled
		if strings.HasPrefix(op["operationId"].(string), "retry") {
			delete(op, "requestBody") // one request, for a second finds nothing to retry
		}
	}
	delete(item, "parameters")
	return nil
}

// withoutExamples makes tools take values from the schemas: the contract's
// examples name things that are not in this instance.
func withoutExamples(v any) {
	switch v := v.(type) {
	case object:
		if v["in"] != nil || v["schema"] != nil {
			delete(v, "example")
			delete(v, "examples")
		}
		for _, inner := range v {
			withoutExamples(inner)
		}
	case []any:
		for _, inner := range v {
			withoutExamples(inner)
		}
	}
}

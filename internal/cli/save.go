package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/platenhq/platen/client"
)

// saveAll writes the data of automations, for the person whom it is about: a folder for
// each, with run.json, events.json and the PDFs as they are stored. A PDF that cannot
// be read is reported and skipped.
func saveAll(ctx context.Context, e *Environment, api *client.Client, dir string, found []match) error {
	for _, m := range found {
		to := filepath.Join(dir, filepath.Base(m.ID))
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		if err := writeJSON(filepath.Join(to, "run.json"), m.detail); err != nil {
			return err
		}
		if err := saveOutputs(ctx, e, api, to, m); err != nil {
			return err
		}
		if err := saveEvents(ctx, api, to, m); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(e.Out, Shown(to)); err != nil {
			return err
		}
	}
	return nil
}

func saveOutputs(ctx context.Context, e *Environment, api *client.Client, to string, m match) error {
	for _, o := range m.detail.Outputs {
		if o.State != "DONE" {
			continue
		}
		pdf, err := api.OutputPDF(ctx, m.WorkflowID, o.ID)
		if err != nil {
			fmt.Fprintf(e.Err, "%s of %s is not saved: %s\n", Shown(o.ID), Shown(m.ID), Shown(err.Error()))
			continue
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(o.ID)+".pdf"), pdf.Content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func saveEvents(ctx context.Context, api *client.Client, to string, m match) error {
	var ids []string
	for _, o := range m.detail.Outputs {
		ids = append(ids, o.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	var events []client.EventDetail
	for listed, err := range api.Events(ctx, m.WorkflowID, client.EventQuery{OutputIDs: ids, Test: m.Test}) {
		if err != nil {
			return err
		}
		event, err := api.Event(ctx, m.WorkflowID, listed.ID)
		if err != nil {
			return err
		}
		events = append(events, event)
	}
	return writeJSON(filepath.Join(to, "events.json"), events)
}

func writeJSON(file string, thing any) error {
	content, err := json.MarshalIndent(thing, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(content, '\n'), 0o600)
}

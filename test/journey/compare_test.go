package journey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/compare"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// compared are the results of all outputs by the name of their workflow.
func (h *harness) compared(t *testing.T, q platen.LatestOutputQuery) map[string]compare.Result {
	t.Helper()
	c := config.Compare{Database: config.Database{DatabaseURL: h.database.Config().ConnString()}, Secrets: config.Secrets{SecretKeys: platen.Secret(h.secretKeys)}}
	q.Last, q.Limit = 3, 100
	all := map[string]compare.Result{}
	if err := app.Compare(t.Context(), c, q, func(r compare.Result, _, _ int) error {
		all[r.Workflow] = r
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// kept is all that runs leave, but for what workers note of themselves.
func (h *harness) kept(t *testing.T) (all string) {
	t.Helper()
	for _, table := range []string{"automations", "plans", "outputs", "events", "number_series", "numbers", "preview_copies", "drive.files", "drive.contents", "drive.tokens"} {
		var rows string
		if err := h.database.QueryRow(t.Context(), `SELECT coalesce(string_agg(md5(t::text), ' ' ORDER BY t::text), '') FROM `+table+` t`).Scan(&rows); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		all += table + " " + rows + "\n"
	}
	return all
}

func TestOutputsAreComparedBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	logo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(rendertest.SamplePNG(t, 255)) }))
	t.Cleanup(logo.Close)
	made := map[string]workflow{}
	add := func(name, fileID string, settings object, event any) {
		t.Helper()
		w := h.createWorkflow(t, object{"name": name})
		settings["createPdfCopy"] = true
		h.addDocument(t, w, fileID, settings)
		raw, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		post(t, w.Source.WebhookURL, raw, http.StatusOK)
		made[name] = w
	}
	for _, name := range []string{examples.Letter, examples.Invoice, examples.Offer} {
		one := example(t, name)
		add(name, h.upload(t, one), object{"removeOutput": true, "outputFolder": "Sent"}, json.RawMessage(one.Event))
	}
	h.write(t, "Terms", "Terms for {{Name}}")
	ada := object{"Name": "Ada"}
	for name, settings := range map[string]object{
		"archived": {"pdf": object{"profile": "PDF/A-2b"}}, "changed": {}, "replaced": {}, "erased": {}, "removed": {}, "encrypted": {"enablePdfPassword": true, "pdfPassword": "s{{Name}}"},
		"appended": {"appendices": []string{h.write(t, "Annex", "Annex of {{Name}}")}},
	} {
		add(name, h.write(t, name, "Dear {{Name}}, of {{Timestamp}}"), settings, ada)
	}
	add("included", h.write(t, "Contract", "Dear {{Name}}\n{{include \"Terms\"}}"), object{}, ada)
	add("pictured", h.write(t, "Pictured", "{{image Logo}}"), object{}, object{"Logo": logo.URL + "/logo.png"})
	for _, w := range made {
		h.finished(t, w.ID, platen.AutomationCompleted)
	}
	before := h.kept(t)
	all := h.compared(t, platen.LatestOutputQuery{})
	for name := range made {
		r, want := all[name], compare.Same
		if name == "encrypted" || name == "pictured" {
			want = compare.NotCompared
		}
		if r.State != want || want == compare.Same && r.PagesBefore == 0 {
			t.Errorf("%s, by the program that made it: got %s, %s, %v; want %s", name, r.State, r.Why, r.Pages, want)
		}
	}
	if h.kept(t) != before {
		t.Error("comparing changed the database")
	}

	h.erase(t, made["erased"], h.automations(t, made["erased"].ID)[0].id)
	var pdf string
	if err := h.database.QueryRow(t.Context(), `SELECT pdf->>'id' FROM outputs o JOIN automations a ON a.id = o.automation_id WHERE a.workflow_id = $1`, made["removed"].ID).Scan(&pdf); err != nil {
		t.Fatal(err)
	}
	if err := h.files.Files.Delete(pdf).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	other := example(t, examples.Letter).Template
	for _, name := range []string{"changed", "replaced"} {
		var template string
		if err := h.database.QueryRow(t.Context(), `SELECT plan->'documents'->0->'file'->>'id' FROM plans p JOIN automations a ON a.id = p.automation_id WHERE a.workflow_id = $1`, made[name].ID).Scan(&template); err != nil {
			t.Fatal(err)
		}
		if _, err := h.files.Files.Update(template, nil).Media(bytes.NewReader(other), googleapi.ContentType(platen.MIMEDocx)).Context(t.Context()).Do(); err != nil {
			t.Fatal(err)
		}
		if name == "replaced" {
			continue
		}
		if _, err := h.database.Exec(t.Context(), `UPDATE drive.files SET modified_at = created_at WHERE id = $1`, template); err != nil {
			t.Fatal(err)
		}
	}
	got := h.compared(t, platen.LatestOutputQuery{Owner: email})
	for name, want := range map[string]string{
		"changed": "page 1: ", "replaced": "not compared: the template, or a file", "erased": "not compared: the source data", "removed": "not compared: its PDF is not in the drive",
		"encrypted": "not compared: its PDF is encrypted", "pictured": "not compared: it shows a picture of an address", "appended": "same", "included": "same",
	} {
		r := got[name]
		said := string(r.State)
		if r.State == compare.Different && r.Why == "" {
			said = fmt.Sprint(r.Pages[0])
		}
		if r.Why != "" {
			said += ": " + r.Why
		}
		if !strings.HasPrefix(said, want) {
			t.Errorf("%s: got %q, want %q", name, said, want)
		}
	}
	if alone := h.compared(t, platen.LatestOutputQuery{Workflow: made["letter"].ID}); len(alone) != 1 || alone["letter"].State != compare.Same {
		t.Errorf("one workflow: got %v", alone)
	}
}

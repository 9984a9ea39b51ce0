package journey

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// What an integrator reads of an automation that is erased.
type erased struct {
	State      string         `json:"state"`
	SourceData map[string]any `json:"sourceData"`
	Erasure    *struct {
		RequestedBy string  `json:"requestedBy"`
		ErasedAt    *string `json:"erasedAt"`
	} `json:"erasure"`
	Outputs []struct {
		Files []any `json:"files"`
	} `json:"outputs"`
}

// erase asks over /v0 to erase an automation, and waits until nothing is left.
func (h *harness) erase(t *testing.T, w workflow, id string) {
	t.Helper()
	path := "/workflows/" + w.ID + "/automations/" + id + "/"
	var got erased
	h.call(t, http.MethodDelete, path, nil, &got, http.StatusAccepted)
	if got.SourceData != nil || got.Erasure == nil || !strings.HasPrefix(got.Erasure.RequestedBy, platen.PrefixUser) {
		t.Errorf("asked for: got %+v, want no source data, and who asked", got)
	}
	eventually(t, "the erasure of "+id, func() error {
		h.call(t, http.MethodGet, path, nil, &got, http.StatusOK)
		if got.Erasure.ErasedAt == nil {
			return errors.New("it is under way")
		}
		return nil
	})
	for _, o := range got.Outputs {
		if len(o.Files) > 0 {
			t.Errorf("files of an erased output: got %v, want none", o.Files)
		}
	}
	h.call(t, http.MethodDelete, path, nil, &got, http.StatusAccepted) // once more
}

// tables are all rows of the service and of the drive, as Postgres writes them.
func (h *harness) tables(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	rows, err := h.database.Query(t.Context(), `
		SELECT format('SELECT %L || coalesce(string_agg(t::text, E''\n''), '''') FROM %I.%I t', schemaname || '.' || tablename || ' ', schemaname, tablename)
		FROM pg_tables
		WHERE schemaname IN ('public', 'drive')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var queries []string
	for rows.Next() {
		var query string
		if err := rows.Scan(&query); err != nil {
			t.Fatal(err)
		}
		queries = append(queries, query)
	}
	for _, query := range queries {
		var table string
		if err := h.database.QueryRow(t.Context(), query).Scan(&table); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, table)
	}
	return all.String()
}

func TestNothingIsLeftOfAnErasedAutomationButItsID(t *testing.T) {
	t.Parallel()
	const canary = "Canary7261"
	h := open(t, options{idle: true})
	stones := filepath.Join(t.TempDir(), "erasures.jsonl")
	h.worker.ErasuresFile = stones
	h.startWorker(t, h.parts.Running, slog.New(slog.NewTextHandler(h.log, nil)))
	r := newReceiver(t)
	w := h.createWorkflow(t, object{"name": "Letters"})
	h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{"outputName": "Letter to {{Name}}", "createPdfCopy": true})
	h.register(t, w, r)
	post(t, w.Source.WebhookURL, []byte(`{"Name":"`+canary+`"}`), http.StatusOK)
	told := r.next(t).event
	a := h.finished(t, w.ID, platen.AutomationCompleted)
	if len(told.Data.Documents) != 2 || !strings.Contains(h.tables(t), canary) {
		t.Fatalf("before: got %d files and no trace in the tables, want two, named by the data", len(told.Data.Documents))
	}
	h.erase(t, w, a.id)
	for _, f := range told.Data.Documents {
		if status, _ := statusOf(t, f.URL, ""); status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", f.URL, status)
		}
	}
	wantFiles(t, h, "Letter", "Letters - [Template]")
	tables := h.tables(t)
	if strings.Contains(tables, canary) || strings.Contains(tables, hex.EncodeToString([]byte(canary))) {
		t.Errorf("got tables in which %q stands, want it nowhere", canary)
	}
	if strings.Contains(h.everything(t, a.id), canary) {
		t.Errorf("got a history in which %q stands, want it nowhere", canary)
	}
	if kept, err := os.ReadFile(stones); err != nil || strings.Count(string(kept), a.id) != 1 {
		t.Errorf("kept outside the database: got %q and %v, want the automation once", kept, err)
	}
}

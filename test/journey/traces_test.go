package journey

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/platenhq/platen/internal/telemetry"
	"github.com/platenhq/platen/internal/testkit"
)

// belowAccept are a letter's steps, with what is begun beside them, when its receiver does
// not take the event at first.
var belowAccept = []string{
	"CopyTemplate", "FillTags", "FinishAutomation", "LoadPlan", "MakePDF", "RecordOutput", "RemoveOriginal", "SendEvent", "dispatch", "run",
}

// It is not parallel: programs read where to send spans from the environment, which the
// tests of a process share.
func TestOneTraceHoldsAnAutomationFromItsSourceToARedelivery(t *testing.T) {
	collector := testkit.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	h := open(t, options{schedule: "0s,50ms"})
	r := newReceiver(t, http.StatusInternalServerError)
	w := h.createWorkflow(t, object{"name": "Canary-workflow"})
	h.addDocument(t, w, h.write(t, "Canary-template", "For {{Name}}"), object{
		"createPdfCopy": true, "removeOutput": true, "outputName": "Canary-output {{Name}}", "enablePdfPassword": true, "pdfPassword": "Canary-password {{Name}}",
	})
	h.register(t, w, r)
	postObject(t, w.Source.WebhookURL, object{"Name": "Canary-value", "Canary-field": 1})
	first, second := r.next(t), r.next(t)
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/events/"+first.id+"/redeliver/", nil, nil, http.StatusAccepted)
	third := r.next(t)

	id := telemetry.TraceID(first.event.Data.AutomationID)
	eventually(t, "three deliveries are recorded in the trace", func() error {
		if spans := collector.Spans(id); count(spans, "deliver") != 3 || count(spans, "SendEvent") != 3 || count(spans, "run") != 1 {
			return errors.New(collector.Tree(id))
		}
		return nil
	})
	t.Logf("%s", collector.Tree(id))
	spans := collector.Spans(id)
	byID := map[string]testkit.Span{}
	for _, s := range spans {
		byID[string(s.SpanId)] = s
	}
	for _, sent := range []arrival{first, second, third} {
		if !slices.ContainsFunc(spans, func(s testkit.Span) bool {
			return s.Name == "deliver" && sent.trace == fmt.Sprintf("00-%s-%x-01", id, s.SpanId)
		}) {
			t.Errorf("traceparent: got %q, want a span of %s", sent.trace, id)
		}
	}
	tables := h.tableNames(t)
	var steps []string
	within := map[string]int{}
	for _, s := range spans {
		parent, ok := byID[string(s.ParentSpanId)]
		if !ok {
			if s.Name != "accept" {
				t.Errorf("%s is below no span of the trace", s.Name)
			}
			continue
		}
		if attributeOf(s, "db.system.name") != "" {
			wantStatement(t, s, parent, tables)
			within[parent.Name]++
		} else if parent.Name == "accept" {
			steps = append(steps, s.Name)
		} else {
			within[s.Name]++
		}
	}
	slices.Sort(steps)
	if got := slices.Compact(steps); !slices.Equal(got, belowAccept) {
		t.Errorf("below accept: got %q, want %q", got, belowAccept)
	}
	for _, name := range []string{"accept", "LoadPlan", "SendEvent", "FinishAutomation", "drive files.copy", "drive documents.batchUpdate", "drive files.create"} {
		if within[name] == 0 {
			t.Errorf("there is no %s, or no statement of it", name)
		}
	}
	_, key, _ := strings.Cut(w.Source.WebhookURL, h.hooks+"/")
	for name, secret := range map[string]string{
		"what was sent": "Canary", "the key of the source": key, "the token": h.token, "the token of the drive": h.driveToken,
		"the address of the receiver": r.url, "the signing secret": "whsec_", "the link": first.event.Data.Documents[0].URL,
	} {
		if strings.Contains(collector.Raw(), secret) {
			t.Errorf("spans hold %s", name)
		}
	}
}

func count(spans []testkit.Span, name string) (n int) {
	for _, s := range spans {
		if s.Name == name {
			n++
		}
	}
	return n
}

// wantStatement checks the span of a statement: below a span that is none, named by an
// operation and tables that there are.
func wantStatement(t *testing.T, s, parent testkit.Span, tables []string) {
	t.Helper()
	if s.Kind != v1.Span_SPAN_KIND_CLIENT || attributeOf(parent, "db.system.name") != "" || attributeOf(s, "db.query.summary") != s.Name {
		t.Errorf("%s: got a span of kind %v below %s", s.Name, s.Kind, parent.Name)
	}
	for _, word := range strings.Fields(s.Name) {
		if word == strings.ToLower(word) && !slices.Contains(tables, word) {
			t.Errorf("%s: %s is no table", s.Name, word)
		}
	}
}

func attributeOf(s testkit.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func (h *harness) tableNames(t *testing.T) []string {
	t.Helper()
	rows, err := h.database.Query(t.Context(), `SELECT table_name::text FROM information_schema.tables`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

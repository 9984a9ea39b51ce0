package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

// operations are what integrators ask of /v0 while events come in. They meet
// somebody when one of their requests was answered with a yes.
func operations() []fault {
	all := []fault{
		{kind: "automations cancelled through /v0", inject: func(ctx context.Context, f *faultRun) error { return f.operate(ctx, f.cancelling) }},
		{kind: "automations retried through /v0", inject: func(ctx context.Context, f *faultRun) error { return f.operate(ctx, f.retrying) }},
		{kind: "events redelivered through /v0", inject: func(ctx context.Context, f *faultRun) error { return f.operate(ctx, f.redelivering) }},
		{kind: "events recovered through /v0", inject: func(ctx context.Context, f *faultRun) error { return f.operate(ctx, f.recovering) }},
		{kind: "workflows and documents changed through /v0", inject: func(ctx context.Context, f *faultRun) error { return f.operate(ctx, f.changing) }},
		{kind: "signing secrets rotated through /v0", inject: func(ctx context.Context, f *faultRun) error { return f.operate(ctx, f.rotating) }},
	}
	for i := range all {
		all[i].places = []string{"operations"}
	}
	return all
}

// An operation is one request and what it is about.
type operation struct {
	workflow     *workflow
	method, path string
	body         any
	asked        func()           // before it is sent
	yes          func(raw []byte) // after a 2xx
}

// operate sends some requests one after the other. 400 and 404 say that
// somebody was quicker; everything else has to be a yes, or to leave it open.
func (f *faultRun) operate(ctx context.Context, choose func(ctx context.Context) ([]operation, error)) error {
	chosen, err := choose(ctx)
	if err != nil {
		return err
	}
	met := 0
	for _, o := range chosen {
		if o.asked != nil {
			o.asked()
		}
		status, raw, err := f.integrator.ask(ctx, o)
		switch {
		case err != nil, status == http.StatusServiceUnavailable:
		case status/100 == 2:
			met++
			if o.yes != nil {
				o.yes(raw)
			}
		case status != http.StatusBadRequest && status != http.StatusNotFound:
			f.load.blame(fmt.Sprintf("%s of /v0: %d %.200s", o.method, status, raw))
		}
	}
	if met == 0 {
		return errMissed
	}
	return nil
}

// ask sends one request and returns the answer's status and body.
func (i *integrator) ask(ctx context.Context, o operation) (int, []byte, error) {
	var content io.Reader
	if o.body != nil {
		raw, err := json.Marshal(o.body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, o.method, i.service.api+"/workflows/"+o.workflow.id+o.path, content)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", o.workflow.owner.token)
	answer, err := (&http.Client{Timeout: 15 * time.Second}).Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	return answer.StatusCode, raw, err
}

// rowsOf returns ids with their workflows' ids.
func (f *faultRun) rowsOf(ctx context.Context, statement string) (all []operation, ids []string, err error) {
	err = f.query(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, statement)
		if err != nil {
			return err
		}
		var id, workflowID string
		_, err = pgx.ForEachRow(rows, []any{&id, &workflowID}, func() error {
			if w := f.integrator.workflow(workflowID); w != nil {
				all, ids = append(all, operation{workflow: w, method: http.MethodPost}), append(ids, id)
			}
			return nil
		})
		return err
	})
	return all, ids, err
}

func (f *faultRun) cancelling(ctx context.Context) ([]operation, error) {
	all, ids, err := f.rowsOf(ctx, `SELECT id, workflow_id FROM automations WHERE finished_at IS NULL ORDER BY accepted_at DESC LIMIT 3`)
	for i, id := range ids {
		all[i].path = "/automations/" + id + "/cancel/"
		all[i].asked = func() { f.interventions.end(id, "cancelled through /v0") }
	}
	return all, err
}

func (f *faultRun) retrying(ctx context.Context) ([]operation, error) {
	all, ids, err := f.rowsOf(ctx, `SELECT id, workflow_id FROM automations WHERE state = 'FAILED' ORDER BY accepted_at LIMIT 3`)
	for i, id := range ids {
		all[i].path = "/automations/" + id + "/retry/"
	}
	return all, err
}

func (f *faultRun) redelivering(ctx context.Context) ([]operation, error) {
	all, ids, err := f.rowsOf(ctx, `SELECT id, workflow_id FROM events WHERE state IN ('DELIVERED', 'PENDING') ORDER BY created_at DESC LIMIT 4`)
	for i, id := range ids {
		all[i].path = "/events/" + id + "/redeliver/"
		all[i].asked = func() { f.interventions.redeliver(id) }
	}
	return all, err
}

func (f *faultRun) recovering(context.Context) ([]operation, error) {
	var all []operation
	for _, w := range f.integrator.workflows {
		all = append(all, operation{
			workflow: w, method: http.MethodPost, path: "/events/recover/",
			body: object{"since": time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)},
		})
	}
	return all, nil
}

// changing gives a workflow and its documents other names; outputs that are
// made after it have them.
func (f *faultRun) changing(context.Context) ([]operation, error) {
	w := f.integrator.workflows[f.random.IntN(len(f.integrator.workflows))]
	version := f.random.IntN(1000)
	all := []operation{{workflow: w, method: http.MethodPatch, path: "/", body: object{"name": fmt.Sprintf("%s v%d", w.name, version)}}}
	for n := range w.documents {
		prefix := fmt.Sprintf("%s %d v%d", w.name, n, version)
		all = append(all, operation{
			workflow: w, method: http.MethodPatch, path: "/documents/" + w.documents[n].id + "/", body: object{"outputName": prefix + " {{Chaos Id}}"},
			asked: func() { f.interventions.rename(w.documents[n].id, prefix) },
		})
	}
	return all, nil
}

// rotating asks for a new secret where the one that counts is known, and reads
// it again for an answer that was lost.
func (f *faultRun) rotating(context.Context) ([]operation, error) {
	w := f.integrator.workflows[f.random.IntN(len(f.integrator.workflows))]
	read := operation{workflow: w, method: http.MethodGet, path: "/outgoing-webhooks/secret/", yes: w.keys.learn}
	if w.keys.inDoubt() {
		return []operation{read}, nil
	}
	rotate := operation{workflow: w, method: http.MethodPost, path: "/outgoing-webhooks/secret/rotate/", asked: w.keys.doubt, yes: w.keys.learn}
	return []operation{rotate, read}, nil
}

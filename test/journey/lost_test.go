package journey

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/platenhq/platen/internal/platen"
)

// lose has Temporal forget a run, as a database of it that is lost does.
func (h *harness) lose(t *testing.T, id string) {
	t.Helper()
	eventually(t, "Temporal forgets "+id, func() error {
		_, err := h.temporal.WorkflowService().DeleteWorkflowExecution(t.Context(), &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: h.worker.TemporalNamespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id},
		})
		if _, gone := errors.AsType[*serviceerror.NotFound](err); !gone {
			return fmt.Errorf("it is there: %v", err)
		}
		_, err = h.temporal.DescribeWorkflowExecution(t.Context(), id, "")
		if _, gone := errors.AsType[*serviceerror.NotFound](err); !gone {
			return fmt.Errorf("it is shown: %v", err)
		}
		return nil
	})
}

func TestWhatTemporalLosesIsMadeAndDelivered(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true, schedule: "0s,1h,1h"})
	drive := h.gated(t)
	stop := h.work(t)
	// One event waits an hour for its second attempt, its automation is over.
	failing := newReceiver(t, http.StatusInternalServerError)
	delivering := h.simple(t, failing)
	postObject(t, delivering.Source.WebhookURL, object{"Name": "Ada"})
	first := failing.next(t)
	delivered := h.finished(t, delivering.ID, platen.AutomationCompleted).id
	h.closed(t, delivered, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	eventually(t, "the event has a run of its own", func() error {
		_, err := h.temporal.DescribeWorkflowExecution(t.Context(), first.id, "")
		return err
	})
	// Another automation waits for the drive.
	r := newReceiver(t)
	making := h.simple(t, r)
	tried := drive.away(isFill)
	postObject(t, making.Source.WebhookURL, object{"Name": "Grace"})
	<-tried
	<-tried
	waiting := h.automations(t, making.ID)[0].id
	eventually(t, "the automation is known to run", func() error {
		if a := h.automations(t, making.ID)[0]; a.state != string(platen.AutomationRunning) {
			return fmt.Errorf("it is %s", a.state)
		}
		return nil
	})
	stop()
	for _, id := range []string{delivered, first.id, waiting} {
		h.lose(t, id)
	}
	drive.open()
	// The hour passes.
	if _, err := h.database.Exec(t.Context(), `UPDATE events SET next_at = now() - interval '1 minute' WHERE state = 'PENDING'`); err != nil {
		t.Fatal(err)
	}

	h.workWith(t, func(*workParts) {})

	if made := r.next(t).event; made.Type != "DOCUMENTS_CREATED" {
		t.Errorf("got %+v, want the document made", made)
	}
	if a := h.finished(t, making.ID, platen.AutomationCompleted); a.id != waiting {
		t.Errorf("finished %s, want %s", a.id, waiting)
	}
	again := failing.next(t)
	if again.id != first.id || !bytes.Equal(again.body, first.body) {
		t.Errorf("got %s with %s, want %s with the same bytes", again.id, again.body, first.id)
	}
	eventually(t, "both events are delivered", func() error {
		all := append(h.events(t, making.ID), h.events(t, delivering.ID)...)
		if want := []string{"DOCUMENTS_CREATED DELIVERED", "DOCUMENTS_CREATED DELIVERED"}; !slices.Equal(all, want) {
			return fmt.Errorf("got %q", all)
		}
		return nil
	})
	var attempts int
	if err := h.database.QueryRow(t.Context(), `SELECT count(*) FROM deliveries WHERE event_id = $1 AND attempt IN (1, 2)`, first.id).Scan(&attempts); err != nil || attempts != 2 {
		t.Errorf("attempts 1 and 2: got %d of them, %v", attempts, err)
	}
	failing.quiet(t)
	r.quiet(t)
}

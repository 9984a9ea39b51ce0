package simulation

import (
	"context"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// A temporalClient is the server as a process sees it, as far as worker.Starter
// asks it.
type temporalClient struct {
	client.Client
	w *harness
	p *process
}

// started is what ExecuteWorkflow returns; nobody waits for a run.
type started struct{ client.WorkflowRun }

func (c temporalClient) ExecuteWorkflow(ctx context.Context, o client.StartWorkflowOptions, _ any, args ...any) (client.WorkflowRun, error) {
	s := start{
		run:       run{id: o.ID, workflow: runAutomation},
		reuse:     o.WorkflowIDReusePolicy,
		terminate: o.WorkflowIDConflictPolicy == enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING,
	}
	switch in := args[0].(type) {
	case workflows.RunAutomationInput:
		s.run.automated, s.run.attempt = in, o.Memo["attempt"].(int)
	case workflows.DeliverEventInput:
		s.run.workflow, s.run.delivers = deliverEvent, in
	}
	err := c.w.do(ctx, c.p, partTemporal, "starts", o.ID, func() error {
		if c.w.server.start(s) {
			return serviceerror.NewWorkflowExecutionAlreadyStarted("exists", "", "")
		}
		return nil
	})
	return started{}, err
}

func (c temporalClient) DescribeWorkflowExecution(ctx context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	var described *workflowservice.DescribeWorkflowExecutionResponse
	err := c.w.do(ctx, c.p, partTemporal, "looks at the run of", id, func() error {
		r := c.w.server.runs[id]
		if r == nil {
			return serviceerror.NewNotFound("no such run")
		}
		attempt, err := converter.GetDefaultDataConverter().ToPayload(r.attempt)
		described = &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
			Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: r.runID}, Status: r.status,
			Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"attempt": attempt}},
		}}
		if r.pinned != "" {
			described.WorkflowExecutionInfo.VersioningInfo = &workflowpb.WorkflowExecutionVersioningInfo{Behavior: enums.VERSIONING_BEHAVIOR_PINNED}
		}
		if r.told {
			described.WorkflowExecutionInfo.SearchAttributes = &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{workflows.OutcomeAttribute.GetName(): {}}}
		}
		return err
	})
	return described, err
}

func (c temporalClient) SignalWithStartWorkflow(ctx context.Context, id, _ string, _ any, _ client.StartWorkflowOptions, _ any, args ...any) (client.WorkflowRun, error) {
	return started{}, c.w.do(ctx, c.p, partTemporal, "has a look taken at", id, func() error {
		c.w.server.look(id, args[0].(workflows.AwaitReviewInput))
		return nil
	})
}

// updated is what UpdateWorkflow returns.
type updated struct{ client.WorkflowUpdateHandle }

func (updated) Get(context.Context, any) error { return nil }

func (c temporalClient) UpdateWorkflow(ctx context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	err := c.w.do(ctx, c.p, partTemporal, "redelivers", o.WorkflowID, func() error {
		if !c.w.server.redeliver(o.WorkflowID, o.Args[0].(workflows.Redelivery)) {
			return serviceerror.NewNotFound("no such run")
		}
		return nil
	})
	return updated{}, err
}

func (c temporalClient) UpdateWorkflowExecutionOptions(ctx context.Context, o client.UpdateWorkflowExecutionOptionsRequest) (client.WorkflowExecutionOptions, error) {
	return client.WorkflowExecutionOptions{}, c.w.do(ctx, c.p, partTemporal, "unpins", o.WorkflowId, func() error {
		if c.w.planted.pinsForever {
			return nil
		}
		if !c.w.server.unpin(o.WorkflowId) {
			return serviceerror.NewNotFound("no such run")
		}
		return nil
	})
}

func (c temporalClient) CancelWorkflow(ctx context.Context, id, _ string) error {
	return c.w.do(ctx, c.p, partTemporal, "cancels", id, func() error {
		if !c.w.server.requestCancel(id) {
			return serviceerror.NewNotFound("no such run")
		}
		return nil
	})
}

// A database is the store as a process sees it.
type database struct {
	w      *harness
	p      *process
	memory *memory
}

func (d database) do(ctx context.Context, what, of string, effect func(s *store) error) error {
	return d.w.do(ctx, d.p, partStore, what, of, func() error { return effect(d.w.store) })
}

// run is do for what cannot fail by itself.
func (d database) run(ctx context.Context, what, of string, effect func(s *store)) error {
	return d.do(ctx, what, of, func(s *store) error {
		effect(s)
		return nil
	})
}

func (d database) Claim(ctx context.Context, limit int, by platen.Claimer, lease time.Duration) (claimed []platen.Automation, seen platen.Occupancy, err error) {
	err = d.run(ctx, "claims", "automations", func(s *store) {
		claimed, seen = s.claim(limit, by, lease)
		d.w.checkPlaces(by, len(claimed))
		d.w.checkOrder(claimed)
	})
	if err != nil {
		return nil, platen.Occupancy{}, err
	}
	return claimed, seen, nil
}

func (d database) Register(ctx context.Context, id string, carries int) error {
	return d.run(ctx, "registers", id, func(s *store) { s.register(id, carries) })
}

func (d database) Unregister(ctx context.Context, id string) error {
	return d.run(ctx, "unregisters", id, func(s *store) { s.unregister(id) })
}

func (d database) MarkStarted(ctx context.Context, started []platen.Automation) error {
	return d.run(ctx, "marks as started", idsOf(started), func(s *store) { s.markStarted(started) })
}

func idsOf(automations []platen.Automation) string {
	ids := ""
	for _, a := range automations {
		ids += a.ID + " "
	}
	return ids
}

func (d database) Release(ctx context.Context, ids []string, delay time.Duration) error {
	return d.run(ctx, "releases", ids[0], func(s *store) { s.release(ids, delay) })
}

func (d database) Listen(ctx context.Context, wake func(platen.Waking)) error {
	d.p.listen(wake)
	<-ctx.Done()
	return ctx.Err()
}

func (d database) OverdueAutomations(ctx context.Context, age time.Duration, after platen.Automation) (found []platen.Automation, err error) {
	err = d.run(ctx, "lists overdue automations", after.ID, func(s *store) { found = s.overdueAutomations(age, after) })
	return found, err
}

func (d database) Requeue(ctx context.Context, id string, attempt int) error {
	return d.run(ctx, "requeues", id, func(s *store) { s.requeue(id, attempt) })
}

func (d database) EndAbandonedAutomation(ctx context.Context, id string, attempt int, event func(platen.Automation, platen.Output) (platen.Event, error)) (state platen.AutomationState, err error) {
	err = d.do(ctx, "ends the abandoned", id, func(s *store) (err error) {
		state, err = s.endAbandonedAutomation(id, attempt, event)
		return err
	})
	return state, err
}

func (d database) TakeOver(ctx context.Context, id string, run platen.LatestRun) (ok bool, err error) {
	err = d.do(ctx, "takes over", id, func(s *store) (err error) {
		ok, err = s.takeOver(id, run)
		return err
	})
	return ok, err
}

func (d database) MakeAgain(ctx context.Context, id string, attempt int) error {
	return d.do(ctx, "makes again", id, func(s *store) error { return s.makeAgain(id, attempt) })
}

func (d database) ClaimCommands(ctx context.Context, limit int, lease time.Duration) (claimed []platen.OutboxCommand, err error) {
	err = d.run(ctx, "claims", "commands", func(s *store) { claimed = s.claimCommands(limit, lease) })
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

func (d database) AcknowledgeCommand(ctx context.Context, e platen.OutboxCommand) error {
	return d.run(ctx, "acknowledges "+string(e.Kind), e.ID, func(s *store) { s.acknowledge(e) })
}

func (d database) PutOffDeliveries(ctx context.Context, key platen.EndpointKey, wait time.Duration) error {
	return d.run(ctx, "puts off deliveries to", key.URL, func(s *store) { s.putOffDeliveries(key, wait) })
}

func (d database) EndpointNow(ctx context.Context, key platen.EndpointKey) (state platen.EndpointState, now time.Time, err error) {
	err = d.run(ctx, "looks at the endpoint", key.URL, func(s *store) { state, now = s.endpointNow(key) })
	return state, now, err
}

func (d database) UpdateEndpoint(ctx context.Context, key platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	return d.run(ctx, "updates the endpoint", key.URL, func(s *store) { s.updateEndpoint(key, change) })
}

func (d database) ClaimOverdueEvents(ctx context.Context, age, lease time.Duration, limit int) (claimed []platen.OverdueEvent, err error) {
	err = d.run(ctx, "claims", "overdue events", func(s *store) { claimed = s.claimOverdueEvents(age, lease, limit) })
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

func (d database) MarkEventsUnderWay(ctx context.Context, ids []string) error {
	return d.run(ctx, "marks as under way", ids[0], func(s *store) { s.markEventsUnderWay(ids) })
}

func (d database) DeliverOverdue(ctx context.Context, ids []string) error {
	return d.run(ctx, "delivers the overdue", ids[0], func(s *store) { s.deliverOverdue(ids) })
}

func (d database) HoldEvent(ctx context.Context, id string, attempt int, why string) error {
	return d.run(ctx, "holds", id, func(s *store) { s.holdEvent(id, attempt, why) })
}

func (d database) Event(ctx context.Context, id string) (e platen.Event, to *platen.Endpoint, err error) {
	err = d.do(ctx, "reads", id, func(s *store) (err error) {
		e, to, err = s.eventAndEndpoint(id)
		return err
	})
	return e, to, err
}

func (d database) RecordDelivery(ctx context.Context, made platen.Delivery, state platen.EventState, next time.Duration) error {
	return d.do(ctx, "records the attempt at", made.EventID, func(s *store) error { return s.recordDelivery(made, state, next) })
}

func (d database) Park(ctx context.Context, id string, attempt int, wait platen.Wait) (w platen.Wait, err error) {
	err = d.run(ctx, "parks", id, func(s *store) { w = s.park(id, attempt, wait) })
	return w, err
}

func (d database) Unpark(ctx context.Context, id, subject string) error {
	return d.run(ctx, "unparks", id, func(s *store) { s.unpark(id, subject) })
}

func (d database) OutputData(ctx context.Context, id, outputID string, attempt int) (body []byte, err error) {
	err = d.do(ctx, "reads the data of", id, func(s *store) error {
		a, err := s.automation(id)
		if body = a.body; attempt != 1 {
			body = s.data(a, outputID)
		}
		return err
	})
	return body, err
}

func (d database) FailAutomation(ctx context.Context, id string, attempt int, code, message string) (state platen.AutomationState, err error) {
	err = d.do(ctx, "fails", id, func(s *store) (err error) {
		state, err = s.failAutomation(id, attempt, code, message)
		return err
	})
	return state, err
}

func (d database) EndAutomation(ctx context.Context, id string, attempt int) (state platen.AutomationState, err error) {
	err = d.do(ctx, "ends", id, func(s *store) (err error) {
		state, err = s.endAutomation(id, attempt)
		return err
	})
	return state, err
}

func (d database) UnsweptOutputs(ctx context.Context, age time.Duration, after platen.EndedOutput) (found []platen.EndedOutput, err error) {
	err = d.run(ctx, "lists", "unswept outputs", func(s *store) { found = s.unsweptOutputs(age, after) })
	return found, err
}

func (d database) MarkOutputSwept(ctx context.Context, o platen.EndedOutput) error {
	return d.run(ctx, "marks as swept", o.OutputID, func(s *store) { s.markOutputSwept(o) })
}

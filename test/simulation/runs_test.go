package simulation

import (
	"runtime"
	"slices"
	"sync"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// The workflows of the product, as their order of steps: the code of package
// workflows runs in Temporal's own scheduler only. A test runs both with random
// outcomes of the steps and compares what they ask for.

// A preset is how a step runs; see package workflows.
type preset struct {
	cancellable bool
	local       time.Duration
	once, all   time.Duration
	retry       temporal.RetryPolicy
	delivers    bool // on the queue of deliveries
}

const heartbeat = 10 * time.Second

var (
	patient     = temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute}
	steady      = temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute}
	ofDocuments = preset{cancellable: true, local: 5 * time.Second, once: 2 * time.Minute, all: activities.Day, retry: patient}
	ofRecords   = preset{local: 5 * time.Second, once: 30 * time.Second, retry: steady}
	ofDelivery  = preset{local: 17 * time.Second, once: 20 * time.Second, retry: steady, delivers: true}
	ofQuestions = preset{local: 5 * time.Second}
	ofReviews   = preset{local: 10 * time.Second, once: 7 * time.Minute, retry: temporal.RetryPolicy{InitialInterval: 5 * time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Minute}}
	ofOrphans   = preset{local: ofDocuments.local, once: ofDocuments.once, all: ofDocuments.all, retry: patient}
)

// A flow is one task of a run: the workflow from its beginning, with what is
// known of it. Its branches take turns as the steps do.
type flow struct {
	run   *run // a copy
	local func(name string, p preset, input any) outcome
	// finishFirst is planted: an automation ends before its documents are recorded.
	finishFirst bool

	mu     sync.Mutex
	known  map[string]record // made by this task
	answer answer
	waits  bool // for something that is not known yet
}

func newFlow(r *run, local func(name string, p preset, input any) outcome) *flow {
	return &flow{run: r, local: local, known: map[string]record{}, answer: answer{timers: map[string]time.Duration{}}}
}

// find returns what is known of a step.
func (f *flow) find(key string) (outcome, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, ok := f.run.records[key]; ok {
		return r.outcome, true
	}
	r, ok := f.known[key]
	return r.outcome, ok
}

func (f *flow) note(key string, o outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[key] = record{outcome: o}
}

// block ends a branch whose next result is not known yet.
func (f *flow) block() {
	f.mu.Lock()
	f.waits = true
	f.mu.Unlock()
	runtime.Goexit()
}

// branch runs part of a workflow beside others.
func (f *flow) branch(wg *sync.WaitGroup, part func()) { wg.Go(part) }

// step runs one activity: once as a local one, and when that fails for a reason
// that may pass, as a regular one that is retried.
func (f *flow) step(p preset, subject, name, owner string, input any) outcome {
	key := subject + " " + name
	if _, begun := f.find(key + " local"); !begun && p.cancellable && f.run.cancel {
		return outcome{failed: true, canceled: true}
	}
	o := f.first(p, key, name, input)
	if !o.mayPass() {
		return o
	}
	cancelled := p.cancellable && f.run.cancel
	o = f.regular(p, key, name, owner, input, cancelled)
	if cancelled && o.mayPass() {
		return outcome{failed: true, canceled: true}
	}
	return o
}

func (f *flow) first(p preset, key, name string, input any) outcome {
	key += " local"
	o, ok := f.find(key)
	if !ok {
		o = f.local(name, p, input)
		f.note(key, o)
	}
	return o
}

func (f *flow) regular(p preset, key, name, owner string, input any, cancelled bool) outcome {
	key += " regular"
	if o, ok := f.find(key); ok {
		return o
	}
	f.mu.Lock()
	_, asked := f.run.activities[key]
	switch {
	case asked && cancelled:
		f.answer.cancels = append(f.answer.cancels, key)
	case asked:
	case cancelled:
		f.mu.Unlock()
		return outcome{failed: true, canceled: true}
	default:
		f.answer.orders = append(f.answer.orders, order{key: key, name: name, preset: p, input: input, owner: owner})
	}
	f.mu.Unlock()
	f.block()
	return outcome{}
}

// task runs the workflow as far as it comes, and returns what it asks for.
func (f *flow) task() answer {
	var wg sync.WaitGroup
	f.branch(&wg, func() {
		switch f.run.workflow {
		case runAutomation:
			f.close(f.runAutomation(f.run.automated))
		case awaitReview:
			f.close(f.awaitReview(f.run.awaits))
		default:
			f.close(f.deliverEvent())
		}
	})
	wg.Wait()
	f.answer.records = f.known
	return f.answer
}

func (f *flow) close(status enums.WorkflowExecutionStatus) { f.answer.closes = status }

// closing is the status of a run that ends with the outcome of a step.
func closing(o outcome) enums.WorkflowExecutionStatus {
	switch {
	case o.canceled:
		return enums.WORKFLOW_EXECUTION_STATUS_CANCELED
	case o.failed:
		return enums.WORKFLOW_EXECUTION_STATUS_FAILED
	}
	return enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
}

// reason returns the code and the words of a step's failure.
func reason(o outcome) (code, message string) {
	switch {
	case o.canceled:
		return platen.CodeCancelled, platen.MessageCancelled
	case o.nonRetryable:
		return o.code, o.message
	case o.timedOut:
		return platen.CodeGaveUp, "The document could not be made within a day of tries: a step took too long each time. Start it again, or make the template simpler."
	}
	return platen.CodeGaveUp, "The document could not be made within a day of tries; start it again when this is cured: " + o.message
}

func (f *flow) runAutomation(in workflows.RunAutomationInput) enums.WorkflowExecutionStatus {
	o := f.step(ofRecords, in.AutomationID, "LoadPlan", "", activities.LoadPlanInput{AutomationID: in.AutomationID, Attempt: in.Attempt})
	if o.failed {
		return f.fail(in, o)
	}
	plan := o.result.(activities.LoadPlanResult)
	made := make([]outcome, len(plan.Documents))
	ended := make([]bool, len(plan.Documents))
	var wg sync.WaitGroup
	for i, d := range plan.Documents {
		f.branch(&wg, func() {
			made[i] = document{flow: f, in: in, owner: plan.OwnerID, workflow: plan.WorkflowID, steps: d, cancelled: plan.Cancelled}.run()
			ended[i] = true
		})
	}
	wg.Wait()
	if slices.Contains(ended, false) {
		f.block()
	}
	for _, o := range made {
		if o.failed {
			return f.giveOver(o)
		}
	}
	return f.end(in, "FinishAutomation", activities.FinishInput{AutomationID: in.AutomationID, Attempt: in.Attempt}, outcome{})
}

// forgets are the codes of steps that lack in the store what an earlier step of their
// run had put there.
var forgets = []string{platen.CodeForgotten, "output_not_found", "event_not_found"}

func (o outcome) isForgotten() bool { return o.failed && slices.Contains(forgets, o.code) }

// giveOver ends a run, and notes where the store has forgotten what it did.
func (f *flow) giveOver(o outcome) enums.WorkflowExecutionStatus {
	f.answer.told = f.answer.told || o.isForgotten()
	return closing(o)
}

// end records how the automation ended, and ends the run alike.
func (f *flow) end(in workflows.RunAutomationInput, step string, input any, cause outcome) enums.WorkflowExecutionStatus {
	o := f.step(ofRecords, in.AutomationID, step, "", input)
	switch {
	case o.failed && cause.failed:
		return closing(o)
	case o.failed:
		return f.giveOver(o)
	case cause.failed:
		f.answer.told = true
		return closing(cause)
	}
	state := o.result.(activities.FinishResult).State
	f.answer.told = f.answer.told || state != platen.AutomationCompleted
	switch state {
	case platen.AutomationFailed:
		return enums.WORKFLOW_EXECUTION_STATUS_FAILED
	case platen.AutomationCancelled:
		return enums.WORKFLOW_EXECUTION_STATUS_CANCELED
	}
	return enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
}

func (f *flow) fail(in workflows.RunAutomationInput, cause outcome) enums.WorkflowExecutionStatus {
	code, message := reason(cause)
	return f.end(in, "FailAutomation", activities.FailInput{AutomationID: in.AutomationID, Attempt: in.Attempt, Code: code, Message: message}, cause)
}

// A document is the way of one output through the run.
type document struct {
	*flow
	in        workflows.RunAutomationInput
	owner     string
	workflow  string
	steps     activities.DocumentSteps
	cancelled bool
}

func (d document) step(p preset, name string, input any) outcome {
	return d.flow.step(p, d.steps.OutputID, name, d.owner, input)
}

func (d document) run() outcome {
	if d.steps.Waits {
		return outcome{}
	}
	step := activities.Step{AutomationID: d.in.AutomationID, OutputID: d.steps.OutputID, Attempt: d.in.Attempt, WorkflowID: d.workflow}
	var o outcome
	if !d.steps.Ended {
		o = d.produce(step)
	}
	if o.isForgotten() {
		return o
	}
	if o.failed {
		code, message := reason(o)
		o = d.step(ofRecords, "RecordFailure", activities.FailureInput{Step: step, Code: code, Message: message})
	} else {
		if d.finishFirst {
			d.step(ofRecords, "FinishAutomation", activities.FinishInput{AutomationID: d.in.AutomationID, Attempt: d.in.Attempt})
		}
		o = d.step(ofRecords, "RecordOutput", step)
	}
	if o.failed {
		return o
	}
	recorded := o.result.(activities.RecordResult)
	if o := d.deliverAll(recorded); o.failed {
		return o
	}
	if recorded.Orphans {
		d.step(ofOrphans, "TrashLeftovers", step)
	}
	return outcome{}
}

func (d document) produce(step activities.Step) outcome {
	if d.cancelled {
		return outcome{failed: true, canceled: true}
	}
	if code, message, failed := d.steps.Verdict.Failure(); failed {
		return outcome{failed: true, nonRetryable: true, code: code, message: message}
	}
	if d.steps.Verdict == platen.VerdictApproved {
		return d.step(ofDocuments, "ReleaseOutput", step)
	}
	names := []string{"CopyTemplate", "FillTags"}
	if d.steps.MakePDF && d.steps.Append {
		names = append(names, "FillAppendices")
	}
	if d.steps.MakePDF {
		names = append(names, "MakePDF")
	}
	if d.steps.MakePDF && d.steps.Remove {
		names = append(names, "RemoveOriginal")
	}
	for _, name := range names {
		if o := d.step(ofDocuments, name, step); o.failed {
			return o
		}
	}
	return outcome{}
}

// deliverAll delivers the events of an output side by side.
func (d document) deliverAll(recorded activities.RecordResult) outcome {
	events := recorded.ReceiverEvents
	if recorded.EventID != "" {
		events = append([]string{recorded.EventID}, events...)
	}
	made, ended := make([]outcome, len(events)), make([]bool, len(events))
	var wg sync.WaitGroup
	for i, id := range events {
		d.branch(&wg, func() { made[i], ended[i] = d.deliver(id), true })
	}
	wg.Wait()
	if slices.Contains(ended, false) {
		d.block()
	}
	for _, o := range made {
		if o.failed {
			return o
		}
	}
	return outcome{}
}

func (d document) deliver(eventID string) outcome {
	o := d.flow.step(ofDelivery, eventID, "SendEvent", d.owner, activities.SendInput{EventID: eventID, Attempt: 1, InRun: true})
	if o.failed {
		return o
	}
	sent := o.result.(activities.SendResult)
	if sent.Ended {
		return outcome{}
	}
	next := 2
	if sent.Postponed {
		next = 1
	}
	if _, started := d.find("child " + eventID); started {
		return outcome{} // one that exists already will do
	}
	d.mu.Lock()
	d.answer.children = append(d.answer.children, start{
		reuse: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		run:   run{id: eventID, workflow: deliverEvent, delivers: workflows.DeliverEventInput{EventID: eventID, Owner: d.owner, Attempt: next, Wait: sent.Wait}},
	})
	d.mu.Unlock()
	d.block()
	return outcome{}
}

// awaitReview looks after an output that waits for people: a task has one look, and what it
// waits for then.
func (f *flow) awaitReview(in workflows.AwaitReviewInput) enums.WorkflowExecutionStatus {
	heard, known := f.find("heard")
	if !known {
		heard = outcome{result: f.run.looks}
		f.note("heard", heard)
	}
	o := f.step(ofReviews, in.Step.OutputID, "TendReview", in.Owner, activities.ReviewInput{Step: in.Step})
	if o.failed {
		return closing(o)
	}
	next, more := o.result.(activities.ReviewResult), f.run.looks > heard.result.(int)
	_, over := f.find("timer")
	switch _, armed := f.run.timers["timer"]; {
	case next.Ended && !more:
		return enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	case next.Ended, more, over:
		f.mu.Lock()
		f.answer.looks, f.known = true, map[string]record{}
		f.mu.Unlock()
	case f.run.cancel:
		return enums.WORKFLOW_EXECUTION_STATUS_CANCELED
	case !armed:
		f.answer.timers["timer"] = next.Wait
	}
	f.block()
	return 0
}

// deliverEvent makes attempts until the delivery has ended. Each begins from
// what the ones before it left, which the server keeps in place of their records.
func (f *flow) deliverEvent() enums.WorkflowExecutionStatus {
	in := f.run.delivers
	if _, over := f.find("timer"); !over {
		if f.run.cancel {
			return f.hold(in)
		}
		if f.run.again != nil {
			return f.redeliver(in)
		}
		if _, armed := f.run.timers["timer"]; !armed {
			f.answer.timers["timer"] = in.Wait
		}
		f.block()
	}
	sent, o := f.attempt(in)
	switch {
	case o.canceled:
		return f.hold(in)
	case f.run.again != nil:
		return f.redeliver(in)
	case o.failed:
		return closing(o)
	case sent.Ended && sent.Delivered:
		f.answer.told = true
		return enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	case sent.Ended:
		f.answer.told = true
		return enums.WORKFLOW_EXECUTION_STATUS_FAILED
	case sent.Postponed:
		in.Waited += sent.Wait
	default:
		in.Attempt++
	}
	in.Wait = sent.Wait
	f.answer.state = &in
	if f.run.cancel {
		f.run.delivers = in
		return f.hold(in)
	}
	return f.goOn(in)
}

// redeliver begins the redelivery that was asked for.
func (f *flow) redeliver(in workflows.DeliverEventInput) enums.WorkflowExecutionStatus {
	in.Attempt, in.Before, in.Wait, in.Waited, f.answer.again = f.run.again.Attempt, f.run.again.Before, 0, 0, true
	return f.goOn(in)
}

// goOn goes on with a delivery after a wait.
func (f *flow) goOn(in workflows.DeliverEventInput) enums.WorkflowExecutionStatus {
	f.answer.state, f.known = &in, map[string]record{}
	f.answer.timers["timer"] = in.Wait
	f.block()
	return 0
}

func (f *flow) attempt(in workflows.DeliverEventInput) (activities.SendResult, outcome) {
	input := activities.SendInput{EventID: in.EventID, Attempt: in.Attempt, Before: in.Before, Waited: in.Waited}
	if o := f.first(ofQuestions, "ask", "AskEndpoint", input); !o.failed {
		if asked := o.result.(activities.SendResult); asked.Postponed || asked.Ended {
			return asked, outcome{}
		}
	}
	o := f.regular(ofDelivery, "send", "SendEvent", in.Owner, input, f.run.cancel)
	if o.failed {
		return activities.SendResult{}, o
	}
	return o.result.(activities.SendResult), o
}

// hold is what is left to do for an event whose delivery was cancelled.
func (f *flow) hold(in workflows.DeliverEventInput) enums.WorkflowExecutionStatus {
	o := f.step(ofRecords, "hold", "HoldCancelled", in.Owner, activities.SendInput{EventID: in.EventID, Attempt: in.Attempt, Before: in.Before})
	if o.failed {
		return closing(o)
	}
	f.answer.told = true
	return enums.WORKFLOW_EXECUTION_STATUS_CANCELED
}

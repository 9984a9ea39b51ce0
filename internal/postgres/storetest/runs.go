package storetest

import (
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Retried is an automation whose first attempt FAILED, and whose second is
// RUNNING.
func (f *Harness) Retried(w platen.Workflow) platen.Plan {
	f.T.Helper()
	p := f.Running(w)
	_, _, err := f.Outputs.RecordOutput(f.T.Context(), p.Documents[0].OutputID, Failed, EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(f.T.Context(), p.AutomationID, 1)
	f.Must(err)
	a, err := f.Automations.RetryAutomation(f.T.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(f.T.Context(), []platen.Automation{a}))
	return p
}

// Endpoint reads the state of one.
func (f *Harness) Endpoint(key platen.EndpointKey) (state platen.EndpointState) {
	f.T.Helper()
	f.Must(f.Endpoints.UpdateEndpoint(f.T.Context(), key, func(s *platen.EndpointState, _ time.Time) { state = *s }))
	return state
}

// Change changes the state of an endpoint.
func (f *Harness) Change(key platen.EndpointKey, change func(s *platen.EndpointState, now time.Time)) {
	f.T.Helper()
	f.Must(f.Endpoints.UpdateEndpoint(f.T.Context(), key, change))
}

// Made is an automation whose one output is DONE.
func (f *Harness) Made(owner platen.User) (w platen.Workflow, key platen.MailKey) {
	f.T.Helper()
	w = f.Workflow(owner)
	p := f.Running(w)
	key = platen.MailKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID}
	_, _, err := f.Outputs.RecordOutput(f.T.Context(), key.OutputID, Named("Invoice 7.pdf"), EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(f.T.Context(), p.AutomationID, 1)
	f.Must(err)
	return w, key
}

// Fail has a mail begun and refused.
func (f *Harness) Fail(key platen.MailKey) {
	f.T.Helper()
	_, err := f.Mails.BeginMail(f.T.Context(), key, time.Minute)
	f.Must(err)
	f.Must(f.Mails.RecordMail(f.T.Context(), platen.Mail{MailKey: key, State: platen.MailFailed, Recipients: 1, Code: platen.CodeEmailAddressRefused, Message: "refused"}))
}

// Due are the notices of an owner that are due now.
func (f *Harness) Due(owner platen.User) (found []platen.Notice) {
	f.T.Helper()
	all, err := f.Notices.ClaimNotices(f.T.Context(), 24*time.Hour, 10*time.Minute, time.Minute, 100)
	f.Must(err)
	for _, n := range all {
		if n.OwnerID == owner.ID {
			found = append(found, n)
		}
	}
	return found
}

// Park parks an automation.
func (f *Harness) Park(id string) platen.Wait {
	f.T.Helper()
	w, err := f.Parking.Park(f.T.Context(), id, 1, platen.Wait{Subject: "out_" + id, Step: "CopyTemplate", Code: platen.CodeStepSlow})
	f.Must(err)
	return w
}

// IsUnavailable is what a first try came to.
func IsUnavailable(subject string) platen.Wait {
	return platen.Wait{Subject: subject, Step: "CopyTemplate", Code: "drive_unavailable", Message: "The drive does not answer."}
}

// UnderWay accepts and starts n events of a workflow.
func (f *Harness) UnderWay(w platen.Workflow, n int) []string {
	f.T.Helper()
	ids := f.Accept(w, n)
	claimed := f.Claim(n, 1000)
	if len(claimed) != n {
		f.T.Fatalf("%d claimed, want %d", len(claimed), n)
	}
	f.Must(f.Queue.MarkStarted(f.T.Context(), claimed))
	return ids
}

// Pause pauses a scope.
func (f *Harness) Pause(scope platen.PauseScope, id string) {
	f.T.Helper()
	f.Must(f.Pauses.Pause(f.T.Context(), platen.Pause{Scope: scope, ID: id, Reason: "the printer is repaired", By: "ada"}))
}

// AnyOwner claims for whichever owner while so many runs are open at most.
func AnyOwner(open int) platen.Claimer {
	return Claimer(platen.Places{Open: open, OwnerOpen: open, Parked: 1000, OwnerParked: 1000})
}

// Claimer is a worker that carries all that there is.
func Claimer(most platen.Places) platen.Claimer {
	return platen.Claimer{Worker: "wrk_test", Carries: most.Open, Most: most}
}

// Claim claims as the only worker.
func (f *Harness) Claim(limit, maxOpen int) []platen.Automation {
	f.T.Helper()
	claimed, _, err := f.Queue.Claim(f.T.Context(), limit, AnyOwner(maxOpen), time.Minute)
	f.Must(err)
	return claimed
}

// IDs are those of automations, in their order.
func IDs(automations []platen.Automation) []string {
	list := make([]string, len(automations))
	for i, a := range automations {
		list[i] = a.ID
	}
	return list
}

// Firsts are the first attempts of automations.
func Firsts(ids ...string) []platen.Automation {
	all := make([]platen.Automation, len(ids))
	for i, id := range ids {
		all[i] = platen.Automation{ID: id, Attempt: 1}
	}
	return all
}

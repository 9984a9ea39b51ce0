package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// isFinished tells whether nothing is left to do.
func (w *harness) isFinished() bool {
	for _, a := range w.store.automations {
		if !a.Ended() {
			return false
		}
	}
	for _, e := range w.store.events {
		if e.State != platen.EventDelivered {
			return false
		}
	}
	return len(w.store.commands) == 0
}

// unfinished says what is left to do; empty: nothing is.
func (w *harness) unfinished() string {
	for _, id := range sorted(w.store.automations) {
		if a := w.store.automations[id]; !a.Ended() {
			return fmt.Sprintf("%s is %s in attempt %d", id, a.State, a.Attempt)
		}
	}
	for _, id := range sorted(w.store.events) {
		if e := w.store.events[id]; e.State != platen.EventDelivered {
			return fmt.Sprintf("%s is %s %s", id, e.State, e.Reason)
		}
	}
	for key := range w.store.commands {
		return fmt.Sprintf("the command %s of %s waits", key.kind, key.id)
	}
	return ""
}

// check judges what it came to when nothing went wrong any more.
func (w *harness) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.config.rollsOut {
		w.checkRollout()
		return
	}
	if left := w.unfinished(); left != "" {
		w.violate("it did not end: %s", left)
	}
	w.checkLeases()
	for _, id := range w.accepted {
		if _, ok := w.store.automations[id]; !ok {
			w.violate("%s was accepted and is not there", id)
		}
	}
	for _, id := range sorted(w.store.outputs) {
		w.checkOutput(w.store.outputs[id])
	}
	w.checkNumbers()
	w.checkReviews()
	w.checkReceivers()
	w.checkOrphans()
	for _, id := range sorted(w.store.events) {
		w.checkEvent(w.store.events[id])
	}
	for _, id := range sorted(w.receiver.received) {
		w.checkReceipts(id, w.receiver.received[id])
	}
}

// checkLeases sees that no lease of a dead process is left.
func (w *harness) checkLeases() {
	for _, id := range sorted(w.store.automations) {
		if a := w.store.automations[id]; !a.leasedUntil.IsZero() {
			w.violate("%s is leased until %v after the start", id, a.leasedUntil.Sub(w.started))
		}
		if a := w.store.automations[id]; a.ParkedAt != nil {
			w.violate("%s has ended and is parked", id)
		}
	}
	for key, e := range w.store.endpoints {
		for _, l := range e.InFlight {
			if l.Until.After(w.store.now()) {
				w.violate("a place at %s is held for %s until %v after the start", key.URL, l.EventID, l.Until.Sub(w.started))
			}
		}
	}
}

// filledText is what a document says that was filled once.
func (w *harness) filledText(o outputRow) string {
	return "Dear " + w.nameOf(o.ID, o.AutomationID) + ", see " + numberSign + fmt.Sprint(w.store.numbers[o.AutomationID])
}

// appendixText begins a template that is appended.
const appendixText = "Behind "

// pdfText is what the PDF of a document says that was filled once, and so was what is
// appended.
func (w *harness) pdfText(o outputRow, d platen.Document) string {
	text := "PDF of " + w.filledText(o)
	for range d.Appended() {
		text += " with PDF of " + appendixText + w.nameOf(o.ID, o.AutomationID)
	}
	return text
}

// numberSign stands before the number of a document.
const numberSign = " no. "

// checkNumbers sees that each plan has a number, that no two have the same, and that
// none between was lost.
func (w *harness) checkNumbers() {
	given := map[string]map[int64]string{}
	for _, id := range sorted(w.store.plans) {
		p := w.store.plans[id]
		n := p.Numbers["invoices"]
		if n < 1 || n > w.store.series[p.OwnerID] || n != w.store.numbers[id] {
			w.violate("%s has the number %d, of %d that %s has given", id, n, w.store.series[p.OwnerID], p.OwnerID)
		}
		if given[p.OwnerID] == nil {
			given[p.OwnerID] = map[int64]string{}
		}
		if other := given[p.OwnerID][n]; other != "" {
			w.violate("%s and %s both have the number %d", other, id, n)
		}
		given[p.OwnerID][n] = id
	}
	for _, owner := range sorted(w.store.series) {
		if have := int64(len(given[owner])); have != w.store.series[owner] {
			w.violate("%s has given %d numbers, and %d plans have one", owner, w.store.series[owner], have)
		}
	}
}

// checkOutput sees that a document that is DONE has its files, filled once, of
// the generation that counts.
func (w *harness) checkOutput(o outputRow) {
	w.checkEnd(o)
	if o.State != platen.OutputDone {
		return
	}
	plan, _ := w.store.plans[o.AutomationID].Output(o.ID)
	d := plan.Document
	if w.putBack && o.Copy == nil && o.Removed && o.PDF != nil {
		w.checkFile(o, o.PDF.ID, w.pdfText(o, d)) // found in the drive
		return
	}
	if o.Copy == nil || !o.FillEnded {
		w.violate("%s is DONE without a filled copy", o.ID)
		return
	}
	if key := o.Copy.Properties[platen.PropertyKey]; key != o.CopyKey() {
		w.violate("%s is DONE with the copy of key %s, not %s", o.ID, key, o.CopyKey())
	}
	if !o.Removed {
		w.checkFile(o, o.Copy.ID, w.filledText(o))
	}
	if d.CreatePDFCopy && o.PDF == nil {
		w.violate("%s is DONE without its PDF", o.ID)
	}
	if o.PDF != nil {
		w.checkFile(o, o.PDF.ID, w.pdfText(o, d))
	}
	if o.Removed && w.drives.exists(o.Copy.ID) {
		w.violate("the original of %s is removed and still there", o.ID)
	}
}

// checkEnd sees that an output that has ended says so, and failed for a reason.
func (w *harness) checkEnd(o outputRow) {
	told := slices.ContainsFunc(w.store.eventsOf(o.AutomationID), func(e eventRow) bool { return e.OutputID == o.ID && e.attempt == o.Attempt })
	switch {
	case o.State != platen.OutputPending && !told:
		w.violate("%s is %s, and no event says so", o.ID, o.State)
	case o.FailureCode == codeRunEnded && !w.happenedTo("terminated", "database"):
		w.violate("%s has FAILED because its run ended, which nobody ended", o.ID)
	case o.FailureCode == platen.CodeCancelled && !w.happenedTo("cancelled"):
		w.violate("%s was cancelled by nobody", o.ID)
	}
}

// happenedTo tells whether somebody did something whose name has one of these words.
func (w *harness) happenedTo(words ...string) bool {
	return slices.ContainsFunc(w.faults.struck, func(name string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	})
}

func (w *harness) checkFile(o outputRow, id, want string) {
	if !w.drives.exists(id) {
		w.violate("%s is DONE and its file %s is not there", o.ID, id)
		return
	}
	f := w.drives.files[id]
	got := f.text + string(f.content)
	if w.putBack { // what was made before may have the number that it had then
		got, _, _ = strings.Cut(got, numberSign)
		want, _, _ = strings.Cut(want, numberSign)
	}
	if !strings.HasSuffix(got, want) || f.text != "" && got != want {
		w.violate("%s is DONE and its file %s says %q, not %q", o.ID, id, got, want)
	}
}

// checkEvent sees that an event says what is so, and was received.
func (w *harness) checkEvent(e eventRow) {
	o := w.store.outputs[e.OutputID]
	if e.Type == platen.EventDocumentFailed && o.State == platen.OutputDone && e.attempt == o.Attempt {
		w.violate("%s says that %s failed, which is DONE", e.ID, o.ID)
	}
	if e.State == platen.EventDelivered && len(w.receiver.received[e.ID]) == 0 {
		w.violate("%s is DELIVERED and was never received", e.ID)
	}
}

// checkReceipts sees that an event is repeated only where something went wrong,
// and that every file that it named is there.
func (w *harness) checkReceipts(id string, all []receipt) {
	if _, ok := w.store.events[id]; !ok && !w.putBack {
		w.violate("%s was received and is not known", id)
	}
	if n := w.cutOffSends[id]; len(all) > 1+n && len(w.faults.struck) == 0 {
		w.violate("%s was received %d times, and nothing went wrong", id, len(all))
	}
	if len(all) > 1+w.repeats(id) {
		w.violate("%s was received %d times, where faults explain %d", id, len(all), 1+w.repeats(id))
	}
	if w.endedAfterRestore(id) {
		return
	}
	for _, r := range all {
		for _, file := range r.files() {
			if !w.drives.exists(file) {
				w.violate("%s named the file %s, which is not there any more", id, file)
			}
		}
	}
}

// endedAfterRestore tells of an event whose output somebody ended, or did not approve once more, when
// Postgres had forgotten it, the receivers' included: what it named is then swept with what was left of the output.
func (w *harness) endedAfterRestore(eventID string) bool {
	if !w.putBack {
		return false
	}
	for _, o := range w.store.outputs {
		ended := slices.Contains([]string{codeRunEnded, platen.CodeCancelled, platen.CodeApprovalRejected, platen.CodeApprovalExpired}, o.FailureCode)
		if !ended {
			continue
		}
		own := platen.DerivedID(platen.PrefixEvent, o.ID, strconv.Itoa(o.Attempt))
		if own == eventID || slices.ContainsFunc(w.store.workflows[w.store.automations[o.AutomationID].WorkflowID].receivers, func(r platen.Receiver) bool {
			return platen.DerivedID(platen.PrefixEvent, own, r.ID) == eventID
		}) {
			return true
		}
	}
	return false
}

// repeats is how often an event may be received once more, for all that went wrong.
func (w *harness) repeats(eventID string) int {
	n := w.cutOffSends[eventID]
	for _, part := range []part{partStore, partTemporal, partReceiver, "crash"} {
		n += w.faults.counts[part]
	}
	acts := slices.DeleteFunc(slices.Clone(w.faults.struck), func(name string) bool { return !strings.Contains(name, ": ") })
	return n + 2*len(acts)
}

// checkPlaces sees that after a claim the open runs fit the places: in all, of the
// claiming worker and of one owner.
func (w *harness) checkPlaces(by platen.Claimer, claimed int) {
	if claimed == 0 {
		return
	}
	seen := w.store.occupancy(by)
	if seen.Open > seen.Most.Open || by.Most.Open > 0 && seen.Open > by.Most.Open {
		w.violate("%d runs were open after a claim, with %d places", seen.Open, seen.Most.Open)
	}
	if seen.Own > by.Carries {
		w.violate("%d runs of %s were open after its claim, which carries %d", seen.Own, by.Worker, by.Carries)
	}
	loads := w.store.loads(w.store.now())
	for _, id := range sorted(loads) {
		if open := loads[id].open; w.store.isOwner(id) && open > seen.Most.OwnerOpen && open > 1 {
			w.violate("%d runs of %s were open after a claim, with %d places", open, id, seen.Most.OwnerOpen)
		}
	}
}

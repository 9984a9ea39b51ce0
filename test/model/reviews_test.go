package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// A review is that people are asked about an output: two, and one of them or both have to
// approve it.
type review struct {
	round, need int
	by          []*person
	answers     []answered
	verdict     string // empty: it waits
	// corrected is what the output is made of, fields what was changed in it last, and by whom.
	corrected   any
	fields      []any
	correctedBy *person
	correctedIn int // the round that it began
}

type answered struct {
	by       *person
	approves bool
}

func (r *review) wire() object {
	by, answers, verdict, decided := []any{}, []any{}, any(nil), any(nil)
	for _, p := range r.by {
		by = append(by, p.email)
	}
	for _, a := range r.answers {
		reason := any(nil)
		if !a.approves {
			reason = "Wrong town."
		}
		answers = append(answers, object{"for": a.by.email, "by": a.by.email, "approves": a.approves, "reason": reason, "at": matches(timestamp)})
	}
	if r.verdict != "" {
		verdict, decided = r.verdict, matches(timestamp)
	}
	whole := object{
		"round": float64(r.round), "by": by, "needed": float64(r.need), "sha256": "abc", "requestedAt": matches(timestamp), "expiresAt": matches(timestamp),
		"remindedAt": nil, "verdict": verdict, "decidedAt": decided, "unsent": nil, "answers": answers,
	}
	if r.fields != nil && r.correctedIn <= r.round {
		whole["correction"] = object{"by": r.correctedBy.email, "fields": r.fields, "at": matches(timestamp)}
	}
	return whole
}

// isReviewed tells whether an output waits for people now.
func (o *output) isReviewed() bool {
	return o.failure == "" && o.review != nil && o.review.verdict == "" && o.review.round == o.attempt
}

// beginReviews does what a run does whose documents wait for people when it ends.
func (w *model) beginReviews() {
	one, a := w.waiting()
	if a == nil {
		w.sendToRunnable()
		one, a = w.waiting()
	}
	if a == nil || len(one.documents) == 0 && !a.planned {
		return
	}
	w.planRun(one, a)
	begins := func(o *output) bool { return o.failure == "" && !o.isReviewed() && o.attempt <= 1+a.retries }
	if len(a.outputs) == 0 || !slices.ContainsFunc(a.outputs, begins) || slices.ContainsFunc(a.outputs, func(o *output) bool { return begins(o) && o.isDecided() }) {
		return
	}
	first := w.number("first approver", len(w.people))
	by := []*person{w.people[first], w.people[(first+1)%len(w.people)]}
	approval := platen.Approval{By: []string{by[0].email, by[1].email}, Need: 1 + w.number("approvals", 2), ExpireDays: 30}
	for _, o := range a.outputs {
		if !begins(o) {
			continue
		}
		_, err := w.admin.DB.Reviews.BeginReview(w.t.Context(), o.id, approval, func(made *platen.Output) error {
			made.CopyBegun, made.FillBegun, made.FillEnded = true, true, true
			made.Copy, made.PDF = &platen.File{ID: "copy"}, &platen.File{ID: "pdf", SHA256: "abc"}
			return made.BeginReview(made.Attempt, platen.Document{CreatePDFCopy: true, Approval: &approval})
		})
		w.must(err)
		before := o.review
		o.review = &review{round: o.attempt, need: approval.Need, by: by}
		if before != nil {
			o.review.corrected, o.review.fields, o.review.correctedBy, o.review.correctedIn = before.corrected, before.fields, before.correctedBy, before.correctedIn
		}
		o.made = true
	}
	w.t.Logf("the documents of %s wait for %s and %s", a.label, by[0].name, by[1].name)
	_, err := w.admin.DB.Automations.EndAutomation(w.t.Context(), a.id, 0)
	w.must(err)
	a.settle()
	w.lookAtRuns(one)
}

// isDecided tells whether a run has to do what people have decided.
func (o *output) isDecided() bool { return o.verdict != "" }

// settle is what becomes of an automation when its run ends, as far as something is left.
func (a *automation) settle() (left bool) {
	decided := slices.ContainsFunc(a.outputs, func(o *output) bool { return o.failure == "" && !o.isReviewed() && o.attempt > 1+a.retries })
	switch {
	case decided:
		a.state, a.retries = "ACCEPTED", a.retries+1
	case slices.ContainsFunc(a.outputs, (*output).isReviewed):
		a.state = "REVIEW"
	default:
		return false
	}
	return true
}

// answerReview approves, rejects or corrects an output: mostly one that waits, and as one of
// those who are asked.
func (w *model) answerReview() {
	c := w.caller()
	to, o := w.open()
	if o == nil || w.number("one that waits", 4) == 0 {
		to = w.target(c)
		o = w.reviewed(to)
	}
	id := "out_0123456789ABCDEF"
	if o != nil {
		id = o.id
		if to.workflow != nil && slices.Contains(to.workflow.outputs, o) && w.number("an approver", 4) > 0 {
			if p := o.review.by[w.number("which", 2)]; p.sees(to.workflow) {
				c = caller{name: p.name, person: p, authorization: p.token, code: c.code}
			}
		}
	}
	verb := w.one("answer", "approve", "approve", "reject", "correct")
	r := w.part(c, "POST", to, "outputs", id, w.plain(id))
	r.path, r.shown = r.path+"/"+verb, r.shown+"/"+verb
	b, round := newBody(), w.one("round", "", "", "its", "another")
	member := ""
	if round != "" {
		seen := 7777
		if o != nil && round == "its" {
			seen = o.review.round
		}
		member = fmt.Sprintf(`"round":%d`, seen)
	}
	data := w.one("data", `{"Name":"Grace"}`, `{"Name":"Ada"}`)
	switch verb {
	case "approve":
		b.text = "{" + member + "}"
	case "reject":
		b.text, b.faults = "{"+member+"}", []string{"/reason"}
		if w.number("with a reason", 5) > 0 {
			b.text, b.faults = `{"reason":"Wrong town."`+behind(member)+"}", nil
		}
	case "correct":
		b.text = `{"data":` + data + behind(member) + "}"
	}
	r.body = b
	want, over := w.maySeePart(c, to)
	if !over && (o == nil || !slices.Contains(to.workflow.outputs, o)) {
		want, over = refusal(403, "output_not_found"), true
	}
	if !over {
		want, over = b.refused()
	}
	if !over {
		want = w.reviewAnswered(c.person, to.workflow, o, verb, round, data)
	}
	w.do(r, want)
}

// behind is a member of an object that is not its first.
func behind(member string) string {
	if member == "" {
		return ""
	}
	return "," + member
}

// reviewAnswered is what comes of an answer.
func (w *model) reviewAnswered(by *person, one *workflow, o *output, verb, round, data string) outcome {
	r, a := o.review, o.automation
	before := slices.IndexFunc(r.answers, func(of answered) bool { return of.by == by })
	switch {
	case round == "another":
		return refusal(400, "review_superseded")
	case r.verdict == "" && !o.isReviewed() || r.verdict == "" && a.state == "RUNNING": // it is being cancelled
		return refusal(400, "output_not_in_review")
	case !slices.Contains(r.by, by):
		return refusal(403, "not_an_approver")
	case verb == "correct" && o.couldNotBeMade() && a.erasedBy != nil:
		return refusal(400, "data_erased")
	case verb == "correct" && r.verdict != "" && !o.couldNotBeMade():
		return refusal(400, "review_ended")
	case verb == "correct":
		return w.corrected(by, one, o, data)
	case before >= 0 && r.answers[before].approves == (verb == "approve"):
		return outcome{status: 200, body: o.wire(one)}
	case before >= 0:
		return refusal(400, "review_answered")
	case r.verdict != "":
		return refusal(400, "review_ended")
	}
	r.answers = append(r.answers, answered{by, verb == "approve"})
	switch {
	case verb == "reject":
		r.verdict = "REJECTED"
	case len(r.answers) == r.need:
		r.verdict = "APPROVED"
	}
	o.concluded()
	return outcome{status: 200, body: o.wire(one)}
}

// corrected is what comes of other data.
func (w *model) corrected(by *person, one *workflow, o *output, data string) outcome {
	r := o.review
	after := object{"Name": data[len(`{"Name":"`) : len(data)-len(`"}`)]}
	before := r.corrected
	if before == nil {
		before = o.automation.sourceData
	}
	fields := fieldsThatDiffer(before.(object), after)
	if len(fields) == 0 {
		return refusal(400, "nothing_corrected")
	}
	again, seen := o.couldNotBeMade(), r.fields
	r.verdict, r.corrected, r.fields, r.correctedBy, o.made = "CORRECTED", after, fields, by, false
	r.correctedIn = 2 + o.automation.retries
	if !again {
		o.concluded()
		return outcome{status: 200, body: o.wire(one)}
	}
	for _, field := range seen { // nobody was asked about these
		if !slices.Contains(r.fields, field) {
			r.fields = append(r.fields, field)
		}
	}
	slices.SortFunc(r.fields, byName)
	a := o.automation
	if a.state == "FAILED" {
		a.turn.behind = a.turn.ordered
	}
	a.state, a.retries = "ACCEPTED", a.retries+1
	o.failure, o.verdict, o.attempt = "", "", 1+a.retries
	one.startNext(a.turn)
	return outcome{status: 200, body: o.wire(one)}
}

// couldNotBeMade tells whether nothing came of the data that an output was corrected to.
func (o *output) couldNotBeMade() bool {
	return o.review.verdict == "CORRECTED" && o.failure != "" && (o.automation.state == "FAILED" || o.automation.state == "REVIEW")
}

func byName(a, b any) int { return strings.Compare(a.(string), b.(string)) }

func fieldsThatDiffer(before, after object) (fields []any) {
	for name := range before {
		if name != "Name" {
			fields = append(fields, name)
		}
	}
	if before["Name"] != after["Name"] {
		fields = append(fields, "Name")
	}
	slices.SortFunc(fields, byName)
	return fields
}

// concluded has the next attempt of its automation do what was decided.
func (o *output) concluded() {
	if o.review.verdict == "" {
		return
	}
	a := o.automation
	if o.attempt = 2 + a.retries; o.review.verdict != "CORRECTED" {
		o.verdict = o.review.verdict
	}
	if a.state == "REVIEW" {
		a.state, a.retries = "ACCEPTED", a.retries+1
	}
}

// open draws an output that waits for people, and its workflow; nil: none does.
func (w *model) open() (target, *output) {
	var of []target
	var all []*output
	for _, one := range w.workflows {
		for _, o := range one.outputs {
			if o.isReviewed() {
				of, all = append(of, target{label: one.label, id: one.id, workflow: one}), append(all, o)
			}
		}
	}
	if len(all) == 0 {
		return target{}, nil
	}
	i := w.number("output that waits", len(all))
	return of[i], all[i]
}

// reviewed draws an output that people were asked about, mostly of the target; nil: none.
func (w *model) reviewed(to target) *output {
	choices := w.workflows
	if to.workflow != nil && w.one("whose output", "its", "its", "its", "any") == "its" {
		choices = []*workflow{to.workflow}
	}
	var all []*output
	for _, one := range choices {
		for _, o := range one.outputs {
			if o.review != nil {
				all = append(all, o)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.number("output", len(all))]
}

package model

import (
	"net/http"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// An act is a change that somebody asked for, and whom its entry in the audit
// concerns: as things were then, not as they are when the audit is read.
type act struct {
	asked      string // method and path
	by, owner  *person
	team       *team
	workflowID string
	done       bool
	code       string // of a refusal
}

// note keeps what a request was, where the audit has an entry of it: each change by
// somebody, each refused one, and each reading of a secret that signs events.
func (w *model) note(r *http.Request, a answer) {
	token := r.Header.Get("Authorization")
	by := w.bearers[token[strings.LastIndex(token, " ")+1:]]
	path, below := strings.CutPrefix(r.URL.Path, "/v0/")
	path = strings.TrimSuffix(path, "/")
	kept := r.Method != http.MethodGet || strings.HasSuffix(path, "/secret")
	changesNothing := strings.HasSuffix(path, "/check") || strings.HasSuffix(path, "/preview")
	if by == nil || !below || !kept || changesNothing {
		return
	}
	of := act{asked: w.plain(r.Method + " " + path), by: by, owner: by, team: by.team, done: a.status < 400, code: codeOf(a)}
	if parts := strings.Split(path, "/"); len(parts) > 1 {
		of.workflowID = parts[1]
	}
	at := slices.IndexFunc(w.workflows, func(one *workflow) bool { return one.id == of.workflowID })
	if at >= 0 && by.sees(w.workflows[at]) {
		of.owner, of.team = w.workflows[at].owner, w.workflows[at].team
	}
	w.acts[a.header.Get("X-Request-Id")] = of
}

// concerns tells whose audit has an act: its owner's, and that of the team with which
// the workflow was shared then, or in which the user was.
func (of act) concerns(p *person) bool { return p == of.owner || p.team != nil && p.team == of.team }

// readAudit reads the audit of somebody, of one workflow at times.
func (w *model) readAudit() {
	p := w.people[w.number("person", len(w.people))]
	only := ""
	if to := w.target(caller{person: p}); to.workflow != nil && w.one("audit of", "all", "one") == "one" {
		only = to.id
	}
	w.lookAtAudit(p, only)
}

// lookAtAudit compares the audit of somebody, or that of one workflow: it has every
// change that concerns that one now, as it came out, and nothing else.
func (w *model) lookAtAudit(p *person, only string) {
	w.t.Helper()
	query := ""
	if only != "" {
		query = "&workflow=" + only
	}
	a := w.send(http.MethodGet, w.api+"/audit/?limit=1000"+query, p.token, nil, nil)
	if a.status != http.StatusOK {
		w.t.Fatalf("%s reads the audit: got %d %s", p.name, a.status, a.body)
	}
	told := map[string]bool{}
	for _, one := range a.value.([]any) {
		e := one.(object)
		request, _ := e["requestId"].(string)
		of, known := w.acts[request]
		switch outcome := e["outcome"]; {
		case !known || told[request]:
			w.t.Fatalf("%s reads the audit: got an entry of no request, or a second one: %v", p.name, e)
		case !of.concerns(p):
			w.t.Fatalf("%s reads the audit: the answer tells of an act that %s may not see: %v", p.name, p.name, e)
		case e["actor"].(object)["id"] != of.by.id:
			w.t.Fatalf("%s reads the audit: got %v, want an act of %s", p.name, e, of.by.name)
		case only != "" && e["workflowId"] != only:
			w.t.Fatalf("%s reads the audit of one workflow: got an act on %v", p.name, e["workflowId"])
		case outcome == platen.AuditReplayed: // to a request with a key, after any first answer
		case of.done && outcome != platen.AuditDone, !of.done && outcome != of.code:
			w.t.Fatalf("%s reads the audit: got %v, want it done: %v, or refused with %q", p.name, e, of.done, of.code)
		}
		told[request] = true
	}
	for request, of := range w.acts {
		if of.done && of.concerns(p) && !told[request] && (only == "" || only == of.workflowID) {
			w.t.Fatalf("%s reads the audit: %s by %s is not in it", p.name, of.asked, of.by.name)
		}
	}
}

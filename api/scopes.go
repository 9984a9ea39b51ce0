package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// A need is what a request needs of its token beside being good.
type need struct {
	scope platen.Scope // empty: every token may
	// audited: who sent it, and what became of it, is kept.
	audited bool
	// beyond: it makes something that is not part of the workflow in its path, so that a
	// token for single workflows may not.
	beyond bool
}

var (
	open    = need{} // every token
	reads   = need{scope: platen.ScopeRead}
	changes = need{scope: platen.ScopeWrite, audited: true}
	// decides lets out what waits for people; a token that writes does not do that.
	decides = need{scope: platen.ScopeApprove, audited: true}
)

// outside is the need of a request that makes something which is not part of the workflow
// in its path.
func (n need) outside() need {
	n.beyond = true
	return n
}

// A route is what one method does at a path.
type route struct {
	method   string
	need     need
	do       edge.HandlerFunc
	isUnkept bool // its answer is not kept under an Idempotency-Key
	hasQuery bool // it reads parameters though it changes something
}

func (n need) get(do edge.HandlerFunc) route  { return route{method: http.MethodGet, need: n, do: do} }
func (n need) post(do edge.HandlerFunc) route { return route{method: http.MethodPost, need: n, do: do} }
func (n need) put(do edge.HandlerFunc) route  { return route{method: http.MethodPut, need: n, do: do} }
func (n need) patch(do edge.HandlerFunc) route {
	return route{method: http.MethodPatch, need: n, do: do}
}
func (n need) remove(do edge.HandlerFunc) route {
	return route{method: http.MethodDelete, need: n, do: do}
}

// unkept is the route of a POST whose answer is not kept under its Idempotency-Key.
func (r route) unkept() route {
	r.isUnkept = true
	return r
}

// withQuery is the route of a POST that reads parameters, and refuses others itself.
func (r route) withQuery() route {
	r.hasQuery = true
	return r
}

// permit asks the token for what the route at pattern needs, and has an entry of what is
// audited.
func (s *server) permit(pattern string, one route) edge.HandlerFunc {
	do := func(w http.ResponseWriter, r *http.Request) error {
		if one.need.scope != "" {
			of := mux.Vars(r)["workflow"]
			if one.need.beyond {
				of = ""
			}
			if err := tokenIn(r.Context()).Scopes.Lets(one.need.scope, of); err != nil {
				return err
			}
		}
		if one.method != http.MethodGet && !one.hasQuery {
			if err := refuseParameters(r); err != nil {
				return err
			}
		}
		return one.do(w, r)
	}
	if !one.need.audited {
		return do
	}
	action := one.method + " /v0" + pattern
	return func(w http.ResponseWriter, r *http.Request) error { return s.audit(w, r, action, do) }
}

// audit writes an entry in the audit for every outcome of next. The store records it
// with the change; an entry that it did not record is recorded here. A request is not
// refused because that fails.
func (s *server) audit(w http.ResponseWriter, r *http.Request, action string, next edge.HandlerFunc) error {
	token, vars := tokenIn(r.Context()), mux.Vars(r)
	ctx, act := platen.BeginAct(r.Context(), platen.AuditEntry{
		Actor:      platen.Actor{Kind: platen.ActorUser, ID: token.User.ID, TokenID: token.ID, Address: s.proxies.Client(r), Agent: r.UserAgent() == platen.AgentProgram},
		Action:     action,
		WorkflowID: knownID(platen.PrefixWorkflow, vars["workflow"]),
		ObjectID:   objectID(vars),
		RequestID:  edge.RequestID(r.Context()),
	})
	err := next(w, r.WithContext(ctx))
	if act.Recorded() && err == nil {
		return nil
	}
	e := act.Entry
	switch {
	case err != nil:
		e.Outcome = edge.Code(r, err)
	case w.Header().Get("Idempotent-Replayed") != "":
		e.Outcome = platen.AuditReplayed
	default:
		e.Outcome = platen.AuditDone
	}
	if act.Recorded() {
		e.ID = platen.NewID(platen.PrefixAudit) // the change and its entry stay
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	if failed := s.Audit.Record(recording, e); failed != nil {
		edge.Note(ctx, slog.String("audit_error", failed.Error()))
	}
	return err
}

// objectID is the id of what a route names below a workflow, empty when it names
// nothing or has no form of an id.
func objectID(vars map[string]string) string {
	if id := knownID(platen.PrefixVersion, vars["version"]); id != "" {
		return id
	}
	for name, prefix := range map[string]string{
		"document": platen.PrefixDocument, "automation": platen.PrefixAutomation, "batch": platen.PrefixBatch, "event": platen.PrefixEvent, "output": platen.PrefixOutput,
	} {
		if id := knownID(prefix, vars[name]); id != "" {
			return id
		}
	}
	return ""
}

// knownID keeps what is no id out of the audit: it may be anything.
func knownID(prefix, id string) string {
	if !platen.IsID(prefix, id) {
		return ""
	}
	return id
}

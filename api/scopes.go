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
	reads   = need{scope: platen.ScopeRead}
	changes = need{scope: platen.ScopeWrite, audited: true}
)

// needs is what each route of /v0 needs, by method and path. A token with scopes is
// refused every route that is not listed. A token for single workflows may use the
// routes below those workflows.
//
// Signing secrets need more than read access, because they allow forging events. A
// check and a preview change nothing.
var needs = withWebhooks(map[string]need{
	"GET /workflows":               reads,
	"POST /workflows":              changes,
	"GET /workflows/{workflow}":    reads,
	"PATCH /workflows/{workflow}":  changes,
	"DELETE /workflows/{workflow}": changes,

	"POST /workflows/import":           changes,
	"GET /workflows/{workflow}/export": reads,
	"POST /workflows/{workflow}/copy":  {scope: platen.ScopeWrite, audited: true, beyond: true},

	"POST /workflows/{workflow}/preview": reads,
	"GET /workflows/{workflow}/source":   reads,

	"POST /workflows/{workflow}/source/rotate":         changes,
	"GET /workflows/{workflow}/source/verification":    reads,
	"POST /workflows/{workflow}/source/verification":   changes,
	"DELETE /workflows/{workflow}/source/verification": changes,

	"GET /workflows/{workflow}/documents":                                reads,
	"POST /workflows/{workflow}/documents":                               changes,
	"POST /workflows/{workflow}/documents/upload":                        changes,
	"POST /workflows/{workflow}/documents/{document}/template":           changes,
	"GET /workflows/{workflow}/documents/{document}":                     reads,
	"PATCH /workflows/{workflow}/documents/{document}":                   changes,
	"DELETE /workflows/{workflow}/documents/{document}":                  changes,
	"POST /workflows/{workflow}/documents/{document}/check":              reads,
	"POST /workflows/{workflow}/documents/{document}/preview-url/rotate": changes,

	"GET /workflows/{workflow}/documents/{document}/versions":                    reads,
	"POST /workflows/{workflow}/documents/{document}/versions":                   changes,
	"GET /workflows/{workflow}/documents/{document}/versions/{version}":          reads,
	"GET /workflows/{workflow}/documents/{document}/versions/{version}/file":     reads,
	"POST /workflows/{workflow}/documents/{document}/versions/{version}/restore": changes,

	"GET /workflows/{workflow}/automations":                      reads,
	"GET /workflows/{workflow}/automations/{automation}":         reads,
	"POST /workflows/{workflow}/automations/{automation}/retry":  changes,
	"POST /workflows/{workflow}/automations/{automation}/cancel": changes,
	"DELETE /workflows/{workflow}/automations/{automation}":      changes,
	"GET /workflows/{workflow}/outputs":                          reads,
	"GET /workflows/{workflow}/outputs/zip":                      reads,
	"GET /workflows/{workflow}/outputs/{output}/pdf":             reads,
	"POST /workflows/{workflow}/outputs/{output}/mail":           changes,
	"GET /workflows/{workflow}/events":                           reads,
	"GET /workflows/{workflow}/events/counts":                    reads,
	"POST /workflows/{workflow}/events/recover":                  changes,
	"GET /workflows/{workflow}/events/{event}":                   reads,
	"POST /workflows/{workflow}/events/{event}/redeliver":        changes,

	"GET /me": {},

	"GET /series":                  reads,
	"GET /series/{series}":         reads,
	"PATCH /series/{series}":       changes,
	"GET /series/{series}/numbers": reads,

	"GET /audit":              reads,
	"GET /automations":        reads,
	"GET /automations/counts": reads,
})

// withWebhooks adds the routes of outgoing webhooks, in both spellings.
func withWebhooks(all map[string]need) map[string]need {
	for _, spelling := range webhookSpellings {
		path := " /workflows/{workflow}" + spelling
		all["GET"+path] = reads
		all["POST"+path] = changes
		all["PATCH"+path] = changes
		all["DELETE"+path] = changes
		all["GET"+path+"/secret"] = changes
		all["POST"+path+"/secret/rotate"] = changes
		all["GET"+path+"/state"] = reads
		all["POST"+path+"/test"] = changes
		all["GET"+path+"/test-receiver"] = reads
		all["PUT"+path+"/test-receiver"] = changes
		all["DELETE"+path+"/test-receiver"] = changes
		all["GET"+path+"/test-receiver/secret"] = changes
	}
	return all
}

// unlisted is the scope of a route that needs does not have: no token names it.
const unlisted platen.Scope = "unlisted"

// permit wraps the handlers of the route at pattern, below /v0: each asks for the
// scope of its method, and what is audited has its entry.
func (s *server) permit(pattern string, res resource) resource {
	out := make(resource, len(res))
	for method, next := range res {
		n, ok := needs[method+" "+pattern]
		if !ok {
			n = need{scope: unlisted, audited: true}
		}
		action := method + " /v0" + pattern
		out[method] = func(w http.ResponseWriter, r *http.Request) error {
			do := func(w http.ResponseWriter, r *http.Request) error {
				if n.scope != "" {
					of := mux.Vars(r)["workflow"]
					if n.beyond {
						of = ""
					}
					if err := tokenIn(r.Context()).Scopes.Lets(n.scope, of); err != nil {
						return err
					}
				}
				if method != http.MethodGet {
					if err := refuseParameters(r); err != nil {
						return err
					}
				}
				return next(w, r)
			}
			if !n.audited {
				return do(w, r)
			}
			return s.audit(w, r, action, do)
		}
	}
	return out
}

// audit writes an entry in the audit for every outcome of next. The store records it
// with the change; an entry that it did not record is recorded here. A request is not
// refused because that fails.
func (s *server) audit(w http.ResponseWriter, r *http.Request, action string, next edge.HandlerFunc) error {
	token, vars := tokenIn(r.Context()), mux.Vars(r)
	ctx, act := platen.BeginAct(r.Context(), platen.AuditEntry{
		Actor:      platen.Actor{Kind: platen.ActorUser, ID: token.User.ID, TokenID: token.ID, Address: s.proxies.Client(r)},
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
		"document": platen.PrefixDocument, "automation": platen.PrefixAutomation, "event": platen.PrefixEvent,
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

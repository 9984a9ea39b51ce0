package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// scopedCalls are requests below a workflow, or beside all of them.
var scopedCalls = []struct {
	method, below string // "/…": below no workflow
	changes       bool
}{
	{http.MethodGet, "", false},
	{http.MethodGet, "documents", false},
	{http.MethodGet, "source", false},
	{http.MethodGet, "/workflows", false},
	{http.MethodGet, "/audit", false},
	{http.MethodPost, "/workflows", true},
	{http.MethodPatch, "", true},
	{http.MethodDelete, "", true},
	{http.MethodPost, "documents", true},
	{http.MethodPost, "source/rotate", true},
	{http.MethodPost, "source/verification", true},
	{http.MethodPost, "outgoing-webhooks", true},
	{http.MethodGet, "outgoing-webhooks/secret", true},
	{http.MethodPost, "events/recover", true},
}

// useScopedToken sends a request with a token that may do less than its user: what it
// may not do is refused with 403 and changes nothing, which the list shows that is
// looked at after each step; what it may read, it reads as its user does.
func (w *model) useScopedToken() {
	p := w.people[w.number("person", len(w.people))]
	seen := w.seenBy(p)
	kinds := []string{"read"}
	if len(seen) > 0 {
		kinds = append(kinds, "workflow", "read workflow")
	}
	kind := w.one("scopes", kinds...)
	var scopes platen.Scopes
	var only *workflow
	if strings.Contains(kind, "read") {
		scopes = append(scopes, platen.ScopeRead)
	} else {
		scopes = append(scopes, platen.ScopeWrite)
	}
	if strings.Contains(kind, "workflow") {
		only = seen[w.number("of", len(seen))]
		scopes = append(scopes, platen.Scope("workflow:"+only.id))
	}
	id, token, err := w.admin.DB.Tokens.CreateToken(w.t.Context(), p.id, "scoped", time.Now().Add(time.Hour), scopes...)
	w.must(err)
	w.bearers[token] = p
	c := caller{name: p.name + ", who may " + kind, person: p, authorization: token}
	call, to := scopedCalls[w.number("call", len(scopedCalls))], w.target(c)
	path, beside := "/workflows/"+to.id, strings.HasPrefix(call.below, "/")
	switch {
	case beside:
		path = call.below
	case call.below != "":
		path += "/" + call.below
	}
	shown := fmt.Sprintf("%s: %s %s of %s", c.name, call.method, call.below, to.label)
	refused := call.changes && !slices.Contains(scopes, platen.ScopeWrite) || only != nil && (beside || to.id != only.id)
	switch {
	case strings.Contains(to.id, "%"), strings.Contains(to.id, "'"): // of no form: another place answers
	case refused:
		a := w.send(call.method, w.api+path+"/", token, &body{text: "{}"}, nil)
		w.judge(shown, a, refusal(http.StatusForbidden, "scope_missing"))
	case call.method == http.MethodGet && call.below == "":
		want, over := w.maySee(c, to)
		if !over {
			want = to.workflow.reading(w)
		}
		a := w.send(call.method, w.api+path+"/", token, nil, nil)
		w.judge(shown, a, want)
		if want.ok() {
			to.workflow.read(a.value)
		}
	}
	w.must(w.admin.DB.Tokens.RevokeToken(w.t.Context(), id))
}

// disableUser takes a user out of service and back: meanwhile the user's token opens
// nothing, and colleagues see the user's workflows as before.
func (w *model) disableUser() {
	ctx, users := w.t.Context(), w.admin.DB.Users
	p := w.people[w.number("person", len(w.people))]
	w.must(users.DisableUser(ctx, p.id))
	for _, path := range []string{"/workflows/", "/audit/", "/workflows/" + w.target(caller{person: p}).id + "/"} {
		if strings.ContainsAny(path, "%'") {
			continue
		}
		a := w.send(http.MethodGet, w.api+path, p.token, nil, nil)
		w.judge(p.name+", who is disabled: GET "+path, a, refusal(http.StatusForbidden, "user_disabled"))
	}
	for _, colleague := range w.people {
		if colleague != p && colleague.team != nil && colleague.team == p.team {
			w.look(caller{name: colleague.name, person: colleague, authorization: colleague.token})
		}
	}
	w.must(users.EnableUser(ctx, p.id))
	w.look(caller{name: p.name, person: p, authorization: p.token})
}

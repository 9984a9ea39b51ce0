package api

import (
	"net/http"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// meJSON is who sends a request, and what the token lets them do.
type meJSON struct {
	User   ownerJSON  `json:"user"`
	Team   *teamJSON  `json:"team"`
	Token  tokenJSON  `json:"token"`
	Limits limitsJSON `json:"limits"`
}

// limitsJSON is what the operator lets a user use.
type limitsJSON struct {
	Documents *int64 `json:"documents"` // in a month of UTC; null: as many as they like
}

type tokenJSON struct {
	ID          string   `json:"id"`
	Write       bool     `json:"write"`       // it lets change what it lets see
	Personal    bool     `json:"personal"`    // tools for AI agents show what names people
	WorkflowIDs []string `json:"workflowIds"` // that it is for; null: every one of the user's
	ExpiresAt   *string  `json:"expiresAt"`   // null: never
}

// getMe needs no scope: every token may know itself.
func (s *server) getMe(w http.ResponseWriter, r *http.Request) error {
	t := tokenIn(r.Context())
	out := meJSON{
		User:  ownerJSON{t.User.ID, t.User.Name, t.User.Email},
		Token: tokenJSON{ID: t.ID, ExpiresAt: momentOf(t.ExpiresAt)},
	}
	if t.User.Team != nil {
		out.Team = &teamJSON{t.User.Team.ID, t.User.Team.Name}
	}
	var err error
	if out.Limits.Documents, err = s.Usage.DocumentsLimit(r.Context(), t.User); err != nil {
		return err
	}
	about := ""
	if ids := t.Scopes.Workflows(); len(ids) > 0 {
		out.Token.WorkflowIDs, about = ids, ids[0]
	}
	out.Token.Write = t.Scopes.Lets(platen.ScopeWrite, about) == nil
	out.Token.Personal = t.Scopes.Lets(platen.ScopePersonal, about) == nil
	return edge.WriteJSON(w, http.StatusOK, out)
}

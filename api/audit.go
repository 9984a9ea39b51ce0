package api

import (
	"net/http"

	"github.com/platenhq/platen/internal/platen"
)

// auditJSON is an entry of the audit. Of an operator it gives only the type: callers
// may not see operators' names and addresses.
type auditJSON struct {
	ID         string    `json:"id"`
	At         string    `json:"at"`
	Actor      actorJSON `json:"actor"`
	Action     string    `json:"action"`
	WorkflowID *string   `json:"workflowId"`
	ObjectID   *string   `json:"objectId"`
	Outcome    string    `json:"outcome"`
	RequestID  *string   `json:"requestId"`
	Fields     []string  `json:"fields,omitempty"` // of an event, that were corrected
}

type actorJSON struct {
	Type    platen.ActorKind `json:"type"`
	ID      *string          `json:"id"`
	TokenID *string          `json:"tokenId"`
	Address *string          `json:"address"`
	Agent   bool             `json:"agent"` // an AI agent's, through tools for these
}

func auditEntry(e platen.AuditEntry) auditJSON {
	out := auditJSON{
		ID: e.ID, At: platen.Timestamp(e.At), Actor: actorJSON{Type: e.Actor.Kind}, Action: e.Action,
		WorkflowID: orNull(e.WorkflowID), ObjectID: orNull(e.ObjectID), Outcome: e.Outcome, RequestID: orNull(e.RequestID), Fields: e.Fields,
	}
	if e.Actor.Kind == platen.ActorUser || e.Actor.Kind == platen.ActorApprover {
		out.Actor.ID, out.Actor.TokenID, out.Actor.Agent = orNull(e.Actor.ID), orNull(e.Actor.TokenID), e.Actor.Agent
		if e.Actor.Address.IsValid() {
			out.Actor.Address = orNull(e.Actor.Address.String())
		}
	}
	return out
}

// listAudit shows what was done to the caller's workflows, those of the caller's
// team, and their users.
func (s *server) listAudit(w http.ResponseWriter, r *http.Request) error {
	in := parametersOf(r)
	query := platen.AuditQuery{Page: in.page(), Since: in.since()}
	for _, of := range []struct {
		name, prefix string
		id           *string
	}{{"user", platen.PrefixUser, &query.UserID}, {"workflow", platen.PrefixWorkflow, &query.WorkflowID}} {
		if text, ok := in.one(of.name); ok {
			if !platen.IsID(of.prefix, text) {
				in.fault("The parameter %s must be an id that begins with %s.", of.name, of.prefix)
			}
			*of.id = text
		}
	}
	if err := in.err(); err != nil {
		return err
	}
	page := query.Page
	query.Page = oneMore(page)
	found, err := s.Audit.CallersAudit(r.Context(), caller(r.Context()), query)
	if err != nil {
		return err
	}
	position := func(e platen.AuditEntry) platen.Position { return platen.Position{CreatedAt: e.At, ID: e.ID} }
	return writePage(s, w, r, page, found, position, auditEntry)
}

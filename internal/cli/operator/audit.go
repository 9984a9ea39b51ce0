package operator

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

type auditCommand struct {
	List auditListCommand `cmd:"" help:"List who did what, from where, and what became of it; the oldest first."`
}

type auditListCommand struct {
	config.Database
	Since    ago    `default:"1d" help:"How far to go back, such as 7d or 12h, or a time such as 2026-01-02T03:04:05Z."`
	User     string `help:"Id (usr_…) or e-mail address of a user: what that user did, and what was done to what is the user's."`
	Workflow string `help:"Id of a workflow (wkf_…)."`
	JSON     bool   `name:"json" help:"One JSON object in each line."`
}

// auditPage is how many entries are read at a time.
const auditPage = 1000

func (c *auditListCommand) Run(ctx context.Context) error {
	since := time.Now().Add(-time.Duration(c.Since))
	query := platen.AuditQuery{Page: platen.Page{Limit: auditPage}, Since: since, UserID: c.User, WorkflowID: c.Workflow}
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		if c.JSON {
			out := json.NewEncoder(os.Stdout)
			return a.EachAuditEntry(ctx, query, func(e platen.AuditEntry) error { return out.Encode(auditLine(e)) })
		}
		return tableOf("AT\tWHO\tTOKEN\tADDRESS\tACTION\tWORKFLOW\tOBJECT\tOUTCOME\tREQUEST", func(row func(...string)) error {
			return a.EachAuditEntry(ctx, query, func(e platen.AuditEntry) error {
				row(e.At.Format(time.RFC3339), whoDid(e.Actor), orDash(e.Actor.TokenID), orDash(addressText(e)), e.Action,
					orDash(e.WorkflowID), orDash(e.ObjectID), e.Outcome, orDash(e.RequestID))
				return nil
			})
		})
	})
}

func whoDid(a platen.Actor) string {
	if a.Agent {
		return "agent of " + a.ID
	}
	return string(a.Kind) + " " + a.ID
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func addressText(e platen.AuditEntry) string {
	if !e.Actor.Address.IsValid() {
		return ""
	}
	return e.Actor.Address.String()
}

// auditLine is an entry for programs, without the unknown fields.
func auditLine(e platen.AuditEntry) any {
	return struct {
		ID       string `json:"id"`
		At       string `json:"at"`
		Actor    string `json:"actor"`
		ActorID  string `json:"actorId"`
		Token    string `json:"tokenId,omitempty"`
		Address  string `json:"address,omitempty"`
		Agent    bool   `json:"agent,omitempty"` // an AI agent's, by tools for these
		Action   string `json:"action"`
		Owner    string `json:"ownerId,omitempty"`
		Team     string `json:"teamId,omitempty"`
		Workflow string `json:"workflowId,omitempty"`
		Object   string `json:"objectId,omitempty"`
		Outcome  string `json:"outcome"`
		Request  string `json:"requestId,omitempty"`
	}{
		e.ID, platen.Timestamp(e.At), string(e.Actor.Kind), e.Actor.ID, e.Actor.TokenID, addressText(e), e.Actor.Agent, e.Action,
		e.OwnerID, e.TeamID, e.WorkflowID, e.ObjectID, e.Outcome, e.RequestID,
	}
}

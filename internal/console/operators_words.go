package console

import (
	"html/template"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// operatorTemplates are the pages of operators.
var operatorTemplates = []string{
	"operator-overview", "operator-confirm", "operator-once", "operator-keys", "operator-retention", "operator-audit",
	"operator-users", "operator-user", "operator-teams", "operator-team", "operator-connections",
}

// operatorWords are what templates of these pages say things with.
var operatorWords = template.FuncMap{
	"stamp":         stamp,
	"userLink":      func(base, id, email string) userLink { return userLink{base, id, email} },
	"listed":        func(base string, rows []platen.UserStanding) listedUsers { return listedUsers{base, rows} },
	"operatorPages": operatorPages,
}

// A userLink leads to a user's page; without an address it is the id alone.
type userLink struct{ Base, ID, Email string }

// listedUsers are users of a table, with what stands in front of their addresses.
type listedUsers struct {
	Base string
	Rows []platen.UserStanding
}

// stamp writes a time as /v0 does; empty: there is none.
func stamp(at any) string {
	switch at := at.(type) {
	case time.Time:
		return at.UTC().Format(time.RFC3339)
	case *time.Time:
		if at != nil {
			return at.UTC().Format(time.RFC3339)
		}
	}
	return ""
}

type operatorLink struct{ Name, Address string }

func operatorPages(base string) []operatorLink {
	at := base + operatorPath
	return []operatorLink{
		{"Overview", at}, {"Users", at + "users/"}, {"Teams", at + "teams/"}, {"Connections", at + "connections/"},
		{"Keys", at + "keys/"}, {"Retention", at + "retention/"}, {"Audit", at + "audit/"},
	}
}

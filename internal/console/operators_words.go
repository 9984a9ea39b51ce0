package console

import (
	"fmt"
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
	"moment":        momentOf,
	"many":          many,
	"userLink":      func(base, id, email string) userLink { return userLink{base, id, email} },
	"listed":        func(base string, rows []platen.UserStanding) listedUsers { return listedUsers{base, rows} },
	"operatorPages": operatorPages,
}

// many says how many there are of something, in its number. Pages of operators are in
// English.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

// A userLink leads to a user's page; without an address it is the id alone.
type userLink struct{ Base, ID, Email string }

// listedUsers are users of a table, with what stands in front of their addresses.
type listedUsers struct {
	Base string
	Rows []platen.UserStanding
}

// momentOf is a time, or nil where there is none.
func momentOf(at any) *time.Time {
	switch at := at.(type) {
	case time.Time:
		return &at
	case *time.Time:
		return at
	}
	return nil
}

type operatorLink struct{ Name, Address string }

func operatorPages(base string) []operatorLink {
	at := base + operatorPath
	return []operatorLink{
		{"Overview", at}, {"Users", at + "users/"}, {"Teams", at + "teams/"}, {"Connections", at + "connections/"},
		{"Keys", at + "keys/"}, {"Retention", at + "retention/"}, {"Audit", at + "audit/"},
	}
}

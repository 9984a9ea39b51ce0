package store

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMalformedQueriesAreRefused(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"name", "name =", "name = a", "name = 'a", "name = 'a' and", "(name = 'a'", "name = 'a')", "name < 'a'", "trashed = 'true'",
		"modifiedTime > 'yesterday'", "'x' in nothing", "appProperties has { key='a' }", "appProperties has { key='a' and key='b' }",
		"size > 3", "name = 'a' ; drop", "\x00", "name = '\xff'", strings.Repeat("(", 40) + "trashed=true" + strings.Repeat(")", 40),
		"fullText contains '" + strings.Repeat("x ", 120) + "'", "visibility = anyone",
		strings.Repeat("not ", 40) + "trashed=true", "trashed=true" + strings.Repeat(" or trashed=true", 120), strings.Repeat(" ", maxQuery) + "x",
	} {
		if sql, _, err := ParseQuery(q, User{}, pgx.NamedArgs{}); err == nil {
			t.Errorf("q %.60q: got %s, want an error", q, sql)
		}
	}
}

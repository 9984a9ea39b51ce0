package store

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
)

// sqlOfQuery is all that a search may become: our own words, columns and
// arguments. Nothing of what the client wrote stands in it.
var sqlOfQuery = regexp.MustCompile(`^([ ()=<>!~*:,{}@.']|AND|OR|NOT|true|false|IN|SELECT|FROM|WHERE|IS|NULL|EXISTS|ANY|position|lower|coalesce|phraseto_tsquery|simple|mime_type|sha256|words|texts|jsonb|text|[0]|owner|drive|files|q\d+|[frt]\.[a-z_0-9]+|[rt])*$`)

var argument = regexp.MustCompile(`@\w+`)

func FuzzParseQuery(f *testing.F) {
	for _, q := range []string{
		"name contains 'a' and trashed = false", "'root' in parents or 'x' in parents", "not (mimeType = 'a/b' or mimeType contains 'c')",
		"modifiedTime > '2026-01-02T03:04:05' and createdTime <= '2026-01-02'", "appProperties has { key='k' and value='v' }",
		"properties has { value='it''s' and key='k\\'' }", "fullText contains '\"two words\"'", "sharedWithMe and starred = true",
		"((((name = 'x'))))", "'me' in owners", "name = 'a\\\\b'", "visibility = 'anyoneWithLink'", "'", "name", "not not trashed=true",
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		args := pgx.NamedArgs{"owner": "usr_x"}
		sql, _, err := ParseQuery(q, User{ID: "usr_x", Email: "ada@example.com"}, args)
		if err != nil {
			if _, ok := err.(*fault.Error); !ok {
				t.Fatalf("%q: got the error %v, want a fault", q, err)
			}
			return
		}
		if !sqlOfQuery.MatchString(sql) {
			t.Fatalf("%q became %s", q, sql)
		}
		if strings.Count(sql, "(") != strings.Count(sql, ")") || len(sql) > 200*(maxQueryTerms+len(q)) {
			t.Fatalf("%q became %s", q, sql)
		}
		for _, name := range argument.FindAllString(sql, -1) {
			if _, ok := args[name[1:]]; !ok {
				t.Fatalf("%q became %s, which asks for %s", q, sql, name)
			}
		}
	})
}

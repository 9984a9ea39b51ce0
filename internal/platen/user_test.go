package platen

import (
	"strings"
	"testing"
)

func TestScopesLetATokenDoWhatTheyNameAndNothingElse(t *testing.T) {
	t.Parallel()
	const mine, other = "wkf_00000000000000Aa", "wkf_00000000000000Bb"
	for _, c := range []struct {
		scopes, want string
		need         Scope
		workflow     string
		missing      string // part of the message; empty: it may
	}{
		{"", "everything", ScopeWrite, "", ""},
		{"read", "read", ScopeRead, mine, ""},
		{"read", "read", ScopeRead, "", ""},
		{"read", "read", ScopeWrite, mine, "lacks the scope write"},
		{"write", "write", ScopeRead, "", ""},
		{"write", "write", ScopeWrite, other, ""},
		{"workflow:" + mine, "write,workflow:" + mine, ScopeWrite, mine, ""},
		{" read , workflow:" + mine, "read,workflow:" + mine, ScopeRead, mine, ""},
		{"read,workflow:" + mine, "read,workflow:" + mine, ScopeWrite, mine, "lacks the scope write"},
		{"read,workflow:" + mine, "read,workflow:" + mine, ScopeRead, other, "lacks the scope for this workflow"},
		{"workflow:" + mine, "write,workflow:" + mine, ScopeRead, "", "is not for one"},
	} {
		scopes, err := ParseScopes(c.scopes)
		if err != nil || scopes.String() != c.want {
			t.Errorf("%q: got %q and %v, want %q", c.scopes, scopes, err, c.want)
			continue
		}
		err = scopes.Lets(c.need, c.workflow)
		switch {
		case c.missing == "" && err != nil:
			t.Errorf("%q: %s of %q: got %v, want none", c.scopes, c.need, c.workflow, err)
		case c.missing != "" && (KindOf(err) != KindForbidden || !strings.Contains(err.Error(), c.missing)):
			t.Errorf("%q: %s of %q: got %v, want a refusal with %q", c.scopes, c.need, c.workflow, err, c.missing)
		}
	}
	for _, wrong := range []string{"admin", "workflow:", "workflow:doc_0000000000000001", "read;write", strings.Repeat("x", 100)} {
		if got, err := ParseScopes(wrong); err == nil {
			t.Errorf("%q: got %v, want an error", wrong, got)
		}
	}
	if _, err := ParseScopes(strings.Join(manyScopes(21), ",")); err == nil {
		t.Error("21 scopes: got no error, want one")
	}
	if _, err := ParseScopes(strings.Join(manyScopes(20), ",")); err == nil {
		t.Error("20 workflows and write: got no error, want one")
	}
}

func manyScopes(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = "workflow:" + NewID(PrefixWorkflow)
	}
	return all
}

package platen

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"time"
)

// A User calls /v0 with a token and owns workflows.
type User struct {
	ID    string // usr_…
	Name  string
	Email string // unique, compared without regard to case
	Team  *Team  // nil: in no team
}

// A Team shares the workflows of its members among them.
type Team struct {
	ID   string // team_…
	Name string
}

// A Scope is something that an access token lets its user do.
type Scope string

const (
	ScopeRead  Scope = "read"  // see what there is; the sources' addresses and PDF passwords are part of it
	ScopeWrite Scope = "write" // read, and change
	// ScopeApprove lets the user decide about outputs that wait for people. Write is not
	// enough: a program that makes documents does not let them out.
	ScopeApprove Scope = "approve"
	// ScopePersonal lets AI agents see what names people. Without it their tools leave it out.
	ScopePersonal Scope = "personal"
	// scopeWorkflow and the id of a workflow keep a token to that workflow.
	scopeWorkflow = "workflow:"
)

// Scopes are those of one token. Empty: everything that its user may do.
type Scopes []Scope

// maxScopes bounds how many workflows one token names, and more.
const maxScopes = 20

// ParseScopes reads scopes as they are given to 'platen token create': "read",
// "write", "approve", "personal", "workflow:wkf_…", separated by commas. Without read and
// write they come with write, or with read where there is approve.
func ParseScopes(text string) (Scopes, error) {
	var scopes Scopes
	for part := range strings.SplitSeq(text, ",") {
		s := Scope(strings.TrimSpace(part))
		id, workflow := strings.CutPrefix(string(s), scopeWorkflow)
		switch {
		case s == "":
			continue
		case s != ScopeRead && s != ScopeWrite && s != ScopeApprove && s != ScopePersonal && (!workflow || !IsID(PrefixWorkflow, id)):
			return nil, fmt.Errorf("%q is no scope; one is %s, %s, %s, %s, or %swkf_… with the id of a workflow", s, ScopeRead, ScopeWrite, ScopeApprove, ScopePersonal, scopeWorkflow)
		case !slices.Contains(scopes, s):
			scopes = append(scopes, s)
		}
	}
	if len(scopes) > 0 && !slices.Contains(scopes, ScopeRead) && !slices.Contains(scopes, ScopeWrite) {
		least := ScopeWrite
		if slices.Contains(scopes, ScopeApprove) {
			least = ScopeRead
		}
		scopes = append(Scopes{least}, scopes...)
	}
	if len(scopes) > maxScopes {
		return nil, fmt.Errorf("these are %d scopes; a token has %d at most", len(scopes), maxScopes)
	}
	return scopes, nil
}

// Workflows are the ids of the workflows that the scopes name.
func (s Scopes) Workflows() []string {
	ids := []string{}
	for _, scope := range s {
		if id, ok := strings.CutPrefix(string(scope), scopeWorkflow); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// String lists them as ParseScopes reads them; "everything" without any.
func (s Scopes) String() string {
	if len(s) == 0 {
		return "everything"
	}
	names := make([]string, len(s))
	for i, scope := range s {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}

// Lets returns nil if the scopes allow need on the workflow workflowID; empty: outside
// of single workflows. Otherwise it returns KindForbidden with code "scope_missing",
// which names the missing scope.
func (s Scopes) Lets(need Scope, workflowID string) error {
	if len(s) == 0 {
		return nil
	}
	if need != ScopeRead && !slices.Contains(s, need) {
		return Errorf(KindForbidden, "scope_missing", "The access token lacks the scope %s, which this request needs; it has %s. Use another token, or ask the operator for one.", need, s)
	}
	only := s.Workflows()
	switch {
	case len(only) == 0 || workflowID != "" && slices.Contains(only, workflowID):
		return nil
	case workflowID == "":
		return Errorf(KindForbidden, "scope_missing", "The access token is for single workflows (%s), and this request is not for one. Use a token without the scope %s…, or ask the operator for one.", s, scopeWorkflow)
	}
	return Errorf(KindForbidden, "scope_missing", "The access token lacks the scope for this workflow, %s and its id; it has %s. Use another token, or ask the operator for one.", scopeWorkflow, s)
}

// TokenLife is how long a new token is good for unless somebody says otherwise.
const TokenLife = 90 * 24 * time.Hour

// TokenWarning is how long before its end a token is warned of.
const TokenWarning = 14 * 24 * time.Hour

// An AccessToken is what is known about a token that is good.
type AccessToken struct {
	ID        string // tok_…
	User      User
	Scopes    Scopes
	ExpiresAt time.Time // zero: never
}

// EndsSoon tells whether the token ends within TokenWarning.
func (t AccessToken) EndsSoon(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt.Sub(now) <= TokenWarning
}

// TokenPrefix starts every access token, so that secret scanners, and people,
// recognise one that got lost.
const TokenPrefix = "plt_"

const tokenChecksum = 6 // base-62 digits that hold a CRC-32

// NewToken returns the text of a new access token: TokenPrefix, 160 random
// bits and a checksum. It is shown once and stored nowhere.
func NewToken() string {
	text := TokenPrefix + NewKey()
	return text + checksum(text)
}

// IsToken tells whether text has the form of an access token and its checksum
// holds. It finds typing errors and guesses without asking anybody, and says
// nothing about validity.
func IsToken(text string) bool {
	end := len(text) - tokenChecksum
	return strings.HasPrefix(text, TokenPrefix) && end > len(TokenPrefix) && checksum(text[:end]) == text[end:]
}

func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var b [tokenChecksum]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(b[:])
}

package platen

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// ReviewsPath is the path below which those who approve outputs open their pages.
const ReviewsPath = "/reviews/"

// A ReviewLink is what the address of such a page names, sealed: nobody can read it there or
// make one. It is one person's, and of one round.
type ReviewLink struct {
	WorkflowID string    `json:"workflow"`
	OutputID   string    `json:"output"`
	Round      int       `json:"round"`
	For        string    `json:"for"` // the address of Approval.By
	By         string    `json:"by"`  // For, or a deputy
	Until      time.Time `json:"until"`
}

// reviewLinkContext is the encryption context of links.
var reviewLinkContext = []byte("review link")

// Sealer encrypts and authenticates.
type Sealer interface {
	Seal(plain, context []byte) ([]byte, error)
	Open(sealed, context []byte) ([]byte, error)
}

// Path is the path of the page.
func (l ReviewLink) Path(s Sealer) (string, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	sealed, err := s.Seal(text, reviewLinkContext)
	return ReviewsPath + base64.RawURLEncoding.EncodeToString(sealed), err
}

// ReadReviewLink reads the last segment of a path of ReviewLink.Path.
func ReadReviewLink(s Sealer, segment string) (l ReviewLink, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	if err != nil {
		return l, false
	}
	text, err := s.Open(sealed, reviewLinkContext)
	return l, err == nil && json.Unmarshal(text, &l) == nil
}

package client

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// An EventType says what an event tells. There may be others than these: ignore them.
type EventType string

// The types of events.
const (
	DocumentsCreated EventType = "DOCUMENTS_CREATED"
	DocumentFailed   EventType = "DOCUMENT_FAILED"
	BatchCompleted   EventType = "BATCH_COMPLETED"
	WorkflowTest     EventType = "WORKFLOW_TEST"
)

// A SignedEvent is what a receiver gets. Remember its ID: any event may come twice.
type SignedEvent struct {
	ID   string    `json:"event_id"`
	Type EventType `json:"event_type"`
	Data EventData `json:"data"`
}

// EventData is what an event says. Which fields it has depends on the event's type.
type EventData struct {
	Documents    []EventFile `json:"documents"` // of DOCUMENTS_CREATED; the PDF first, where there is one
	WorkflowID   string      `json:"workflowId"`
	AutomationID string      `json:"automationId"` // not of WORKFLOW_TEST, nor of BATCH_COMPLETED
	DocumentID   string      `json:"documentId"`   // as AutomationID
	CreatedAt    time.Time   `json:"createdAt"`
	// RequestID is the X-Request-Id of the source event, and IdempotencyKey its
	// Idempotency-Key or webhook-id, where there was one; not there where AutomationID is not.
	RequestID      string   `json:"requestId"`
	IdempotencyKey string   `json:"idempotencyKey"`
	Reference      string   `json:"reference"` // as WithReference; empty: none
	Test           bool     `json:"test"`      // its automation is a test; no WORKFLOW_TEST is one
	MissingFields  []string `json:"missingFields"`
	Error          *Failure `json:"error"` // of DOCUMENT_FAILED
	// Batch is of BATCH_COMPLETED. Its Rate, SecondsLeft and Table are not set.
	Batch *Batch `json:"batch"`
}

// An EventFile is a file that was made.
type EventFile struct {
	ID            string `json:"id"`
	URL           string `json:"url"`
	Name          string `json:"name"`
	MIMEType      string `json:"mimeType"`
	SpecifiedMIME string `json:"mimetype"`   // the same, as the interface spells it
	Kind          string `json:"kind"`       // pdf, original
	ProtectedBy   string `json:"protection"` // none, password, credentials
}

// A Verifier knows the events of one workflow by its signing secret.
type Verifier struct {
	webhook *standardwebhooks.Webhook
}

// ErrSignature says that an event is not signed with the secret, or too old. Answer 401.
var ErrSignature = errors.New("the event is not signed with the secret of this workflow, or its time is more than five minutes away")

// minKey is how long keys of Standard Webhooks are at least, in bytes. With one that is
// empty, anybody could sign an event.
const minKey = 24

// NewVerifier takes a secret as SigningSecret answers it. While a secret is rotated,
// events carry both signatures, so that either secret is good.
func NewVerifier(secret string) (*Verifier, error) {
	encoded, ok := strings.CutPrefix(strings.TrimSpace(secret), "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(key) < minKey {
		return nil, fmt.Errorf("the signing secret must be whsec_ and at least %d bytes in base64, as the API answers it", minKey)
	}
	webhook, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, fmt.Errorf("use the signing secret: %w", err)
	}
	return &Verifier{webhook}, nil
}

// Verify reads an event of a request, whose body is given as it came. An event of
// somebody else is ErrSignature.
func (v *Verifier) Verify(header http.Header, body []byte) (SignedEvent, error) {
	var e SignedEvent
	if err := v.webhook.Verify(body, header); err != nil {
		return e, ErrSignature
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return e, fmt.Errorf("read the event: %w", err)
	}
	return e, nil
}

// Sign sets the headers that Verify checks, as they are on an event that is delivered at
// that time. It is for tests of receivers, and for handing events on.
func (v *Verifier) Sign(header http.Header, id string, at time.Time, body []byte) error {
	signature, err := v.webhook.Sign(id, at, body)
	if err != nil {
		return fmt.Errorf("sign the event: %w", err)
	}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(at.Unix()))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return nil
}

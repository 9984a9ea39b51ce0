package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A Target is a place where files of a workflow's outputs are stored as well.
type Target struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"` // s3, webdav, sftp, azure, drive
	// URL is the folder below which files are stored, of drive its id. Path has folders below it, with tags.
	URL  string `json:"url"`
	Path string `json:"path"`
	When string `json:"when"` // a condition; empty: every output is stored
	// Office: the office file is stored beside a PDF. Sidecar: a file of JSON is stored beside
	// each file.
	Office  bool   `json:"office"`
	Sidecar bool   `json:"sidecar"`
	User    string `json:"user"`
	// HasSecret: it has one, which is never shown.
	HasSecret  bool      `json:"hasSecret"`
	HostKey    string    `json:"hostKey"` // of SFTP: the fingerprint of the server's key
	Region     string    `json:"region"`
	Encryption string    `json:"encryption"` // AES256, aws:kms; empty: as the bucket has it
	KMSKey     string    `json:"kmsKey"`
	LockMode   string    `json:"lockMode"` // GOVERNANCE, COMPLIANCE; empty: as the bucket has it
	LockDays   int       `json:"lockDays"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
	// Findings are in the answers to what makes or changes it, where there are any.
	Findings []TemplateFinding `json:"findings,omitempty"`
}

// A TargetChange is what a change sets; nil leaves it as it is. A new target needs Name,
// Kind and URL; the kind of one that is there cannot be changed.
type TargetChange struct {
	Kind       string  `json:"kind,omitempty"`
	Name       *string `json:"name,omitempty"`
	URL        *string `json:"url,omitempty"`
	Path       *string `json:"path,omitempty"`
	When       *string `json:"when,omitempty"`
	Office     *bool   `json:"office,omitempty"`
	Sidecar    *bool   `json:"sidecar,omitempty"`
	User       *string `json:"user,omitempty"`
	Secret     *string `json:"secret,omitempty"`
	HostKey    *string `json:"hostKey,omitempty"`
	Region     *string `json:"region,omitempty"`
	Encryption *string `json:"encryption,omitempty"`
	KMSKey     *string `json:"kmsKey,omitempty"`
	LockMode   *string `json:"lockMode,omitempty"`
	LockDays   *int    `json:"lockDays,omitempty"`
}

// A TargetTest says what became of a small file that was stored at a target, and removed.
type TargetTest struct {
	Key     string   `json:"key"`
	Stored  bool     `json:"stored"`
	Removed bool     `json:"removed"`
	Error   *Failure `json:"error"` // why it was not stored, or not removed
}

// A Placement says what a target has of an output.
type Placement struct {
	TargetID string     `json:"targetId"`
	Name     string     `json:"name"`
	State    string     `json:"state"` // PENDING, STORED, FAILED, NOT_STORED
	Attempts int        `json:"attempts"`
	TriedAt  *time.Time `json:"triedAt"`
	// NextAttemptAt is until when the target is left alone; nil: it is not.
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	StoredAt      *time.Time `json:"storedAt"`
	Files         []Receipt  `json:"files"`
	Error         *Failure   `json:"error"` // of the last attempt
}

// A Receipt says that a target has a file.
type Receipt struct {
	Kind     string    `json:"kind"`    // pdf, document, metadata
	Key      string    `json:"key"`     // its path below the target's URL
	Version  *string   `json:"version"` // nil: the target keeps no versions
	SHA256   string    `json:"sha256"`
	Bytes    int       `json:"bytes"`
	StoredAt time.Time `json:"storedAt"`
}

func targetsPath(workflowID string) string { return workflowPath(workflowID) + "targets/" }

func targetPath(workflowID, id string) string {
	return targetsPath(workflowID) + url.PathEscape(id) + "/"
}

// Targets lists those of a workflow, 10 at most.
func (c *Client) Targets(ctx context.Context, workflowID string) ([]Target, error) {
	return get[[]Target](ctx, c, targetsPath(workflowID))
}

// Target reads a target.
func (c *Client) Target(ctx context.Context, workflowID, id string) (Target, error) {
	return get[Target](ctx, c, targetPath(workflowID, id))
}

// CreateTarget has outputs stored at a target that are made from then on.
func (c *Client) CreateTarget(ctx context.Context, workflowID string, t TargetChange) (Target, error) {
	return post[Target](ctx, c, targetsPath(workflowID), t)
}

// UpdateTarget changes a target.
func (c *Client) UpdateTarget(ctx context.Context, workflowID, id string, change TargetChange) (Target, error) {
	var t Target
	_, err := c.ask(ctx, request{method: http.MethodPatch, path: targetPath(workflowID, id), body: change, repeatable: true}, &t)
	return t, err
}

// DeleteTarget removes a target. What it has stays there.
func (c *Client) DeleteTarget(ctx context.Context, workflowID, id string) error {
	return remove(ctx, c, targetPath(workflowID, id))
}

// TestTarget stores a small file at a target and removes it.
func (c *Client) TestTarget(ctx context.Context, workflowID, id string) (TargetTest, error) {
	return post[TargetTest](ctx, c, targetPath(workflowID, id)+"test/", nil)
}

// StoreOutput has an output that is DONE stored at a target again. What the target has is
// not stored twice.
func (c *Client) StoreOutput(ctx context.Context, workflowID, outputID, targetID string) (Output, error) {
	return post[Output](ctx, c, workflowPath(workflowID)+"outputs/"+url.PathEscape(outputID)+"/targets/"+url.PathEscape(targetID)+"/", nil)
}

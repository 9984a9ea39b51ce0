package client

import (
	"context"
	"iter"
	"time"
)

// A TemplateVersion is what a template said at a moment. The newest 20 are kept.
type TemplateVersion struct {
	ID         string    `json:"id"`
	DocumentID string    `json:"documentId"`
	Number     int       `json:"number"` // from 1, never given twice
	Cause      string    `json:"cause"`  // KEPT, REPLACED, RESTORED
	Note       string    `json:"note"`
	Size       int       `json:"size"`   // bytes
	SHA256     string    `json:"sha256"` // hex, of the office file
	MIMEType   string    `json:"mimeType"`
	CreatedAt  time.Time `json:"createdAt"`
	CreatedBy  *User     `json:"createdBy"` // nil: not in the caller's team any more
}

// A NewTemplateVersion may say why it is kept.
type NewTemplateVersion struct {
	Note string `json:"note,omitempty"`
}

// TemplateVersions lists what a template said before, the oldest first.
func (c *Client) TemplateVersions(ctx context.Context, workflowID, documentID string) iter.Seq2[TemplateVersion, error] {
	return list[TemplateVersion](ctx, c, documentPath(workflowID, documentID)+"versions/", values())
}

// KeepTemplateVersion keeps what a template says now. If the newest version says the same,
// it is the answer.
func (c *Client) KeepTemplateVersion(ctx context.Context, workflowID, documentID string, v NewTemplateVersion) (TemplateVersion, error) {
	return post[TemplateVersion](ctx, c, documentPath(workflowID, documentID)+"versions/", v)
}

// TemplateVersion reads one. One that is not there has the code version_not_found.
func (c *Client) TemplateVersion(ctx context.Context, workflowID, documentID, id string) (TemplateVersion, error) {
	return get[TemplateVersion](ctx, c, versionPath(workflowID, documentID, id))
}

// TemplateVersionFile returns the .docx or .pptx file of a version.
func (c *Client) TemplateVersionFile(ctx context.Context, workflowID, documentID, id string) ([]byte, error) {
	return get[[]byte](ctx, c, versionPath(workflowID, documentID, id)+"file/")
}

// RestoreTemplateVersion puts a version back into the template. What was there is kept as a
// version before.
func (c *Client) RestoreTemplateVersion(ctx context.Context, workflowID, documentID, id string) (Document, error) {
	return post[Document](ctx, c, versionPath(workflowID, documentID, id)+"restore/", nil)
}

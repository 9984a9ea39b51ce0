package client

import (
	"context"
	"net/http"
)

// A PublicForm lets everybody who has its link make documents of a workflow.
type PublicForm struct {
	ID string `json:"id"`
	// URL is its link, and its only credential.
	URL     string `json:"url"`
	Enabled bool   `json:"enabled"`
	// Title and Text stand above the form; without a title the workflow's name does.
	Title string `json:"title"`
	Text  string `json:"text"`
	// ShowDocument: the sender of the form sees the document; otherwise only that it was sent.
	ShowDocument bool `json:"showDocument"`
	// PerDay and PerAddress are how many documents it makes in a day, in UTC: in all, and of
	// one client address.
	PerDay     int `json:"perDay"`
	PerAddress int `json:"perAddress"`
}

// A PublicFormChange is what a change sets; nil leaves it as it is.
type PublicFormChange struct {
	Enabled      *bool   `json:"enabled,omitempty"`
	Title        *string `json:"title,omitempty"`
	Text         *string `json:"text,omitempty"`
	ShowDocument *bool   `json:"showDocument,omitempty"`
	PerDay       *int    `json:"perDay,omitempty"`
	PerAddress   *int    `json:"perAddress,omitempty"`
}

func publicFormPath(workflowID string) string { return workflowPath(workflowID) + "public-form/" }

// PublicForm reads the public form of a workflow. One without has the code
// public_form_not_found.
func (c *Client) PublicForm(ctx context.Context, workflowID string) (PublicForm, error) {
	return get[PublicForm](ctx, c, publicFormPath(workflowID))
}

// SetPublicForm makes the public form of a workflow, or changes it; its link stays.
func (c *Client) SetPublicForm(ctx context.Context, workflowID string, change PublicFormChange) (PublicForm, error) {
	var f PublicForm
	_, err := c.ask(ctx, request{method: http.MethodPut, path: publicFormPath(workflowID), body: change, repeatable: true}, &f)
	return f, err
}

// RotatePublicForm gives the public form another link; the one before leads nowhere.
func (c *Client) RotatePublicForm(ctx context.Context, workflowID string) (PublicForm, error) {
	return post[PublicForm](ctx, c, publicFormPath(workflowID)+"rotate/", nil)
}

// DeletePublicForm removes the public form. What it made stays.
func (c *Client) DeletePublicForm(ctx context.Context, workflowID string) error {
	return remove(ctx, c, publicFormPath(workflowID))
}

package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A MailSender is a mail server of the caller's own, by which mails leave that name it.
type MailSender struct {
	ID   string `json:"id"`
	Name string `json:"name"` // documents name it by this
	From string `json:"from"` // an address, or a name with one
	Host string `json:"host"`
	Port int    `json:"port"`
	// Security is STARTTLS, TLS or NONE.
	Security string `json:"security"`
	User     string `json:"user"`
	// HasPassword: it has one, which is never shown.
	HasPassword bool   `json:"hasPassword"`
	Bounces     string `json:"bounces"` // where mails come back to; empty: to the address of From
	// FailingSince and Error are of the last attempt, where that failed at the server; nil: it
	// did not.
	FailingSince *time.Time `json:"failingSince"`
	Error        *Failure   `json:"error"`
	CreatedAt    time.Time  `json:"createdAt"`
	UpdatedAt    time.Time  `json:"updatedAt"`
}

// A MailSenderChange is what a change sets; nil leaves it as it is. A new sender needs Name,
// From and Host; the name of one that is there cannot be changed.
type MailSenderChange struct {
	Name     *string `json:"name,omitempty"`
	From     *string `json:"from,omitempty"`
	Host     *string `json:"host,omitempty"`
	Port     *int    `json:"port,omitempty"`
	Security *string `json:"security,omitempty"`
	User     *string `json:"user,omitempty"`
	Password *string `json:"password,omitempty"`
	Bounces  *string `json:"bounces,omitempty"`
}

// A MailSenderTest says what became of a mail to the caller.
type MailSenderTest struct {
	To    string   `json:"to"`
	Sent  bool     `json:"sent"`
	Error *Failure `json:"error"` // why it was not sent
}

const sendersPath = "/mail-senders/"

func senderPath(id string) string { return sendersPath + url.PathEscape(id) + "/" }

// MailSenders lists those of the caller, 20 at most.
func (c *Client) MailSenders(ctx context.Context) ([]MailSender, error) {
	return get[[]MailSender](ctx, c, sendersPath)
}

// MailSender reads a sender.
func (c *Client) MailSender(ctx context.Context, id string) (MailSender, error) {
	return get[MailSender](ctx, c, senderPath(id))
}

// CreateMailSender sets a sender up.
func (c *Client) CreateMailSender(ctx context.Context, s MailSenderChange) (MailSender, error) {
	return post[MailSender](ctx, c, sendersPath, s)
}

// UpdateMailSender changes a sender.
func (c *Client) UpdateMailSender(ctx context.Context, id string, change MailSenderChange) (MailSender, error) {
	var s MailSender
	_, err := c.ask(ctx, request{method: http.MethodPatch, path: senderPath(id), body: change, repeatable: true}, &s)
	return s, err
}

// DeleteMailSender removes a sender that no document names.
func (c *Client) DeleteMailSender(ctx context.Context, id string) error {
	return remove(ctx, c, senderPath(id))
}

// TestMailSender sends a mail by a sender to the address of the caller's account.
func (c *Client) TestMailSender(ctx context.Context, id string) (MailSenderTest, error) {
	return post[MailSenderTest](ctx, c, senderPath(id)+"test/", nil)
}

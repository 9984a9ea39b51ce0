package client

import (
	"context"
	"iter"
)

// Usage is what you used in a month. Tests are not counted.
type Usage struct {
	Month     string `json:"month"`     // such as 2026-11, in UTC
	Documents int    `json:"documents"` // outputs that were made
	Pages     int    `json:"pages"`     // of their PDFs
	Bytes     int    `json:"bytes"`     // of their PDFs
	Mails     int    `json:"mails"`     // recipients for whom a mail server took a mail
}

// A UsageQuery says in which order months are listed.
type UsageQuery struct {
	Newest bool // the newest first
}

// Usage lists the months in which you used anything.
func (c *Client) Usage(ctx context.Context, q UsageQuery) iter.Seq2[Usage, error] {
	return list[Usage](ctx, c, "/usage/", values("order", q.Newest))
}

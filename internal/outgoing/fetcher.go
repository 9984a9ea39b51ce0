package outgoing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/platenhq/platen/internal/platen"
)

// A Fetcher reads what stands at addresses that come with data, such as those of
// pictures. It is safe for concurrent use.
type Fetcher struct{ client *Client }

// NewFetcher returns a Fetcher that reads through a client.
func NewFetcher(client *Client) *Fetcher { return &Fetcher{client} }

// Fetch reads what an address answers to a GET, without following redirects. It
// answers KindInvalid where another try would end alike – an address that is
// none or not public, a host whose name does not exist or whose certificate is
// not valid, an answer from 300 to 499 but 408 and 429 –, KindTooLarge where
// there are more than limit bytes, and KindUnavailable where another try might
// do. Messages quote nothing of the address, not even its host: it is a value of
// the data.
func (f *Fetcher) Fetch(ctx context.Context, address string, limit int64) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, platen.Errorf(platen.KindInvalid, "address_unusable", "The address does not begin with https:// or http://, or names no host.")
	}
	refused := func(format string, args ...any) error {
		return platen.Errorf(platen.KindInvalid, "address_unusable", "What stands at the address cannot be read: %s.", fmt.Sprintf(format, args...))
	}
	within, cancel := f.client.WithTimeout(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(within, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, refused("no request can be sent to it")
	}
	request.Header.Set("User-Agent", "Platen-Pictures/1")
	answer, err := f.client.Do(request)
	switch {
	case isProhibited(err):
		return nil, refused("the host is in a network that is not public")
	case err != nil && isLasting(err):
		return nil, refused("%s", f.failureOf(err))
	case err != nil:
		return nil, f.unavailable(err)
	}
	defer func() { _ = answer.Body.Close() }()
	switch status := answer.StatusCode; {
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		return nil, platen.Errorf(platen.KindUnavailable, "address_unavailable", "An address of the data answered %d.", status)
	case status >= 300 && status < 400:
		return nil, refused("the host answers %d, a redirect, which is not followed: send the address that it points to", status)
	case status >= 400:
		return nil, refused("the host answers %d", status)
	case answer.ContentLength > limit:
		return nil, over(limit)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, f.unavailable(err)
	}
	if int64(len(data)) > limit {
		return nil, over(limit)
	}
	return data, nil
}

func over(limit int64) error {
	return platen.Errorf(platen.KindTooLarge, "address_too_large", "What stands at the address has more than %d bytes.", limit)
}

// failureOf says why there is no answer, without the host's name.
func (f *Fetcher) failureOf(err error) string {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return "there is no such host"
		}
		return "the host's name cannot be resolved"
	}
	return f.client.Explain("the host", err)
}

// unavailable says why there is no answer this time. Neither the message nor
// what is logged has a value of the data in it.
func (f *Fetcher) unavailable(err error) error {
	return platen.Errorf(platen.KindUnavailable, "address_unavailable", "What stands at an address of the data could not be read: %s.", f.failureOf(err))
}

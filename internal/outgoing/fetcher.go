package outgoing

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/platenhq/platen"
)

// A Fetcher reads what stands at addresses that come from outside, such as
// those of pictures, through the client of webhooks. It is safe for concurrent
// use.
type Fetcher struct{ sender *Sender }

// NewFetcher returns a Fetcher that connects where a Sender of these options
// does.
func NewFetcher(o Options) *Fetcher {
	if o.UserAgent == "" {
		o.UserAgent = "Platen-Pictures/1"
	}
	return &Fetcher{NewSender(o)}
}

// Fetch reads what an address answers to a GET, without following redirects. It
// answers KindInvalid where another try would end alike – an address that is
// none or not public, an answer from 300 to 499, more than limit bytes – and
// KindUnavailable where it might not. Messages do not quote the address.
func (f *Fetcher) Fetch(ctx context.Context, address string, limit int64) ([]byte, error) {
	refused := func(format string, args ...any) error {
		return platen.Errorf(platen.KindInvalid, "address_unusable", "What stands at the address cannot be read: "+format+".", args...)
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, refused("it does not begin with https:// or http://, or names no host")
	}
	within, cancel := context.WithTimeout(ctx, f.sender.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(within, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, refused("no request can be sent to it")
	}
	request.Header.Set("User-Agent", f.sender.userAgent)
	answer, err := f.sender.client.Do(request)
	if err != nil {
		if isProhibited(err) {
			return nil, refused("it resolves to a network that is not public")
		}
		return nil, f.unavailable(err)
	}
	defer func() { _ = answer.Body.Close() }()
	switch status := answer.StatusCode; {
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		return nil, platen.Errorf(platen.KindUnavailable, "address_unavailable", "An address of the data answered %d.", status)
	case status >= 300:
		return nil, refused("it answers %d", status)
	case answer.ContentLength > limit:
		return nil, refused("it is larger than %d MiB", limit>>20)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, f.unavailable(err)
	}
	if int64(len(data)) > limit {
		return nil, refused("it is larger than %d MiB", limit>>20)
	}
	return data, nil
}

// unavailable says why there is no answer, without the address: neither the
// message nor what is logged has a value of the data in it.
func (f *Fetcher) unavailable(err error) error {
	why := f.sender.failureOf(err)
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		why = "its host name cannot be resolved"
	}
	return platen.Errorf(platen.KindUnavailable, "address_unavailable", "What stands at an address of the data could not be read: %s.", why)
}

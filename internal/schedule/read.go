package schedule

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

// MomentHeader is the header of a request that says which moment it is for, as an RFC 3339
// time.
const MomentHeader = "Platen-Moment"

// A Reader asks the addresses of schedules. It is safe for concurrent use.
type Reader struct{ Client *outgoing.Client }

// Read returns what the URL of a schedule answers to a GET; nothing for 204. Redirects are not
// followed. KindUnavailable: another attempt may do. Errors have a code, and are fit for the
// owner.
func (r Reader) Read(ctx context.Context, s platen.Schedule, at time.Time) ([]byte, error) {
	within, cancel := r.Client.WithTimeout(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(within, http.MethodGet, s.URL, nil)
	if err != nil {
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeScheduleRefused, "No request can be sent to the URL.")
	}
	request.Header.Set("User-Agent", "Platen-Schedules/1")
	request.Header.Set("Accept", "application/json")
	request.Header.Set(MomentHeader, platen.Timestamp(at))
	if s.Secret != "" {
		header := s.Header
		if header == "" {
			header = platen.DefaultScheduleHeader
		}
		request.Header.Set(header, string(s.Secret))
	}
	answer, err := r.Client.Do(request)
	if err != nil {
		return nil, r.failed(err)
	}
	defer func() { _ = answer.Body.Close() }()
	switch status := answer.StatusCode; {
	case status == http.StatusNoContent:
		return nil, nil
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		return nil, platen.Errorf(platen.KindUnavailable, platen.CodeScheduleUnavailable, "The URL answers %d.", status)
	case status >= 300 && status < 400:
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeScheduleRefused, "The URL answers %d, a redirect, which is not followed. Set the address that it points to.", status)
	case status != http.StatusOK:
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeScheduleRefused, "The URL answers %d.", status)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, platen.MaxScheduleData+1))
	if err != nil {
		return nil, r.failed(err)
	}
	return data, nil
}

// failed says why there is no answer.
func (r Reader) failed(err error) error {
	why := "There is no answer: " + r.Client.Explain("the host of the URL", err) + "."
	if outgoing.IsLasting(err) {
		return platen.Errorf(platen.KindInvalid, platen.CodeScheduleRefused, "%s", why)
	}
	return platen.Errorf(platen.KindUnavailable, platen.CodeScheduleUnavailable, "%s", why)
}

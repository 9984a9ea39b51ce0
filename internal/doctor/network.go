package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

const network = "network"

// addresses are what serve and worker call of the drive.
func (e *examination) addresses() []string {
	switch e.Settings.Kind() {
	case platen.DrivePlaten:
		return []string{strings.TrimRight(e.Settings.DriveEndpoint, "/") + "/healthz"}
	case platen.DriveGoogle:
		signIn := "https://oauth2.googleapis.com/"
		if e.Settings.OAuthEndpoint != "" {
			signIn = e.Settings.OAuthEndpoint
		}
		return []string{"https://www.googleapis.com/drive/v3/about", "https://docs.googleapis.com/", "https://slides.googleapis.com/", signIn}
	}
	return nil
}

// network calls each address once, as a program would.
func (e *examination) network(ctx context.Context) {
	transport := google.NewTransport()
	defer transport.CloseIdleConnections()
	var all sync.WaitGroup
	for i, address := range e.addresses() {
		all.Go(func() { e.call(ctx, transport, address, i == 0) })
	}
	all.Wait()
}

// call calls an address. Any answer will do: the calls have no credentials.
func (e *examination) call(ctx context.Context, transport *http.Transport, address string, readsClock bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return // a fault of the settings, which their check reports
	}
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return
	}
	through := ""
	proxy, err := transport.Proxy(request)
	if err != nil {
		e.add(Finding{network, u.Host, Failure, "The address of the proxy cannot be read.", "Correct HTTPS_PROXY and HTTP_PROXY."})
		return
	}
	if proxy != nil {
		through = " through the proxy " + proxy.Host
	}
	before := e.Now()
	response, err := limited(ctx, e.Limit, func(ctx context.Context) (*http.Response, error) {
		response, err := transport.RoundTrip(request.WithContext(ctx))
		if err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
			_ = response.Body.Close()
		}
		return response, err
	})
	after := e.Now()
	switch {
	case err != nil:
		e.add(Finding{network, u.Host, Failure, "It cannot be reached" + through + ": " + strings.TrimRight(reason(err), ".") + ".", networkCure(err, u.Hostname(), proxy)})
		return
	case response.StatusCode == http.StatusProxyAuthRequired:
		e.add(Finding{network, u.Host, Failure, "The proxy asks for a password.", "Give user and password in HTTPS_PROXY, or have the proxy let " + u.Hostname() + " through."})
		return
	}
	e.ok(network, u.Host, "It answers%s within %v.", through, after.Sub(before).Round(time.Millisecond))
	if theirs, err := http.ParseTime(response.Header.Get("Date")); err == nil && readsClock {
		e.clock(u.Host, before, after, theirs, time.Second)
	}
}

// reason is the error without the address, which may have a password.
func reason(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err.Error()
	}
	return err.Error()
}

func networkCure(err error, host string, proxy *url.URL) string {
	if proxy != nil {
		return fmt.Sprintf("Start the proxy %s, or correct HTTPS_PROXY and NO_PROXY.", proxy.Host)
	}
	_, isName := errors.AsType[*net.DNSError](err)
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, isOther := errors.AsType[x509.HostnameError](err)
	switch {
	case isName:
		return "Have DNS know " + host + ", or set HTTPS_PROXY where programs reach the network through a proxy alone."
	case isUnknown || isOther:
		return "Something between reads TLS: add its certificate authority to the machine, or have it let " + host + " through."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Start what answers there, or correct the address."
	}
	return "Let this machine call " + host + " (firewall), or set HTTPS_PROXY."
}

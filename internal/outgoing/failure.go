package outgoing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// Explain says in words for the integrator why who, such as "the receiver",
// gives no answer. It names no address of ours or of the receiver's network.
func (c *Client) Explain(who string, err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, errOwn):
		return "the address is one of this installation of Platen itself: set another address"
	case isProhibited(err):
		return "the address resolves to a private network or another one that is not public: use a public address, or ask the operator to allow this network"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no answer within %v", c.timeout)
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return fmt.Sprintf("the host name %.253q does not exist", lookup.Name)
		}
		return fmt.Sprintf("the host name %.253q could not be resolved", lookup.Name)
	}
	if text := failureOfTLS(who, err); text != "" {
		return text
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return who + " refuses connections"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return who + "'s network cannot be reached"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return who + " closed the connection without an answer"
	case strings.Contains(err.Error(), "headers exceeded"), strings.Contains(err.Error(), "header list larger"):
		return fmt.Sprintf("%s's answer has headers of more than %d KiB", who, maxAnswerHeaders>>10)
	case strings.Contains(err.Error(), "malformed HTTP"):
		return who + "'s answer is not HTTP"
	}
	return who + " could not be reached"
}

// isProhibited tells that the guard let no connection be made.
func isProhibited(err error) bool {
	return errors.Is(err, errMetadata) || errors.Is(err, errOwn) || errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) || errors.Is(err, ssrf.ErrInvalidHostPort)
}

func failureOfTLS(who string, err error) string {
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok && unknown.Cert != nil {
		return who + "'s certificate is from an authority that is not trusted, or its chain is not complete"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return who + "'s certificate is for another host name"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return who + "'s certificate has expired or is not valid yet"
		}
		return who + "'s certificate is not valid"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return who + "'s certificate is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return who + " does not speak TLS at this port: check the address's scheme and port"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok || strings.Contains(err.Error(), "tls: ") {
		return "no TLS connection could be agreed on with " + who
	}
	return ""
}

// IsLasting tells that another request to the same address would end alike, until somebody
// changes something about the host or the address.
func IsLasting(err error) bool { return isProhibited(err) || isLasting(err) }

// isLasting tells that another try would end alike, until somebody changes
// something about the host: its name does not exist, its certificate is not
// valid, or it speaks no HTTP.
func isLasting(err error) bool {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return lookup.IsNotFound
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "server gave HTTP response to HTTPS client") || strings.Contains(text, "malformed HTTP")
}

package api

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

const (
	sourceOverlap    = 24 // hours that a rotated address takes events along unless the request says otherwise
	maxSourceOverlap = 7 * 24
	maxTolerance     = 3600 // seconds
	maxNetworks      = 100
	maxSenderSecret  = 256
)

type rotatedSourceJSON struct {
	sourceJSON
	// PreviousUntil is null when the address before is unknown already.
	PreviousUntil *string `json:"previousWebhookUrlUntil"`
}

func (s *server) getSource(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.source(wf.Source))
}

// rotateSource gives the source another address; the one before takes events along,
// so that senders can be changed over while they send.
func (s *server) rotateSource(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	var given *int
	if len(body) > 0 {
		if err := decode(body, members{"overlapHours": wholeNumber(&given, 0, maxSourceOverlap)}); err != nil {
			return err
		}
	}
	overlap := sourceOverlap * time.Hour
	if given != nil {
		overlap = time.Duration(*given) * time.Hour
	}
	wf, err = s.Sources.RotateWorkflowSource(r.Context(), caller(r.Context()), wf.ID, overlap)
	if err != nil {
		return err
	}
	out := rotatedSourceJSON{sourceJSON: s.source(wf.Source)}
	if overlap > 0 {
		out.PreviousUntil = orNull(platen.Timestamp(s.now().Add(overlap)))
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// verificationJSON is what a source asks of senders. Secrets are never shown.
type verificationJSON struct {
	Scheme    *string  `json:"scheme"`
	Secrets   int      `json:"secretCount"`
	Header    *string  `json:"header"`
	Encoding  *string  `json:"encoding"`
	Prefix    *string  `json:"prefix"`
	Tolerance *int     `json:"toleranceSeconds"` // null: the scheme has no timestamp
	Networks  []string `json:"networks"`
}

func verification(v platen.Verification) verificationJSON {
	out := verificationJSON{
		Scheme: orNull(string(v.Scheme)), Secrets: len(v.Secrets), Header: orNull(v.Header), Encoding: orNull(v.Encoding), Prefix: orNull(v.Prefix),
		Networks: []string{},
	}
	if v.Scheme.HasTimestamp() {
		seconds := int(cmp.Or(v.Tolerance, platen.VerificationTolerance) / time.Second)
		out.Tolerance = &seconds
	}
	for _, network := range v.Networks {
		out.Networks = append(out.Networks, network.String())
	}
	return out
}

func (s *server) getVerification(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	v, err := s.Sources.SourceVerification(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, verification(v))
}

func (s *server) setVerification(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	v, err := readVerification(body)
	if err != nil {
		return err
	}
	if err := s.Sources.SetSourceVerification(r.Context(), caller(r.Context()), wf.ID, v); err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, verification(v))
}

func (s *server) removeVerification(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findChangeable(r)
	if err == nil {
		err = s.Sources.SetSourceVerification(r.Context(), caller(r.Context()), wf.ID, platen.Verification{})
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func readVerification(body []byte) (v platen.Verification, err error) {
	var scheme, header, encoding, prefix *string
	var tolerance *int
	var secrets, networks []string
	err = decode(body, members{
		"scheme": allowNull(text(&scheme, oneOf(string(platen.SchemeStandardWebhooks), string(platen.SchemeStripe), string(platen.SchemeGitHub), string(platen.SchemeHMAC)))),
		"secrets": list(&secrets, 2, func(s string) string {
			if len(s) < 8 || len(s) > maxSenderSecret {
				return fmt.Sprintf("must have 8 to %d bytes", maxSenderSecret)
			}
			return ""
		}),
		"header":           allowNull(text(&header, headerName)),
		"encoding":         allowNull(text(&encoding, oneOf("hex", "base64"))),
		"prefix":           allowNull(text(&prefix, short(32))),
		"toleranceSeconds": allowNull(wholeNumber(&tolerance, 1, maxTolerance)),
		"networks":         list(&networks, maxNetworks, network),
		"secretCount":      skipValue,
	})
	if err != nil {
		return v, err
	}
	for _, text := range networks {
		if prefix, ok := readNetwork(text); ok {
			v.Networks = append(v.Networks, prefix)
		}
	}
	if tolerance != nil {
		v.Tolerance = time.Duration(*tolerance) * time.Second
	}
	for _, secret := range secrets {
		v.Secrets = append(v.Secrets, platen.Secret(secret))
	}
	v.Scheme, v.Header, v.Encoding, v.Prefix = platen.VerificationScheme(orEmpty(scheme)), orEmpty(header), orEmpty(encoding), orEmpty(prefix)
	return v, checkVerification(&v)
}

// checkVerification holds what belongs together.
func checkVerification(v *platen.Verification) error {
	var faults []platen.Fault
	fault := func(pointer, message string) {
		faults = append(faults, platen.Fault{Pointer: pointer, Message: message})
	}
	hmac := v.Scheme == platen.SchemeHMAC
	switch {
	case v.Scheme == "" && len(v.Secrets) > 0:
		fault("/scheme", "is required with secrets")
	case !v.Asks():
		fault("/scheme", "is required without networks; to ask senders for nothing, send DELETE")
	case v.Scheme != "" && len(v.Secrets) == 0:
		fault("/secrets", "is required with a scheme: one secret, or two while the sender changes its own")
	}
	if v.Tolerance != 0 && !v.Scheme.HasTimestamp() {
		fault("/toleranceSeconds", "is for the schemes STANDARD_WEBHOOKS and STRIPE, whose signatures have a timestamp; leave it out")
	}
	if hmac && v.Header == "" {
		fault("/header", "is required with the scheme HMAC: the name of the header with the signature")
	}
	if !hmac && (v.Header != "" || v.Encoding != "" || v.Prefix != "") {
		fault("/scheme", "must be HMAC where header, encoding or prefix are given: every other scheme has its own")
	}
	if hmac && v.Encoding == "" {
		v.Encoding = "hex"
	}
	if v.Scheme == platen.SchemeStandardWebhooks {
		for i, secret := range v.Secrets {
			if _, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(secret), "whsec_")); err != nil {
				fault(fmt.Sprintf("/secrets/%d", i), "must be base64, with or without whsec_ in front, as Standard Webhooks has it")
			}
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: "invalid_body", Faults: faults, Message: faultsMessage(faults)}
}

func faultsMessage(faults []platen.Fault) string {
	if len(faults) > 1 {
		return fmt.Sprintf("The body has %d faults: see errors.", len(faults))
	}
	return strings.TrimSpace(strings.TrimPrefix(faults[0].Pointer, "/") + " " + faults[0].Message)
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// network is the rule of a network or a single address.
func network(s string) string {
	if _, ok := readNetwork(s); !ok {
		return "must be a network such as 203.0.113.0/24, or an address"
	}
	return ""
}

func readNetwork(s string) (netip.Prefix, bool) {
	if address, err := netip.ParseAddr(s); err == nil && address.Zone() == "" {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), true
	}
	prefix, err := netip.ParsePrefix(s)
	return prefix.Masked(), err == nil && !prefix.Addr().Is4In6()
}

// headerName is the rule of the name of a header (RFC 9110, section 5.1).
func headerName(s string) string {
	const others = "!#$%&'*+-.^_`|~"
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && strings.IndexByte(others, c) < 0 {
			return "must be the name of a header, such as X-Signature"
		}
	}
	if s == "" || len(s) > 64 {
		return "must be the name of a header, of 1 to 64 characters"
	}
	return ""
}

// Package bounce reads what mail servers send back about mails that they could not deliver.
// These are delivery status notifications (RFC 3464). Older releases of Exim and of Gmail name
// the recipients in a header alone. The package keeps addresses and statuses, and no text.
// Which mail is meant is for others to decide.
//
// Messages come in by one door, POST /bounces, and no mailbox is polled. A program made for that
// fetches a mailbox. A client of IMAP would bring state, credentials and a
// protocol for the same result. Go's own net/mail and mime are enough: a delivery status is
// groups of headers.
package bounce

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"regexp"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// Limits of a message. What comes after MaxRead bytes is not looked at: the mail that came
// back, which stands at the end.
const (
	MaxRead       = 1 << 20
	maxRecipients = 100
	maxParts      = 20
	maxDepth      = 3
	maxAddress    = 320 // RFC 3696, erratum 1690: with what does not fit into a transaction
)

// Read reads a message. Delays, automatic answers and other messages without a failure have
// nobody in Failed. KindInvalid: it is no message.
func Read(r io.Reader) (platen.Returned, error) {
	from := bufio.NewReader(io.LimitReader(r, MaxRead))
	if start, _ := from.Peek(5); string(start) == "From " { // of a mailbox (RFC 4155)
		if _, err := from.ReadSlice('\n'); err != nil {
			return platen.Returned{}, noMessage(err)
		}
	}
	m, err := mail.ReadMessage(from)
	if err != nil {
		return platen.Returned{}, noMessage(err)
	}
	out := platen.Returned{To: addressees(m.Header)}
	if failed, found := inPart(textproto.MIMEHeader(m.Header), m.Body, 0); found {
		out.Failed = failed
		return out, nil
	}
	for _, address := range strings.FieldsFunc(strings.Join(m.Header["X-Failed-Recipients"], ","), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if f := (platen.FailedRecipient{Final: bare(address)}); f.Final != "" && len(out.Failed) < maxRecipients {
			out.Failed = append(out.Failed, f)
		}
	}
	return out, nil
}

func noMessage(err error) error {
	if _, classified := errors.AsType[*platen.Error](err); classified {
		return err // of what brings the message
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: "message_malformed", Err: err,
		Message: "The body is no message: send it as the mail server has it, with its headers (RFC 5322)."}
}

// addressees are the addresses that a message came to: those that servers note, and those it
// is addressed to.
func addressees(h mail.Header) (all []string) {
	for _, name := range [...]string{"Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "To"} {
		for _, value := range h[name] {
			for address := range strings.SplitSeq(value, ",") {
				if len(all) < maxRecipients {
					all = append(all, bare(address))
				}
			}
		}
	}
	return all
}

// bare is an address without its name and brackets; empty: it is none.
func bare(text string) string {
	if start := strings.LastIndexByte(text, '<'); start >= 0 {
		text, _, _ = strings.Cut(text[start+1:], ">")
	}
	if text = strings.TrimSpace(text); len(text) > maxAddress || !strings.Contains(text, "@") {
		return ""
	}
	return text
}

// inPart looks for a delivery status in a part, not in messages within it.
func inPart(h textproto.MIMEHeader, body io.Reader, depth int) (failed []platen.FailedRecipient, found bool) {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter):
		return nil, false
	case kind == "message/delivery-status", kind == "message/global-delivery-status":
		return readStatus(decoded(h, body))
	case !strings.HasPrefix(kind, "multipart/") || depth == maxDepth:
		return nil, false
	}
	parts := multipart.NewReader(body, params["boundary"])
	for range maxParts {
		part, err := parts.NextRawPart()
		if err != nil {
			break // the end, or what does not belong there
		}
		if failed, found = inPart(part.Header, part, depth+1); found {
			return failed, true
		}
	}
	return nil, false
}

func decoded(h textproto.MIMEHeader, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}

// readStatus reads the groups of fields of a delivery status: one of the mail, and one of
// each recipient. Gmail writes some without recipients.
func readStatus(body io.Reader) (failed []platen.FailedRecipient, found bool) {
	groups := textproto.NewReader(bufio.NewReader(body))
	for range 2 * maxRecipients { // servers set off groups by several blank lines
		fields, err := groups.ReadMIMEHeader()
		found = found || fields.Get("Final-Recipient") != ""
		if f, ok := readRecipient(fields); ok && len(failed) < maxRecipients {
			failed = append(failed, f)
		}
		if err != nil {
			break
		}
	}
	return failed, found
}

var status = regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}$`)

// readRecipient reads the fields of a recipient that a mail did not reach.
func readRecipient(fields textproto.MIMEHeader) (f platen.FailedRecipient, ok bool) {
	f.Final, f.Original = addressIn(fields.Get("Final-Recipient")), addressIn(fields.Get("Original-Recipient"))
	if f.Status = firstWord(fields.Get("Status")); !status.MatchString(f.Status) {
		f.Status = ""
	}
	switch strings.ToLower(firstWord(fields.Get("Action"))) {
	case "failed":
		return f, true
	case "": // required, and left out by some
		return f, f.Final+f.Original != "" && strings.HasPrefix(f.Status, "5")
	}
	return f, false
}

// addressIn is the address of a field such as rfc822; ada@example.com.
func addressIn(field string) string {
	_, address, _ := strings.Cut(field, ";")
	return bare(address)
}

// firstWord is a value without the comment behind it.
func firstWord(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return first
}

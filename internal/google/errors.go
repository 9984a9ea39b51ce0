package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/platen"
)

// maxRetryAfter bounds what a drive can ask us to wait.
const maxRetryAfter = time.Hour

// classify turns what a call came to into a platen.Error, by the reasons and
// statuses of https://developers.google.com/workspace/drive/api/guides/handle-errors.
// doing is for the log.
func classify(doing string, err error) error {
	return classifyAnswer(doing, err, true)
}

// classifyUnquoted does the same for calls that carry source data: the drive's
// message, which may quote what it was sent, is left out but for the place and
// the kind of the request that it is about.
func classifyUnquoted(doing string, err error) error {
	return classifyAnswer(doing, err, false)
}

func classifyAnswer(doing string, err error, quote bool) error {
	if err == nil {
		return nil
	}
	cause := fmt.Errorf("%s: %w", doing, err)
	if _, ok := errors.AsType[*platen.Error](err); ok {
		return cause
	}
	if errors.Is(err, errTooLarge) {
		return &platen.Error{Kind: platen.KindTooLarge, Code: "drive_file_too_large",
			Message: "The file is larger than 32 MiB: make the template smaller, for example with smaller pictures.", Err: cause}
	}
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return tokenError(doing, refused)
	}
	answer, ok := errors.AsType[*googleapi.Error](err)
	if !ok {
		message := "The drive does not answer: try again."
		if errors.Is(err, context.DeadlineExceeded) {
			message = "The drive did not answer in time: try again."
		}
		return &platen.Error{Kind: platen.KindUnavailable, Code: "drive_unavailable", Message: message, Err: cause}
	}
	e := answerError(answer)
	e.RetryAfter = retryAfter(answer.Header, time.Now())
	e.Err = fmt.Errorf("%s: %s", doing, describe(answer, quote))
	return e
}

// tokenError is for a connection whose access token could not be had
// (RFC 6749, section 5.2).
func tokenError(doing string, refused *oauth2.RetrieveError) *platen.Error {
	status := 0
	if refused.Response != nil {
		status = refused.Response.StatusCode
	}
	code, description := tokenReason(refused)
	cause := fmt.Errorf("%s: get an access token: status %d, error %.60q: %.300q", doing, status, code, description)
	if status == http.StatusTooManyRequests || status >= 500 {
		return &platen.Error{Kind: platen.KindUnavailable, Code: "drive_unavailable",
			Message: "The drive's sign-in service does not answer: try again.", Err: cause}
	}
	return connectionBroken(tokenCure(code, strings.ToLower(description)), cause)
}

// tokenReason reads why a token was refused. golang.org/x/oauth2/jwt v0.37.0, which
// asks for those of service accounts, leaves it in the body.
func tokenReason(refused *oauth2.RetrieveError) (code, description string) {
	if refused.ErrorCode != "" {
		return refused.ErrorCode, refused.ErrorDescription
	}
	var body struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(refused.Body, &body) // a body of another kind has no reason
	return body.Error, body.Description
}

// tokenCure says what to do by the words of Google's sign-in service, in lower case.
func tokenCure(code, description string) string {
	switch {
	case code == "unauthorized_client" || code == "access_denied" || code == "invalid_scope":
		return "The drive does not let this service act for the account: ask the administrator to allow the client id of the service account the scope " + scope + " (domain-wide delegation), or connect the drive again."
	case code == "invalid_client" || code == "deleted_client":
		return "The drive does not know the OAuth client of this service, or its secret: ask the operator."
	case strings.Contains(description, "short-lived"):
		return "The clock of this service is wrong, so the drive refuses its sign-in: ask the operator to set the clock."
	case strings.Contains(description, "jwt"):
		return "The drive refuses the key of the service account: ask the operator for a key that is in use."
	case strings.Contains(description, "account not found") || strings.Contains(description, "email or user id"):
		return "The drive does not know the account of this connection: check its e-mail address, and connect the drive again."
	}
	return "The connection to the drive has ended (access was withdrawn, or it was not used for long): connect the drive again."
}

func connectionBroken(message string, cause error) *platen.Error {
	return &platen.Error{Kind: platen.KindForbidden, Code: platen.CodeConnectionBroken, Message: message, Err: cause}
}

// connectionMismatch is for a connection that another drive than the service's issued.
func connectionMismatch(kind platen.DriveKind) *platen.Error {
	return platen.Errorf(platen.KindForbidden, "drive_connection_mismatch",
		"The drive connection of this user is for another kind of drive than the one that this service uses (%s): ask the operator to connect the drive again.", kind)
}

// byReason decides before the status does: Google says 403 to very different
// things. A 403 whose reason does not stand here is final.
func byReason(reason, message string) *platen.Error {
	switch strings.ToLower(strings.ReplaceAll(reason, "_", "")) {
	case "ratelimitexceeded", "userratelimitexceeded", "sharingratelimitexceeded", "dailylimitexceeded":
		return rateLimited()
	case "storagequotaexceeded":
		// "Service Accounts do not have storage quota. Leverage shared drives …"
		if strings.Contains(strings.ToLower(message), "service account") {
			return platen.Errorf(platen.KindInvalid, "drive_account_without_storage",
				"The drive gives service accounts no storage of their own, and this file would be theirs. Put the template into a shared drive where the account is a content manager, or connect the drive with delegation to a user (subject).")
		}
		return platen.Errorf(platen.KindInvalid, "drive_quota", "The drive is full: free some space or get more, then try again.")
	case "teamdrivefilelimitexceeded", "numchildreninnonrootlimitexceeded":
		return platen.Errorf(platen.KindInvalid, "drive_quota", "The drive is full: free some space or get more, then try again.")
	case "downloadquotaexceeded":
		return platen.Errorf(platen.KindInvalid, "drive_quota", "The drive's download limit for this file is used up: try again tomorrow, or use a copy of it.")
	case "insufficientfilepermissions", "appnotauthorizedtofile", "domainpolicy", "cannotcopyfile",
		"cannotexportfile", "cannotdownloadfile":
		return fileForbidden()
	case "filenotdownloadable":
		return platen.Errorf(platen.KindInvalid, "drive_file_without_content", "The file is a document of the drive's own kind, which has no content to be downloaded.")
	case "exportsizelimitexceeded":
		return platen.Errorf(platen.KindTooLarge, "drive_export_too_large", "The document is too large for the drive to make a PDF of it: make the template smaller, for example with smaller pictures.")
	case "fileidinuse":
		return platen.Errorf(platen.KindConflict, "drive_file_exists", "The drive has a file with this id already.")
	case "accessnotconfigured", "servicedisabled":
		return platen.Errorf(platen.KindForbidden, "drive_api_disabled", "The drive's interfaces (Drive, Docs, Slides) are switched off for this service: ask the operator to enable them.")
	case "accesstokenscopeinsufficient", "insufficientscopes":
		return connectionBroken("The connection to the drive does not allow what is needed: connect the drive again and grant access to files.", nil)
	}
	return nil
}

func answerError(answer *googleapi.Error) *platen.Error {
	for _, reason := range reasons(answer) {
		if e := byReason(reason, answer.Message); e != nil {
			return e
		}
	}
	switch code := answer.Code; {
	case code == http.StatusBadRequest && strings.Contains(strings.ToLower(answer.Message), "revision") && !requestPlace.MatchString(answer.Message):
		return platen.Errorf(platen.KindConflict, "drive_revision_stale", "The document was changed meanwhile: read it again.")
	case code == http.StatusUnauthorized:
		return connectionBroken("The drive refuses the connection's credentials: connect the drive again.", nil)
	case code == http.StatusForbidden:
		return fileForbidden()
	case code == http.StatusNotFound, code == http.StatusGone:
		return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "The drive has no such file, or this account may not see it: check the file's id and share it with the account.")
	case code == http.StatusConflict:
		return platen.Errorf(platen.KindConflict, "drive_file_exists", "The drive has a file with this id already.")
	case code == http.StatusPreconditionFailed:
		return platen.Errorf(platen.KindConflict, "drive_revision_stale", "The file was changed meanwhile: read it again.")
	case code == http.StatusRequestEntityTooLarge:
		return platen.Errorf(platen.KindTooLarge, "drive_file_too_large", "The file is larger than the drive takes.")
	case code == http.StatusTooManyRequests:
		return rateLimited()
	case code == http.StatusInternalServerError:
		return platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive failed at this: try again, and look at the document if it fails each time.")
	case code == http.StatusRequestTimeout, code >= 500:
		return platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive has a problem of its own: try again.")
	case code >= 400 && code < 500:
		return platen.Errorf(platen.KindInvalid, codeRefused, "The drive refuses what was asked for this file: check that it is a text document or a presentation that opens in the drive.")
	}
	return platen.Errorf(platen.KindInternal, "drive_unexpected", "The drive gave an unexpected answer.")
}

func rateLimited() *platen.Error {
	return platen.Errorf(platen.KindRateLimited, "drive_rate_limited", "The drive takes no more calls for now: try again later.")
}

// codeForbidden is the code of what an account may not do with a file.
const codeForbidden = "drive_file_forbidden"

// codeRefused is the code of what a drive does not do for anybody.
const codeRefused = "drive_request_refused"

func fileForbidden() *platen.Error {
	return platen.Errorf(platen.KindForbidden, codeForbidden, "The drive does not let this account do that with the file: ask the file's owner for access that includes copying and editing.")
}

// reasons collects errors[].reason and, of newer answers, details[].reason.
func reasons(answer *googleapi.Error) []string {
	var all []string
	for _, item := range answer.Errors {
		all = append(all, item.Reason)
	}
	for _, detail := range answer.Details {
		if fields, ok := detail.(map[string]any); ok {
			if reason, ok := fields["reason"].(string); ok {
				all = append(all, reason)
			}
		}
	}
	return all
}

// requestPlace is how Google begins to say what is wrong with a request of a
// batch: with its place and its kind, which hold no data. What follows may.
var requestPlace = regexp.MustCompile(`^(Invalid requests\[[0-9]{1,6}\](?:\.[a-z][A-Za-z]{0,59})?):`)

// describe is the answer for the log; bodies that are no error of the
// protocol, such as a proxy's page, are left out.
func describe(answer *googleapi.Error, quote bool) string {
	var wire struct {
		Error struct {
			Status string `json:"status"`
		} `json:"error"`
	}
	_ = json.Unmarshal([]byte(answer.Body), &wire) // a body of another kind has no status
	text := fmt.Sprintf("status %d %s", answer.Code, wire.Error.Status)
	if all := reasons(answer); len(all) > 0 {
		text += fmt.Sprintf(", reasons %.200q", all)
	}
	switch {
	case quote && answer.Message != "":
		text += fmt.Sprintf(": %.300s", answer.Message)
	case !quote:
		if place := requestPlace.FindStringSubmatch(answer.Message); place != nil {
			text += ": " + place[1]
		}
	}
	return text
}

// retryAfter reads the header of that name (RFC 9110, section 10.2.3).
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if value == "" {
		return 0
	}
	wait := time.Duration(0)
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

package console

import (
	"html/template"
	"net/http"
	"strings"
	"unicode"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// faults are what is wrong with the fields of a form that was sent, by the name that
// /v0 has for them.
type faults map[string]saying

// subjects are what forms call their fields, by the name that /v0 has for them. Those of
// workflowTexts stand there.
var subjects = texts{
	"upload": "The file", "name": "The name", "email": "The e-mail address", "fileId": "The file", "file_id": "The file", "webhookUrl": "The address",
	"outputName": "The name of outputs", "createPdfCopy": "“Make a PDF”", "pdfPassword": "The password", "onMissing": "The choice", "accessibility": "The choice",
	"outputFolder": "The folder", "outputFolderId": "The folder to begin in", "outputSharing": "The choice", "numbers": "A series", "appendices": "A line", "profile": "The standard",
	"when": "The condition", "appendicesWhen": "The condition", "outputSharingWhen": "The condition", "to": "The recipients", "cc": "Cc", "bcc": "Bcc", "replyTo": "Reply-To", "subject": "The subject", "text": "The text", "html": "The HTML", "attach": "The choice", "linkDays": "The days", "by": "The list", "need": "The number", "remindDays": "The days", "expireDays": "The days", "deputies": "A line", "next": "The next number",
	"scheme": "The signature", "secrets": "The secret", "header": "The header", "encoding": "The encoding", "prefix": "What stands before the signature", "networks": "The networks",
	"note": "The note", "events": "The kinds of events", "overlapHours": "The hours", "since": "The day", "valid": "The time",
	"url": "The address", "path": "The folders", "user": "The access key", "secret": "The secret key", "hostKey": "The fingerprint", "region": "The region", "encryption": "The choice", "kmsKey": "The key", "lockMode": "The choice", "lockDays": "The days",
	"from": "The address", "host": "The mail server", "port": "The port", "security": "The choice", "password": "The password", "bounces": "The address", "sender": "The sender",
	"cron": "The time", "timeZone": "The time zone", "data": "The event",
	"title": "The title", "perDay": "The number", "perAddress": "The number",
}

// inForms say for a field what /v0 says of requests.
var inForms = map[string]struct{ part, text string }{
	"fileId":  {"or its address", say("The file must be the address or the id of a file in the drive, not its name.")},
	"file_id": {"or its address", say("The file must be the address or the id of a file in the drive, not its name.")},
	"scheme":  {"send DELETE", say("Choose a signature, or type in networks. To ask senders for nothing, use Ask for nothing.")},
	"since":   {"", say("Choose a day.")},
}

// explainForm is explained for a form: what is wrong with a field stands beside it, and
// the rest above the form.
func (r request) explainForm(err error) (beside faults, above saying, _ error) {
	if _, err := r.explained(err); err != nil {
		return nil, "", err
	}
	if p := refusalIn(err); p != nil {
		beside, above = split(r.Printer, p)
	}
	return beside, above, nil
}

// split parts what /v0 found into faults of fields that forms have, and the rest.
func split(in catalog.Printer, p *client.Error) (beside faults, above saying) {
	if p.Status == http.StatusPreconditionFailed {
		return nil, own(in.Text("Somebody changed this while the page was open, and nothing was saved. What you typed in is still here: save again to put it in the place of theirs, or load the page again to see theirs."))
	}
	beside = faults{}
	var rest []saying
	for _, one := range p.Faults {
		field := fieldOf(one.Pointer)
		subject := subjectOf(field)
		switch inForm := inForms[field]; {
		case subject == "":
			rest = append(rest, theirs(in, "", strings.TrimSpace(strings.TrimPrefix(one.Pointer, "/")+" "+one.Detail)+"."))
		case inForm.text != "" && strings.Contains(one.Detail, inForm.part):
			beside[field] = own(in.Text(inForm.text))
		case p.Code == "": // a page says it
			beside[field] = own(one.Detail)
		case in.English():
			beside[field] = own(subject + " " + strings.TrimSuffix(one.Detail, ".") + ".")
		default:
			beside[field] = own(in.Text(subject)+": ") + theirs(in, "", strings.TrimSuffix(one.Detail, ".")+".")
		}
	}
	if len(beside) == 0 {
		return nil, saidIn(in, p)
	}
	return beside, sentences(rest...)
}

// fieldOf is the member that a pointer leads to, whichever item of it.
func fieldOf(pointer string) string {
	parts := strings.Split(pointer, "/")
	for len(parts) > 1 && strings.IndexFunc(parts[len(parts)-1], unicode.IsLetter) < 0 {
		parts = parts[:len(parts)-1]
	}
	return parts[len(parts)-1]
}

// A besideField is what is wrong with a field, and the id of the element that says so.
type besideField struct {
	ID   string
	Text saying
}

// Attributes tell of a field that something is wrong with it, and where that stands. The
// page opens there.
func (b besideField) Attributes() template.HTMLAttr {
	if b.Text == "" {
		return ""
	}
	return template.HTMLAttr(`aria-invalid="true" aria-errormessage="` + template.HTMLEscapeString(b.ID) + `" autofocus`)
}

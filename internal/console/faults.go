package console

import (
	"html/template"
	"net/http"
	"strings"
	"unicode"

	"github.com/platenhq/platen/client"
)

// faults are what is wrong with the fields of a form that was sent, by the name that
// /v0 has for them.
type faults map[string]string

// subjects are what forms call their fields, by the name that /v0 has for them.
var subjects = map[string]string{
	"upload": "The file", "locale": "The locale", "orderedBy": "The formula",
	"name": "The name", "email": "The e-mail address", "fileId": "The file", "file_id": "The file", "webhookUrl": "The address",
	"outputName": "The name of outputs", "createPdfCopy": "“Make a PDF”", "pdfPassword": "The password", "onMissing": "The choice",
	"outputFolder": "The folder", "outputFolderId": "The folder to begin in", "outputSharing": "The choice", "numbers": "A series", "appendices": "A line", "profile": "The standard",
	"when": "The condition", "appendicesWhen": "The condition", "outputSharingWhen": "The condition", "to": "The recipients", "cc": "Cc", "bcc": "Bcc", "replyTo": "Reply-To", "subject": "The subject", "text": "The text", "html": "The HTML", "attach": "The choice", "linkDays": "The days", "next": "The next number",
	"scheme": "The signature", "secrets": "The secret", "header": "The header", "encoding": "The encoding", "prefix": "What stands before the signature", "networks": "The networks",
	"note": "The note", "overlapHours": "The hours", "since": "The day", "valid": "The time",
	"title": "The title", "perDay": "The number", "perAddress": "The number",
}

// inForms say for a field what /v0 says of requests.
var inForms = map[string]struct{ part, text string }{
	"fileId":  {"or its address", "The file must be the address or the id of a file in the drive, not its name."},
	"file_id": {"or its address", "The file must be the address or the id of a file in the drive, not its name."},
	"scheme":  {"send DELETE", "Choose a signature, or type in networks. To ask senders for nothing, use Ask for nothing."},
	"since":   {"", "Choose a day."},
}

// explainForm is explained for a form: what is wrong with a field stands beside it, and
// the rest above the form.
func explainForm(err error) (beside faults, above string, _ error) {
	if _, err := explained(err); err != nil {
		return nil, "", err
	}
	if p := refusalIn(err); p != nil {
		beside, above = split(p)
	}
	return beside, above, nil
}

// split parts what /v0 found into faults of fields that forms have, and the rest.
func split(p *client.Error) (beside faults, above string) {
	if p.Status == http.StatusPreconditionFailed {
		return nil, "Somebody changed this while the page was open, and nothing was saved. What you typed in is still here: save again to put it in the place of theirs, or load the page again to see theirs."
	}
	beside = faults{}
	var rest []string
	for _, one := range p.Faults {
		field := fieldOf(one.Pointer)
		subject, known := subjects[field]
		switch own := inForms[field]; {
		case !known:
			rest = append(rest, strings.TrimSpace(strings.TrimPrefix(one.Pointer, "/")+" "+one.Detail)+".")
		case own.text != "" && strings.Contains(one.Detail, own.part):
			beside[field] = own.text
		default:
			beside[field] = subject + " " + strings.TrimSuffix(one.Detail, ".") + "."
		}
	}
	if len(beside) == 0 {
		return nil, saidIn(p)
	}
	return beside, strings.Join(rest, " ")
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
type besideField struct{ ID, Text string }

// Attributes tell of a field that something is wrong with it, and where that stands. The
// page opens there.
func (b besideField) Attributes() template.HTMLAttr {
	if b.Text == "" {
		return ""
	}
	return template.HTMLAttr(`aria-invalid="true" aria-errormessage="` + template.HTMLEscapeString(b.ID) + `" autofocus`)
}

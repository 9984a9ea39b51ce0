package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// What the requests of section 4 may hold. Fields of a resource that cannot
// be edited are ignored, so that what was read can be sent back changed;
// fields that are no part of it are faults.

type newWorkflow struct {
	workflowPatch
	sourceFields []string
	hasSource    bool
	hasDocument  bool
	document     newDocument
	hasWebhook   bool
	webhookURL   *string
}

func readNewWorkflow(body []byte) (newWorkflow, error) {
	var in newWorkflow
	m := workflowMembers(&in.workflowPatch)
	m["source"] = object(&in.hasSource, members{
		"sourceFields": list(&in.sourceFields, maxFields, line(maxFieldName)),
		"id":           skipValue,
		"sourceType":   skipValue,
		"webhookUrl":   skipValue,
	})
	document := newDocumentMembers(&in.document)
	document.misplaced("to the workflow: send it beside document; outputs are named by outputName", workflowNames()...)
	document.misplaced(`into "outgoingWebhook", beside document`, "webhookUrl")
	document.misplaced(`into "source", beside document`, "sourceFields")
	m["document"] = func(d *decoder, pointer string) {
		object(&in.hasDocument, document)(d, pointer)
		in.document.checkFile(d)
	}
	m["documents"] = refuse(`is not a field of a new workflow: send one template as "document": {"fileId": "…"}`)
	m["outgoingWebhook"] = allowNull(object(&in.hasWebhook, members{
		"webhookUrl": text(&in.webhookURL, webhookURL),
		"id":         skipValue,
		"findings":   skipValue,
	}, "webhookUrl"))
	m.misplaced(`into "document": send {"name": "…", "document": {"{}": …}}`, documentNames()...)
	m.misplaced(`into "outgoingWebhook": send {"name": "…", "outgoingWebhook": {"webhookUrl": "…"}}`, "webhookUrl")
	m.misplaced(`into "source": send {"name": "…", "source": {"sourceFields": ["…"]}}`, "sourceFields")
	return in, decode(body, m, "name")
}

func readWorkflowPatch(body []byte) (workflowPatch, error) {
	var in workflowPatch
	m := workflowMembers(&in)
	for _, name := range []string{"source", "documents", "outgoingWebhook"} {
		m[name] = skipValue
	}
	m.misplaced("to a document of the workflow: send it to /workflows/<wkf_id>/documents/", documentNames()...)
	m.misplaced("to the outgoing webhook: send it to /workflows/<wkf_id>/outgoing-webhooks/", "webhookUrl")
	return in, decode(body, m)
}

func workflowMembers(in *workflowPatch) members {
	m := in.members()
	for _, fixed := range []string{"id", "status", "autoCreate", "owner", "team", "createdByApi", "createdAt", "updatedAt"} {
		m[fixed] = skipValue
	}
	return m
}

// newDocument asks for a copy of a drive file, or without one for a blank document.
type newDocument struct {
	office        *officeFile // nil: the template is no upload
	of            string      // id of the document to copy; empty: none
	fileID        *string
	fileIDPointer string // where the body names it
	// lost are the pointers of file and documentType, which name no template without
	// fileId.
	lost []string
	documentPatch
}

// checkFile refuses a blank template where a file was meant.
func (in *newDocument) checkFile(d *decoder) {
	if in.fileIDPointer != "" {
		return
	}
	for _, pointer := range in.lost {
		d.fault(pointer, "names no template here: send the id or the address of a file as fileId, or leave this out for a blank document")
	}
}

func readNewDocument(body []byte) (newDocument, error) {
	var in newDocument
	if len(body) == 0 {
		return in, nil // file_id is optional, so an empty body is {}
	}
	m := newDocumentMembers(&in)
	m.ofWorkflow()
	return in, decodeWith(body, m, in.checkFile)
}

// ofWorkflow says of fields of a workflow where they are changed.
func (m members) ofWorkflow() {
	m.misplaced("to the workflow: send it to /workflows/<wkf_id>/; outputs are named by outputName", workflowNames()...)
	m.misplaced("to the outgoing webhook: send it to /workflows/<wkf_id>/outgoing-webhooks/", "webhookUrl")
}

// documentNames are the fields that a new document may be given.
func documentNames() []string {
	var in newDocument
	m := newDocumentMembers(&in)
	for _, fixed := range fixedOfDocument {
		delete(m, fixed)
	}
	return slices.Sorted(maps.Keys(m))
}

func newDocumentMembers(in *newDocument) members {
	m := documentMembers(&in.documentPatch)
	spellings(m, "file_id", "fileId", &in.fileID, func(dst **string) member {
		read := idIn(dst, fileID, fileIDIn)
		return func(d *decoder, pointer string) {
			in.fileIDPointer = pointer
			read(d, pointer)
		}
	})
	for _, name := range []string{"file", "documentType"} {
		m[name] = func(d *decoder, pointer string) {
			if d.tokens.PeekKind() != 'n' {
				in.lost = append(in.lost, pointer)
			}
			skipValue(d, pointer)
		}
	}
	return m
}

type documentPatch struct {
	outputName, pdfPassword, onMissing, folder, folderID, sharing, accessibility *string
	createPDFCopy, removeOutput, enablePDFPassword, preventCopy, seal            *bool
	email                                                                        emailPatch
	approval                                                                     approvalPatch
	pdf                                                                          pdfPatch
	einvoice                                                                     einvoicePatch
	numbers                                                                      *[]string // whole; empty: none
	appendices                                                                   appendicesPatch
	when, appendicesWhen, sharingWhen                                            *string
}

// An appendicesPatch is the list of files that are appended, whole; empty: none.
type appendicesPatch struct {
	ids     *[]string
	pointer string // where the body names them
}

// member reads ids of files, or their addresses.
func (in *appendicesPatch) member() member {
	return func(d *decoder, pointer string) {
		var named, ids []string
		list(&named, platen.MaxAppendices, appendixID)(d, pointer)
		for i, name := range named {
			id := fileIDIn(name)
			if slices.Contains(ids, id) {
				d.fault(fmt.Sprintf("%s/%d", pointer, i), "is in the list already")
			}
			ids = append(ids, id)
		}
		in.ids, in.pointer = &ids, pointer
	}
}

// An emailPatch is a document's email, whole; null takes it away.
type emailPatch struct {
	named, there, textNamed bool
	to, cc, bcc, replyTo    *string
	subject, text           *string
	html, attach            *string
	linkDays                *int
	allOutputs              *bool
	when, sender            *string
}

func (in *emailPatch) member() member {
	read := object(&in.there, members{
		"to":         text(&in.to, recipients),
		"cc":         text(&in.cc, orEmptyOr(recipients)),
		"bcc":        text(&in.bcc, orEmptyOr(recipients)),
		"replyTo":    text(&in.replyTo, orEmptyOr(recipients)),
		"subject":    text(&in.subject, line(platen.MaxTextTemplate)),
		"text":       in.readText,
		"html":       text(&in.html, paragraphs(platen.MaxEmailHTML)),
		"attach":     text(&in.attach, oneOf(string(platen.AttachPDF), string(platen.AttachOffice), string(platen.AttachLink))),
		"linkDays":   wholeNumber(&in.linkDays, 0, platen.MaxLinkDays),
		"allOutputs": flag(&in.allOutputs),
		"when":       text(&in.when, short(platen.MaxTextTemplate)),
		"sender":     text(&in.sender, short(platen.MaxWorkflowName)),
	}, "to", "subject")
	return func(d *decoder, pointer string) {
		in.named = true
		allowNull(read)(d, pointer)
		if !in.there {
			return
		}
		if !in.textNamed && strings.TrimSpace(orEmpty(in.html)) == "" {
			d.fault(pointer+"/text", "is required where there is no html")
		}
		e := platen.Email{To: orEmpty(in.to), CC: orEmpty(in.cc), BCC: orEmpty(in.bcc)}
		if n := len(e.Recipients()); n > platen.MaxEmailRecipients && len(platen.EmailRecipients(e.To)) <= platen.MaxEmailRecipients {
			d.fault(pointer, "names %d recipients in to, cc and bcc: at most %d are allowed", n, platen.MaxEmailRecipients)
		}
	}
}

func (in *emailPatch) readText(d *decoder, pointer string) {
	in.textNamed = true
	text(&in.text, paragraphs(platen.MaxEmailText))(d, pointer)
}

func (in emailPatch) apply(d *platen.Document) {
	switch {
	case in.there:
		d.Email = &platen.Email{To: *in.to, CC: orEmpty(in.cc), BCC: orEmpty(in.bcc), ReplyTo: orEmpty(in.replyTo), Subject: *in.subject, Text: orEmpty(in.text), HTML: orEmpty(in.html), Attach: platen.AttachPDF}
		if in.attach != nil {
			d.Email.Attach = platen.Attachment(*in.attach)
		}
		if in.linkDays != nil {
			d.Email.LinkDays = *in.linkDays
		}
		d.Email.AllOutputs = in.allOutputs != nil && *in.allOutputs
		d.Email.When, d.Email.Sender = strings.TrimSpace(orEmpty(in.when)), orEmpty(in.sender)
	case in.named:
		d.Email = nil
	}
}

// An approvalPatch is a document's approval, whole; null takes it away.
type approvalPatch struct {
	named, there           bool
	by                     *[]string
	need                   int
	remindDays, expireDays *int
	when                   *string
	deputies               *map[string]string
	correctByLink          *bool
}

func (in *approvalPatch) member() member {
	address := func(one string) string {
		if !platen.IsEmailAddress(one) {
			return "must be a plain address such as ada@example.com"
		}
		return ""
	}
	read := object(&in.there, members{
		"by": func(d *decoder, pointer string) {
			var all []string
			list(&all, platen.MaxApprovers, address)(d, pointer)
			in.by = &all
		},
		"need":       needed(&in.need),
		"when":       text(&in.when, short(platen.MaxTextTemplate)),
		"remindDays": wholeNumber(&in.remindDays, 0, platen.MaxExpireDays),
		"expireDays": wholeNumber(&in.expireDays, 1, platen.MaxExpireDays),
		"deputies":   addressesByAddress(&in.deputies),

		"correctByLink": flag(&in.correctByLink),
	}, "by")
	return func(d *decoder, pointer string) {
		in.named = true
		before := len(d.faults)
		allowNull(read)(d, pointer)
		if !in.there || len(d.faults) > before {
			return
		}
		if member, problem := in.approval().Problem(); problem != "" {
			d.fault(pointer+"/"+member, "%s", problem)
		}
	}
}

// needed reads how many have to approve: a number, or "all".
func needed(dst *int) member {
	return func(d *decoder, pointer string) {
		if d.tokens.PeekKind() == '"' {
			var word *string
			text(&word, oneOf("all"))(d, pointer)
			return
		}
		var n *int
		if wholeNumber(&n, 1, platen.MaxApprovers)(d, pointer); n != nil {
			*dst = *n
		}
	}
}

// addressesByAddress reads an object whose values are strings.
func addressesByAddress(dst **map[string]string) member {
	return func(d *decoder, pointer string) {
		var sent []byte
		if objectAsSent(&sent)(d, pointer); sent == nil {
			return
		}
		all := map[string]string{}
		if json.Unmarshal(sent, &all) != nil {
			d.fault(pointer, "must have an address for each address")
			return
		}
		*dst = &all
	}
}

func (in approvalPatch) approval() platen.Approval {
	a := platen.Approval{Need: in.need, When: strings.TrimSpace(orEmpty(in.when)), ExpireDays: platen.DefaultExpireDays}
	set(&a.By, in.by)
	if in.deputies != nil && len(*in.deputies) > 0 {
		a.Deputies = *in.deputies
	}
	set(&a.ExpireDays, in.expireDays)
	a.RemindDays = min(platen.DefaultRemindDays, a.ExpireDays-1)
	set(&a.RemindDays, in.remindDays)
	set(&a.CorrectByLink, in.correctByLink)
	return a
}

func (in approvalPatch) apply(d *platen.Document) {
	switch {
	case in.there:
		d.Approval = new(in.approval())
	case in.named:
		d.Approval = nil
	}
}

// A pdfPatch says what the PDF conforms to; null: to nothing.
type pdfPatch struct {
	named, there bool
	profile      *string
}

func (in *pdfPatch) member() member {
	read := object(&in.there, members{"profile": text(&in.profile, oneOf(string(platen.ProfilePDFA2b), string(platen.ProfilePDFA3b)))}, "profile")
	return func(d *decoder, pointer string) {
		in.named = true
		allowNull(read)(d, pointer)
	}
}

func (in pdfPatch) apply(d *platen.Document) {
	switch {
	case in.there:
		d.PDFProfile = platen.PDFProfile(*in.profile)
	case in.named:
		d.PDFProfile = ""
	}
}

// numbers reads the series that a document takes numbers of. Tags do not say whether a
// series begins again in each year.
func numbers(dst **[]string) member {
	return func(d *decoder, pointer string) {
		var names []string
		list(&names, platen.MaxDocumentSeries, declaredSeries)(d, pointer)
		tags := map[string]bool{}
		for i, name := range names {
			tag, _ := platen.SeriesTag(name)
			if tags[tag] {
				d.fault(fmt.Sprintf("%s/%d", pointer, i), "is in the list already: tags name both %s", tag)
			}
			tags[tag] = true
		}
		*dst = &names
	}
}

// readSeries reads what a series goes on at.
func readSeries(body []byte) (int64, error) {
	var next *int
	m := members{"next": wholeNumber(&next, 1, platen.MaxNumber), "name": skipValue, "updatedAt": skipValue}
	if err := decode(body, m, "next"); err != nil {
		return 0, err
	}
	return int64(*next), nil
}

func readDocumentPatch(body []byte) (documentPatch, error) {
	var in documentPatch
	m := documentMembers(&in)
	m.ofWorkflow()
	m.misplaced("to a new document: a template's content is replaced at /workflows/<wkf_id>/documents/<doc_id>/template/, and its file stays", "file_id", "fileId")
	return in, decode(body, m)
}

// fixedOfDocument are the fields of a document that nobody sets.
var fixedOfDocument = [...]string{"id", "documentType", "file", "previewUrl", "findings", "unchecked"}

func documentMembers(in *documentPatch) members {
	m := members{
		"outputName":        text(&in.outputName, line(platen.MaxTextTemplate)),
		"pdfPassword":       text(&in.pdfPassword, short(platen.MaxTextTemplate)),
		"removeOutput":      flag(&in.removeOutput),
		"enablePdfPassword": flag(&in.enablePDFPassword),
		"seal":              flag(&in.seal),
		"outputFolder":      text(&in.folder, folderPath),
		"outputFolderId":    idIn(&in.folderID, folderID, folderIDIn),
		"email":             in.email.member(),
		"pdf":               in.pdf.member(),
		"approval":          in.approval.member(),
		"einvoice":          in.einvoice.member(),
		"numbers":           numbers(&in.numbers),
		"appendices":        in.appendices.member(),
		"when":              text(&in.when, short(platen.MaxTextTemplate)),
		"appendicesWhen":    text(&in.appendicesWhen, short(platen.MaxTextTemplate)),
		"outputSharingWhen": text(&in.sharingWhen, short(platen.MaxTextTemplate)),
		"outputSharing":     text(&in.sharing, oneOf(string(platen.SharingFolder), string(platen.SharingDomain), string(platen.SharingAnyone))),
		"accessibility":     text(&in.accessibility, oneOf(string(platen.AccessibilityReport), string(platen.AccessibilityRequire))),
		"onMissing":         text(&in.onMissing, oneOf(string(platen.MissingBlank), string(platen.MissingFail))),
	}
	spellings(m, "createPdfCopy", "createPDFCopy", &in.createPDFCopy, flag)
	spellings(m, "pdfPasswordPreventCopy", "enablePdfPreventCopy", &in.preventCopy, flag)
	for _, fixed := range fixedOfDocument {
		m[fixed] = skipValue
	}
	return m
}

// readWebhookURL reads a body that must have exactly this field (section 4.3).
func readWebhookURL(body []byte) (string, error) {
	var address *string
	if err := decode(body, members{"webhookUrl": text(&address, webhookURL)}, "webhookUrl"); err != nil {
		return "", err
	}
	return *address, nil
}

// sampleRequest asks for a look at templates with sample data.
type sampleRequest struct {
	documentID *string
	data       []byte // a JSON object; nil without
}

func readCheck(body []byte) (sampleRequest, error) {
	var in sampleRequest
	if len(body) == 0 {
		return in, nil
	}
	return in, decode(body, members{"data": objectAsSent(&in.data)})
}

func readPreview(body []byte) (sampleRequest, error) {
	var in sampleRequest
	return in, decode(body, members{"data": objectAsSent(&in.data), "documentId": text(&in.documentID, documentIDForm)}, "data")
}

package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// What goes beyond the specification has its tests beside its code. Here each
// operation answers once or more, so that its answers are held against the
// contract, too.

func extensions(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	document := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	s.ada.outgoingExtensions(t, r, w)
	s.ada.publicForm(t, w)
	s.ada.patch(t, document, object{"createPdfCopy": true})
	waitExtension(t, s, w)
	s.ada.fileExtensions(t, w, s.ada.endedOf(t, path(t, w, "automations")+"?test=true", "COMPLETED"))
	s.ada.conditional(t, path(t, w), document)
	s.ada.templateExtensions(t, w, document)
	s.ada.portableExtensions(t, w)
	s.ada.localeExtension(t, path(t, w))

	s.ada.patch(t, document, object{"createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "{{Code}}"})
	field(t, s.ada.do(t, "POST", path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"), "check"), nil).is(http.StatusOK).object(), "documentId", w["documents"].([]any)[0].(object)["id"])
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	field(t, r.next(t), "event_type", "DOCUMENT_FAILED")
	failed := s.ada.ended(t, w, "FAILED")
	s.ada.automationExtensions(t, r, w, failed)
	s.ada.eventExtensions(t, r, w)
	s.ada.sourceExtensions(t, w)
	s.ada.accountExtensions(t, w)
	cancelExtension(t, s)
	batchExtension(t, s)
	reviewExtension(t, s, "approve", nil, "COMPLETED")
	reviewExtension(t, s, "reject", object{"reason": "Wrong town."}, "FAILED")
	reviewExtension(t, s, "correct", object{"round": 1, "data": object{"Name": "Bob"}}, "REVIEW")
	invoiceExtension(t, s)
	receiverExtension(t, s)
	targetExtension(t, s)
	senderExtension(t, s)
	scheduleExtension(t, s)

	s.ada.do(t, "DELETE", document, nil).is(http.StatusNoContent)
	field(t, s.ada.again(t, w), "status", "INCOMPLETE")
	s.ada.do(t, "DELETE", path(t, w, "outgoing-webhooks"), nil).is(http.StatusNoContent)
	field(t, s.ada.again(t, w), "outgoingWebhook", nil)
}

// reviewExtension has an output wait for the caller, who decides.
func reviewExtension(t *testing.T, s *harness, verb string, body any, state string) {
	t.Helper()
	w := s.ada.runnable(t, newReceiver(t, s), "Dear {{Name}}")
	me := text(t, inner(t, s.ada.do(t, "GET", "/me/", nil).is(http.StatusOK).object(), "user"), "email")
	document := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	s.ada.patch(t, document, object{"createPdfCopy": true, "approval": object{"by": []any{me}}})
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	s.ada.ended(t, w, "REVIEW")
	waiting := s.ada.do(t, "GET", path(t, w, "outputs")+"?state=REVIEW", nil).is(http.StatusOK).list()
	if len(waiting) != 1 {
		t.Fatalf("got %v, want the output that waits", waiting)
	}
	inner(t, s.ada.do(t, "POST", path(t, w, "outputs", text(t, waiting[0], "id"), verb), body).is(http.StatusOK).object(), "review")
	inner(t, s.ada.do(t, "GET", path(t, w, "outputs", text(t, waiting[0], "id"), "data"), nil).is(http.StatusOK).object(), "data")
	s.ada.ended(t, w, state)
}

// invoiceExtension has an event become an e-invoice, and takes that out of its PDF.
func invoiceExtension(t *testing.T, s *harness) {
	t.Helper()
	example := func(name string) (sent object) {
		content, err := os.ReadFile("../../examples/e-invoices/" + name)
		if err == nil {
			err = json.Unmarshal(content, &sent)
		}
		if err != nil {
			t.Fatal(err)
		}
		return sent
	}
	w := s.ada.runnable(t, newReceiver(t, s), "Invoice {{Number invoices}}")
	document := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	inner(t, s.ada.do(t, "POST", document+"einvoice/propose/", object{"profile": "EN16931"}).is(http.StatusOK).object(), "einvoice")
	s.ada.patch(t, document, object{"createPdfCopy": true, "numbers": []any{"invoices"}, "einvoice": example("einvoice.json")})
	s.post(t, source(t, w), example("invoice.json")).is(http.StatusOK)
	s.ada.ended(t, w, "COMPLETED")
	made := s.ada.do(t, "GET", path(t, w, "outputs"), nil).is(http.StatusOK).list()
	if xml := s.ada.do(t, "GET", path(t, w, "outputs", text(t, made[0], "id"), "einvoice"), nil).is(http.StatusOK); !bytes.Contains(xml.body, []byte("CrossIndustryInvoice")) {
		t.Errorf("got %q, want an e-invoice", xml.body)
	}
}

// waitExtension sends a test whose sender asks which automation it is.
func waitExtension(t *testing.T, s *harness, w object) {
	t.Helper()
	a := s.post(t, source(t, w)+"/test", object{"Name": "Ada"}, "Prefer", "wait=0", "Idempotency-Key", "waits")
	text(t, a.is(http.StatusAccepted).object(), "id")
	if a.header.Get("Preference-Applied") != "wait=0" || a.header.Get("Location") == "" {
		t.Errorf("got %v, want what was applied and the automation's address", a.header)
	}
	ended := s.post(t, source(t, w)+"/test", object{"Name": "Ada"}, "Prefer", "wait=50", "Idempotency-Key", "waits").is(http.StatusOK)
	field(t, ended.object(), "state", "COMPLETED")
}

// localeExtension sets the locale of a workflow and takes it away.
func (c client) localeExtension(t *testing.T, workflow string) {
	t.Helper()
	field(t, c.patch(t, workflow, object{"locale": "de-AT"}), "locale", "de-AT")
	for _, bad := range []any{"German", "de_AT", 7} {
		c.do(t, "PATCH", workflow, object{"locale": bad}).refused(http.StatusBadRequest)
	}
	if _, there := c.patch(t, workflow, object{"locale": nil})["locale"]; there {
		t.Error("a workflow without a locale names one")
	}
}

// templateExtensions look at a template in every way that there is.
func (c client) templateExtensions(t *testing.T, w object, document string) {
	t.Helper()
	before := c.do(t, "GET", document, nil).is(http.StatusOK).object()
	c.patch(t, document, object{"onMissing": "fail"}) // else it does without what the source has
	checked := c.do(t, "POST", document+"check/", object{"data": object{"Nam": "Ada"}}).is(http.StatusOK).object()
	found := checked["findings"].([]any)
	c.patch(t, document, object{"onMissing": "blank"})
	if len(found) != 2 || found[0].(object)["code"] != "unknown_field" || found[1].(object)["code"] != "fields_missing" {
		t.Errorf("findings: got %v, want the name, and that it would fail", found)
	}
	preview := c.do(t, "POST", path(t, w, "preview"), object{"data": object{"Name": "Ada"}, "documentId": before["id"]}).is(http.StatusOK).object()
	sample := preview["documents"].([]any)[0].(object)
	if pdf, err := base64.StdEncoding.DecodeString(text(t, sample, "pdf")); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("sample: got %.20q, %v", pdf, err)
	}
	c.do(t, "POST", path(t, w, "preview"), object{}).refused(http.StatusBadRequest)
	c.do(t, "POST", document+"check/", object{"data": nil}).refused(http.StatusBadRequest)
	state := c.do(t, "GET", document+"template/", nil).is(http.StatusOK).object()
	if len(text(t, state, "sha256")) != 64 || state["documentId"] != before["id"] {
		t.Errorf("template: got %v, want the hash of its content", state)
	}
	c.officeExtensions(t, w)
	rotated := c.do(t, "POST", document+"preview-url/rotate/", nil).is(http.StatusOK).object()
	if rotated["previewUrl"] == before["previewUrl"] {
		t.Error("the preview address is as it was")
	}
	field(t, before, "onMissing", "blank")
	field(t, c.patch(t, document, object{"onMissing": "fail"}), "onMissing", "fail")
	field(t, c.patch(t, document, object{"onMissing": "blank"}), "onMissing", "blank")
	field(t, c.patch(t, document, object{"outputFolder": "Customers/{{Name}}"}), "outputFolder", "Customers/{{Name}}")
	c.do(t, "PATCH", document, object{"email": object{"to": "{{Email}}", "subject": "S", "text": "T"}}).refused(http.StatusBadRequest) // the stack has no mail server
	if _, there := c.patch(t, document, object{"email": nil})["email"]; there {
		t.Error("a document without an email names one")
	}
	if _, there := c.patch(t, document, object{"outputFolder": ""})["outputFolder"]; there {
		t.Error("a document without a folder of outputs names one")
	}
	c.do(t, "PATCH", document, object{"createPdfCopy": false, "approval": object{"by": []any{"lead@example.com"}}}).refused(http.StatusBadRequest) // there is nothing to approve
	if got := inner(t, c.patch(t, document, object{"createPdfCopy": true, "approval": object{"by": []any{"lead@example.com"}}}), "approval"); got["need"] != "all" || got["expireDays"] != float64(30) {
		t.Errorf("approval: got %v, want all of one within 30 days", got)
	}
	if _, there := c.patch(t, document, object{"createPdfCopy": before["createPdfCopy"], "approval": nil})["approval"]; there {
		t.Error("a document without an approval names one")
	}
	file := text(t, inner(t, before, "file"), "id")
	if got := c.patch(t, document, object{"appendices": []any{file}})["appendices"]; !reflect.DeepEqual(got, []any{file}) {
		t.Errorf("appendices: got %v, want the file %s", got, file)
	}
	c.do(t, "PATCH", document, object{"appendices": []any{"nowhere"}}).refused(http.StatusBadRequest)
	for _, condition := range []string{"when", "appendicesWhen", "outputSharingWhen"} {
		field(t, c.patch(t, document, object{condition: "Total > 1000"}), condition, "Total > 1000")
		c.do(t, "PATCH", document, object{condition: "Total >"}).refused(http.StatusBadRequest)
		if _, there := c.patch(t, document, object{condition: ""})[condition]; there {
			t.Errorf("a document without %s has one", condition)
		}
	}
	if _, there := c.patch(t, document, object{"appendices": []any{}})["appendices"]; there {
		t.Error("a document without appendices names some")
	}
}

// officeExtensions make a document of an office file, and give it another content.
func (c client) officeExtensions(t *testing.T, w object) {
	t.Helper()
	offer, letter := officeFile(t, "offer.pptx"), officeFile(t, "letter.docx")
	made := c.send(t, "POST", path(t, w, "documents", "upload"), offer).is(http.StatusCreated).object()
	field(t, made, "documentType", "CLOUD_SLIDES")
	at := path(t, w, "documents", text(t, made, "id"))
	after := c.send(t, "POST", at+"template/", offer).is(http.StatusOK).object()
	field(t, inner(t, after, "file"), "id", text(t, inner(t, made, "file"), "id"))
	c.send(t, "POST", at+"template/", letter).refused(http.StatusBadRequest)
	c.versionExtensions(t, at)
	c.send(t, "POST", path(t, w, "documents", "upload"), []byte("none")).refused(http.StatusBadRequest)
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
}

// versionExtensions keep what a template says, and put it back.
func (c client) versionExtensions(t *testing.T, document string) {
	t.Helper()
	kept := c.do(t, "POST", document+"versions/", object{"note": "as it was"}).is(http.StatusCreated).object()
	field(t, c.do(t, "POST", document+"versions/", nil).is(http.StatusOK).object(), "id", kept["id"])
	at := document + "versions/" + text(t, kept, "id") + "/"
	field(t, object{"version": c.do(t, "GET", at, nil).is(http.StatusOK).object()}, "version", kept)
	if all := c.do(t, "GET", document+"versions/", nil).is(http.StatusOK).list(); len(all) != 1 {
		t.Errorf("versions: got %v, want the one", all)
	}
	file := c.do(t, "GET", at+"file/", nil).is(http.StatusOK)
	if !bytes.Equal(file.body, officeFile(t, "offer.pptx")) {
		t.Errorf("the file of the version has %d bytes, want the bytes that were sent", len(file.body))
	}
	c.do(t, "POST", at+"restore/", nil).is(http.StatusOK)
	c.do(t, "POST", at+"restore/", object{"x": 1}).refused(http.StatusBadRequest)
	c.do(t, "GET", document+"versions/ver_0000000000000000/", nil).refused(http.StatusForbidden)
}

// portableExtensions make workflows like another one.
func (c client) portableExtensions(t *testing.T, w object) {
	t.Helper()
	copied := c.do(t, "POST", path(t, w, "copy"), object{"name": "A copy"}).is(http.StatusCreated).object()
	field(t, copied, "status", "COMPLETE")
	file := c.do(t, "GET", path(t, w, "export"), nil).is(http.StatusOK)
	imported := c.send(t, "POST", "/workflows/import/", file.body).is(http.StatusCreated).object()
	field(t, imported, "name", w["name"])
	c.send(t, "POST", "/workflows/import/", []byte("none")).refused(http.StatusBadRequest)
	for _, made := range []object{copied, imported} {
		c.do(t, "DELETE", path(t, made), nil).is(http.StatusNoContent)
	}
}

// fileExtensions download what an automation made.
func (c client) fileExtensions(t *testing.T, w, made object) {
	t.Helper()
	id := text(t, made["outputs"].([]any)[0].(object), "id")
	if pdf := c.do(t, "GET", path(t, w, "outputs", id, "pdf"), nil).is(http.StatusOK); !bytes.HasPrefix(pdf.body, []byte("%PDF-")) {
		t.Errorf("output: got %.20q, want a PDF", pdf.body)
	}
	if zip := c.do(t, "GET", path(t, w, "outputs", "zip")+"?id="+id, nil).is(http.StatusOK); !bytes.HasPrefix(zip.body, []byte("PK")) {
		t.Errorf("outputs: got %.20q, want a zip", zip.body)
	}
	if mails := c.do(t, "GET", path(t, w, "outputs", id, "mail"), nil).is(http.StatusOK).list(); len(mails) != 0 {
		t.Errorf("mails: got %v, want none", mails)
	}
	c.do(t, "POST", path(t, w, "outputs", id, "mail", "revoke"), nil).is(http.StatusOK)
	c.do(t, "GET", path(t, w, "outputs", "out_0000000000000000", "pdf"), nil).refused(http.StatusForbidden)
	c.do(t, "GET", path(t, w, "outputs", "zip"), nil).refused(http.StatusBadRequest)
}

func officeFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// send sends bytes as they are.
func (c client) send(t *testing.T, method, path string, body []byte) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.stack.api+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", c.token)
	request.Header.Set("Content-Type", "application/octet-stream")
	a := c.stack.send(t, request, nil)
	a.call = method + " " + path
	c.stack.contract.check(t, method, path, a)
	return a
}

// publicForm makes a form for everybody, changes it and removes it.
func (c client) publicForm(t *testing.T, w object) {
	t.Helper()
	at := path(t, w, "public-form")
	c.do(t, "GET", at, nil).refused(http.StatusForbidden)
	c.do(t, "PUT", at, object{"perDay": 0}).refused(http.StatusBadRequest)
	made := c.do(t, "PUT", at, object{"title": "Order"}).is(http.StatusCreated).object()
	field(t, c.do(t, "PUT", at, object{"enabled": false}).is(http.StatusOK).object(), "url", made["url"])
	field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "title", "Order")
	if renewed := c.do(t, "POST", path(t, w, "public-form", "rotate"), nil).is(http.StatusOK).object(); renewed["url"] == made["url"] {
		t.Errorf("the link was not renewed: %v", renewed)
	}
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
}

// receiverExtension makes a receiver by a rule, looks at it in every way, has it get an event of
// its own, and removes it.
func receiverExtension(t *testing.T, s *harness) {
	t.Helper()
	r := newReceiver(t, s)
	c, w := s.ada, s.ada.runnable(t, newReceiver(t, s), "Dear {{Name}}")
	all := path(t, w, "receivers")
	c.do(t, "POST", all, object{"name": "Accounts"}).refused(http.StatusBadRequest)
	made := c.do(t, "POST", all, object{"name": "Accounts", "webhookUrl": r.url, "when": `Name = "Ada"`, "events": []any{"DOCUMENTS_CREATED"}}).is(http.StatusCreated).object()
	at := path(t, w, "receivers", text(t, made, "id"))
	if shown := c.do(t, "GET", all, nil).is(http.StatusOK); len(shown.list()) != 1 || strings.Contains(string(shown.body), "whsec_") {
		t.Errorf("the list of receivers is %s", shown.body)
	}
	field(t, c.do(t, "PATCH", at, object{"name": "Books"}).is(http.StatusOK).object(), "name", "Books")
	field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "when", `Name = "Ada"`)
	field(t, c.do(t, "GET", at+"state/", nil).is(http.StatusOK).object(), "state", "READY")
	c.do(t, "POST", at+"secret/rotate/", nil).is(http.StatusOK)
	r.trust(t, text(t, c.do(t, "GET", at+"secret/", nil).is(http.StatusOK).object(), "secret"))
	c.do(t, "POST", at+"test/", nil).is(http.StatusOK)
	field(t, r.next(t), "event_type", "WORKFLOW_TEST")
	s.post(t, source(t, w), object{"Name": "Bob"}).is(http.StatusOK)
	skipped := c.ended(t, w, "COMPLETED")["skipped"].([]any)
	if len(skipped) != 1 || skipped[0].(object)["receiver"] != "Books" {
		t.Errorf("skipped: got %v, want the receiver", skipped)
	}
	checked := c.do(t, "POST", path(t, w, "receivers", "check"), object{"data": object{"Name": "Ada"}}).is(http.StatusOK).object()
	field(t, checked["receivers"].([]any)[0].(object), "sent", 1.0)
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	told := r.next(t)
	field(t, told, "event_type", "DOCUMENTS_CREATED")
	listed := c.do(t, "GET", path(t, w, "events")+"?receiverId="+text(t, made, "id"), nil).is(http.StatusOK).list()
	if len(listed) != 1 || listed[0]["id"] != told["event_id"] {
		t.Errorf("events of the receiver: got %v, want %v", listed, told["event_id"])
	}
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
	c.do(t, "GET", at, nil).refused(http.StatusForbidden)
}

// targetExtension makes a target that does not answer, changes it, has an output stored there
// that was made before, and removes it.
func targetExtension(t *testing.T, s *harness) {
	t.Helper()
	c, w := s.ada, s.ada.runnable(t, newReceiver(t, s), "Dear {{Name}}")
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	output := text(t, c.ended(t, w, "COMPLETED")["outputs"].([]any)[0].(object), "id")
	all := path(t, w, "targets")
	c.do(t, "POST", all, object{"name": "Cloud", "kind": "webdav"}).refused(http.StatusBadRequest)
	made := c.do(t, "POST", all, object{"name": "Cloud", "kind": "webdav", "url": "http://127.0.0.1:1/in", "user": "ada", "secret": "hidden"}).is(http.StatusCreated).object()
	if shown := c.do(t, "GET", all, nil).is(http.StatusOK); len(shown.list()) != 1 || strings.Contains(string(shown.body), "hidden") {
		t.Errorf("the list of targets is %s", shown.body)
	}
	at := path(t, w, "targets", text(t, made, "id"))
	field(t, c.do(t, "PATCH", at, object{"path": "{{Customer}}"}).is(http.StatusOK).object(), "path", "{{Customer}}")
	field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "hasSecret", true)
	field(t, c.do(t, "POST", at+"test/", nil).is(http.StatusOK).object(), "stored", false)
	stored := c.do(t, "POST", path(t, w, "outputs", output, "targets", text(t, made, "id")), nil).is(http.StatusAccepted).object()
	if placed := stored["targets"].([]any); len(placed) != 1 {
		t.Errorf("targets: got %v, want one", placed)
	}
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
	c.do(t, "GET", at, nil).refused(http.StatusForbidden)
}

func (c client) outgoingExtensions(t *testing.T, r *receiver, w object) {
	t.Helper()
	for _, form := range []string{"outgoing-webhooks", "outgoing-webhook"} {
		c.do(t, "GET", path(t, w, form, "secret"), nil).is(http.StatusOK)
		field(t, c.do(t, "GET", path(t, w, form, "state"), nil).is(http.StatusOK).object(), "state", "READY")
		c.do(t, "POST", path(t, w, form, "test"), nil).is(http.StatusOK)
		field(t, r.next(t), "event_type", "WORKFLOW_TEST")
		// The receiver keeps the secret before the last, which signs along.
		if form == "outgoing-webhooks" {
			c.do(t, "POST", path(t, w, form, "secret", "rotate"), nil).is(http.StatusOK)
		}
	}
	for _, form := range []string{"outgoing-webhooks", "outgoing-webhook"} {
		at := path(t, w, form, "test-receiver")
		c.do(t, "GET", at, nil).refused(http.StatusForbidden)
		c.do(t, "PUT", at, object{"webhookUrl": "nowhere"}).refused(http.StatusBadRequest)
		c.do(t, "PUT", at, object{"webhookUrl": somewhere}).is(http.StatusCreated)
		c.do(t, "PUT", at, object{"webhookUrl": somewhere}).is(http.StatusOK)
		field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "webhookUrl", somewhere)
		c.do(t, "GET", path(t, w, form, "test-receiver", "secret"), nil).is(http.StatusOK)
		c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
	}
	other := c.workflow(t, object{"name": "A", "outgoingWebhook": object{"webhookUrl": somewhere}})
	c.do(t, "POST", path(t, other, "outgoing-webhook", "secret", "rotate"), nil).is(http.StatusOK)
	c.do(t, "DELETE", path(t, other, "outgoing-webhook"), nil).is(http.StatusNoContent)
}

// conditional tries what the headers of repeats and conditions answer.
func (c client) conditional(t *testing.T, workflow, document string) {
	t.Helper()
	for _, p := range []string{workflow, document} {
		tag := c.do(t, "GET", p, nil).is(http.StatusOK).header.Get("ETag")
		c.do(t, "GET", p, nil, "If-None-Match", tag).is(http.StatusNotModified)
		c.do(t, "PATCH", p, object{}, "If-Match", tag).is(http.StatusOK)
		for _, method := range []string{"PATCH", "DELETE"} {
			c.do(t, method, p, bodyIf(method == "PATCH"), "If-Match", `"another"`).is(http.StatusPreconditionFailed)
		}
	}
	key := []string{"Idempotency-Key", "key of " + workflow}
	first := c.do(t, "POST", "/workflows/", object{"name": "Once"}, key...).is(http.StatusCreated).object()
	field(t, c.do(t, "POST", "/workflows/", object{"name": "Once"}, key...).is(http.StatusCreated).object(), "id", first["id"])
	c.do(t, "POST", "/workflows/", object{"name": "Twice"}, key...).is(http.StatusConflict)

	page := c.do(t, "GET", "/workflows/?limit=1", nil).is(http.StatusOK)
	next := page.header.Get("Link")
	address, _, ok := strings.Cut(strings.TrimPrefix(next, "<"), ">")
	if len(page.list()) != 1 || !ok || !strings.HasPrefix(address, c.stack.api) {
		t.Fatalf("a page of one: got %d and Link %q", len(page.list()), next)
	}
	c.do(t, "GET", strings.TrimPrefix(address, c.stack.api), nil).is(http.StatusOK)
	c.do(t, "GET", "/workflows/?status=ARCHIVED&status=COMPLETE", nil).is(http.StatusOK)
	c.do(t, "GET", "/workflows/?limit=none", nil).refused(http.StatusBadRequest)
}

func bodyIf(wanted bool) any {
	if wanted {
		return object{}
	}
	return nil
}

func (c client) automationExtensions(t *testing.T, r *receiver, w, failed object) {
	t.Helper()
	at := path(t, w, "automations", text(t, failed, "id"))
	field(t, inner(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "sourceData"), "Name", "Ada")
	c.do(t, "POST", at+"cancel/", nil).refused(http.StatusBadRequest) // it has ended
	if got := c.do(t, "GET", "/automations/failures/", nil).is(http.StatusOK).list(); len(got) == 0 {
		t.Error("failures: got none, want the cause of the one that failed")
	}
	c.do(t, "POST", at+"done/", nil).is(http.StatusOK)
	c.do(t, "DELETE", at+"done/", nil).is(http.StatusOK)
	c.do(t, "POST", at+"retry/", nil).is(http.StatusAccepted)
	field(t, r.next(t), "event_type", "DOCUMENT_FAILED")
	c.ended(t, w, "FAILED")
	if got := c.do(t, "GET", path(t, w, "outputs"), nil).is(http.StatusOK).list(); len(got) != 1 {
		t.Errorf("outputs: got %v, want the one that failed", got)
	}
	for _, list := range []string{path(t, w, "automations"), "/automations/"} {
		if got := c.do(t, "GET", list+"?until=2026-01-01T00:00:00Z", nil).is(http.StatusOK).list(); len(got) != 0 {
			t.Errorf("%s until a day before the first: got %v", list, got)
		}
	}
	if got := c.do(t, "GET", "/automations/counts/?each=day", nil).is(http.StatusOK).list(); len(got) != 30 {
		t.Errorf("counts: got %d days, want 30", len(got))
	}
	if got := c.do(t, "GET", path(t, w, "automations", "counts")+"?each=hour", nil).is(http.StatusOK).list(); len(got) != 48 {
		t.Errorf("counts of the workflow: got %d hours, want 48", len(got))
	}
	if got := c.do(t, "GET", "/outputs/?order=newest", nil).is(http.StatusOK).list(); len(got) == 0 {
		t.Error("got no outputs of all workflows")
	}
}

func (c client) eventExtensions(t *testing.T, r *receiver, w object) {
	t.Helper()
	events := c.do(t, "GET", path(t, w, "events"), nil).is(http.StatusOK).list()
	if len(events) == 0 {
		t.Fatal("events: got none")
	}
	c.do(t, "GET", path(t, w, "events", "counts"), nil).is(http.StatusOK)
	at := path(t, w, "events", text(t, events[0], "id"))
	c.do(t, "GET", at, nil).is(http.StatusOK)
	c.do(t, "POST", at+"redeliver/", nil).is(http.StatusAccepted)
	field(t, r.next(t), "event_id", events[0]["id"])
	c.do(t, "POST", path(t, w, "events", "recover"), object{"since": time.Now().UTC().Format(time.RFC3339)}).is(http.StatusAccepted)
}

// sourceExtensions has senders prove themselves, and moves the address of the source.
func (c client) sourceExtensions(t *testing.T, w object) {
	t.Helper()
	at := path(t, w, "source", "verification")
	field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "scheme", nil)
	set := c.do(t, "POST", at, object{"scheme": "STANDARD_WEBHOOKS", "secrets": []string{"whsec_c2VjcmV0IG9mIGEgc2VuZGVy"}}).is(http.StatusOK).object()
	field(t, set, "secretCount", 1)
	c.do(t, "POST", at, object{"scheme": "STANDARD_WEBHOOKS"}).refused(http.StatusBadRequest)
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
	field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "scheme", nil)

	before := source(t, w)
	rotated := c.do(t, "POST", path(t, w, "source", "rotate"), nil).is(http.StatusOK).object()
	if rotated["webhookUrl"] == before {
		t.Error("the address of the source is as it was")
	}
}

// accountExtensions read what is of a caller and not of one workflow.
func (c client) accountExtensions(t *testing.T, w object) {
	t.Helper()
	field(t, inner(t, c.do(t, "GET", "/me/", nil).is(http.StatusOK).object(), "user"), "id", c.id)
	all := c.do(t, "GET", "/automations/", nil).is(http.StatusOK).list()
	if !slices.ContainsFunc(all, func(a object) bool { return a["workflowId"] == w["id"] }) {
		t.Errorf("automations of every workflow: got %v, want one of %v", all, w["id"])
	}
	if entries := c.do(t, "GET", "/audit/", nil).is(http.StatusOK).list(); len(entries) == 0 {
		t.Error("audit: got nothing, want what was done")
	}
	for _, month := range c.do(t, "GET", "/usage/?order=newest", nil).is(http.StatusOK).list() {
		if month["documents"] == 0.0 && month["mails"] == 0.0 {
			t.Errorf("usage: got %v, want a month in which something was used", month)
		}
	}
	c.seriesExtensions(t)
}

// seriesExtensions count without gaps.
func (c client) seriesExtensions(t *testing.T) {
	t.Helper()
	field(t, c.do(t, "GET", "/series/conformance/", nil).is(http.StatusOK).object(), "next", 1.0)
	field(t, c.do(t, "PATCH", "/series/conformance/", object{"next": 1001}).is(http.StatusOK).object(), "next", 1001.0)
	if all := c.do(t, "GET", "/series/", nil).is(http.StatusOK).list(); !slices.ContainsFunc(all, func(s object) bool { return s["name"] == "conformance" }) {
		t.Errorf("series: got %v, want conformance", all)
	}
	if drawn := c.do(t, "GET", "/series/conformance/numbers/", nil).is(http.StatusOK).list(); len(drawn) != 0 {
		t.Errorf("numbers: got %v, want none", drawn)
	}
}

// cancelExtension cancels a run that is under way for certain: its receiver has
// the event and does not answer yet.
func cancelExtension(t *testing.T, s *harness) {
	t.Helper()
	r := newReceiver(t, s)
	answer := r.wait(t)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	r.next(t)
	running := s.ada.ended(t, w, "RUNNING")
	at := path(t, w, "automations", text(t, running, "id"))
	asked := s.ada.do(t, "POST", at+"cancel/", nil).is(http.StatusAccepted).object()
	form(t, asked, "cancelRequestedAt", `^\d{4}-`)
	again := s.ada.do(t, "POST", at+"cancel/", nil).is(http.StatusAccepted).object()
	field(t, again, "cancelRequestedAt", asked["cancelRequestedAt"])
	answer()
	s.ada.ended(t, w, "COMPLETED") // every document was made by then
	s.ada.do(t, "DELETE", at, nil).is(http.StatusAccepted)
	field(t, s.ada.do(t, "GET", at, nil).is(http.StatusOK).object(), "sourceData", nil)
}

// ended waits until the workflow's only automation has ended in the state.
func (c client) ended(t *testing.T, w object, state string) object {
	t.Helper()
	return c.endedOf(t, path(t, w, "automations"), state)
}

// endedOf waits for the one automation of a list.
func (c client) endedOf(t *testing.T, list, state string) object {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		all := c.do(t, "GET", list, nil).is(http.StatusOK).list()
		if len(all) == 1 && all[0]["state"] == state {
			return all[0]
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("automations: got %v, want one that is %s, within %v", all, state, patience)
		}
	}
}

// unanswered are operations of the contract that the suite had no success of.
func (c *contract) unanswered() []string {
	var missing []string
	paths, _ := c.at("paths")
	for _, item := range paths.(map[string]any) {
		for _, op := range item.(map[string]any) {
			op, _ := op.(map[string]any)
			id, isOperation := op["operationId"].(string)
			if isOperation && !c.answered[id] {
				missing = append(missing, id)
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// scheduleExtension makes a schedule, changes it, has it run, and removes it.
func scheduleExtension(t *testing.T, s *harness) {
	t.Helper()
	c, w := s.ada, s.ada.runnable(t, newReceiver(t, s), "Dear {{Name}}")
	all := path(t, w, "schedules")
	c.do(t, "POST", all, object{"name": "Yearly", "cron": "0 0 1 1 *", "timeZone": "UTC"}).refused(http.StatusBadRequest)
	made := c.do(t, "POST", all, object{"name": "Yearly", "cron": "0 0 1 1 *", "timeZone": "UTC", "url": "https://receiver.invalid/due", "secret": "hidden"}).is(http.StatusCreated).object()
	if shown := c.do(t, "GET", all, nil).is(http.StatusOK); len(shown.list()) != 1 || strings.Contains(string(shown.body), "hidden") {
		t.Errorf("the list of schedules is %s", shown.body)
	}
	if listed := c.do(t, "GET", "/schedules/?state=FAILED", nil).is(http.StatusOK).list(); len(listed) != 0 {
		t.Errorf("schedules that failed are %v, want none", listed)
	}
	at := path(t, w, "schedules", text(t, made, "id"))
	field(t, c.do(t, "PATCH", at, object{"url": nil, "data": object{"Name": "Ada"}}).is(http.StatusOK).object(), "hasSecret", false)
	c.do(t, "POST", at+"run/", nil).is(http.StatusAccepted)
	c.ended(t, w, "COMPLETED")
	c.do(t, "GET", at, nil).is(http.StatusOK)
	if files := c.do(t, "GET", at+"files/", nil).is(http.StatusOK).list(); len(files) != 0 {
		t.Errorf("a schedule without a folder has the files %v", files)
	}
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
	c.do(t, "GET", at, nil).refused(http.StatusForbidden)
}

// senderExtension makes a mail sender whose server does not answer, has a document name it, and
// removes it.
func senderExtension(t *testing.T, s *harness) {
	t.Helper()
	c := s.ada
	const all = "/mail-senders/"
	c.do(t, "POST", all, object{"name": "Accounting"}).refused(http.StatusBadRequest)
	made := c.do(t, "POST", all, object{"name": "Accounting", "from": "a@example.com", "host": "127.0.0.1", "port": 1, "user": "ada", "password": "hidden"}).is(http.StatusCreated).object()
	if shown := c.do(t, "GET", all, nil).is(http.StatusOK); len(shown.list()) != 1 || strings.Contains(string(shown.body), "hidden") {
		t.Errorf("the list of mail senders is %s", shown.body)
	}
	at := all + text(t, made, "id") + "/"
	field(t, c.do(t, "PATCH", at, object{"from": "b@example.com"}).is(http.StatusOK).object(), "from", "b@example.com")
	field(t, c.do(t, "GET", at, nil).is(http.StatusOK).object(), "hasPassword", true)
	field(t, c.do(t, "POST", at+"test/", nil).is(http.StatusOK).object(), "sent", false)
	c.do(t, "DELETE", at, nil).is(http.StatusNoContent)
	c.do(t, "GET", at, nil).refused(http.StatusForbidden)
}

package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/mailbox"
)

const mimeDocs = "application/vnd.google-apps.document"

// A workflow is what the integrator made, and what must come of its events.
type workflow struct {
	name, id, source string
	owner            *owner
	keys             keys
	documents        []document
	gone             bool // its receiver answers 410 to everything
	rules            []*rule
	box              *mailbox.Box // takes what its sender sends; nil: it mails nothing
}

type document struct {
	id            string
	pdf, original bool // what is to be in the drive in the end
	password      bool
	appended      bool // a template stands behind it
}

// An integrator makes workflows for all owners, with templates in their drives.
type integrator struct {
	service       *service
	interventions *interventions
	workflows     []*workflow
}

type object = map[string]any

func newIntegrator(t *testing.T, s *service, d *interventions, receiverURL string) *integrator {
	t.Helper()
	i := &integrator{service: s, interventions: d}
	secret := object{"createPdfCopy": true, "removeOutput": true, "enablePdfPassword": true, "pdfPassword": "{{Password}}", "enablePdfPreventCopy": true}
	plain := object{}
	both := object{"createPdfCopy": true}
	replaced := object{"createPdfCopy": true, "removeOutput": true}
	for _, o := range s.owners {
		o.open(t, s.look)
	}
	first := s.owners[0]
	i.add(t, first, receiverURL, "sealed", secret)
	i.add(t, first, receiverURL, "plain", plain)
	i.call(t, first, http.MethodPatch, "/workflows/"+i.workflows[len(i.workflows)-1].id+"/", object{"orderedBy": "Key"}, nil)
	i.add(t, first, receiverURL, "pair", both, replaced)
	i.tell(t, i.workflows[len(i.workflows)-1], receiverURL)
	i.mailBy(t, "Letters")
	i.add(t, first, receiverURL, goneName, replaced)
	i.add(t, first, receiverURL, reviewedName, replaced)
	i.review(t, i.workflows[len(i.workflows)-1])
	i.add(t, first, receiverURL, "mailed", replaced)
	i.mailBy(t, "Accounts")
	for _, o := range s.owners[1:] {
		i.add(t, o, receiverURL, "letters-"+strings.ToLower(o.name), replaced)
	}
	return i
}

// add makes a workflow with one document for each of the options.
func (i *integrator) add(t *testing.T, o *owner, receiverURL, name string, options ...object) {
	t.Helper()
	w := &workflow{name: name, owner: o, gone: name == goneName}
	var made struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
	}
	i.call(t, o, http.MethodPost, "/workflows/", object{"name": name, "outgoingWebhook": object{"webhookUrl": receiverURL + "/" + name}}, &made)
	w.id, w.source = made.ID, made.Source.WebhookURL
	for n, option := range options {
		var d struct {
			ID string `json:"id"`
		}
		template := o.write(t, fmt.Sprintf("Template of %s %d", name, n), "Event {{Chaos Id}} of {{Name}}: {{Tag}}\n{{Trick}}"+numberSign+"{{Number events}}")
		i.call(t, o, http.MethodPost, "/workflows/"+w.id+"/documents/", object{"fileId": template}, &d)
		prefix := fmt.Sprintf("%s %d", name, n)
		option["numbers"] = []string{"events"}
		if option["enablePdfPassword"] == true {
			option["appendices"] = []string{o.write(t, "Appendix of "+name, appendix+"{{Chaos Id}}")}
		}
		option["outputName"] = prefix + " {{Chaos Id}}"
		i.call(t, o, http.MethodPatch, "/workflows/"+w.id+"/documents/"+d.ID+"/", option, nil)
		i.interventions.rename(d.ID, prefix)
		w.documents = append(w.documents, document{
			id: d.ID, pdf: option["createPdfCopy"] == true, original: option["removeOutput"] != true, password: option["enablePdfPassword"] == true, appended: option["appendices"] != nil,
		})
	}
	var secret json.RawMessage
	i.call(t, o, http.MethodGet, "/workflows/"+w.id+"/outgoing-webhooks/secret/", nil, &secret)
	w.keys.learn(secret)
	i.workflows = append(i.workflows, w)
}

// workflow returns one by its id; nil: there is none.
func (i *integrator) workflow(id string) *workflow {
	for _, w := range i.workflows {
		if w.id == id {
			return w
		}
	}
	return nil
}

func (i *integrator) call(t *testing.T, o *owner, method, path string, body, result any) {
	t.Helper()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, i.service.api+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", o.token)
	client := &http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode/100 != 2 {
		t.Fatalf("%s %s: got %s, %v: %.500s", method, path, answer.Status, err, raw)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(raw, result); err != nil {
		t.Fatalf("%s %s: %v: %.500s", method, path, err, raw)
	}
}

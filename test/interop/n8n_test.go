package interop

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// n8nVariable names the environment variable with the directory that has n8n in its
// node_modules, and n8nNodeVariable the one with what our node is built with.
const (
	n8nVariable     = "PLATEN_N8N"
	n8nNodeVariable = "PLATEN_N8N_NODE"

	n8nPage = "../../docs/n8n.md"

	// orders are sent one after the other by each of senders.
	orders  = 100
	senders = 5
	// After so many orders n8n dies, and after so many the whole program of make run.
	n8nDies, platenDies = 30, 60

	n8nPatience = 4 * time.Minute
)

// An n8n is a real one, with our node as the page installs it.
type n8n struct {
	program, dir, origin string
	env                  []string
	life                 *program.Life
	browser              *http.Client
}

func TestInN8nEachOrderBecomesOneDocumentThoughBothSidesDie(t *testing.T) {
	at := os.Getenv(n8nVariable)
	if at == "" {
		t.Skipf("%s does not name a directory with n8n; make nodes fetches it and runs this", n8nVariable)
	}
	dir := program.Dir(t, "platen-n8n")
	instance := program.NewInstance(t, dir, "--log-level", "warn")
	var running devLife
	running.start(t, instance, dir)
	n := newN8n(t, at, dir)
	n.start(t)
	n.signUp(t)

	api, err := client.New(client.Options{Address: running.stack.APIURL, Token: running.stack.AccessToken})
	if err != nil {
		t.Fatal(err)
	}
	workflow := letters(t, api)
	credentials := n.credentials(t, running.stack)
	fields := n.fields(t, workflow.ID, credentials)
	n.activate(t, n.making(workflow.ID, credentials, fields))
	trigger := n.activate(t, n.receiving(workflow.ID, credentials))
	if w, err := api.Workflow(t.Context(), workflow.ID); err != nil || w.OutgoingWebhook == nil || w.OutgoingWebhook.URL != n.origin+"/webhook/platen-events/webhook" {
		t.Fatalf("the trigger did not set the outgoing webhook: %+v, %v", w.OutgoingWebhook, err)
	}
	n.refusesForgedEvents(t, api, workflow.ID)

	began := time.Now()
	var sending sync.WaitGroup
	next := make(chan int)
	for range senders {
		sending.Go(func() {
			for order := range next {
				if err := n.order(t.Context(), order); err != nil {
					t.Errorf("order %d: %v", order, err)
				}
			}
		})
	}
	for order := range orders {
		next <- order
		switch order {
		case n8nDies:
			n.die(t)
			n.start(t)
		case platenDies:
			running.die(t)
			running.start(t, instance, dir)
		}
	}
	close(next)
	sending.Wait()
	t.Logf("%d orders answered after %v", orders, time.Since(began).Round(time.Second))

	runs, err := client.Collect(api.Automations(t.Context(), workflow.ID, client.AutomationQuery{}))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, a := range runs {
		if a.State != "COMPLETED" || a.Reference == nil {
			t.Errorf("%s is %s: %+v", a.ID, a.State, a.Error)
			continue
		}
		made[*a.Reference]++
	}
	for order := range orders {
		if name := orderName(order); made[name] != 1 {
			t.Errorf("%s has %d runs, want 1", name, made[name])
		}
	}
	if len(runs) != orders {
		t.Errorf("Platen has %d runs, want %d", len(runs), orders)
	}
	redeliver(t, api, workflow.ID)
	// Files of the node that makes documents, and of the one that gets events.
	for _, folder := range []string{"made", "received"} {
		err := program.Within(n8nPatience, func() error {
			files, err := os.ReadDir(filepath.Join(dir, folder))
			if err == nil && len(files) != orders {
				err = fmt.Errorf("%d files are there, want %d", len(files), orders)
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v\n%s", folder, err, tail(n.life.Said()))
		}
		for order := range orders {
			name := orderName(order)
			text, err := exec.CommandContext(t.Context(), "pdftotext", filepath.Join(dir, folder, name+".pdf"), "-").Output()
			if err != nil || !strings.Contains(string(text), customer(order)) {
				t.Errorf("%s of %s: %v, %q; want %q in it", folder, name, err, text[:min(len(text), 200)], customer(order))
			}
		}
	}
	n.asked(t, http.MethodPost, "/workflows/"+trigger+"/deactivate", object{}, nil)
	if _, err := api.OutgoingWebhook(t.Context(), workflow.ID); client.CodeOf(err) != "outgoing_webhook_not_found" {
		t.Errorf("a trigger that was switched off: got %v, want that events go nowhere", err)
	}
}

// redeliver has what came while n8n was down sent again at once, as the guide to deliver
// again does: the third attempt is five minutes later.
func redeliver(t *testing.T, api *client.Client, workflowID string) {
	t.Helper()
	pending, err := client.Collect(api.Events(t.Context(), workflowID, client.EventQuery{States: []string{"PENDING"}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d events wait for their next attempt", len(pending))
	for _, e := range pending {
		if _, err := api.RedeliverEvent(t.Context(), workflowID, e.ID); err != nil && client.CodeOf(err) == "" {
			t.Fatal(err)
		}
	}
}

func orderName(order int) string { return fmt.Sprintf("order-%03d", order) }

func customer(order int) string { return fmt.Sprintf("Customer of order %03d", order) }

// A devLife is platen-dev as make run starts it.
type devLife struct {
	stack testkit.Stack
	*program.Life
}

func (d *devLife) start(t *testing.T, at *program.Instance, dir string) {
	t.Helper()
	c, err := at.Command(program.Built(t, "platen-dev"))
	if err == nil {
		d.Life, err = program.Start(c, filepath.Join(dir, "platen.txt"))
	}
	if err != nil {
		t.Fatal(err)
	}
	life := d.Life
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGTERM)
		<-life.Ended
	})
	if err := program.Within(n8nPatience, func() (err error) { d.stack, err = at.Ready(); return err }); err != nil {
		t.Fatalf("%v\n%s", err, tail(life.Said()))
	}
}

func (d *devLife) die(t *testing.T) {
	t.Helper()
	if err := d.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-d.Ended
}

func letters(t *testing.T, api *client.Client) client.Workflow {
	t.Helper()
	template, err := examples.FS.ReadFile("letter.docx")
	if err != nil {
		t.Fatal(err)
	}
	w, err := api.CreateWorkflow(t.Context(), client.NewWorkflow{Name: "Letters of n8n"})
	if err == nil {
		_, err = api.UploadDocument(t.Context(), w.ID, template)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newN8n(t *testing.T, at, dir string) *n8n {
	t.Helper()
	free, err := ports.Free("127.0.0.1", 2)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := &n8n{program: filepath.Join(at, "node_modules", ".bin", "n8n"), dir: dir, origin: fmt.Sprintf("http://127.0.0.1:%d", free[0]), browser: &http.Client{Jar: jar, Timeout: time.Minute}}
	for _, folder := range []string{"made", "received", "home"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(dir, "home")
	n.env = program.Environment(
		append(n.database(t), "HOME="+home, "N8N_USER_FOLDER="+home, fmt.Sprintf("N8N_PORT=%d", free[0]), "N8N_LISTEN_ADDRESS=127.0.0.1", "WEBHOOK_URL="+n.origin+"/",
			fmt.Sprintf("N8N_RUNNERS_BROKER_PORT=%d", free[1]), "N8N_ENCRYPTION_KEY="+rand.Text(), "N8N_RESTRICT_FILE_ACCESS_TO="+dir,
			"N8N_DIAGNOSTICS_ENABLED=false", "N8N_VERSION_NOTIFICATIONS_ENABLED=false", "N8N_TEMPLATES_ENABLED=false", "N8N_PERSONALIZATION_ENABLED=false", "N8N_SECURE_COOKIE=false", "N8N_LOG_LEVEL=warn")...,
	)
	n.install(t, home)
	return n
}

// database is one of its own on the Postgres of the tests: SQLite would have to be compiled.
func (n *n8n) database(t *testing.T) []string {
	t.Helper()
	pool := testkit.Database(t, "n8n", func(context.Context, *pgxpool.Pool) error { return nil })
	c := pool.Config().ConnConfig
	return []string{"DB_TYPE=postgresdb", "DB_POSTGRESDB_HOST=" + c.Host, fmt.Sprintf("DB_POSTGRESDB_PORT=%d", c.Port), "DB_POSTGRESDB_DATABASE=" + c.Database, "DB_POSTGRESDB_USER=" + c.User, "DB_POSTGRESDB_PASSWORD=" + c.Password}
}

// install types the page's commands, with what was installed for the tests in place of what
// a registry would bring.
func (n *n8n) install(t *testing.T, home string) {
	t.Helper()
	modules := filepath.Join(os.Getenv(n8nNodeVariable), "node_modules")
	repository := filepath.Join(n.dir, "platen")
	node := filepath.Join(repository, "integrations", "n8n-nodes-platen")
	copyTree(t, "../../integrations/n8n-nodes-platen", node)
	link(t, modules, filepath.Join(node, "node_modules"))
	raw, err := os.ReadFile(n8nPage)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "## 1. Install the nodes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands strings.Builder
	for _, b := range block.FindAllStringSubmatch(section, -1) {
		commands.WriteString(b[1])
	}
	if commands.Len() == 0 {
		t.Fatalf("%s has no commands that install the nodes", n8nPage)
	}
	typed(t, repository, "set -euo pipefail\n"+strings.ReplaceAll(ours, "@platen/client", "n8n-nodes-platen")+commands.String()+"(cd integrations/n8n-nodes-platen && npm run lint && npm test)\n", []string{"HOME=" + home})
}

func (n *n8n) start(t *testing.T) {
	t.Helper()
	began := time.Now()
	c := exec.Command(n.program, "start")
	c.Env, c.Dir = n.env, n.dir
	life, err := program.Start(c, filepath.Join(n.dir, "n8n.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n.life = life
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGKILL)
		<-life.Ended
	})
	err = program.Within(n8nPatience, func() error {
		select {
		case <-life.Ended:
			return errors.New("n8n ended")
		default:
		}
		answer, err := (&http.Client{Timeout: time.Minute}).Get(n.origin + "/rest/settings") // nobody's: n8n would end the session
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "application/json") {
			return fmt.Errorf("%s, %s", answer.Status, kind) // a page says that it starts
		}
		return nil
	})
	if err != nil {
		t.Fatalf("n8n is not ready: %v\n%s", err, tail(life.Said()))
	}
	t.Logf("n8n is ready after %v", time.Since(began).Round(100*time.Millisecond))
}

func (n *n8n) die(t *testing.T) {
	t.Helper()
	if err := n.life.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-n.life.Ended
}

// order sends one to the workflow of n8n, as often as it takes, and wants its answer.
func (n *n8n) order(ctx context.Context, order int) error {
	body, err := json.Marshal(map[string]any{"order": orderName(order), "customer": customer(order)})
	if err != nil {
		return err
	}
	return program.Within(n8nPatience, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.origin+"/webhook/orders", bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := n.browser.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		said, err := io.ReadAll(answer.Body)
		// While n8n starts, it answers 200 with a page.
		if err == nil && (answer.StatusCode != http.StatusOK || !json.Valid(said)) {
			err = fmt.Errorf("%s: %s", answer.Status, said)
		}
		return err
	})
}

type object = map[string]any

// asked sends a request as n8n's editor does, and reads its data.
func (n *n8n) asked(t *testing.T, method, path string, body any, into any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, n.origin+"/rest"+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("browser-id", "test")
	answer, err := n.browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s %v\n%s", method, path, answer.Status, said, err, tail(n.life.Said()))
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(said, &struct{ Data any }{into}); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, said)
	}
}

func (n *n8n) signUp(t *testing.T) {
	t.Helper()
	n.asked(t, http.MethodPost, "/owner/setup", object{"email": "ada@example.com", "firstName": "Ada", "lastName": "Byron", "password": "Secret" + rand.Text() + "1"}, nil)
}

// credentials are kept and then tested by n8n, which says when their token is wrong.
func (n *n8n) credentials(t *testing.T, stack testkit.Stack) object {
	t.Helper()
	of := func(token string) object {
		return object{"name": "Platen", "type": "platenApi", "data": object{"address": stack.APIURL, "token": token}}
	}
	var kept struct{ ID string }
	n.asked(t, http.MethodPost, "/credentials", of(stack.AccessToken), &kept)
	for token, want := range map[string]string{stack.AccessToken: "OK", "plt_wrong": "Error"} {
		var tested struct{ Status, Message string }
		asked := of(token)
		asked["id"] = kept.ID
		n.asked(t, http.MethodPost, "/credentials/test", object{"credentials": asked}, &tested)
		if tested.Status != want {
			t.Errorf("a test of the credentials says %+v, want %s", tested, want)
		}
	}
	return object{"platenApi": object{"id": kept.ID, "name": "Platen"}}
}

func located(workflowID string) object {
	return object{"__rl": true, "mode": "list", "value": workflowID}
}

// fields asks n8n for the workflows and for the fields of one, as its editor does.
func (n *n8n) fields(t *testing.T, workflowID string, credentials object) []object {
	t.Helper()
	asked := object{
		"path": "parameters.workflow", "methodName": "searchWorkflows", "credentials": credentials,
		"nodeTypeAndVersion": object{"name": "n8n-nodes-platen.platen", "version": 1}, "currentNodeParameters": object{"workflow": located(workflowID)},
	}
	var found struct {
		Results []struct{ Name, Value string }
	}
	n.asked(t, http.MethodPost, "/dynamic-node-parameters/resource-locator-results", asked, &found)
	if !strings.Contains(fmt.Sprint(found.Results), "Letters of n8n "+workflowID) {
		t.Errorf("the list of workflows is %v, want %s in it", found.Results, workflowID)
	}
	asked["path"], asked["methodName"] = "parameters.fields", "getFields"
	var mapped struct{ Fields []object }
	n.asked(t, http.MethodPost, "/dynamic-node-parameters/resource-mapper-fields", asked, &mapped)
	for _, name := range []string{"Customer Name", "Customer.Address.City"} {
		if !strings.Contains(fmt.Sprint(mapped.Fields), "id:"+name+" ") {
			t.Errorf("the fields are %v, want %s among them", mapped.Fields, name)
		}
	}
	return mapped.Fields
}

// making is a workflow of n8n that makes a document of each order and writes it to a file.
func (n *n8n) making(workflowID string, credentials object, fields []object) object {
	return object{"name": "Make letters", "settings": object{}, "nodes": []object{
		{"id": "1", "name": "Order", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": []int{0, 0}, "webhookId": "orders", "parameters": object{"httpMethod": "POST", "path": "orders", "responseMode": "lastNode"}},
		{"id": "2", "name": "Platen", "type": "n8n-nodes-platen.platen", "typeVersion": 1, "position": []int{200, 0}, "credentials": credentials, "parameters": object{
			"resource": "document", "operation": "create", "workflow": located(workflowID), "dataMode": "fields",
			"fields":   object{"mappingMode": "defineBelow", "value": object{"Customer Name": "={{ $json.body.customer }}", "Customer.Address.City": "Kiel"}, "schema": fields, "matchingColumns": []string{}},
			"download": true, "binaryProperty": "data", "options": object{"key": "={{ $json.body.order }}", "reference": "={{ $json.body.order }}"},
		}},
		n.file("made", "={{ '"+n.dir+"/made/' + $json.reference + '.pdf' }}"),
	}, "connections": connected("Order", "Platen", "File")}
}

// receiving is one that writes the document of each event to a file.
func (n *n8n) receiving(workflowID string, credentials object) object {
	return object{"name": "Receive letters", "settings": object{}, "nodes": []object{
		{"id": "1", "name": "Document", "type": "n8n-nodes-platen.platenTrigger", "typeVersion": 1, "position": []int{0, 0}, "webhookId": "platen-events", "credentials": credentials, "parameters": object{
			"workflow": located(workflowID), "events": []string{"DOCUMENTS_CREATED"}, "respond": "lastNode", "replace": false,
		}},
		{"id": "2", "name": "Platen", "type": "n8n-nodes-platen.platen", "typeVersion": 1, "position": []int{200, 0}, "credentials": credentials, "parameters": object{
			"resource": "document", "operation": "download", "workflow": located(workflowID), "automationId": "={{ $json.data.automationId }}", "documentId": "={{ $json.data.documentId }}", "binaryProperty": "data",
		}},
		n.file("received", "={{ '"+n.dir+"/received/' + $json.reference + '.pdf' }}"),
	}, "connections": connected("Document", "Platen", "File")}
}

func (n *n8n) file(id, name string) object {
	return object{"id": id, "name": "File", "type": "n8n-nodes-base.readWriteFile", "typeVersion": 1, "position": []int{400, 0}, "parameters": object{"operation": "write", "fileName": name, "dataPropertyName": "data", "options": object{}}}
}

func connected(names ...string) object {
	all := object{}
	for i, name := range names[:len(names)-1] {
		all[name] = object{"main": [][]object{{{"node": names[i+1], "type": "main", "index": 0}}}}
	}
	return all
}

func (n *n8n) activate(t *testing.T, workflow object) (id string) {
	t.Helper()
	var made struct{ ID, VersionID string }
	n.asked(t, http.MethodPost, "/workflows", workflow, &made)
	n.asked(t, http.MethodPost, "/workflows/"+made.ID+"/activate", object{"versionId": made.VersionID}, nil)
	return made.ID
}

// refusesForgedEvents posts to the trigger what somebody else signed, or nobody.
func (n *n8n) refusesForgedEvents(t *testing.T, api *client.Client, workflowID string) {
	t.Helper()
	w, err := api.OutgoingWebhook(t.Context(), workflowID)
	if err != nil {
		t.Fatal(err)
	}
	forger, err := client.NewVerifier("whsec_" + strings.Repeat("QUJD", 8))
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"event_id":"evt_1","event_type":"DOCUMENTS_CREATED","data":{"documents":[],"workflowId":"` + workflowID + `","reference":"forged"}}`)
	for name, sign := range map[string]func(http.Header) error{
		"unsigned": func(http.Header) error { return nil },
		"forged":   func(h http.Header) error { return forger.Sign(h, "evt_1", time.Now(), body) },
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL, bytes.NewReader(body))
		if err == nil {
			err = sign(request.Header)
		}
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := n.browser.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("an event that is %s: got %s, want 401", name, answer.Status)
		}
	}
}

func tail(text string) string { return text[max(0, len(text)-4000):] }

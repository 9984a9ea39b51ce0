package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/mux"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// outsideOfContract are paths of the host that are not part of the interface.
var outsideOfContract = []string{"/healthz", "/readyz", "/openapi.json", "/docs/contract", "/mailed/", "/preview/", "/v0"}

// documented returns "METHOD /path" of every operation under /v0.
func documented(t *testing.T, root *yaml.Node) []string {
	t.Helper()
	var out []string
	each(at(root, "paths"), func(path string, item *yaml.Node) {
		if at(item, "servers") != nil {
			return // of another host
		}
		each(item, func(method string, op *yaml.Node) {
			if at(op, "operationId") != nil {
				out = append(out, strings.ToUpper(method)+" "+path)
			}
		})
	})
	slices.Sort(out)
	return out
}

var variable = regexp.MustCompile(`\{(\w+)(:[^}]*)?\}`)

// routed returns the same of the router, with the contract's names of
// variables and a slash at the end. The methods are those of Allow.
func routed(t *testing.T, handler http.Handler, router *mux.Router) []string {
	t.Helper()
	names := map[string]string{"slash": "", "workflow": "{workflowId}", "document": "{documentId}", "automation": "{automationId}", "batch": "{batchId}", "event": "{eventId}", "output": "{outputId}", "series": "{seriesName}", "version": "{versionId}", "receiver": "{receiverId}", "target": "{targetId}", "schedule": "{scheduleId}", "mail_sender": "{senderId}"}
	ids := map[string]string{"slash": ""}
	var out []string
	err := router.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		template, err := route.GetPathTemplate()
		if err != nil {
			return err
		}
		if strings.HasPrefix(template, "/v0{rest") {
			return nil
		}
		fill := func(by map[string]string, otherwise string) string {
			return variable.ReplaceAllStringFunc(template, func(v string) string {
				name := variable.FindStringSubmatch(v)[1]
				if value, ok := by[name]; ok {
					return value
				}
				if otherwise == "" {
					t.Errorf("the route %s has a variable that this test does not know: %s", template, name)
				}
				return otherwise
			})
		}
		path, under := strings.CutPrefix(fill(names, ""), "/v0")
		if !under {
			if !slices.Contains(outsideOfContract, path) {
				t.Errorf("the path %s is neither under /v0 nor known to be outside of the contract", path)
			}
			return nil
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodOptions, fill(ids, "x"), nil))
		for method := range strings.SplitSeq(w.Header().Get("Allow"), ", ") {
			if method != http.MethodHead && method != http.MethodOptions {
				out = append(out, method+" "+path+"/")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func TestRoutesAndContractAreEqual(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	root := contractOf(t)
	routes, contract := routed(t, x.handler, x.routes(t)), documented(t, root)
	if len(routes) < 10 {
		t.Fatalf("found %d routes only", len(routes))
	}
	for _, r := range routes {
		if !slices.Contains(contract, r) {
			t.Errorf("%s is served and not in openapi.yaml", r)
		}
	}
	for _, c := range contract {
		if !slices.Contains(routes, c) {
			t.Errorf("%s is in openapi.yaml and not served", c)
		}
	}
}

// routes is a router like the one that x serves with.
func (x *harness) routes(t testing.TB) *mux.Router {
	t.Helper()
	return (&server{Stores: storesIn(x.store)}).routes(http.NotFoundHandler())
}

func contractOf(t testing.TB) *yaml.Node {
	t.Helper()
	root, err := contractDocument("https://api.test/v0", "https://api.test", "https://hooks.test")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestTheContractIsServedWithoutCredentialsAndWithTheInstallationsAddresses(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	a := x.do(t, "GET", "/openapi.json", "", "Authorization", "").is(200)
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type: got %q", got)
	}
	var document struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]struct{ Servers []struct{ URL string } }
	}
	if err := json.Unmarshal([]byte(a.body), &document); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" || document.Servers[0].URL != "https://api.test/v0" || document.Paths["/{sourceKey}"].Servers[0].URL != "https://hooks.test" {
		t.Errorf("got %s, %v, %v", document.OpenAPI, document.Servers, document.Paths["/{sourceKey}"])
	}
	for _, example := range []string{exampleOrigin, exampleHooks} {
		if strings.Contains(a.body, example) {
			t.Errorf("the answer still has the example address %s", example)
		}
	}
	for _, key := range []string{`"x-shared"`, `"<<"`} {
		if strings.Contains(a.body, key) {
			t.Errorf("the answer has %s, which is for the source alone", key)
		}
	}
}

func TestThePageShowsEveryOperationAndFetchesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	a := x.do(t, "GET", "/docs/contract", "", "Authorization", "").is(200)
	for _, path := range documented(t, contractOf(t)) {
		_, path, _ = strings.Cut(path, " ")
		if !strings.Contains(a.body, "</span>"+path+"</code>") {
			t.Errorf("%s is not on the page", path)
		}
	}
	shown := regexp.MustCompile(`(?s)<pre.*?</pre>`).ReplaceAllString(a.body, "") // code fetches nothing
	if regexp.MustCompile(`(?i)<(script|img|link|iframe|object)|@import|url\(`).MatchString(shown) {
		t.Error("the page fetches something")
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(a.body, -1) {
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(a.body, -1) {
		if !ids[m[1]] {
			t.Errorf("the page has a link to #%s, which is not on it", m[1])
		}
	}
}

// pointers finds every value of a mapping key in the contract, as a JSON pointer.
func pointers(prefix string, n *yaml.Node, visit func(pointer, key string, value *yaml.Node)) {
	each(n, func(key string, value *yaml.Node) {
		p := prefix + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		visit(p, key, value)
		pointers(p, value, visit)
	})
}

func TestReferencesOfTheContractLeadSomewhereAndAllSchemasAreUsed(t *testing.T) {
	t.Parallel()
	root := contractOf(t)
	unused := map[string]bool{}
	for _, kind := range []string{"schemas", "responses", "parameters", "headers", "examples"} {
		each(at(root, "components", kind), func(name string, _ *yaml.Node) { unused["#/components/"+kind+"/"+name] = true })
	}
	references(root, func(ref string) {
		if at(root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
			t.Errorf("%s leads nowhere", ref)
		}
		delete(unused, ref)
	})
	for _, ref := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("%s is not used", ref)
	}
}

func references(n *yaml.Node, visit func(string)) {
	if ref := scalar(n, "$ref"); ref != "" {
		visit(ref)
	}
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			references(c, visit)
		}
	}
}

func TestExamplesOfTheContractFitTheirSchemas(t *testing.T) {
	t.Parallel()
	root := contractOf(t)
	raw, err := ordered{root}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	pointers("", root, func(pointer, key string, media *yaml.Node) {
		if at(media, "schema") == nil || at(media, "examples") == nil {
			return
		}
		schema, err := compiler.Compile("openapi.json#" + pointer + "/schema")
		if err != nil {
			t.Errorf("%s: %v", pointer, err)
			return
		}
		each(at(media, "examples"), func(name string, e *yaml.Node) {
			value := at(contractReader{root: root}.deref(e), "value")
			raw, err := ordered{value}.MarshalJSON()
			if err != nil {
				t.Errorf("%s: example %s: %v", pointer, name, err)
				return
			}
			instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
			if err == nil {
				err = schema.Validate(instance)
			}
			if err != nil {
				t.Errorf("%s: example %s: %v", pointer, name, err)
			}
			checked++
		})
	})
	if checked < 10 {
		t.Errorf("%d examples were checked, want more", checked)
	}
}

func TestWhatIsNotInTheSpecificationIsMarkedAndSaidToBe(t *testing.T) {
	t.Parallel()
	specified := []string{
		"listWorkflows", "createWorkflow", "getWorkflow", "updateWorkflow", "archiveWorkflow",
		"listDocuments", "createDocument", "getDocument", "updateDocument",
		"getOutgoingWebhook", "createOutgoingWebhook", "updateOutgoingWebhook",
		"getOutgoingWebhookSingular", "createOutgoingWebhookSingular", "updateOutgoingWebhookSingular",
		"getSource", "postSourceData", "documentsCreated",
	}
	for _, part := range []string{"paths", "webhooks"} {
		each(at(contractOf(t), part), func(path string, item *yaml.Node) {
			each(item, func(method string, op *yaml.Node) {
				id := scalar(op, "operationId")
				if id == "" {
					return
				}
				extension := !slices.Contains(specified, id)
				if got := scalar(op, "x-extension") == "true"; got != extension {
					t.Errorf("%s %s: x-extension: got %v, want %v", method, path, got, extension)
				}
				if extension && !strings.Contains(strings.ToLower(scalar(op, "description")), "extension") {
					t.Errorf("%s %s: no sentence says that it is an extension", method, path)
				}
			})
		})
	}
}

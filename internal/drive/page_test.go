package drive

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/office/blank"
)

const (
	drivePage = "../../docs/drive.md"
	// writeDocs names the environment variable under which tests write the pages
	// that they would else compare.
	writeDocs = "PLATEN_WRITE_DOCS"
	// What is served stands between these two lines.
	servedBegins = "<!-- What is served, as the tests of package drive found it. -->\n"
	servedEnds   = "<!-- End of what is served. -->"
)

func TestThePageListsWhatIsServed(t *testing.T) {
	h := newOfficeHarness(t)
	var b strings.Builder
	b.WriteString(servedBegins + "\n## Methods\n\n")
	writeMethods(t, &b, h.server)
	b.WriteString("\nA method that is not served is answered with 400 and the status `UNIMPLEMENTED`: it is no missing file (404), and to ask again is in vain.\n")
	b.WriteString("\n## Requests of batchUpdate\n\n| | served | not served |\n|---|---|---|\n")
	writeKinds(&b, "documents", documentKinds(t, h.formats))
	writeKinds(&b, "presentations", presentationKinds(t, h.formats))
	b.WriteString("\nA request that is not served fails its batch, which changes nothing then.\n\n" +
		"One request does more than on Google. When `replaceAllText` finds the description of a chart that begins with `{{chart`, and the replacement is JSON such as `{\"categories\": [\"Bolt\"], \"series\": [{\"name\": \"Qty\", \"values\": [\"3\"]}]}`, the chart and its workbook get that data. Runs fill [charts](templates.md#charts) so. It also reaches titles of charts, which an answer has as the title of the object where they hold tags.\n\n" +
		"## Searches\n\nTerms of the parameter `q`, with `and`, `or`, `not` and parentheses:\n\n| term | operators |\n|---|---|\n")
	writeTerms(&b)
	b.WriteString("\n## Formats\n\n| | exported as | made of |\n|---|---|---|\n")
	for _, kind := range []struct{ name, mimeType string }{{"document", store.DocumentType}, {"presentation", store.PresentationType}} {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", kind.name, quotedList(exportTypes(kind.mimeType)), quotedList([]string{officeType(kind.mimeType)}))
	}
	b.WriteString("\n" + servedEnds)

	stored := string(must[[]byte](t)(os.ReadFile(drivePage)))
	before, rest, ok1 := strings.Cut(stored, servedBegins)
	_, after, ok2 := strings.Cut(rest, servedEnds)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for what is served", drivePage)
	}
	want := before + b.String() + after
	if os.Getenv(writeDocs) != "" {
		if err := os.WriteFile(drivePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		stored = want
	}
	if stored != want {
		t.Errorf("%s is out of date: run %s=1 go test ./internal/drive -run ThePageLists, and look at the difference", drivePage, writeDocs)
	}
}

// writeMethods asks the server's routes for each method of Google's.
func writeMethods(t *testing.T, b *strings.Builder, s *Server) {
	t.Helper()
	methods := must[[]served](t)(servedMethods())
	found := map[string]map[bool][]string{}
	for _, m := range methods {
		path := "/" + m.document.ServicePath + cmp.Or(m.FlatPath, m.Path)
		path = placeholder.ReplaceAllString(path, "x")
		r := must[*http.Request](t)(http.NewRequest(m.HTTPMethod, path, nil))
		_, pattern := s.mux.Handler(r)
		service, name, _ := strings.Cut(m.ID, ".")
		if found[service] == nil {
			found[service] = map[bool][]string{}
		}
		isServed := pattern != "/" && !strings.HasSuffix(pattern, "/generateCseToken")
		found[service][isServed] = append(found[service][isServed], name)
	}
	b.WriteString("| | served | not served |\n|---|---|---|\n")
	for _, service := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", service, quotedList(found[service][true]), quotedList(found[service][false]))
	}
}

func quotedList(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	for i := range names {
		names[i] = "`" + names[i] + "`"
	}
	return strings.Join(names, ", ")
}

// kinds are the names of requests, by whether they are served.
func kinds(request reflect.Type, isServed func(reflect.Value) bool) map[bool][]string {
	found := map[bool][]string{}
	for i := range request.NumField() {
		field := request.Field(i)
		if field.Type.Kind() != reflect.Pointer {
			continue
		}
		r := reflect.New(request)
		r.Elem().Field(i).Set(reflect.New(field.Type.Elem()))
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		served := isServed(r)
		found[served] = append(found[served], name)
	}
	return found
}

// isKnown says whether the answer to an empty request is about more than its kind.
func isKnown(err error) bool {
	return err == nil || !strings.Contains(err.Error(), "does not support this kind of request")
}

func documentKinds(t *testing.T, f formats) map[bool][]string {
	t.Helper()
	content := must[[]byte](t)(blank.Document())
	return kinds(reflect.TypeFor[docsapi.Request](), func(r reflect.Value) bool {
		_, _, err := f.applyDocument(content, "id", []*docsapi.Request{r.Interface().(*docsapi.Request)})
		return isKnown(err)
	})
}

func presentationKinds(t *testing.T, f formats) map[bool][]string {
	t.Helper()
	content := must[[]byte](t)(blank.Presentation())
	return kinds(reflect.TypeFor[slidesapi.Request](), func(r reflect.Value) bool {
		_, _, err := f.applyPresentation(content, "id", []*slidesapi.Request{r.Interface().(*slidesapi.Request)})
		return isKnown(err)
	})
}

func writeKinds(b *strings.Builder, what string, found map[bool][]string) {
	fmt.Fprintf(b, "| %s | %s | %s |\n", what, quotedList(found[true]), quotedList(found[false]))
}

// writeTerms tries each of Google's terms with each operator.
func writeTerms(b *strings.Builder) {
	for _, term := range []string{
		"name", "fullText", "mimeType", "modifiedTime", "viewedByMeTime", "createdTime", "trashed", "starred", "sharedWithMe", "visibility",
		"shortcutDetails.targetId", "properties", "appProperties", "memberCount", "organizerCount", "labels",
	} {
		var operators []string
		for _, operator := range []string{"=", "!=", "contains", "<", "<=", ">", ">=", "has", ""} {
			for _, value := range []string{"'a'", "true", "'2026-01-02'", "'limited'", "{ key='a' and value='b' }", ""} {
				_, _, err := store.ParseQuery(term+" "+operator+" "+value, store.User{}, pgx.NamedArgs{})
				if err == nil && (operator != "" || value == "") && !slices.Contains(operators, operator) {
					operators = append(operators, operator)
				}
			}
		}
		if len(operators) > 0 {
			fmt.Fprintf(b, "| `%s` | %s |\n", term, strings.TrimSuffix(strings.ReplaceAll(inOrder(operators), "``", "alone"), ", "))
		}
	}
	var collections []string
	for _, collection := range []string{"parents", "owners", "writers", "readers", "labels"} {
		if _, _, err := store.ParseQuery("'a' in "+collection, store.User{}, pgx.NamedArgs{}); err == nil {
			collections = append(collections, collection)
		}
	}
	fmt.Fprintf(b, "| `'…' in` | %s |\n", quotedList(collections))
}

// inOrder is quotedList in the order that is given.
func inOrder(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

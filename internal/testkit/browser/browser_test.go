package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/browser"
)

// A recorder is a test that keeps its errors and runs its cleanups on demand.
type recorder struct {
	testing.TB
	errors []string
	ends   []func()
}

func (r *recorder) Helper()                           {}
func (r *recorder) Cleanup(end func())                { r.ends = append(r.ends, end) }
func (r *recorder) Error(args ...any)                 { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Log(args ...any)                   {}
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

func TestAPageThatMisbehavesFailsItsTest(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for name, c := range map[string]struct{ body, policy, want string }{
		"asks another host":       {`<img src="` + other.URL + `">`, "", "want nobody but"},
		"writes an error":         {`<script>console.error("x")</script>`, "", "writes an error to the console"},
		"throws":                  {`<script>throw new Error("x")</script>`, "", "a script throws"},
		"breaks its policy":       {`<script>document.title = "x"</script>`, "script-src 'none'", "the console says"},
		"is wider than the phone": {`<div style="width: 900px">x</div>`, "", "pixels wider than its screen"},
		"behaves":                 {`<p>x</p>`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				if c.policy != "" {
					w.Header().Set("Content-Security-Policy", c.policy)
				}
				fmt.Fprint(w, `<!DOCTYPE html><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>t</title><h1>h</h1>`+c.body)
			}))
			t.Cleanup(server.Close)
			r := &recorder{TB: t}
			p := browser.Open(r, browser.Options{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, Width: 390})
			p.Visit(server.URL)
			if got := p.Text("h1"); got != "h" || p.Status() != http.StatusOK {
				t.Errorf("got %q with status %d, want h with 200", got, p.Status())
			}
			p.WantFit()
			for _, end := range r.ends {
				end()
			}
			if got := strings.Join(r.errors, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAxeFindsWhoIsLeftOut(t *testing.T) {
	t.Parallel()
	if !browser.HasAxe(t) {
		t.Skip("skipped: there is no axe-core, and no page of any test is judged by it")
	}
	for name, c := range map[string]struct{ body, want string }{
		"a picture without words": {`<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`, "image-alt"},
		"a field without a label": {`<input>`, "label"},
		"grey on grey":            {`<p style="color: #999; background: #888">Some words</p>`, "color-contrast"},
		"nobody":                  {`<p>x</p>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				// The strictest policy: it must not keep axe-core from the page.
				w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'unsafe-inline'")
				fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><link rel="icon" href="data:,"><title>t</title><main><h1>h</h1>`+c.body+`</main></html>`)
			}))
			t.Cleanup(server.Close)
			r := &recorder{TB: t}
			p := browser.Open(r, browser.Options{Hosts: []string{strings.TrimPrefix(server.URL, "http://")}})
			p.Visit(server.URL)
			p.Audit("the page")
			for _, end := range r.ends {
				end()
			}
			if got := strings.Join(r.errors, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

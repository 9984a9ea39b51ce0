package browser

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// AxeVariable names the directory with node_modules/axe-core, if it is not .axe beside
// go.mod, where make puts it.
const AxeVariable = "PLATEN_AXE"

// readAxe returns axe-core's program, empty where it was not fetched.
var readAxe = sync.OnceValue(func() string {
	folder := os.Getenv(AxeVariable)
	if folder == "" {
		root, err := os.Getwd()
		for err == nil && root != filepath.Dir(root) {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		folder = filepath.Join(root, ".axe")
	}
	program, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		return ""
	}
	return string(program)
})

// HasAxe tells whether axe-core is there to judge pages. Without it a test fails where
// RequiredVariable is set, and says elsewhere that nothing judged.
func HasAxe(t testing.TB) bool {
	t.Helper()
	if readAxe() != "" {
		return true
	}
	const missing = "axe-core is not there and did not judge; 'make browser' fetches it with npm"
	if os.Getenv(RequiredVariable) != "" {
		t.Fatal(missing)
	}
	t.Log(missing)
	return false
}

// judge has axe-core look at the page that is shown, by all its rules. It reads no style
// sheet anew: a page's policy may forbid its scripts to ask for one.
const judge = `(async () => {
	const found = await axe.run(document, {resultTypes: ["violations"], preload: false});
	return found.violations.map((v) => v.id + ", " + v.help + ":" + v.nodes.map((n) => "\n\t" + n.html.slice(0, 200)).join("")).join("\n");
})()`

// Audit fails the test if axe-core finds that somebody could not use the page that is
// shown. It goes by WCAG and by its own good practice.
func (p *Page) Audit(name string) {
	p.t.Helper()
	if !HasAxe(p.t) {
		return
	}
	// The protocol's own evaluation is not bound by the page's policy.
	run(p, "load axe-core", chromedp.Evaluate[chromedp.Void](readAxe()))
	if found := strings.TrimSpace(run(p, "have axe-core judge", chromedp.Evaluate[string](judge, chromedp.EvalAwaitPromise))); found != "" {
		p.t.Errorf("%s: axe-core finds %s", name, found)
	}
}

package interop

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/agent"
	"github.com/platenhq/platen/internal/testkit"
)

// mcpVariable names the environment variable with the directory that has the conformance
// suite of the Model Context Protocol in its node_modules, and a Node that it runs on.
const mcpVariable = "PLATEN_MCP"

// The protocol's own suite finds nothing wrong with /mcp. It sends no credentials, so what
// stands between adds an access token. testdata/mcp.yaml lists the scenarios that ask for
// tools, prompts and resources of the suite's own; one of them that passes fails the test.
func TestTheSuiteOfMCPFindsNothing(t *testing.T) {
	t.Parallel()
	modules := filepath.Join(os.Getenv(mcpVariable), "node_modules")
	suite := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(suite); err != nil {
		t.Skipf("%s does not name a directory with the suite of MCP; make agents fetches it and runs this", mcpVariable)
	}
	stack := testkit.Running(t)
	to, err := url.Parse(strings.TrimSuffix(stack.APIURL, "/v0"))
	if err != nil {
		t.Fatal(err)
	}
	signedIn := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+stack.AccessToken)
	}})
	t.Cleanup(signedIn.Close)
	cmd := exec.CommandContext(t.Context(), filepath.Join(modules, "node", "bin", "node"), suite, "server", "--suite", "all",
		"--url", signedIn.URL+agent.Path, "--expected-failures", "testdata/mcp.yaml", "--output-dir", t.TempDir())
	said, err := cmd.CombinedOutput()
	t.Logf("%s", said)
	if err != nil {
		t.Errorf("the suite found something: %v", err)
	}
}

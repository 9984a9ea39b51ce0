package chaos

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
)

// nodeVariable names the directory with the node_modules that `make chaos`
// installs. Without it, as in `make test`, only the library for Go checks
// signatures (checkAttempts).
const nodeVariable = "PLATEN_CHAOS_NODE"

// checkSignatures has the reference library of Standard Webhooks for
// JavaScript verify every attempt, as of the moment when it arrived.
func (w *witness) checkSignatures() {
	w.t.Helper()
	modules := os.Getenv(nodeVariable)
	if modules == "" {
		return
	}
	type signed struct {
		Secret    string            `json:"secret"`
		Headers   map[string]string `json:"headers"`
		Body      string            `json:"body"`
		ArrivedAt int64             `json:"arrivedAt"` // ms
	}
	byName := map[string]*keys{}
	for _, one := range w.integrator.workflows {
		byName[one.name] = &one.keys
		for _, r := range one.rules {
			byName[r.name] = &r.keys
		}
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, a := range w.receiver.all() {
		headers := map[string]string{}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			headers[name] = a.header.Get(name)
		}
		secret, err := byName[a.place].verify(a)
		if err != nil {
			continue // Go's library refused it already
		}
		if err := encoder.Encode(signed{Secret: secret, Headers: headers, Body: a.body, ArrivedAt: a.at.UnixMilli()}); err != nil {
			w.t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/verify.cjs")
	if err != nil {
		w.t.Fatal(err)
	}
	c := exec.CommandContext(w.t.Context(), "node", script)
	c.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(modules, "node_modules"))
	c.Stdin = &lines
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		w.t.Fatalf("node %s: %v: %s", script, err, &said)
	}
	var result struct {
		Verified int      `json:"verified"`
		Refused  []string `json:"refused"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		w.t.Fatalf("node %s: %v: %.500s", script, err, out)
	}
	for _, refused := range result.Refused {
		w.fault("attempt", "npm standardwebhooks refuses %s", refused)
	}
	w.counts["signatures"] = result.Verified
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyCodeThatIsCalledIsAFinding(t *testing.T) {
	t.Parallel()
	const stream = `{"config":{"protocol_version":"v1.0.0"}}
{"osv":{"id":"GO-2025-0001"}}
{"finding":{"osv":"GO-2025-0001","fixed_version":"v1.2.3","trace":[{"module":"example.com/a","version":"v1.0.0"}]}}
{"finding":{"osv":"GO-2025-0001","fixed_version":"v1.2.3","trace":[{"module":"example.com/a","version":"v1.0.0","package":"example.com/a/b"}]}}
{"finding":{"osv":"GO-2025-0002","trace":[{"module":"example.com/c","version":"v1.0.0","package":"example.com/c","function":"Parse"},{"module":"github.com/platenhq/platen/internal/platen","package":"github.com/platenhq/platen/api","function":"Serve"}]}}
`
	found, err := called([]byte(stream))
	if err != nil {
		t.Fatal(err)
	}
	want := finding{Rule: "GO-2025-0002", Where: "example.com/c", Text: "github.com/platenhq/platen/api calls example.com/c.Parse of v1.0.0; cured in no version"}
	if len(found) != 1 || found[0] != want {
		t.Errorf("got %+v, want %+v alone", found, want)
	}
}

func TestTheCopyIsLaidOutAsTheDatabaseIs(t *testing.T) {
	t.Parallel()
	var e entry
	if err := json.Unmarshal([]byte(`{"schema_version":"1.3.1","id":"GO-2025-0001","modified":"2025-01-02T00:00:00Z","published":"2025-01-01T00:00:00Z",
		"affected":[{"package":{"name":"example.com/a","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}]}]}`), &e); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := writeDatabase(folder, []entry{e}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "index", "modules.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `[{"path":"example.com/a","vulns":[{"id":"GO-2025-0001","modified":"2025-01-02T00:00:00Z"}]}]`; got != want {
		t.Errorf("the index of modules is %s, want %s", got, want)
	}
	if _, err := os.Stat(filepath.Join(folder, "ID", "GO-2025-0001.json")); err != nil {
		t.Error(err)
	}
}

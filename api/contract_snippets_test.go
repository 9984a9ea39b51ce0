package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

const snippetToken = "plt_snippet"

// A contractServer answers each operation with the contract's example, and notes which
// of them were asked for as the contract has it.
type contractServer struct {
	*httptest.Server
	operations []operationView

	mu    sync.Mutex
	asked map[string]bool // operationId
	wrong []string
}

func newContractServer(t *testing.T) *contractServer {
	t.Helper()
	s := &contractServer{asked: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	root, err := contractDocument(s.URL+"/v0", s.URL, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range readContract(root).Groups {
		for _, o := range group.Operations {
			if !o.Alternative {
				s.operations = append(s.operations, o)
			}
		}
	}
	return s
}

func (s *contractServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.operations {
		if o.Method != r.Method || o.address != s.URL+r.URL.Path {
			continue
		}
		switch {
		case o.secured && r.Header.Get("Authorization") != snippetToken:
			s.wrong = append(s.wrong, o.ID+": no access token was sent")
		case !o.secured && r.Header.Get("Authorization") != "":
			s.wrong = append(s.wrong, o.ID+": the access token was sent to an address that asks for none")
		case o.Example != "" && !sameJSON([]byte(o.Example), body):
			s.wrong = append(s.wrong, fmt.Sprintf("%s: got %s, want %s", o.ID, body, o.Example))
		case o.file != "" && string(body) != "content of "+o.file:
			s.wrong = append(s.wrong, fmt.Sprintf("%s: got %q, want the file", o.ID, body))
		}
		s.asked[o.ID] = true
		for _, answer := range o.Responses {
			if !strings.HasPrefix(answer.Status, "2") {
				continue
			}
			if answer.Example != "" {
				w.Header().Set("Content-Type", "application/json")
			}
			status := 0
			_, _ = fmt.Sscan(answer.Status, &status)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, answer.Example)
			return
		}
	}
	http.Error(w, r.Method+" "+r.URL.Path+" is no operation of the contract", http.StatusTeapot)
}

// sameJSON takes an empty body for an empty object: the API does.
func sameJSON(want, got []byte) bool {
	var a, b any
	if len(bytes.TrimSpace(got)) == 0 {
		got = []byte("{}")
	}
	return json.Unmarshal(want, &a) == nil && json.Unmarshal(got, &b) == nil && reflect.DeepEqual(a, b)
}

// judge fails for each operation that was not asked for, or asked for wrongly.
func (s *contractServer) judge(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.operations {
		if !s.asked[o.ID] {
			t.Errorf("the snippet of %s did not ask for it", o.ID)
		}
	}
	for _, fault := range s.wrong {
		t.Error(fault)
	}
}

// folder has the files that snippets read.
func (s *contractServer) folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range snippetFiles {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("content of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestSnippetsAskForTheirOperations(t *testing.T) {
	t.Parallel()
	for language, in := range map[string]struct {
		ending  string
		command []string // runs the files that are named behind it
		asks    []string // answers whether the language and its library are there
	}{
		"curl":       {".sh", []string{"sh", "-c", `for f; do sh -e "$f" || exit 1; done`, "sh"}, []string{"curl", "--version"}},
		"JavaScript": {".mjs", []string{"node", "--input-type=module", "-e", `for (const f of process.argv.slice(1)) await import(f)`}, []string{"node", "--version"}},
		"Python":     {".py", []string{"python3", "-c", "import runpy, sys\nfor f in sys.argv[1:]: runpy.run_path(f)"}, []string{"python3", "-c", "import requests"}},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if err := exec.CommandContext(t.Context(), in.asks[0], in.asks[1:]...).Run(); err != nil {
				t.Skipf("%s is not on this machine: %v", strings.Join(in.asks, " "), err)
			}
			s := newContractServer(t)
			folder := s.folder(t)
			var files []string
			for _, o := range s.operations {
				for _, snippet := range o.Snippets {
					if snippet.Language != language {
						continue
					}
					code := snippet.Code
					if language == "curl" { // it says nothing of an answer that is an error
						code = strings.Replace(code, "curl ", "curl -sS --fail ", 1)
					}
					file := filepath.Join(folder, o.ID+in.ending)
					if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
						t.Fatal(err)
					}
					files = append(files, file)
				}
			}
			command := exec.CommandContext(t.Context(), in.command[0], append(in.command[1:], files...)...)
			command.Dir = folder
			command.Env = append(os.Environ(), "TOKEN="+snippetToken, "NO_PROXY=127.0.0.1")
			if said, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, said)
			}
			s.judge(t)
		})
	}
}

// What an operation answers stands beside it.
func TestEachAnswerInJSONHasAnExample(t *testing.T) {
	t.Parallel()
	for _, o := range newContractServer(t).operations {
		for _, answer := range o.Responses {
			if strings.HasPrefix(answer.Status, "2") && answer.Type != (typeView{}) && answer.Example == "" && o.saved == "" {
				t.Errorf("%s: the answer %s has no example", o.ID, answer.Status)
			}
		}
	}
}

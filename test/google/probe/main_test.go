package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/testkit/standin"
)

func TestTheAccountOfTheEnvironmentIsProbedAtGooglesAddresses(t *testing.T) {
	t.Parallel()
	g := standin.NewLike(t, drive.GoogleLike{Speed: 100})
	environment := func(name string) string {
		return map[string]string{"PLATEN_SERVICE_ACCOUNT_FILE": g.ServiceAccount}[name]
	}
	folder := filepath.Join(t.TempDir(), "answers")
	var out, progress bytes.Buffer
	if err := probe(t.Context(), []string{"-keep", folder, "-json"}, environment, g.Client().Transport, &out, &progress); err != nil {
		t.Fatalf("%v: %s", err, progress.String())
	}
	var report Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Questions) < 10 {
		t.Errorf("got %v and %s, want each question", err, out.String())
	}
	if kept, err := filepath.Glob(filepath.Join(folder, "doc*.json")); err != nil || len(kept) == 0 {
		t.Errorf("%d documents are kept, %v; want some", len(kept), err)
	}
}

func TestWithoutCredentialsNothingIsCalled(t *testing.T) {
	t.Parallel()
	err := probe(t.Context(), nil, func(string) string { return "" }, nil, io.Discard, io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "nothing was called: set PLATEN_SERVICE_ACCOUNT_FILE") {
		t.Errorf("got %v, want that nothing was called, and what to set", err)
	}
}

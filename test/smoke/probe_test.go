package smoke

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/program"
)

// others counts the files of the account but the folder of the test.
func (a *account) others(t *testing.T) int {
	t.Helper()
	page, err := a.Drive.Files.List().Q("trashed=false").Fields("files(id)").Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range page.Files {
		if f.Id != a.folder {
			n++
		}
	}
	return n
}

// onOwnDrive leaves Google's accounts to `platen google probe` itself.
func onOwnDrive(t *testing.T, speed int) (*account, *service) {
	t.Helper()
	if os.Getenv(withGoogle) != "" {
		t.Skip("platen google probe is run by hand in an account of Google's")
	}
	a := openAccount(t, speed)
	return a, newService(t, a)
}

func TestAProbeOfTheProgramReportsAndKeepsAnswers(t *testing.T) {
	t.Parallel()
	a, s := onOwnDrive(t, 60)
	folder := filepath.Join(t.TempDir(), "answers")
	var out, said bytes.Buffer
	c := s.platen(t, "google", "probe", "--user", email, "--keep-fixtures", folder, "--json")
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	var report struct {
		Questions []struct{ Question, Answer string }
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Questions) < 10 {
		t.Errorf("got %v and %s, want each question", err, out.String())
	}
	if kept, err := filepath.Glob(filepath.Join(folder, "doc*.json")); err != nil || len(kept) == 0 {
		t.Errorf("%d documents are kept, %v; want some", len(kept), err)
	}
	if n := a.others(t); n != 0 {
		t.Errorf("%d files stay, want none", n)
	}
}

func TestAProbeThatIsInterruptedRemovesWhatItMade(t *testing.T) {
	t.Parallel()
	a, s := onOwnDrive(t, 5) // slow enough to be interrupted
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	var out bytes.Buffer
	c := s.platen(t, "google", "probe", "--user", email)
	c.Stdout, c.Stderr = &out, said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	err = program.Within(patience, func() error {
		text, err := os.ReadFile(said.Name())
		if err == nil && !bytes.Contains(text, []byte("files.copy")) {
			return os.ErrNotExist
		}
		return err
	})
	if err != nil {
		t.Fatalf("the probe did not come to its first copy: %v", err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended, ok := c.Wait().(*exec.ExitError)
	if !ok || ended.ExitCode() != 1 || !strings.Contains(out.String(), "The probe was interrupted.") || !strings.Contains(out.String(), "Everything that the probe made was removed.") {
		t.Errorf("got %v and %s; want status 1, and that it was interrupted and all was removed", ended, out.String())
	}
	if n := a.others(t); n != 0 {
		t.Errorf("%d files stay, want none", n)
	}
}

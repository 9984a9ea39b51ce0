package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAWorkflowIsNotMadeForAFileThatIsNoTemplate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "old.doc")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := sit(t)
	d.answers["POST /workflows/"] = object{"id": "wkf_1"}
	d.CheckTemplate = func(content []byte) error { return errors.New("it is " + string(content)) }
	err := d.run(t.Context(), d.loggedIn("workflows", "create", "N", "--file", file)...)
	if err == nil || !strings.Contains(err.Error(), "old.doc: it is old") || slices.Contains(d.asked, "POST /workflows/") {
		t.Errorf("got %v after %q; want the fault of the file, and no workflow", err, d.asked)
	}
}

func TestAWorkflowWithoutItsTemplateSaysHowToAddIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new.docx")
	if err := os.WriteFile(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := sit(t)
	d.answers["POST /workflows/"] = object{"id": "wkf_1"}
	err := d.run(t.Context(), d.loggedIn("workflows", "create", "N", "--file", file)...)
	if want := "'platen documents create wkf_1 " + file + "'"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestAWorkflowIsChangedByWhatIsNamed(t *testing.T) {
	t.Parallel()
	d := sit(t)
	const at = "PATCH /workflows/wkf_1/"
	d.answers[at] = object{"id": "wkf_1"}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--ordered-by", "Customer.Number"}, `{"orderedBy":"Customer.Number"}`},
		{[]string{"--ordered-by", "", "--locale", "de-AT"}, `{"locale":"de-AT","orderedBy":""}`},
		{[]string{"--name", "Bills"}, `{"name":"Bills"}`},
	} {
		err := d.run(t.Context(), d.loggedIn(append([]string{"workflows", "update", "wkf_1"}, c.flags...)...)...)
		if got := string(d.bodies[at]); err != nil || got != c.want {
			t.Errorf("%q: got %v and sent %s, want %s", c.flags, err, got, c.want)
		}
	}
	if err := d.run(t.Context(), d.loggedIn("workflows", "update", "wkf_1")...); err == nil || !strings.Contains(err.Error(), "--ordered-by") {
		t.Errorf("without a setting: got %v, want which there are", err)
	}
}

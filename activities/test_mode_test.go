package activities_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// The mark is under the encryption, and the hashes are those of what is uploaded.
func TestTheFilesOfATestAreMarkedAndNamedSo(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "secret"} {
		doc := document()
		doc.CreatePDFCopy, doc.RemoveOutput = true, false
		doc.EnablePDFPassword, doc.PDFPassword = password != "", password
		w := newHarness(doc, `{"Name":"Ada"}`)
		w.plan.Test = true
		for i, s := range steps(w.documents()) {
			for range 2 {
				if err := s(t.Context()); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
		}
		o := w.outputs["out_1"]
		if o.Copy == nil || o.PDF == nil || !strings.HasPrefix(o.Copy.Name, "[TEST] ") || o.PDF.Name != o.Copy.Name+".pdf" {
			t.Fatalf("password %q: got copy %+v and PDF %+v, want both named [TEST]", password, o.Copy, o.PDF)
		}
		content := w.files[o.PDF.ID].content
		want := "marked TEST: "
		if password != "" {
			want = "locked with secret,"
		}
		if !strings.HasPrefix(content, want) || strings.Count(content, "marked TEST: ") != 1 {
			t.Errorf("password %q: got %q, want it marked once, below its encryption", password, content)
		}
	}
}

func TestATestSendsNoMailAndSaysSo(t *testing.T) {
	t.Parallel()
	p, m := mailed(toAda, ada)
	p.plan.Test = true
	for range 2 {
		result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail, InRun: true})
		if err != nil || result.State != platen.MailNotSent {
			t.Fatalf("got %+v, %v, want NOT_SENT", result, err)
		}
	}
	if len(p.letters) != 0 || p.mail == nil || p.mail.Code != "test_mode" {
		t.Errorf("got %d letters and %+v, want none and why", len(p.letters), p.mail)
	}
}

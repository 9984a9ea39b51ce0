package platen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestAWorkflowSaysWhatKeepsItsMailFromBringingAllOutputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		email platen.Email
		other platen.Document
		want  string
	}{
		"PDFs of both":             {platen.Email{AllOutputs: true, Attach: platen.AttachPDF}, platen.Document{CreatePDFCopy: true}, ""},
		"no PDF":                   {platen.Email{AllOutputs: true, Attach: platen.AttachPDF}, platen.Document{}, platen.CodeEmailWithoutPDF},
		"no PDF behind a link":     {platen.Email{AllOutputs: true, Attach: platen.AttachLink, LinkDays: 3}, platen.Document{}, platen.CodeEmailWithoutPDF},
		"a link in the drive":      {platen.Email{AllOutputs: true, Attach: platen.AttachLink}, platen.Document{}, ""},
		"no office file":           {platen.Email{AllOutputs: true, Attach: platen.AttachOffice}, platen.Document{CreatePDFCopy: true, RemoveOutput: true}, platen.CodeEmailWithoutOffice},
		"one that is approved":     {platen.Email{AllOutputs: true, Attach: platen.AttachOffice}, platen.Document{CreatePDFCopy: true, Approval: &platen.Approval{}}, platen.CodeApprovalOfPDF},
		"a mail of its own output": {platen.Email{Attach: platen.AttachPDF}, platen.Document{}, ""},
	} {
		own := platen.Document{ID: "doc_1", CreatePDFCopy: true, Email: &c.email}
		c.other.ID = "doc_2"
		w := platen.Workflow{Documents: []platen.Document{own, c.other}}
		got := w.SettingFindings(own, nil)
		of := w.SettingFindings(c.other, nil)
		told := slices.IndexFunc(of, func(f platen.SettingFinding) bool { return strings.Contains(f.Message, "document doc_1 ") })
		if c.want == "" && len(got) == 0 && told < 0 {
			continue
		}
		if told < 0 || of[told].Code != c.want {
			t.Errorf("%s, of the other document: got %+v, want %q", name, of, c.want)
		}
		if len(got) != 1 || got[0].Code != c.want || !got[0].Fails || !strings.Contains(got[0].Message, "document doc_2 ") {
			t.Errorf("%s: got %+v, want %q", name, got, c.want)
		}
	}
	if got := (platen.Workflow{}).SettingFindings(platen.Document{}, nil); got != nil {
		t.Errorf("without a mail: got %+v", got)
	}
}

func TestSettingsOfPDFsThatAreNotMadeAreFindings(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]platen.Document{
		"seals_nothing":             {Seal: true},
		"accessibility_without_pdf": {Accessibility: platen.AccessibilityRequire},
	} {
		if got := d.SettingFindings(); len(got) != 1 || got[0].Code != want {
			t.Errorf("got %+v, want %s", got, want)
		}
		d.CreatePDFCopy = true
		if got := d.SettingFindings(); got != nil {
			t.Errorf("with a PDF: got %+v, want none", got)
		}
	}
}

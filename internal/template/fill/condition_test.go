package fill

import (
	"fmt"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestAPlanLeavesOutWhatItsConditionsSkip(t *testing.T) {
	t.Parallel()
	plan := func() platen.Plan {
		return platen.Plan{AutomationID: "aut_1", Documents: []platen.PlannedDocument{
			{OutputID: "out_1", Document: platen.Document{ID: "doc_1", When: "Total > 1000", Email: &platen.Email{To: "a@example.com", When: "Mail"}}},
			{OutputID: "out_2", Document: platen.Document{ID: "doc_2", CreatePDFCopy: true, Appendices: []string{"file"}, AppendicesWhen: `Country = "CH"`}},
			{OutputID: "out_3", Document: platen.Document{ID: "doc_3"}},
			{OutputID: "out_5", Document: platen.Document{ID: "doc_5", OutputSharing: platen.SharingAnyone, OutputSharingWhen: "Published"}},
			{OutputID: "out_4", Document: platen.Document{ID: "doc_4", AppendicesWhen: "false", Email: &platen.Email{To: "a@example.com"}}}, // nothing is appended
		}}
	}
	for event, want := range map[string]string{
		`{"Total": 2000, "Mail": true, "Country": "CH", "Published": true}`: "doc_1+mail doc_2+1 doc_3 doc_5+shared doc_4+mail ",
		`{"Total": 2000, "Country": "DE"}`:                                  `doc_1 doc_2 doc_3 doc_5 doc_4+mail {doc_1 email Mail}{doc_2 appendices Country = "CH"}{doc_5 sharing Published}`,
		`{"Total": 10, "Mail": true}`:                                       `doc_2 doc_3 doc_5 doc_4+mail {doc_1 document Total > 1000}{doc_2 appendices Country = "CH"}{doc_5 sharing Published}`,
	} {
		p := plan()
		if err := Decide(&p, []byte(event), time.UTC); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range p.Documents {
			got += d.Document.ID
			if d.Document.Email != nil {
				got += "+mail"
			}
			if d.Document.OutputSharing.Shares() {
				got += "+shared"
			}
			if n := len(d.Document.Appendices); n > 0 {
				got += fmt.Sprint("+", n)
			}
			got += " "
		}
		for _, s := range p.Skipped {
			got += fmt.Sprintf("{%s %s %s}", s.DocumentID, s.Part, s.When)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", event, got, want)
		}
	}
	faulty := platen.Plan{AutomationID: "aut_1", Documents: []platen.PlannedDocument{{Document: platen.Document{ID: "doc_1", When: "Name * 2 > 1"}}}}
	if err := Decide(&faulty, []byte(`{"Name": "Ada Byron"}`), time.UTC); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("got %v, want that it cannot be worked out", err)
	}
}

// A sender who leaves out, or renames, the field that approval depends on does not get around it.
func TestNothingPassesApprovalForWantOfAField(t *testing.T) {
	t.Parallel()
	for event, waits := range map[string]bool{`{"Total": 20000}`: true, `{"Total": 80}`: false, `{"Sum": 20000}`: true, `{"Total": null}`: true, `{"Total": ""}`: true} {
		p := platen.Plan{AutomationID: "aut_1", Documents: []platen.PlannedDocument{{Document: platen.Document{ID: "doc_1", CreatePDFCopy: true, Approval: &platen.Approval{By: []string{"ada@example.com"}, When: "Total > 10000"}}}}}
		if err := Decide(&p, []byte(event), time.UTC); err != nil {
			t.Fatal(err)
		}
		if got := p.Documents[0].Document.Approval != nil; got != waits {
			t.Errorf("%s: waits: got %v, want %v", event, got, waits)
		}
	}
}

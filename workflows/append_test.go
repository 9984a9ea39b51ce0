package workflows_test

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestWhatIsAppendedIsFilledBeforeThePDFIsMade(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Append = true
	if _, err := run(t, s); err != nil {
		t.Fatal(err)
	}
	want := []string{"LoadPlan", "CopyTemplate", "FillTags", "FillAppendices", "MakePDF", "RemoveOriginal", "RecordOutput", "SendEvent", "FinishAutomation"}
	if !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestWithoutWhatIsAppendedNoPDFIsMade(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.plan.Documents[0].Append, s.state = true, platen.AutomationFailed
	s.fail["FillAppendices"] = []error{permanent()}
	if _, err := run(t, s); err == nil {
		t.Fatal("the run did not fail")
	}
	if s.count("MakePDF") != 0 {
		t.Errorf("steps: got %v, want no PDF", s.steps())
	}
}

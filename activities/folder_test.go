package activities_test

import (
	"testing"
)

func TestThePDFGoesIntoTheFolderOfItsCopy(t *testing.T) {
	t.Parallel()
	for name, forgotten := range map[string]bool{"the copy says where it is": false, "its row is of a release that did not note it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
			all := steps(w.documents())
			for i, s := range all {
				if err := s(t.Context()); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				if o := w.known(); forgotten && i == 1 {
					copied := *o.Copy
					copied.Parent = ""
					o.Copy = &copied
					w.set(o)
				}
			}
			checkOneOutput(t, w)
			if got := w.files[w.known().PDF.ID].Parent; got != "folder" {
				t.Errorf("the PDF is in %q, want it in the folder of its copy", got)
			}
		})
	}
}

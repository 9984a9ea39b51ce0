package lang

import "testing"

func TestAConditionHoldsOrSaysWhyItCannotBeWorkedOut(t *testing.T) {
	t.Parallel()
	data, err := ParseData([]byte(`{"Total": 1200, "Country": "CH", "Items": [{"Name": "Ink"}], "Empty": "", "Name": "Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	for condition, want := range map[string]bool{
		"Total > 1000":                      true,
		"Total > 1000 and Country = \"DE\"": false,
		"Country = \"ch\" or Total < 1":     true,
		"Items":                             true,
		"Empty":                             false,
		"Absent":                            false, // as in {{#if}}
		"Absent > 3":                        false,
		"not Absent":                        true,
		"Workflow Name = \"Letters\"":       true,
	} {
		holds, wrong := Condition(condition, data, Builtins{WorkflowName: "Letters"})
		if wrong != nil || holds != want {
			t.Errorf("%s: got %v, %v; want %v", condition, holds, wrong, want)
		}
	}
	for _, condition := range []string{"Total >", "Total > 1000 }}{{/if}}", "{{Total}} > 1000", "sum(", "Total / 0 > 1", "Name * 2 > 1", "nosuch(Total)"} {
		if holds, wrong := Condition(condition, data, Builtins{}); wrong == nil || wrong.Message == "" || holds {
			t.Errorf("%s: got %v, %v; want why it cannot be worked out", condition, holds, wrong)
		}
	}
	for condition, reads := range map[string]bool{"Total > 1000": true, "Total / 0 > 1": true, "Customer.Name": true, "Total >": false, "{{Total}}": false, "sum(": false} {
		if wrong := CheckCondition(condition); (wrong == nil) != reads {
			t.Errorf("%s: got %v, want that it can be read: %v", condition, wrong, reads)
		}
	}
}

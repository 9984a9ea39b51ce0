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

// What somebody has to see is not let past because the event lacks what the condition asks for.
func TestACautiousConditionHoldsWhereTheEventLacksAField(t *testing.T) {
	t.Parallel()
	for event, conditions := range map[string]map[string]bool{
		`{"Total": 20000, "Country": "CH"}`: {"Total > 10000": true, "Total > 30000": false, `Country = "DE"`: false, "Sum > 10000": true, "Total > 30000 and Sum > 1": false, "Total > 10 and Sum > 1": true, "DEFAULT(Sum, 0) > 10000": false, "not Country": false, "Urgent": true, "DEFAULT(Urgent, false)": false, "IF(Sum > 10000, true, false)": true, "IF(Total > 10000, Total > 30000, Sum > 1)": false},
		`{"Total": null}`:                   {"Total > 10000": true, "DEFAULT(Total, 0) > 10000": false},
		`{"Total": " "}`:                    {"Total > 10000": true, "DEFAULT(Total, 0) > 10000": false},
		`{"Total": 0}`:                      {"Total > 10000": false},
		`{"Items": []}`:                     {"SUM(Items.Price) > 10": false, "COUNT(Items) > 2": false},
		`{"Items": [{"Price": 1}, {}]}`:     {"SUM(Items.Price) > 10": true},
	} {
		for condition, want := range conditions {
			data, err := ParseData([]byte(event))
			if err != nil {
				t.Fatal(err)
			}
			if got, wrong := CautiousCondition(condition, data, Builtins{}); got != want || wrong != nil {
				t.Errorf("%s with %s: got %v, %v, want %v", condition, event, got, wrong, want)
			}
		}
	}
}

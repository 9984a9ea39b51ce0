package preview

import "testing"

func TestWhatIsTypedInBecomesAnEvent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		fields []string
		texts  map[string]string
		lists  map[string]bool
		want   string
	}{
		{"fields and objects", []string{"Name", "Customer.Address.City", "Empty"}, map[string]string{"Name": "Ada", "Customer.Address.City": "Graz", "Other": "x"}, nil,
			`{"Customer":{"Address":{"City":"Graz"}},"Name":"Ada"}`},
		{"several lines make a list", []string{"Items.Name", "Items.Qty"}, map[string]string{"Items.Name": "Bolt\r\nNut\r\n", "Items.Qty": "3"}, nil,
			`{"Items":[{"Name":"Bolt","Qty":"3"},{"Name":"Nut"}]}`},
		{"the template says what is a list", []string{"Items.Name", "Tags"}, map[string]string{"Items.Name": "Bolt", "Tags": "a\nb"}, map[string]bool{"Items": true, "Tags": true},
			`{"Items":[{"Name":"Bolt"}],"Tags":["a","b"]}`},
		{"lines of a field are one text", []string{"Note"}, map[string]string{"Note": "one\ntwo"}, nil, `{"Note":"one\ntwo"}`},
		{"lists inside lists", []string{"Orders.No", "Orders.Lines.Part"}, map[string]string{"Orders.No": "1", "Orders.Lines.Part": "A\nB"}, map[string]bool{"Orders": true, "Orders.Lines": true},
			`{"Orders":[{"Lines":[{"Part":"A"},{"Part":"B"}],"No":"1"}]}`},
		{"fields that do not fit together", []string{"A", "A.B", "A.B.C"}, map[string]string{"A": "1", "A.B": "2", "A.B.C": "3\n4"}, nil,
			`{"A":"1","A.B":["2"],"A.B.C":["3","4"]}`},
		{"odd names", []string{".", "a..b", ""}, map[string]string{".": "1", "a..b": "2", "": "3"}, nil, `{"":{"":"1"},"a":{"":{"b":"2"}}}`},
		{"nothing", nil, nil, nil, `{}`},
	} {
		got, err := makeEvent(c.fields, c.texts, c.lists)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func FuzzDataOf(f *testing.F) {
	f.Add("A.B", "1\n2", "A", "x", "A")
	f.Fuzz(func(t *testing.T, one, first, two, second, list string) {
		if _, err := makeEvent([]string{one, two}, map[string]string{one: first, two: second}, map[string]bool{list: true}); err != nil {
			t.Error(err)
		}
	})
}

package form_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/form"
	"github.com/platenhq/platen/internal/template/lang"
)

func input() platen.FormInput {
	return platen.FormInput{Texts: map[string]string{}, Rows: map[string][]int{}, Lists: map[string]bool{}}
}

// of is the form of a template's text.
func of(in platen.FormInput, texts ...string) platen.Form {
	return form.Of(lang.ReadRequirements(texts), nil, in)
}

// write writes fields on one line, such as Items:list(Name:text Price:number).
func write(fields []platen.FormField) string {
	all := []string{}
	for _, f := range fields {
		one := f.Name + ":" + string(f.Kind)
		if f.Item != "" {
			one += "/" + string(f.Item)
		}
		if len(f.Fields) > 0 {
			one += "(" + write(f.Fields) + ")"
		}
		all = append(all, one)
	}
	return strings.Join(all, " ")
}

func TestAFormAsksByWhatTheTemplateDoesWithAValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{Name}} {{Customer.Address.City}} {{Timestamp}}`:                    "Name:text Customer:group(Address:group(City:text))",
		`{{= DATE(Due, "d MMMM")}} {{= ADD_DAYS(From, 3)}}`:                   "Due:date From:date",
		`{{= Qty * 2}} {{= CURRENCY(Total, "EUR")}} {{#if Age > 18}}x{{/if}}`: "Qty:number Total:number Age:number",
		`{{#if Paid}}x{{/if}}{{#if not Express and Gift}}x{{/if}}`:            "Paid:truth Express:truth Gift:truth",
		`{{#if Nick}}{{Nick}}{{/if}}{{#if Kind = "A"}}x{{/if}}`:               "Nick:text Kind:text",
		`{{image Logo 30mm}} {{qr Url}} {{Note}}`:                             "Logo:picture Url:text Note:long",
		`{{markdown Body Copy}} {{markdown LOWER(X)}}`:                        "Body Copy:long X:text",
		`{{#each Orders}}{{No}}{{#each Lines}}{{Part}}{{/each}}{{/each}}`:     "Orders:list(No:text Lines:list(Part:text))",
		`{{#each Tags}}{{this}}{{/each}}`:                                     "Tags:list/text",
		`{{Items.Name}} {{Address.City}} {{Positionen.Art}}`:                  "Items:list(Name:text) Address:group(City:text) Positionen:list(Art:text)",
		`{{Basket.Name}} {{= SUM(Basket.Price * Basket.Qty)}}`:                "Basket:list(Name:text Price:number Qty:number)",
		`{{= SUM(Prices)}} {{= MAX(Rate, 0)}}`:                                "Prices:list/number Rate:number",
	} {
		if got := write(of(input(), text).Fields); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// An item's own field comes before one of the whole data with the same name.
func TestTheSourceSaysWhatIsOfAnItem(t *testing.T) {
	t.Parallel()
	whole := lang.ReadRequirements([]string{"{{Name}} {{City}}{{#each Items}}{{Name}} {{City}} {{Part}}{{/each}}{{#each People}}{{Name}}{{/each}}"})
	if got, want := write(form.Of(whole, []string{"Name", "Items.Name"}, input()).Fields), "Name:text City:text Items:list(Part:text Name:text) People:list(Name:text)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSomebodySaysWhetherWhatMayBeAListIsOne(t *testing.T) {
	t.Parallel()
	in := input()
	in.Lists = map[string]bool{"Customer": true, "Items": false, "Orders": false}
	if got, want := write(of(in, "{{Customer.Name}} {{Items.Name}} {{#each Orders}}{{No}}{{/each}}").Fields), "Customer:list(Name:text) Items:group(Name:text) Orders:list(No:text)"; got != want {
		t.Errorf("got %s, want %s; what {{#each}} repeats is a list", got, want)
	}
}

func TestWhatIsTypedInBecomesAnEvent(t *testing.T) {
	t.Parallel()
	in := input()
	for path, text := range map[string]string{
		"Name": " Ada ", "Customer.Address.City": "Graz", "Empty": "  ", "Note": "one\r\ntwo\r\n", "Total": "1.234,50", "Odd": "a lot", "Due": "2026-01-31", "Paid": "yes",
		"Logo": "data:image/png;base64,AAAA", "Items[0].Part": "Bolt", "Items[0].Price": "1,50", "Items[0].Sold": "yes", "Items[4].Part": "Nut", "Items[4].Parts[0].No": "7", "Items[9].Name": "not a row",
		"Tags[0]": "new", "Tags[1]": "", "Other": "x",
	} {
		in.Texts[path] = text
	}
	in.Rows = map[string][]int{"Items": {4, 0, 2}, "Items[4].Parts": {0}, "Tags": {0, 1}}
	f := of(in, `{{Name}} {{Customer.Address.City}} {{Empty}} {{Note}} {{= NUMBER(Total, 2, "de-AT")}} {{= Odd * 2}} {{= DATE(Due)}} {{#if Paid}}x{{/if}}{{#if Late}}x{{/if}}
		{{image Logo}} {{#each Items}}{{Part}} {{= Price * 1}} {{#if Sold}}x{{/if}}{{#each Parts}}{{No}}{{/each}}{{/each}}{{#each Tags}}{{this}}{{/each}}`)
	got, err := form.Data(f, in, nil)
	want := `{"Customer":{"Address":{"City":"Graz"}},"Due":"2026-01-31","Items":[{"Part":"Nut","Parts":[{"No":"7"}],"Sold":false},{"Part":"Bolt","Parts":[],"Price":1.50,"Sold":true}],"Late":false,"Logo":"data:image/png;base64,AAAA","Name":" Ada ","Note":"one\ntwo","Odd":"a lot","Paid":true,"Tags":["new"],"Total":1234.50}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// What is typed into a form is read as the same text of an event is.
func TestNumbersAreReadWithEitherDecimalSign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1,50": "1.50", "1.50": "1.50", "14,00": "14.00", "1.234,5": "1234.5", "1,234.5": "1234.5", "1.234.567": "1234567", "-3": "-3", "1 234": "1234",
		"1.234": `"1.234"`, "1,234": `"1,234"`, "x": `"x"`, "12 %": `"12 %"`,
	} {
		for _, locale := range []string{"de-DE", "en"} {
			in := input()
			in.Texts["A"] = text
			got, err := form.Data(of(input(), fmt.Sprintf(`{{= NUMBER(A, 2, %q)}}`, locale)), in, nil)
			if err != nil || string(got) != `{"A":`+want+`}` {
				t.Errorf("%q in %s: got %s, %v; want %s", text, locale, got, err, want)
			}
		}
	}
	for locale, want := range map[string]string{"de-DE": ",", "en": ".", "": ".", "nonsense!": "."} {
		if got := of(input(), fmt.Sprintf(`{{= NUMBER(A, 2, %q)}}`, locale)).Point; got != want {
			t.Errorf("%s: got the sign %q, want %q", locale, got, want)
		}
	}
}

func TestAFormIsBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range platen.MaxFormFields + 3 {
		fmt.Fprintf(&text, "{{A%d}}", i)
	}
	if f := of(input(), text.String()); len(f.Fields) != platen.MaxFormFields || f.More != 3 {
		t.Errorf("got %d fields and %d more", len(f.Fields), f.More)
	}
	in := input()
	for i := range platen.MaxFormRows + 1 {
		in.Rows["L"] = append(in.Rows["L"], i)
	}
	if _, err := form.Data(of(in, "{{#each L}}{{A}}{{/each}}"), in, nil); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("%d rows: got %v, want them refused", len(in.Rows["L"]), err)
	}
	in.Rows["L"] = in.Rows["L"][:200]
	wide := "{{#each L}}" + text.String() + "{{/each}}"
	if _, err := form.Data(of(in, wide), in, nil); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("200 rows of 200 values: got %v, want them refused", err)
	}
	in.AddRow("L")
	if len(in.Rows["L"]) != platen.MaxFormRows {
		t.Errorf("a row too many was added")
	}
	in.DropRow("L[7]")
	in.AddRow("L")
	in.DropRow("L")
	if n := len(in.Rows["L"]); n != platen.MaxFormRows || in.Rows["L"][n-1] != 200 {
		t.Errorf("got %d rows, the last is %d; want one fewer and one more", n, in.Rows["L"][n-1])
	}
}

func TestWithoutATemplateAFormHasTheSourcesFieldsAndWhatWasTyped(t *testing.T) {
	t.Parallel()
	in := input()
	in.Rows["Items"], in.Texts["Items[0].Price"], in.Texts["New"] = []int{0}, "1", "x"
	f := form.OfNames([]string{"Name", "Items.Name"}, in)
	if got, want := write(f.Fields), "Name:text Items:list(Name:text Price:text) New:text"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := strings.Join(form.Names(f), " "); got != "Name Items.Name Items.Price New" {
		t.Errorf("names: got %s", got)
	}
}

func TestAnExampleFitsNamesAndKindsAndIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	f := of(input(), `{{Customer.Name}} {{Customer.Address.Postcode}} {{customerEmail}} {{= DATE(Due, "d.M.", "", "de")}} {{image Logo}} {{#if Paid}}x{{/if}}{{Strange Thing}}
		{{#each Items}}{{Name}} {{= Qty * Price}}{{/each}}`)
	in := form.Example(f, input())
	data, err := form.Data(f, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := form.Data(f, form.Example(f, input()), nil)
	if string(again) != string(data) {
		t.Error("two examples differ")
	}
	var got struct {
		Customer struct {
			Name    string
			Address struct{ Postcode string }
		}
		CustomerEmail, Due, Logo string
		Paid                     bool
		Strange                  string `json:"Strange Thing"`
		Items                    []struct {
			Name       string
			Qty, Price json.Number
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Customer.Name != "Ada Lovelace" || got.Customer.Address.Postcode != "8010" || got.CustomerEmail != "ada@example.com" || got.Due != "2026-04-13" ||
		!strings.HasPrefix(got.Logo, "data:image/png;base64,") || !got.Paid || got.Strange != "Strange Thing" ||
		len(got.Items) != 3 || got.Items[0].Name == got.Items[1].Name || got.Items[1].Qty != "10" || got.Items[1].Price != "4.90" {
		t.Errorf("got %s", data)
	}
	if got := in.Texts["Items[1].Price"]; got != "4,90" {
		t.Errorf("a German price is typed %q, want 4,90", got)
	}
}

// What somebody typed in stays: an example fills what is empty, and the rows that are there.
func TestAnExampleKeepsWhatWasTypedIn(t *testing.T) {
	t.Parallel()
	f := of(input(), `{{Customer.Name}} {{Town}} {{Note}}{{#each Items}}{{Name}} {{= Qty * 1}}{{/each}}{{#each Empty}}{{Code}} {{Qty}}{{/each}}`)
	in := input()
	in.Texts["Customer.Name"], in.Texts["Items[4].Name"], in.Texts["Note"], in.Texts["Empty[0].Code"] = "Grace", "Bolt", "  ", ""
	in.Rows["Items"], in.Rows["Empty"] = []int{4, 7}, []int{0}
	out := form.Example(f, in)
	if out.Texts["Customer.Name"] != "Grace" || out.Texts["Items[4].Name"] != "Bolt" {
		t.Errorf("got %v, want what was typed in", out.Texts)
	}
	for _, path := range []string{"Town", "Note", "Items[4].Qty", "Items[7].Name", "Items[7].Qty", "Empty[2].Code"} {
		if strings.TrimSpace(out.Texts[path]) == "" {
			t.Errorf("%s is empty", path)
		}
	}
	if got := fmt.Sprint(out.Rows["Items"], out.Rows["Empty"]); got != "[4 7] [0 1 2]" {
		t.Errorf("got the rows %s, want those with something in them, and three where nothing is", got)
	}
}

func FuzzData(f *testing.F) {
	f.Add("{{A.B}}{{#each L}}{{= X * 2}}{{/each}}", "L[0].X", "1,5", "L")
	f.Fuzz(func(t *testing.T, text, path, typed, list string) {
		in := input()
		in.Texts[path], in.Rows[list], in.Lists[list] = typed, []int{0, 1}, true
		for _, shown := range []platen.Form{of(in, text), form.OfNames([]string{path}, in)} {
			for _, what := range []platen.FormInput{in, form.Example(shown, in)} {
				if data, err := form.Data(shown, what, nil); err == nil && !json.Valid(data) {
					t.Errorf("got %s", data)
				}
			}
		}
	})
}

func TestAnEventThatNobodyChangesInItsFormStaysAsItIs(t *testing.T) {
	t.Parallel()
	const text = "{{Name}} {{Customer.City}}{{= Total * 2}}{{#if Paid}}x{{/if}}{{#each Items}}{{Part}} {{= Price * 2}}{{/each}}{{#each Tags}}{{this}}{{/each}}{{image Logo}}{{Note}}"
	for _, event := range []string{
		`{}`, `{"Name":" Ada ","Customer":{"City":"Kiel","Nr":7},"Other":{"a":[1]}}`, `{"name":"ada","TOTAL":1.50,"paid":"yes"}`, `{"Total":"14,00","Paid":false}`, `{"Total":1e3,"Paid":0}`,
		`{"Items":[{"Part":"a","Price":1.10,"Extra":true},{"Price":"x"},{"Extra":1},{},"odd",null]}`, `{"Items":{"Part":"a"}}`, `{"Items":[],"Tags":["a","",null,1]}`, `{"Name":null,"Note":"a\nb","Customer":"odd"}`, `{"Name":{"odd":1},"Total":[1]}`,
		`{"Name":"\n a\r\nb\r\n","Paid":"Paid"}`, `{"Paid":1,"Customer":{}}`, `{"customer":[{"City":"Kiel"}]}`,
	} {
		in := platen.FormInput{Lists: form.Lists([]byte(event))}
		f := of(in, text)
		f.Point = ","
		in, fits := form.Input(f, []byte(event))
		for path, text := range in.Texts { // as a browser sends it
			in.Texts[path] = strings.ReplaceAll(strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n", "\r\n")
		}
		got, err := form.Data(f, in, []byte(event))
		if err != nil || !fits || canonical(t, got) != canonical(t, []byte(event)) {
			t.Errorf("%s: got %s, %v, fits %t", event, got, err, fits)
		}
	}
}

// canonical is JSON with its members in order and its numbers as they were written.
func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestWhatIsChangedInTheFormOfAnEventIsChangedThereAlone(t *testing.T) {
	t.Parallel()
	const event = `{"Kunde":{"ort":"Kiel","Nr":7},"Posten":[{"Preis":"vierzehn","Ware":"Brot","Id":1},{"Preis":2.5,"Ware":"Salz","Id":2}],"Notiz":"x","Bezahlt":true,"Fremd":[1,{"a":2}]}`
	in := platen.FormInput{Lists: form.Lists([]byte(event))}
	f := of(in, "{{Kunde.Ort}}{{#each Posten}}{{Ware}} {{= Preis * 2}}{{/each}}{{Notiz}}{{#if Bezahlt}}x{{/if}}")
	f.Point = ","
	in, _ = form.Input(f, []byte(event))
	if in.Texts["Posten[500001].Preis"] != "2,5" || in.Texts["Kunde.Ort"] != "Kiel" || in.Texts["Bezahlt"] != "yes" {
		t.Fatalf("got the form %v", in.Texts)
	}
	in.Texts["Posten[500000].Preis"], in.Texts["Notiz"], in.Texts["Kunde.Ort"] = "14,00", "", "Plön"
	delete(in.Texts, "Bezahlt")
	in.DropRow("Posten[500001]") // and a new one does not take its place
	in.AddRow("Posten")
	in.Texts["Posten[0].Ware"] = "Tee"
	got, err := form.Data(f, in, []byte(event))
	const want = `{"Kunde":{"ort":"Plön","Nr":7},"Posten":[{"Preis":14.00,"Ware":"Brot","Id":1},{"Ware":"Tee"}],"Bezahlt":false,"Fremd":[1,{"a":2}]}`
	if err != nil || canonical(t, got) != canonical(t, []byte(want)) {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	rows := `{"Posten":[` + strings.Repeat(`{},`, platen.MaxFormRows) + `{}]}`
	if _, fits := form.Input(f, []byte(rows)); fits {
		t.Errorf("a list of %d items fits", platen.MaxFormRows+1)
	}
}

func TestTheOnlyValueOfAnObjectIsEmptied(t *testing.T) {
	t.Parallel()
	const event = `{"Customer":{"City":"Kiel"},"Name":"Ada"}`
	f := of(input(), "{{Customer.City}}{{Name}}")
	in, _ := form.Input(f, []byte(event))
	in.Texts["Customer.City"] = ""
	delete(in.Texts, "Name") // its field was not on the page
	if got, err := form.Data(f, in, []byte(event)); err != nil || canonical(t, got) != canonical(t, []byte(`{"Customer":{},"Name":"Ada"}`)) {
		t.Errorf("got %s, %v", got, err)
	}
}

package billing_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
	"github.com/platenhq/platen/internal/template/lang"
)

const examplesFolder = "../../../examples/e-invoices/"

func read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.FromSlash(examplesFolder + name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// setting is that of the examples.
func setting(t testing.TB, syntax platen.InvoiceSyntax, profile platen.InvoiceProfile) platen.EInvoice {
	t.Helper()
	var sent struct{ Map json.RawMessage }
	if err := json.Unmarshal(read(t, "einvoice.json"), &sent); err != nil {
		t.Fatal(err)
	}
	if profile == platen.InvoiceBasic {
		sent.Map = inBasic(t, sent.Map)
	}
	terms := string(sent.Map)
	if profile == platen.InvoicePeppol { // it has no addresses that are mails
		terms = strings.ReplaceAll(terms, `"EM"`, `"9930"`)
	}
	return platen.EInvoice{Syntax: syntax, Profile: profile, Map: terms}
}

// inBasic is a map without the terms that the profile BASIC has no place for.
func inBasic(t testing.TB, terms json.RawMessage) json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	if json.Unmarshal(terms, &all) != nil {
		return terms // a text, or a list
	}
	for number, one := range all {
		if all[number] = inBasic(t, one); !einvoice.InBasic(number) {
			delete(all, number)
		}
	}
	left, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func evaluator(t testing.TB, event []byte) *lang.Evaluator {
	t.Helper()
	data, err := lang.ParseData(event)
	if err != nil {
		t.Fatal(err)
	}
	return lang.NewEvaluator(data, lang.Builtins{AcceptedAt: time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC), Number: func(string) (int64, bool) { return 42, true }})
}

// events are the examples of e-invoices.
var events = []string{"invoice", "credit-note", "reverse-charge", "several-rates", "allowances", "advance-payment", "foreign-currency"}

var kinds = []struct {
	syntax  platen.InvoiceSyntax
	profile platen.InvoiceProfile
}{
	{platen.InvoiceCII, platen.InvoiceEN16931}, {platen.InvoiceCII, platen.InvoiceXRechnung}, {platen.InvoiceCII, platen.InvoiceBasic}, {platen.InvoiceCII, platen.InvoiceExtended},
	{platen.InvoiceUBL, platen.InvoiceEN16931}, {platen.InvoiceUBL, platen.InvoiceXRechnung}, {platen.InvoiceUBL, platen.InvoicePeppol},
}

func TestEachExampleIsAnInvoiceInEachSyntaxAndProfile(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, name := range events {
			what := name + ", " + string(kind.syntax) + " " + string(kind.profile)
			event := read(t, name+".json")
			xml, found := billing.Make(setting(t, kind.syntax, kind.profile), evaluator(t, event))
			for _, f := range found {
				if !f.Note {
					t.Errorf("%s: %s", what, f.Words(true))
				}
			}
			again, _ := billing.Make(setting(t, kind.syntax, kind.profile), evaluator(t, event))
			if !bytes.Equal(xml, again) {
				t.Errorf("%s: the second time gave other bytes", what)
			}
			inv, wrong, err := einvoice.Read(xml)
			if err != nil || len(wrong) > 0 {
				t.Fatalf("%s: %v, %v", what, err, wrong)
			}
			var sent map[string]any
			if err := json.Unmarshal(event, &sent); err != nil {
				t.Fatal(err)
			}
			if got := einvoice.FormatNumber(inv.Totals.Due); inv.Number != "RE-42" || got != sent["Due"] || inv.IssueDate != sent["Issue date"] {
				t.Errorf("%s: got %s of %s over %s, want RE-42 of %s over %s", what, inv.Number, inv.IssueDate, got, sent["Issue date"], sent["Due"])
			}
		}
	}
}

// changed is the invoice of the examples with one change.
func changed(t *testing.T, old, with string) []byte {
	t.Helper()
	event := string(read(t, "invoice.json"))
	if !strings.Contains(event, old) {
		t.Fatalf("the example has no %s", old)
	}
	return []byte(strings.Replace(event, old, with, 1))
}

func TestWhatAReceiverWouldRefuseIsSaidWithItsTermItsFieldAndItsCure(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		old, with, rule, setting, template, told string
	}{
		"a total that is none":    {`"Total": "3198.72"`, `"Total": "3198.71"`, "BR-CO-15", "einvoice.map.BT-112", "{{Total}}", "correct what it sums up"},
		"a sum that is not due":   {`"Due": "3198.72"`, `"Due": "3000.00"`, "BR-CO-16", "einvoice.map.BT-115", "{{Due}}", "what was paid"},
		"other VAT":               {`"VAT": "510.72"`, `"VAT": "511.72"`, "BR-CO-14", "einvoice.map.BT-110", "{{VAT}}", "VAT breakdown"},
		"no buyer":                {`"Segelclub Förde e.V."`, `""`, "BR-07", "einvoice.map.BT-44", "{{Customer.Name}}", "Give the buyer name"},
		"a country that is none":  {`"Country code": "DE"`, `"Country code": "Germany"`, "BR-CL-14", "einvoice.map.BT-55", "{{Customer.Country code}}", ""},
		"a unit that is none":     {`"Unit code": "HUR"`, `"Unit code": "hours"`, "BR-CL-23", "einvoice.map.BG-25.BT-130", "{{Unit code}}", ""},
		"a date in words":         {`"2026-11-02"`, `"2 November 2026"`, "data_unusable", "einvoice.map.BT-2", "{{Issue date}}", "The value is no date"},
		"a price in words":        {`"68.00"`, `"68 Euro"`, "data_unusable", "einvoice.map.BG-25.BT-146", "{{Price}}", "The value is no number"},
		"a number that is two":    {`"68.00"`, `"1,234"`, "data_unusable", "einvoice.map.BG-25.BT-146", "{{Price}}", "a thousand times"},
		"no lines":                {`"Items"`, `"Goods"`, "BR-16", "einvoice.map.BG-25", "", "Give the lines"},
		"a digit too many":        {`"Net": "2688.00"`, `"Net": "2688.000"`, "BR-DEC-12", "einvoice.map.BT-109", "{{Net}}", "Round it"},
		"a rate without category": {`"VAT category": "S"`, `"VAT category": ""`, "BR-CO-04", "einvoice.map.BG-25.BT-151", "{{VAT category}}", ""},
	} {
		xml, found := billing.Make(setting(t, platen.InvoiceCII, platen.InvoiceEN16931), evaluator(t, changed(t, c.old, c.with)))
		i := slices.IndexFunc(found, func(f billing.Finding) bool { return f.Rule == c.rule && f.Setting == c.setting })
		if xml != nil || i < 0 {
			t.Errorf("%s: got %+v, want %s at %s", what, found, c.rule, c.setting)
			continue
		}
		if f := found[i]; f.Template != c.template || !strings.Contains(f.Told, c.told) || f.Note || f.OfMap {
			t.Errorf("%s: got %+v, want it filled with %q and %q", what, f, c.template, c.told)
		}
	}
}

// Failures are stored, sent and logged: no value of the event may be in them.
func TestWhatIsStoredOfAFailureQuotesNoValue(t *testing.T) {
	t.Parallel()
	event := changed(t, `"Total": "3198.72"`, `"Total": "4711.99"`)
	event = bytes.Replace(event, []byte(`"Country code": "DE"`), []byte(`"Country code": "Atlantis"`), 1)
	_, found := billing.Make(setting(t, platen.InvoiceUBL, platen.InvoiceXRechnung), evaluator(t, event))
	if len(found) < 2 {
		t.Fatalf("got %+v", found)
	}
	var shown, stored string
	for _, f := range found {
		shown, stored = shown+f.Words(true), stored+f.Words(false)
	}
	for _, value := range []string{"4711.99", "3198.72", "Atlantis"} {
		if !strings.Contains(shown, value) || strings.Contains(stored, value) {
			t.Errorf("%s: shown %q, stored %q", value, shown, stored)
		}
	}
}

func TestAMapIsRefusedAtThePlaceOfItsMistakeWithTheCure(t *testing.T) {
	t.Parallel()
	for object, want := range map[string][2]string{
		`[]`:                     {"", "must be an object of business terms"},
		`{"BT-999":"x"}`:         {"/BT-999", "is no business term of EN 16931"},
		`{"Invoice number":"x"}`: {"/Invoice number", "did you mean BT-1 (Invoice number)?"},
		`{"bt-1":"x"}`:           {"/bt-1", "did you mean BT-1 (Invoice number)?"},
		`{"BT-129":"{{Qty}}"}`:   {"/BT-129", `is part of BG-25 (Lines): write {"BG-25": {"each": "Items", "BT-129": "…"}}`},
		`{"BG-25":{"each":"Items","BT-9":"{{Due}}"}}`:   {"/BG-25/BT-9", "belongs to the whole invoice: write it outside of BG-25"},
		`{"BG-27":{"BT-136":"{{D}}"}}`:                  {"/BG-27", "is part of BG-25 (Lines): write it inside of that"},
		`{"BG-4":{"BT-27":"x"}}`:                        {"/BG-4", "is a group that stands once: write its terms, such as BT-27, without it"},
		`{"BT-24":"x"}`:                                 {"/BT-24", "which einvoice.profile chooses"},
		`{"BT-1":17}`:                                   {"/BT-1", "must be a text"},
		`{"BT-1":""}`:                                   {"/BT-1", "is empty"},
		`{"BT-1":"{{Number"}`:                           {"/BT-1", "put }} behind the name"},
		`{"BT-112":"{{= SUMM(Items.Net)}}"}`:            {"/BT-112", "Did you mean SUM?"},
		`{"BT-112":"Total"}`:                            {"/BT-112", "write {{Total}} for a field"},
		`{"BT-112":"{{Total}} EUR"}`:                    {"/BT-112", "write one tag alone"},
		`{"BT-9":"next week"}`:                          {"/BT-9", "is no date"},
		`{"BG-25":{"each":"{{Items}}"}}`:                {"/BG-25/each", "is a formula without braces"},
		`{"BG-25":{"each":"Items where","BT-126":"1"}}`: {"/BG-25/each", "cannot be read"},
		`{"BG-20":[{"BT-92":"1"},{"BT-1":"x"}]}`:        {"/BG-20/1/BT-1", "belongs to the whole invoice"},
		`{"BG-20":{"when":"A","each":"B"}}`:             {"/BG-20/when", "cannot stand beside each"},
		`{"BG-20":{"when":"Discount > "}}`:              {"/BG-20/when", "cannot be read"},
	} {
		_, faults := billing.Read([]byte(object))
		if len(faults) == 0 || faults[0].Pointer != want[0] || !strings.Contains(faults[0].Message, want[1]) {
			t.Errorf("%s: got %+v, want %q at %q", object, faults, want[1], want[0])
		}
	}
	if _, faults := billing.Read([]byte(`{"BT-1":"` + strings.Repeat("x", platen.MaxInvoiceMap) + `"}`)); len(faults) != 1 || !strings.Contains(faults[0].Message, "64 KiB") {
		t.Errorf("a large map: got %+v", faults)
	}
}

func TestAMapIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	m, faults := billing.Read([]byte(setting(t, platen.InvoiceCII, platen.InvoiceEN16931).Map))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	again, faults := billing.Read(m.JSON())
	if len(faults) > 0 || !bytes.Equal(again.JSON(), m.JSON()) {
		t.Errorf("got %s, %v; want %s", again.JSON(), faults, m.JSON())
	}
}

// A group without a list is there once, unless its condition does not hold or none of its tags has
// a value.
func TestGroupsAreThereAsOftenAsTheEventHasThem(t *testing.T) {
	t.Parallel()
	base := setting(t, platen.InvoiceCII, platen.InvoiceEN16931)
	for what, c := range map[string]struct {
		group, data string
		want        int
	}{
		"a list":                {`{"each":"Notes","BT-22":"{{Text}}"}`, `"Notes":[{"Text":"a"},{"Text":"b"},{"Text":"c"}]`, 3},
		"a list with a clause":  {`{"each":"Notes where Text <> \"b\"","BT-22":"{{Text}}"}`, `"Notes":[{"Text":"a"},{"Text":"b"}]`, 1},
		"no list":               {`{"each":"Notes","BT-22":"{{Text}}"}`, `"X":1`, 0},
		"fixed text":            {`{"BT-22":"Thank you"}`, `"X":1`, 1},
		"tags without a value":  {`{"BT-22":"{{Nothing}}","BT-21":"AAI"}`, `"X":1`, 0},
		"a condition that does": {`{"when":"X = 1","BT-22":"Thank you"}`, `"X":1`, 1},
		"one that does not":     {`{"when":"X = 2","BT-22":"Thank you"}`, `"X":1`, 0},
		"two that are written":  {`[{"BT-22":"a"},{"BT-22":"b"}]`, `"X":1`, 2},
	} {
		e := base
		e.Map = strings.Replace(base.Map, `"BG-3":`, `"BG-1":`+c.group+`,"BG-3":`, 1)
		xml, found := billing.Make(e, evaluator(t, changed(t, `"Type"`, c.data+`,"Type"`)))
		inv, _, err := einvoice.Read(xml)
		if err != nil {
			t.Errorf("%s: %v", what, found)
			continue
		}
		if len(inv.Notes) != c.want {
			t.Errorf("%s: got %d notes, want %d", what, len(inv.Notes), c.want)
		}
	}
}

func BenchmarkMake(b *testing.B) {
	e, event := setting(b, platen.InvoiceCII, platen.InvoiceXRechnung), read(b, "allowances.json")
	for b.Loop() {
		if xml, found := billing.Make(e, evaluator(b, event)); xml == nil {
			b.Fatal(found)
		}
	}
}

package lang_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/testkit/property"
)

func TestFormulas(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		// Decimals, precedence, names.
		"= 0.1 + 0.2":                    "0.3",
		"= 1 + 2 * 3":                    "7",
		"= (1 + 2) * 3":                  "9",
		"= -Qty + 1":                     "-2",
		"= 10 / 4":                       "2.5",
		"= 1 / 3":                        "0.3333333333333333333333333333",
		"= 50%":                          "0.5",
		"= Qty × 2 − 1":                  "5",
		"= [Unit Price] * Qty":           "37.5",
		"= Unit Price * Qty":             "37.5",
		"=Qty":                           "3",
		"= Unit Price":                   "12.50",
		"= E-Mail":                       "a@b.c",
		"= Net-Tax":                      "8", // both readings exist: it is reckoning
		"= [Net-Tax]":                    "99",
		"= No. of pages + 1":             "13",
		"= Customer's No + 1":            "6",
		"= [Size (cm)] + 1":              "8",
		"= Items[1].Name":                "Nut",
		"= customer.city & \"!\"":        "Graz!",
		"= Huge":                         "1e999",
		"= Workflow Name":                "Invoices",
		"= “a” & 'b' & \"c\"\"d\"":       `abc"d`,
		"= Tags":                         "x, y",
		"= None + 1":                     "1",
		"=odd":                           "field", // a source field of exactly this name
		"#if x":                          "kept",
		"= Qty > 2":                      "true",
		"= Qty >= 3 and Paid":            "true",
		"= not Paid or Open":             "false",
		"= not Qty = 4":                  "true",
		"= Name = \"ADA LOVELACE\"":      "true",
		"= None > 0":                     "false",
		"= Due < \"2026-02-01\"":         "true",
		"= None = Blank":                 "true",
		"= Unit Price = 12.5":            "true",
		"= SUM(Items.Qty)":               "104",
		"= SUM(Items.Price * Items.Qty)": "0.5",
		"= SUM(IF(Items.Rate = 20, Items.Qty, 0))":       "103",
		"= SUM(Orders.Lines.A)":                          "6",
		"= SUM(1, 2; Qty)":                               "6",
		"= AVERAGE(Items.Price)":                         "0.15",
		"= MIN(Items.Qty)":                               "1",
		"= MAX(Items.Qty, 200)":                          "200",
		"= COUNT(Items)":                                 "3",
		"= COUNT(Items.Price)":                           "2",
		"= COUNT(Empty)":                                 "0",
		"= SUM(Empty)":                                   "0",
		"= MAX(Empty)":                                   "",
		"= JOIN(Items.Name, \" / \")":                    "Bolt / Nut / Washer",
		"= JOIN(UPPER(Items.Name))":                      "BOLT, NUT, WASHER",
		"= ROUND(2.5)":                                   "3",
		"= ROUND(-2.5)":                                  "-3",
		"= ROUND(1.005, 2)":                              "1.01",
		"= ROUND(1234, -2)":                              "1200",
		"= ABS(-3)":                                      "3",
		"= IF(Paid, \"yes\", \"no\")":                    "yes",
		"= if(Open, 1)":                                  "",
		"= AND(Paid, Qty > 1)":                           "true",
		"= OR(Open, NOT(Paid))":                          "false",
		"= DEFAULT(None, \"-\")":                         "-",
		"= DEFAULT(Nowhere, \"-\")":                      "-",
		"= UPPER(Name)":                                  "ADA LOVELACE",
		"= LOWER(\"ÄB\")":                                "äb",
		"= TITLE(Name)":                                  "Ada Lovelace",
		"= TRIM(\"a \" & \"  b\")":                       "a b",
		"= TRUNCATE(Name, 5)":                            "ada …",
		"= TRUNCATE(Name, 5, \"\")":                      "ada l",
		"= TRUNCATE(Name, 50)":                           "ada lovelace",
		"= REPLACE(Name, \"a\", \"o\")":                  "odo loveloce",
		"= CONCAT(Name, \" \", Qty)":                     "ada lovelace 3",
		"= DATE(Due)":                                    "2026-01-31",
		"= DATE(Due, \"d. MMMM yyyy\", \"\", \"de-AT\")": "31. Jänner 2026",
		"= DATE(Due, \"EEEE d MMM yy\")":                 "Saturday 31 Jan 26",
		"= DATE(At, \"yyyy-MM-dd HH:mm\", \"Europe/Vienna\")":  "2026-02-01 00:30",
		"= DATE(Due, \"yyyy-MM-dd HH:mm\", \"Europe/Vienna\")": "2026-01-31 00:00",
		"= DATE(\"31.1.2026\", \"'on' M/d h:mm a\")":           "on 1/31 12:00 AM",
		"= DATE(None)":                            "",
		"= ADD_DAYS(Due, 14)":                     "2026-02-14",
		"= DATE(ADD_DAYS(At, 1), \"dd.MM.yyyy\")": "01.02.2026",
		"= NUMBER(Big)":                           "1,234,567.891",
		"= NUMBER(Big, 2, \"de-DE\")":             "1.234.567,89",
		"= NUMBER(Big, 0, \"hi-IN\")":             "12,34,568",
		"= NUMBER(-0.001, 2)":                     "0.00",
		"= NUMBER(12345678901234567890.125, 2)":   "12,345,678,901,234,567,890.13",
		"= CURRENCY(Big, \"EUR\", \"de-DE\")":     "1.234.567,89\u00a0€",
		"= CURRENCY(-5, \"EUR\", \"de-AT\")":      "-€\u00a05,00",
		"= CURRENCY(-5, \"EUR\", \"nl\")":         "€\u00a0-5,00",
		"= CURRENCY(5, \"USD\")":                  "$5.00",
		"= CURRENCY(5, \"JPY\")":                  "¥5",
		"= CURRENCY(None, \"EUR\")":               "",
		"= PERCENT(Rate)":                         "20%",
		"= PERCENT(0.1234, 1, \"de\")":            "12,3\u00a0%",
	} {
		e := evaluator(t, order)
		if got := value(e, tag); got != want {
			t.Errorf("{{%s}} = %q, want %q; findings %v", tag, got, want, e.Findings())
		} else if len(e.Findings()) > 0 || len(e.Missing()) > 0 {
			t.Errorf("{{%s}}: findings %v, missing %q", tag, e.Findings(), e.Missing())
		}
	}
}

func TestFaultsOfFormulasSayWhatToDo(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"=":                           "formula_empty",
		"= Qty *":                     "formula_incomplete",
		"= (Qty":                      "formula_not_closed",
		"= \"open":                    "formula_not_closed",
		"= [open":                     "formula_not_closed",
		"= Qty ) 2":                   "formula_unexpected",
		"= SUMM(Items.Qty)":           "unknown_function SUM",
		"= ROUND()":                   "wrong_arguments",
		"= Text * 2":                  "not_a_number",
		"= Items.Qty * 2":             "not_a_number",
		"= SUM(Items.Name)":           "not_a_number",
		"= Qty / Zero":                "division_by_zero",
		"= ROUND(1, 99)":              "wrong_places",
		"= DATE(Text)":                "not_a_date",
		"= DATE(\"1/2/2026\")":        "not_a_date",
		"= DATE(Due, \"QQ\")":         "unknown_date_format",
		"= DATE(At, \"d\", \"Mars\")": "unknown_zone",
		"= NUMBER(1, 2, \"!!\")":      "unknown_locale",
		"= CURRENCY(1, \"EURO\")":     "unknown_currency",
		"= Customer":                  "no_text",
		"= 1" + strings.Repeat("0", 199) + " * 10 * 10":                "number_too_large",
		"= " + strings.Repeat("(", 40) + "1" + strings.Repeat(")", 40): "formula_too_deep",
		"#ech Items":             "unknown_block #each",
		"#Items":                 "unknown_block",
		"/end":                   "unknown_block",
		"image Logo":             "picture_in_text",
		"image Customer.Name 3m": "picture_in_text",
		"qr \"x\" 5000mm":        "picture_too_large",
		"link \"javascript:1\"":  "link_unusable",
		"link Total \"a\" 2":     "formula_unexpected",
	} {
		e := evaluator(t, order)
		got := value(e, tag)
		code, near, _ := strings.Cut(want, " ")
		if f := e.Findings(); got != "" || len(f) != 1 || f[0].Code != code || f[0].Message == "" || f[0].Tag != "{{"+tag+"}}" {
			t.Errorf("{{%s}} = %q with findings %+v, want one of code %s", tag, got, f, code)
		} else if near != "" && (len(f[0].Nearest) == 0 || f[0].Nearest[0] != near) {
			t.Errorf("{{%s}}: nearest %q, want %q", tag, f[0].Nearest, near)
		}
	}
}

// Parentheses, calls and signs inside one another.
func TestFormulasNestThirtyTwoLevels(t *testing.T) {
	t.Parallel()
	const want = "formula_too_deep: The formula nests deeper than 32 levels."
	for _, c := range []struct{ open, shut, want string }{{"(", ")", "1"}, {"ABS(", ")", "1"}, {"-", "", "1"}, {"+", "", "1"}, {"not ", "", "true"}, {"!", "", "true"}} {
		nest := func(levels int) string {
			return "= " + strings.Repeat(c.open, levels) + "1" + strings.Repeat(c.shut, levels)
		}
		checkValues(t, "{}", map[string]string{nest(32): c.want, nest(2): c.want})
		checkRefused(t, "{}", map[string]string{nest(33): want, nest(40): want})
	}
	checkValues(t, "{}", map[string]string{"= 1" + strings.Repeat(" + (1)", 40): "41"}) // side by side
}

// Findings end in the failures of runs, which Temporal keeps in the clear.
func TestFaultsOfFormulasQuoteNoValue(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{
		"= DATE(Day, \"d\", V)", "= DATE(Day, V)", "= DATE(Day, \"d\", \"UTC\", V)", "= DATE(V)", "= NUMBER(1, 2, V)", "= NUMBER(V)",
		"= CURRENCY(1, V)", "= V * 2", "= ROUND(1, V)", "= ADD_DAYS(Day, V)", "= TRUNCATE(Day, V)", "= SUM(V)", "#each V",
	} {
		e := evaluator(t, `{"V": "!Gruber 4711", "Day": "2026-01-31"}`)
		e.Fill(e.ReadLine("{{"+tag+"}}{{/each}}"), nil, false)
		for _, f := range e.Findings() {
			if strings.Contains(f.Message+f.Tag+strings.Join(f.Nearest, ""), "Gruber") {
				t.Errorf("{{%s}}: got %q, want a message without the value", tag, f.Message)
			}
		}
		if len(e.Findings()) == 0 {
			t.Errorf("{{%s}}: got no finding, want one", tag)
		}
	}
}

// Some letters have more bytes in lower case than in upper case.
func TestElseIfTakesNamesInAnyScript(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"ȺȺȺȺ": 2}`)
	line := e.ReadLine("{{#if No}}a{{ELSE IF ȺȺȺȺ > 1}}b{{/if}}")
	got := ""
	for _, span := range e.Fill(line, nil, false) {
		got += line.Text[span.Start:span.End]
	}
	if got != "b" || len(e.Findings()) > 0 {
		t.Errorf("got %q with findings %v, want b", got, e.Findings())
	}
}

func TestMissingNamesOfFormulasAreNoted(t *testing.T) {
	t.Parallel()
	e := evaluator(t, order)
	got := value(e, "= Nowhere + Qty") + value(e, "= IF(Gone, 1, 2)") + value(e, "= DEFAULT(Gone, 3)")
	if got != "323" || strings.Join(e.Missing(), "|") != "Nowhere" {
		t.Errorf("got %q, missing %q; want 323 and Nowhere", got, e.Missing())
	}
}

func TestConditionsAreTrueAsPeopleExpect(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]bool{
		"Paid": true, "Open": false, "None": false, "Blank": false, "Zero": false, "Qty": true, "Name": true,
		"Empty": false, "Items": true, "Customer": true, "Nowhere": false, "not Nowhere": true, "COUNT(Items) > 2": true,
	} {
		e := evaluator(t, order)
		if got := e.Holds(e.Read(syntax.Parse("{{#if " + condition + "}}")[0]), nil); got != want || len(e.Findings()) > 0 || len(e.Missing()) > 0 {
			t.Errorf("#if %s: %v with %v, want %v", condition, got, e.Findings(), want)
		}
	}
}

func TestEachGivesTheItemsTheirNames(t *testing.T) {
	t.Parallel()
	e := evaluator(t, order)
	var got []string
	for _, o := range e.Items(read(e, "#each Orders"), nil) {
		for _, l := range e.Items(read(e, "#each Lines"), o) {
			var texts []string
			for _, tag := range []string{"@index", "No", "A", "Lines.A", "Orders.Lines.A", "this.A", "Qty", "= SUM(Lines.A)", "= SUM(Orders.Lines.A)", "= A = SUM(Lines.A)", "= @first & @last & @count"} {
				texts = append(texts, e.Text(read(e, tag), l))
			}
			got = append(got, strings.Join(texts, " "))
		}
	}
	want := []string{
		"1 1 1 1 1 1 3 3 3 false truefalse2",
		"2 1 2 2 2 2 3 3 3 false falsetrue2",
		"1 2 3 3 3 3 3 3 3 true truetrue1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(e.Missing()) > 0 || len(e.Findings()) > 0 {
		t.Errorf("got\n%s\nwant\n%s\nmissing %q, findings %v", strings.Join(got, "\n"), strings.Join(want, "\n"), e.Missing(), e.Findings())
	}
	tags := e.Items(read(e, "#each Tags"), nil)
	if len(tags) != 2 || e.Text(read(e, "this"), tags[1]) != "y" || e.Text(read(e, "Tags"), tags[1]) != "y" {
		t.Errorf("a list of texts: got %d items", len(tags))
	}
	if n := len(e.Items(read(e, "#each Nowhere"), nil)) + len(e.Items(read(e, "#each Name"), nil)); n != 0 || len(e.Findings()) != 1 || e.Findings()[0].Code != "not_a_list" || e.Missing()[0] != "Nowhere" {
		t.Errorf("%d items, findings %v, missing %q", n, e.Findings(), e.Missing())
	}
}

func TestRowsRepeatForTheListThatTheirTagsName(t *testing.T) {
	t.Parallel()
	cases := []struct {
		row, show, want string
	}{
		{"Items.Name|Items.Qty|Qty", "Items.Name Items.Price Qty", "Bolt 0.10 3;Nut 0.20 3;Washer  3"},
		{"= Items.Price * Items.Qty", "= Items.Price * Items.Qty", "0.3;0.2;0"},
		{"items.name", "= Items.Qty / SUM(Items.Qty) > 0.9", "false;false;true"},
		{"Orders.No|Orders.Lines.A", "Orders.No Orders.Lines.A", "1 1;1 2;2 3"},
		{"Empty.Name", "Empty.Name", ""},
		{"= SUM(Items.Qty)", "", "none"},
		{"Name|Tags|Items[0].Name|Customer.City", "", "none"},
	}
	for _, c := range cases {
		e := evaluator(t, order)
		var row []*syntax.Statement
		for tag := range strings.SplitSeq(c.row, "|") {
			row = append(row, read(e, tag))
		}
		scopes, ok := e.Repeats(row, nil)
		var got []string
		for _, s := range scopes {
			var texts []string
			if strings.HasPrefix(c.show, "=") {
				texts = []string{e.Text(read(e, c.show), s)}
			} else {
				for tag := range strings.FieldsSeq(c.show) {
					texts = append(texts, e.Text(read(e, tag), s))
				}
			}
			got = append(got, strings.Join(texts, " "))
		}
		text := strings.Join(got, ";")
		if !ok {
			text = "none"
		}
		if text != c.want || len(e.Findings()) > 0 || len(e.Missing()) > 0 {
			t.Errorf("%s: got %q, want %q; findings %v, missing %q", c.row, text, c.want, e.Findings(), e.Missing())
		}
	}
	e := evaluator(t, order)
	e.Repeats([]*syntax.Statement{read(e, "Items.Name"), read(e, "Orders.No")}, nil)
	if f := e.Findings(); len(f) != 1 || f[0].Code != "two_lists" {
		t.Errorf("two lists in a row: got %v", f)
	}
}

func TestEvaluatingTwiceGivesTheSame(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		body := drawJSON(t, 0)
		tag := "= " + rapid.StringOf(rapid.SampledFrom([]rune(`abAB.[]()+-*/"'=<> 019,;%&SUMIF@`))).Draw(t, "formula")
		e := evaluator(t, body)
		if first, again := value(e, tag), value(e, tag); first != again {
			t.Fatalf("{{%s}} of %s: %q, then %q", tag, body, first, again)
		}
		other := evaluator(t, body)
		if first, again := value(e, tag), value(other, tag); first != again {
			t.Fatalf("{{%s}} of %s: %q, elsewhere %q", tag, body, first, again)
		}
	})
}

func FuzzFormula(f *testing.F) {
	for _, seed := range []string{"= SUM(Items.Price * Items.Qty)", "= IF(a > 1, \"x\", 'y')", "#if not [a b] and 5%", "#each a", "= DATE(a, \"dd\")", "= 1e9 / [", "else if a"} {
		f.Add(seed, order)
	}
	f.Fuzz(func(t *testing.T, tag, body string) {
		data, err := lang.ParseData([]byte(body))
		if err != nil {
			return
		}
		for _, parsed := range syntax.Parse("{{" + tag + "}}") {
			e := lang.NewEvaluator(data, lang.Builtins{})
			s := e.Read(parsed)
			text := e.Text(s, nil)
			if strings.ContainsAny(text, "\n\r") || len(text) > 1<<20 {
				t.Errorf("%q gave %.100q", tag, text)
			}
			e.Holds(s, nil)
			e.Items(s, nil)
			scopes, _ := e.Repeats([]*syntax.Statement{s}, nil)
			for _, scope := range scopes {
				e.Text(s, scope)
			}
		}
	})
}

func TestTemplatesCannotTakeForEver(t *testing.T) {
	t.Parallel()
	body := `{"Items":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 20_000), ",") + `]}`
	for _, text := range []string{
		"{{#each Items}}{{#each Items}}{{#each Items}}{{a}}{{/each}}{{/each}}{{/each}}",
		"{{#each Items}}{{= SUM(Items.a)}}{{/each}}",
		"{{#each Items}}{{= COUNT(Items)}}{{/each}}",
	} {
		e := evaluator(t, body)
		e.Fill(e.ReadLine(text), nil, false) // without the limit it would not come back
		if len(e.Findings()) == 0 || e.Findings()[0].Code != "template_too_costly" {
			codes := ""
			for _, f := range e.Findings()[:min(3, len(e.Findings()))] {
				codes += f.Code + " "
			}
			t.Errorf("%s: got %d findings %s, want that it is too costly", text, len(e.Findings()), codes)
		}
	}
	e := evaluator(t, strings.Replace(body, `{"a":1}`, `{"a":1,"b":2}`, 1))
	e.Fill(e.ReadLine("{{#each Items}}{{Items.b}}{{= DEFAULT(Items.c, 1)}}{{/each}}"), nil, false)
	if len(e.Findings()) > 0 {
		t.Errorf("a field that most items do not have: %v", e.Findings())
	}
}

func TestQuotesOfOtherLanguagesAreQuotes(t *testing.T) {
	t.Parallel()
	const due = `{"Due": "2026-01-31", "Name": "Ada"}`
	checkValues(t, due, map[string]string{
		"= DATE(Due, « d.MM.yyyy »)":             "31.01.2026",
		"= DATE(Due, «\u00a0d.MM.yyyy\u00a0»)":   "31.01.2026",
		"= DATE(Due,«\u202fd.MM.yyyy\u202f»)":    "31.01.2026",
		"= DATE(Due, »d.MM.yyyy«)":               "31.01.2026",
		"= DATE(Due, »d.MM.yyyy»)":               "31.01.2026",
		"= DATE(Due, ‹d.MM.yyyy›)":               "31.01.2026",
		"= DATE(Due, ›d.MM.yyyy‹)":               "31.01.2026",
		"= DATE(Due, „d.MM.yyyy“)":               "31.01.2026",
		"= DATE(Due, „d.MM.yyyy”)":               "31.01.2026",
		"= DATE(Due, ‚d.MM.yyyy‘)":               "31.01.2026",
		"= DATE(Due, 「d.MM.yyyy」)":               "31.01.2026",
		"= DATE(Due, 『d.MM.yyyy』)":               "31.01.2026",
		"= DATE(Due, ＂d.MM.yyyy＂)":               "31.01.2026",
		"= DATE(Due, 〝d.MM.yyyy〟)":               "31.01.2026",
		`= "«" & Name & "»"`:                     "«Ada»",
		`= « dit "oui" à » & Name`:               `dit "oui" àAda`,
		`= IF(Name = « Ada », « oui », « non »)`: "oui",
		`= «»`: "",
	})
}

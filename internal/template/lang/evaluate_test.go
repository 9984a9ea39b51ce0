package lang_test

import (
	"testing"
)

func TestNamesWithSignsStandForAllItemsOfAList(t *testing.T) {
	t.Parallel()
	const body = `{"Items": [{"Net-Price": 10, "Qty": 2}, {"Net-Price": 5, "Qty": 3}], "None": []}`
	checkValues(t, body, map[string]string{
		"= Items.Net-Price":                    "10, 5",
		"= SUM(Items.Net-Price)":               "15",
		"= COUNT(Items.Net-Price)":             "2",
		"= JOIN(Items.Net-Price, \" + \")":     "10 + 5",
		"= SUM([Items.Net-Price] * Items.Qty)": "35",
		"= SUM(ROUND(Items.Net-Price))":        "15",
		"= JOIN(Items.Net-Price & \"!\")":      "10!, 5!",
		"= SUM(None.Net-Price)":                "0",
		"= None.Net-Price":                     "",
	})
	checkLines(t, body, map[string]string{
		"{{#each Items}}{{= Net-Price}};{{/each}}":                               "10;5;",
		"{{#each Items}}{{= [Items.Net-Price] * Qty}};{{/each}}":                 "20;15;",
		"{{#each Items}}{{= Net-Price}} of {{= SUM(Items.Net-Price)}};{{/each}}": "10 of 15;5 of 15;",
	})
}

func TestNotIsWeakerThanComparisonsOfWhatHasASign(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Qty": 3}`, map[string]string{
		"= not -Qty = 4": "true", // not (-Qty = 4)
		"= not -1 = -1":  "false",
		"= not +Qty = 3": "false",
		"= not !Qty":     "true",
		"= not(Qty) = 3": "false", // the function, whose value is compared
		"= NOT(Qty) & 3": "false3",
	})
}

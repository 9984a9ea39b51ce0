package lang_test

import (
	"strings"
	"testing"
)

const payments = `{"Name": "Musterfrau  GmbH", "IBAN": "de02 1203 0000 0000 2020 51", "Bad": "DE02120300000000202052", "Total": 1234.5, "Null": null,
	"QRIBAN": "CH44 3199 9123 0008 8901 2", "CH": "CH5800791123000889012", "Creditor": "Robert Schneider AG; Rue du Lac; 1268; 2501; Biel; CH",
	"Debtor": "Pia Rutschmann;9400;Rorschach;CH", "QRR": "21 00000 00003 13947 14300 09017", "SCOR": "RF18 5390 0754 7034", "Long": "LONG", "Greek": "Αθήνα"}`

// The examples are those of EPC069-12 and of the Swiss Implementation Guidelines.
func TestPaymentsAreWrittenAsTheirStandardsSay(t *testing.T) {
	t.Parallel()
	const none = "\n\n\n\n\n\n\n"
	const creditor = "S\nRobert Schneider AG\nRue du Lac\n1268\n2501\nBiel\nCH\n"
	wants := map[string]string{
		`= GIROCODE(Name, IBAN, Total, "Invoice 17")`:                      "BCD\n002\n1\nSCT\n\nMusterfrau GmbH\nDE02120300000000202051\nEUR1234.50\n\n\nInvoice 17",
		`= GIROCODE(Name, IBAN, 0.005 * 2, "", "bfsw de33 ber")`:           "BCD\n002\n1\nSCT\nBFSWDE33BER\nMusterfrau GmbH\nDE02120300000000202051\nEUR0.01",
		`= GIROCODE(Name, IBAN, Null, "As you like")`:                      "BCD\n002\n1\nSCT\n\nMusterfrau GmbH\nDE02120300000000202051\n\n\n\nAs you like",
		`= GIROCODE(Name, IBAN, Null)`:                                     "BCD\n002\n1\nSCT\n\nMusterfrau GmbH\nDE02120300000000202051",
		`= GIROCODE(Name, Null, Total)`:                                    "",
		`= GIROCODE(Null, IBAN, Total)`:                                    "",
		`= SWISSQR(QRIBAN, Creditor, 1949.75, "CHF", Debtor, QRR, "June")`: "SPC\n0200\n1\nCH4431999123000889012\n" + creditor + none + "1949.75\nCHF\nS\nPia Rutschmann\n\n\n9400\nRorschach\nCH\nQRR\n210000000003139471430009017\nJune\nEPD",
		`= SWISSQR(CH, Creditor, Null, "EUR")`:                             "SPC\n0200\n1\nCH5800791123000889012\n" + creditor + none + "\nEUR\n" + none + "NON\n\n\nEPD",
		`= SWISSQR(CH, Creditor, 5, "chf", "", SCOR)`:                      "SPC\n0200\n1\nCH5800791123000889012\n" + creditor + none + "5.00\nCHF\n" + none + "SCOR\nRF18539007547034\n\nEPD",
		`= SWISSQR(Null, Creditor, 5, "CHF")`:                              "",
	}
	for tag, want := range wants { // as a document shows them
		wants[tag] = strings.ReplaceAll(want, "\n", "\v")
	}
	checkValues(t, payments, wants)
}

func TestPaymentsThatNoBankTakesAreSaid(t *testing.T) {
	t.Parallel()
	const unusable = "code_unusable: "
	checkRefused(t, strings.Replace(payments, "LONG", strings.Repeat("ü", 141), 1), map[string]string{
		`= GIROCODE(Name, Bad, Total)`:                                             unusable + "Bad: The account of GIROCODE is no IBAN: its check digits do not fit. One digit may be wrong.",
		`= GIROCODE(Name, IBAN, 0)`:                                                unusable + "The amount of a payment is from 0.01 to 999999999.99.",
		`= GIROCODE(Name, IBAN, -5)`:                                               unusable + "The amount of a payment is from 0.01 to 999999999.99.",
		`= GIROCODE(Name, IBAN, 1000000000)`:                                       unusable + "The amount of a payment is from 0.01 to 999999999.99.",
		`= GIROCODE(Name, IBAN, 5, Long)`:                                          unusable + "Long: What GIROCODE says that the payment is for has at most 140 characters.",
		`= GIROCODE(Long, IBAN, 5)`:                                                unusable + "Long: The name of GIROCODE has at most 70 characters.",
		`= GIROCODE(Name, IBAN, 5, TRUNCATE(Long, 140, ""))`:                       "code_too_long: A GiroCode holds at most 331 bytes, and this has 344: shorten what the payment is for.",
		`= GIROCODE(Name, IBAN, 5, "", "BFSW")`:                                    unusable + "The BIC of GIROCODE has 8 or 11 letters and digits.",
		`= SWISSQR(IBAN, Creditor, 5, "CHF")`:                                      unusable + "IBAN: The account of SWISSQR is no IBAN of Switzerland or Liechtenstein. One digit may be wrong.",
		`= SWISSQR(QRIBAN, Creditor, 5, "CHF")`:                                    unusable + "The account of SWISSQR is a QR-IBAN, which needs a QR reference: 27 digits, of which the last checks the others.",
		`= SWISSQR(QRIBAN, Creditor, 5, "CHF", "", "210000000003139471430009018")`: unusable + "The account of SWISSQR is a QR-IBAN, which needs a QR reference: 27 digits, of which the last checks the others.",
		`= SWISSQR(CH, Creditor, 5, "CHF", "", QRR)`:                               unusable + "QRR: The reference of SWISSQR is a creditor reference that begins with RF, with right check digits, or empty. A QR reference needs a QR-IBAN.",
		`= SWISSQR(CH, Creditor, 5, "USD")`:                                        unusable + "The currency of SWISSQR is CHF or EUR.",
		`= SWISSQR(CH, "Robert Schneider AG, Biel", 5, "CHF")`:                     unusable + `The creditor of SWISSQR is written "Name; Street; Number; Postcode; Town; Country", or without the street "Name; Postcode; Town; Country".`,
		`= SWISSQR(CH, "Robert;2501;Biel;Switzerland", 5, "CHF")`:                  unusable + "The country in the creditor of SWISSQR has at most 2 characters.",
		`= SWISSQR(CH, "Robert;2501;Biel;ch", 5, "CHF")`:                           unusable + "The country in the creditor of SWISSQR has two capital letters, such as CH.",
		`= SWISSQR(CH, "Robert;;Biel;CH", 5, "CHF")`:                               unusable + "The creditor of SWISSQR needs a name, a postcode and a town.",
		`= SWISSQR(CH, Creditor, 5, "CHF", "Zoë;8000;" & Greek & ";CH")`:           unusable + "A Swiss QR code holds letters of Latin script alone.",
		`= SWISSQR(CH, Creditor, 5, "CHF", "", "", Long)`:                          unusable + "Long: The message of SWISSQR has at most 140 characters.",
	})
}

func TestTheFieldOfAWrongPaymentIsNamedWithItsValue(t *testing.T) {
	t.Parallel()
	const data = `{"Shop": {"IBAN": "DE02 1203 0000 0000 2020 52"}, "Bills": [{"IBAN": "DE02120300000000202051", "Sum": -5}]}`
	for tag, want := range map[string]string{
		`= GIROCODE("Ada", Shop.IBAN, 5)`:                        `Shop.IBAN: "DE02 1203 0000 0000 2020 52" – compare its digits: it is no IBAN.`,
		`= SWISSQR(Bills.IBAN, "Robert;2501;Biel;CH", 5, "CHF")`: `Bills.IBAN: "DE02120300000000202051" – write an IBAN of Switzerland or Liechtenstein, and compare its digits.`,
		`= GIROCODE("Ada", "DE02120300000000202051", Bills.Sum)`: "Bills.Sum: The amount of a payment is from 0.01 to 999999999.99.",
		`= GIROCODE("Ada", "DE02120300000000202052", 5)`:         "The account of GIROCODE is no IBAN: its check digits do not fit. One digit may be wrong.",
	} {
		e := evaluator(t, data)
		value(e, tag)
		if found := e.Findings(); len(found) != 1 || found[0].Code != "code_unusable" || found[0].WithValue() != want {
			t.Errorf("{{%s}}: got %+v, want %s", tag, found, want)
		}
	}
}

// macOS and some keyboards write a letter and its accent as two characters.
func TestALetterAndItsAccentAreOneCharacterOfAPayment(t *testing.T) {
	t.Parallel()
	const two, one = "Mu\u0308ller", "M\u00fcller"
	data := `{"CH": "CH5800791123000889012", "IBAN": "DE02120300000000202051", "Name": "` + two + `", "Town": "Zu\u0308rich", "Long": "` + strings.Repeat("u\u0308", 70) + `"}`
	checkValues(t, data, map[string]string{
		`= SWISSQR(CH, Name & ";8000;" & Town & ";CH", 5, "CHF", "", "", Name)`: strings.ReplaceAll("SPC\n0200\n1\nCH5800791123000889012\nS\n"+one+"\n\n\n8000\nZürich\nCH\n\n\n\n\n\n\n\n5.00\nCHF\n\n\n\n\n\n\n\nNON\n\n"+one+"\nEPD", "\n", "\v"),
		`= GIROCODE(Name, IBAN, 5)`: strings.ReplaceAll("BCD\n002\n1\nSCT\n\n"+one+"\nDE02120300000000202051\nEUR5.00", "\n", "\v"),
		`= GIROCODE(Long, IBAN, 5)`: strings.ReplaceAll("BCD\n002\n1\nSCT\n\n"+strings.Repeat("ü", 70)+"\nDE02120300000000202051\nEUR5.00", "\n", "\v"),
	})
}

func TestATransferBeyondTheEconomicAreaNeedsABIC(t *testing.T) {
	t.Parallel()
	const data = `{"GB": "GB33BUKB20201555555555", "CH": "CH5800791123000889012", "MC": "MC5811222000010123456789030", "NO": "NO9386011117947"}`
	for account, country := range map[string]string{"GB": "GB", "CH": "CH", "MC": "MC"} {
		checkRefused(t, data, map[string]string{
			`= GIROCODE("Ada", ` + account + `, 5)`: "code_unusable: " + account + ": The account of GIROCODE is in " + country + ", outside the European Economic Area: banks want its BIC there. It is the fifth argument.",
		})
	}
	checkValues(t, data, map[string]string{
		`= GIROCODE("Ada", GB, 5, "", "BUKBGB22")`: strings.ReplaceAll("BCD\n002\n1\nSCT\nBUKBGB22\nAda\nGB33BUKB20201555555555\nEUR5.00", "\n", "\v"),
		`= GIROCODE("Ada", NO, 5)`:                 strings.ReplaceAll("BCD\n002\n1\nSCT\n\nAda\nNO9386011117947\nEUR5.00", "\n", "\v"),
	})
}

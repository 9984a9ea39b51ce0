package lang

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/unicode/norm"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// paymentFunctions write what the QR codes of payments hold.
func paymentFunctions() []function {
	return []function{
		{name: "GIROCODE", usage: `GIROCODE(Name, IBAN, Total, "Invoice 17")`, min: 3, max: 5, apply: env.giroCode},
		{name: "SWISSQR", usage: `SWISSQR(IBAN, "Robert Schneider AG; Rue du Lac; 1268; 2501; Biel; CH", Total, "CHF")`, min: 4, max: 7, apply: env.swissQR},
	}
}

// maxAmount is the largest of both standards.
var maxAmount = decimal.New(99999999999, -2)

// withoutBIC are the countries of the European Economic Area, to whose accounts a transfer
// needs no BIC (EPC069-12, AT-23).
var withoutBIC = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK")

// giroCode writes the text of a code for a credit transfer in euros (EPC069-12, version
// 002): to whom, their IBAN, the amount, and optionally what for and the BIC. Without a
// name or an IBAN it is empty.
func (in env) giroCode(args []syntax.Expr) (value, *Finding) {
	texts, err := in.evalTexts(args, 0, 1, 3, 4)
	if err != nil {
		return nil, err
	}
	name, account, reason, bic := oneLine(texts[0]), withoutSpaces(texts[1]), oneLine(texts[2]), withoutSpaces(texts[3])
	if name == "" || account == "" {
		return "", nil
	}
	amount, err := in.evalPayment(args[2])
	switch {
	case err != nil:
		return nil, err
	case !isIBAN(account):
		return nil, unfitAccount(args[1], texts[1], "The account of GIROCODE is no IBAN: its check digits do not fit. One digit may be wrong.", "compare its digits: it is no IBAN")
	case bic == "" && !slices.Contains(withoutBIC, account[:2]):
		return nil, ofField(args[1], unfitPayment("The account of GIROCODE is in %s, outside the European Economic Area: banks want its BIC there. It is the fifth argument.", account[:2]))
	case bic != "" && !bicPattern.MatchString(bic):
		return nil, ofField(args[4], unfitPayment("The BIC of GIROCODE has 8 or 11 letters and digits."))
	}
	switch {
	case utf8.RuneCountInString(name) > 70:
		return nil, ofField(args[0], unfitPayment("The name of GIROCODE has at most 70 characters."))
	case utf8.RuneCountInString(reason) > 140:
		return nil, ofField(args[3], unfitPayment("What GIROCODE says that the payment is for has at most 140 characters."))
	}
	if amount != "" {
		amount = "EUR" + amount
	}
	text := strings.Join([]string{"BCD", "002", "1", "SCT", bic, name, account, amount, "", "", reason}, "\n")
	text = strings.TrimRight(text, "\n") // nothing follows the last element that holds something
	const longest = 331                  // bytes, in version 13 at level M
	if len(text) > longest {
		return nil, dataFindingf("code_too_long", "A GiroCode holds at most %d bytes, and this has %d: shorten what the payment is for.", longest, len(text))
	}
	return text, nil
}

// swissQR writes the text of the code of a QR-bill (Swiss Implementation Guidelines
// QR-bill 2.3, 4.2.2): the creditor's IBAN and address, the amount, the currency, and
// optionally the debtor's address, the reference and a message. Without an IBAN or a
// creditor it is empty.
func (in env) swissQR(args []syntax.Expr) (value, *Finding) {
	texts, err := in.evalTexts(args, 0, 1, 3, 4, 5, 6)
	if err != nil {
		return nil, err
	}
	account, currency, reference, message := withoutSpaces(texts[0]), withoutSpaces(texts[2]), withoutSpaces(texts[4]), oneLine(texts[5])
	if account == "" || oneLine(texts[1]) == "" {
		return "", nil
	}
	amount, err := in.evalPayment(args[2])
	if err != nil {
		return nil, err
	}
	creditor, err := readSwissAddress("creditor", texts[1])
	if err != nil {
		return nil, ofField(args[1], err)
	}
	debtor := make([]string, len(creditor))
	if oneLine(texts[3]) != "" {
		if debtor, err = readSwissAddress("debtor", texts[3]); err != nil {
			return nil, ofField(args[4], err)
		}
	}
	if !isSwissIBAN(account) {
		return nil, unfitAccount(args[0], texts[0], "The account of SWISSQR is no IBAN of Switzerland or Liechtenstein. One digit may be wrong.", "write an IBAN of Switzerland or Liechtenstein, and compare its digits")
	}
	kind, err := kindOfReference(account, reference)
	switch {
	case err != nil && reference != "":
		return nil, ofField(args[5], err)
	case err != nil:
		return nil, err
	case currency != "CHF" && currency != "EUR":
		return nil, ofField(args[3], unfitPayment("The currency of SWISSQR is CHF or EUR."))
	case utf8.RuneCountInString(message) > 140:
		return nil, ofField(args[6], unfitPayment("The message of SWISSQR has at most 140 characters."))
	}
	lines := append([]string{"SPC", "0200", "1", account}, creditor...)
	lines = append(lines, make([]string, len(creditor))...) // the ultimate creditor is for later use
	lines = append(append(lines, amount, currency), debtor...)
	text := strings.Join(append(lines, kind, reference, message, "EPD"), "\n")
	const longest = 997 // bytes, in version 25 at level M (4.1.4)
	switch {
	case strings.ContainsFunc(text, isOutsideSwiss):
		return nil, unfitPayment("A Swiss QR code holds letters of Latin script alone.")
	case len(text) > longest:
		return nil, dataFindingf("code_too_long", "A Swiss QR code holds at most %d bytes, and this has %d: shorten the message.", longest, len(text))
	}
	return text, nil
}

// IsSwiss tells whether a text is that of a QR-bill, whose code has a cross in its
// middle. Its lines end with LF, or with CR and LF (4.1.4).
func IsSwiss(text string) bool { return swissPattern.MatchString(text) }

// isOutsideSwiss tells of characters that the guidelines do not allow (4.1.1).
func isOutsideSwiss(r rune) bool {
	return r != '\n' && (r < ' ' || r > '~' && r < '\u00a0' || r > '\u017f' && (r < '\u0218' || r > '\u021b') && r != '€')
}

// readSwissAddress reads an address of six parts with semicolons between, or of four
// without a street, into its seven lines.
func readSwissAddress(whose, text string) ([]string, *Finding) {
	parts := strings.Split(text, ";")
	for i := range parts {
		parts[i] = oneLine(parts[i])
	}
	if len(parts) == 4 {
		parts = []string{parts[0], "", "", parts[1], parts[2], parts[3]}
	}
	if len(parts) != 6 {
		return nil, unfitPayment(`The %s of SWISSQR is written "Name; Street; Number; Postcode; Town; Country", or without the street "Name; Postcode; Town; Country".`, whose)
	}
	longest := []int{70, 70, 16, 16, 35, 2}
	for i, what := range []string{"name", "street", "number", "postcode", "town", "country"} {
		if n := utf8.RuneCountInString(parts[i]); n > longest[i] {
			return nil, unfitPayment("The %s in the %s of SWISSQR has at most %d characters.", what, whose, longest[i])
		}
	}
	switch {
	case parts[0] == "" || parts[3] == "" || parts[4] == "":
		return nil, unfitPayment("The %s of SWISSQR needs a name, a postcode and a town.", whose)
	case !countryPattern.MatchString(parts[5]):
		return nil, unfitPayment("The country in the %s of SWISSQR has two capital letters, such as CH.", whose)
	}
	return append([]string{"S"}, parts...), nil
}

// kindOfReference tells the type of a reference, which must fit the account: a QR-IBAN
// has a QR reference, another IBAN a creditor reference (ISO 11649) or none.
func kindOfReference(account, reference string) (string, *Finding) {
	ofQR := account[4:9] >= "30000" && account[4:9] <= "31999"
	switch {
	case ofQR && !isQRReference(reference):
		return "", unfitPayment("The account of SWISSQR is a QR-IBAN, which needs a QR reference: 27 digits, of which the last checks the others.")
	case ofQR:
		return "QRR", nil
	case reference == "":
		return "NON", nil
	case !strings.HasPrefix(reference, "RF") || len(reference) < 5 || len(reference) > 25 || !isMod97(reference):
		return "", unfitPayment("The reference of SWISSQR is a creditor reference that begins with RF, with right check digits, or empty. A QR reference needs a QR-IBAN.")
	}
	return "SCOR", nil
}

// isQRReference checks 27 digits by their last one (modulo 10, recursive).
func isQRReference(text string) bool {
	if len(text) != 27 || strings.Trim(text, "0123456789") != "" {
		return false
	}
	table, carry := [...]int{0, 9, 4, 6, 8, 2, 7, 1, 3, 5}, 0
	for _, digit := range text[:26] {
		carry = table[(carry+int(digit-'0'))%10]
	}
	return int(text[26]-'0') == (10-carry)%10
}

var (
	ibanPattern    = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)
	bicPattern     = regexp.MustCompile(`^[A-Z0-9]{8}([A-Z0-9]{3})?$`)
	countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)
	giroPattern    = regexp.MustCompile(`^BCD\r?\n00[12]\r?\n1\r?\n`)
	swissPattern   = regexp.MustCompile(`^SPC\r?\n0200\r?\n1\r?\n`)
)

func isIBAN(text string) bool { return ibanPattern.MatchString(text) && isMod97(text) }

func isSwissIBAN(text string) bool {
	return isIBAN(text) && (text[:2] == "CH" || text[:2] == "LI") && len(text) == 21
}

// isMod97 checks what an IBAN or a creditor reference says (ISO 7064, MOD 97-10).
func isMod97(text string) bool {
	var digits strings.Builder
	for _, r := range text[4:] + text[:4] {
		switch {
		case r >= '0' && r <= '9':
			digits.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			digits.WriteString(decimal.NewFromInt(int64(r-'A') + 10).String())
		default:
			return false
		}
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && n.Mod(n, big.NewInt(97)).Int64() == 1
}

// evalPayment works out how much is paid, with two places; empty where there is none.
func (in env) evalPayment(arg syntax.Expr) (string, *Finding) {
	v, err := in.eval(arg)
	if err != nil || isEmpty(v) {
		return "", err
	}
	n, err := in.toNumber(arg, v)
	if err != nil {
		return "", err
	}
	rounded := n.Round(2)
	if !rounded.IsPositive() || rounded.GreaterThan(maxAmount) {
		return "", ofField(arg, unfitPayment("The amount of a payment is from 0.01 to 999999999.99."))
	}
	return rounded.StringFixed(2), nil
}

// evalTexts works out the arguments at these places as texts; one that is not there is
// empty. A letter and its accent are one character: the standards count them so, and that
// of the QR-bill allows no accents by themselves.
func (in env) evalTexts(args []syntax.Expr, places ...int) ([]string, *Finding) {
	texts := make([]string, len(places))
	for i, place := range places {
		text, err := in.evalTextAt(args, place, "")
		if err != nil {
			return nil, err
		}
		texts[i] = norm.NFC.String(text)
	}
	return texts, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func withoutSpaces(text string) string {
	return strings.ToUpper(strings.Join(strings.Fields(text), ""))
}

// unfitAccount says that an account is not one, and names it to readers who may see the
// data.
func unfitAccount(arg syntax.Expr, text, message, cure string) *Finding {
	f := ofField(arg, unfitPayment("%s", message))
	f.value, f.cure = oneLine(text), cure
	return f
}

func unfitPayment(format string, args ...any) *Finding {
	return dataFindingf("code_unusable", format, args...)
}

package handbook_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/handbook"
)

// Questions as people type them lead to the section that answers among the first three.
func TestASearchAnswersPlainQuestions(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"write letters in the browser":             "write-letters#write-letters",
		"send a letter to another address":         "write-letters#mail-a-letter",
		"who can open":                             "guides/share-outputs#who-may-open-them",
		"sharing":                                  "guides/share-outputs#share-outputs",
		"who has access to the documents?":         "guides/share-outputs#share-outputs",
		"send again":                               "console#send-an-event-again-with-other-data",
		"resend mail":                              "mails#mail-an-output-again",
		"how do I resend a failed webhook":         "console#deliver-failed-events-again",
		"default":                                  "settings#settings",
		"How do I make a backup?":                  "restore#backups-and-restores",
		"how long are documents kept":              "data#for-how-long",
		"delete everything about a customer":       "guides/answer-a-data-request#erase",
		"someone left the company":                 "production#when-somebody-leaves",
		"invoice numbers without gaps":             "guides/number-documents#number-documents-without-gaps",
		"terms and conditions behind an offer":     "guides/append-files#append-files-to-a-pdf",
		"email the PDF to the customer":            "mails#send-outputs-by-mail",
		"check the signature of a webhook":         "guides/verify-a-signature#verify-a-signature",
		"duplicate a workflow":                     "guides/copy-a-workflow#copy-a-workflow-to-another-installation",
		"undo a change of the template":            "guides/keep-versions#keep-versions-of-a-template",
		"stop everything":                          "production#pause-and-resume",
		"what failed today":                        "production#what-failed-today",
		"why does my pdf look different from Word": "fidelity#where-libreoffice-and-word-differ",
		"logo in the template":                     "templates#pictures",
		"repeat a table row for each item":         "templates#rows",
		"how do I log in to the console":           "console#sign-in",
		"restrict what a token may do":             "production#tokens-with-scopes",
		"updating to a new release":                "upgrade#upgrade",
		"verify an event in Python":                "guides/verify-a-signature#in-python",
		"did this event really come from Platen?":  "guides/verify-a-signature#verify-a-signature",
		"our receiver was down for two days":       "guides/deliver-again#get-all-events-that-you-missed",
		"get the events that we missed":            "guides/deliver-again#get-all-events-that-you-missed",
		"do I get an event twice":                  "guides/deliver-again#does-an-event-come-twice",
		"the number of a failed run":               "guides/number-documents#a-number-that-is-missing",
		"an employee leaves":                       "production#an-employee-leaves-and-their-workflows-go-on",
		"find a customer in all runs":              "guides/answer-a-data-request#answer-a-request-about-personal-data",
		"change a template in production":          "guides/change-a-template#change-a-template-that-is-in-use",
		"an invoice number is missing":             "guides/number-documents#a-number-that-is-missing",
		"payment slip for Switzerland":             "guides/print-a-qr-bill#print-a-swiss-qr-bill",
		"print a barcode":                          "templates#barcodes-and-qr-codes",
		"Swiss QR bill":                            "templates#swiss-qr-bills-and-girocodes",
		"transfer a workflow to another user":      "production#an-employee-leaves-and-their-workflows-go-on",
		"QR-Rechnung":                              "templates#swiss-qr-bills-and-girocodes",
		"are events processed in order?":           "guides/send-an-event#in-which-order",
		"right to be forgotten":                    "guides/answer-a-data-request#answer-a-request-about-personal-data",
		"invoice in the customer's language":       "templates#in-the-language-of-the-customer",
		"rehearse a restore":                       "restore#try-a-restore-on-another-machine",
		"offboarding":                              "production#an-employee-leaves-and-their-workflows-go-on",
		"multilingual templates":                   "templates#in-the-language-of-the-customer",
		"Hungarian":                                "templates#in-the-language-of-the-customer",
		"match an event to my order":               "events#match-an-event-to-your-order",
		"correlate an event with an order":         "events#match-an-event-to-your-order",
		"parallel processing of events":            "guides/send-an-event#in-which-order",
		"maximum size of a webhook":                "api#limits",
		"restore drill":                            "restore#try-a-restore-on-another-machine",
		"default value":                            "templates#a-default-text-for-an-empty-value",
		"fallback":                                 "templates#a-default-text-for-an-empty-value",
		"if empty":                                 "templates#a-default-text-for-an-empty-value",
		"Dear Sir or Madam":                        "templates#a-default-text-for-an-empty-value",
		"text when a name is empty":                "templates#a-default-text-for-an-empty-value",
		"default text when no name":                "templates#a-default-text-for-an-empty-value",
		"default for a missing value":              "guides/build-a-template#a-text-where-a-value-is-missing",
	} {
		w := get(t, handbook.Root+"search?"+url.Values{"q": {question}}.Encode())
		var first []string
		for _, found := range regexp.MustCompile(`<li><a href="\./([^"]*)"[^>]*>[^<]*</a>(?: <span class="soft">|<p>)`).FindAllStringSubmatch(w.Body.String(), 3) {
			first = append(first, found[1])
		}
		if !slices.Contains(first, want) {
			t.Errorf("%q: got %s, want %s", question, strings.Join(first, ", "), want)
		}
	}
}

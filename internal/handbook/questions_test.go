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
		"who can open":                             "guides/share-outputs#who-may-open-them",
		"sharing":                                  "guides/share-outputs#share-outputs",
		"who has access to the documents?":         "guides/share-outputs#share-outputs",
		"send again":                               "console#send-an-event-again-with-other-data",
		"how do I resend a failed webhook":         "console#deliver-failed-events-again",
		"default":                                  "settings#settings",
		"How do I make a backup?":                  "restore#backups-and-restores",
		"how long are documents kept":              "data#for-how-long",
		"delete everything about a customer":       "data#everything-about-one-person",
		"someone left the company":                 "production#when-somebody-leaves",
		"invoice numbers without gaps":             "guides/number-documents#number-documents-without-gaps",
		"email the PDF to the customer":            "mails#send-outputs-by-mail",
		"check the signature of a webhook":         "guides/verify-a-signature#verify-a-signature",
		"duplicate a workflow":                     "guides/copy-a-workflow#copy-a-workflow-to-another-installation",
		"undo a change of the template":            "guides/keep-versions#keep-versions-of-a-template",
		"stop everything":                          "production#pause-and-resume",
		"what failed today":                        "production#what-failed-today",
		"why does my pdf look different from Word": "fidelity#where-libreoffice-and-word-differ",
		"logo in the template":                     "templates#pictures-codes-and-links",
		"repeat a table row for each item":         "templates#rows",
		"how do I log in to the console":           "console#sign-in",
		"restrict what a token may do":             "production#tokens-with-scopes",
		"updating to a new release":                "upgrade#upgrade",
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

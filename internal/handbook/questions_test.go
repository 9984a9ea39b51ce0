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
		first := firstFound(t, question)
		if !slices.Contains(first, want) {
			t.Errorf("%q: got %s, want %s", question, strings.Join(first, ", "), want)
		}
	}
}

// Words that a newcomer has in mind lead to the page that answers among the first three hits.
func TestASearchAnswersWordsOfNewcomers(t *testing.T) {
	t.Parallel()
	for page, all := range map[string][]string{
		"mails":                            {"send mail", "send email", "email attachment", "attach pdf to email", "smtp", "cc bcc", "spam", "outlook", "link expires"},
		"guides/share-outputs":             {"password pdf", "encrypt", "protect pdf", "output name"},
		"guides/send-a-batch":              {"csv import", "import excel", "bulk", "mass mailing", "mail merge"},
		"guides/deliver-again":             {"retry webhook", "duplicate event"},
		"guides/verify-a-signature":        {"signature", "python"},
		"guides/seal-documents":            {"digital signature", "sign pdf"},
		"guides/rotate-a-secret":           {"webhook secret"},
		"n8n":                              {"n8n", "zapier", "make.com", "power automate"},
		"guides/send-e-invoices":           {"invoice xml", "zugferd", "xrechnung", "factur-x", "peppol"},
		"templates":                        {"qr code", "barcode", "girocode", "sepa", "loop table", "repeat rows", "list of items", "if else", "hide paragraph", "image", "chart", "date format", "currency", "thousands separator", "decimal comma", "rounding", "sum", "translation", "locale", "placeholder", "word template", "docx", "powerpoint", "pptx", "markdown"},
		"guides/answer-a-data-request":     {"delete personal data", "gdpr", "dsgvo"},
		"data":                             {"how long are files kept"},
		"restore":                          {"backup", "restore"},
		"upgrade":                          {"upgrade"},
		"google":                           {"google drive"},
		"guides/start-on-a-schedule":       {"schedule cron", "cron", "nightly", "watch folder", "hot folder", "folder", "time zone", "subfolder"},
		"guides/store-outputs-elsewhere":   {"sftp", "s3", "azure", "nextcloud", "sharepoint"},
		"api":                              {"limit", "rate limit"},
		"guides/see-usage":                 {"quota", "usage", "billing"},
		"production":                       {"api token", "scopes", "users", "add user", "proxy", "reverse proxy", "nginx", "tls", "https", "docker", "kubernetes", "helm", "systemd", "high availability", "logs", "key rotation", "audit", "install"},
		"console":                          {"sso", "oidc", "single sign on", "active directory"},
		"metrics":                          {"metrics", "prometheus", "grafana", "tracing"},
		"runbook":                          {"alert", "disk full"},
		"guides/keep-documents-for-years":  {"archive", "pdf/a"},
		"guides/make-accessible-documents": {"accessibility"},
		"guides/append-files":              {"append pdf", "merge pdf"},
		"guides/number-documents":          {"invoice number", "sequential number"},
		"guides/have-documents-approved":   {"approval", "four eyes"},
		"guides/make-a-public-form":        {"public form", "web form"},
		"guides/repeat-requests":           {"idempotency"},
		"guides/try-a-workflow":            {"test mode"},
		"studio":                           {"preview"},
		"guides/build-a-template":          {"check template"},
		"clients":                          {"typescript"},
		"guides/work-with-agents":          {"mcp", "ai agent"},
		"guides/keep-workflows-in-git":     {"terraform", "gitops", "git"},
		"guides/see-what-happened":         {"download pdf"},
		"guides/send-an-event":             {"synchronous"},
		"errors":                           {"error codes"},
	} {
		for _, words := range all {
			if first := firstFound(t, words); !slices.ContainsFunc(first, func(at string) bool { return strings.HasPrefix(at, page+"#") }) {
				t.Errorf("%q: got %s, want a section of %s", words, strings.Join(first, ", "), page)
			}
		}
	}
}

// firstFound are the first three sections that a search finds.
func firstFound(t *testing.T, query string) (first []string) {
	t.Helper()
	w := get(t, handbook.Root+"search?"+url.Values{"q": {query}}.Encode())
	for _, found := range regexp.MustCompile(`<li><a href="\./([^"]*)"[^>]*>[^<]*</a>(?: <span class="soft">|<p>)`).FindAllStringSubmatch(w.Body.String(), 3) {
		first = append(first, found[1])
	}
	return first
}

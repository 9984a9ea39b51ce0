package handbook

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// A word is one of a text: its place there in bytes, and the terms by which it is found.
// Those of a name such as outputSharing or token_revoked are the name and its parts.
type word struct {
	from, to int
	terms    []string
}

// A vocabulary knows the terms of words that it has met: to find a stem takes long.
type vocabulary map[string][]string

// of are the terms of a word.
func (v vocabulary) of(text string) []string {
	if terms, ok := v[text]; ok {
		return terms
	}
	return termsOf(text)
}

// learn is of, and remembers them.
func (v vocabulary) learn(text string) []string {
	terms, ok := v[text]
	if !ok {
		terms = termsOf(text)
		v[text] = terms
	}
	return terms
}

// wordsOf are the words of a text, in order; terms says by which terms one is found.
func wordsOf(text string, terms func(string) []string) (all []word) {
	from := -1
	for i, r := range text + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || from >= 0 && (r == '\'' || r == '’')
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			if found := terms(text[from:i]); len(found) > 0 {
				all = append(all, word{from, i, found})
			}
			from = -1
		}
	}
	return all
}

// termsOf are the stems of a word, the whole of it first.
func termsOf(text string) []string {
	text = strings.Trim(strings.ReplaceAll(text, "’", "'"), "'_")
	if text == "" {
		return nil
	}
	terms := []string{stem(text)}
	if parts := partsOf(text); len(parts) > 1 {
		for _, part := range parts {
			terms = append(terms, stem(part))
		}
	}
	return terms
}

// partsOf are the words that a name is made of.
func partsOf(name string) (parts []string) {
	from, last := 0, ' '
	for i, r := range name {
		if r == '_' || unicode.IsUpper(r) && unicode.IsLower(last) {
			if i > from {
				parts = append(parts, name[from:i])
			}
			from = i
			if r == '_' {
				from++
			}
		}
		last = r
	}
	if from < len(name) {
		parts = append(parts, name[from:])
	}
	return parts
}

func stem(text string) string { return english.Stem(strings.ToLower(text), true) }

// common are words that questions have and that answer none.
var common = setOf(`a about all am an and any are as at be been by can could did do does for from get gets got had has have how i if in into is it
	its let may me might must my need no not of on one or our please s should so some than that the their them then there these they this those to
	us want was we were what when where which who whom whose why will with would you your anybody anyone anything everybody everyone everything nobody somebody someone something`)

// spelled has words in the place of names whose parts are others.
var spelled = strings.NewReplacer("PDF/A", "archive", "pdf/a", "archive", "make.com", "zapier", "Make.com", "zapier", "power automate", "zapier", "Power Automate", "zapier")

// alike leads from what people call things to what the docs do. Both are stems.
var alike = stemmed(map[string]string{
	"429":              "limited",
	"access":           "open sharing",
	"activedirectory":  "oidc",
	"add":              "create",
	"again":            "redeliver retry",
	"alert":            "runbook metrics",
	"ansible":          "git",
	"apikey":           "token",
	"apitoken":         "token",
	"approver":         "approval",
	"attachment":       "mail append",
	"authentication":   "token sign",
	"authorization":    "token scopes",
	"automate":         "n8n",
	"availability":     "balancer",
	"azure":            "targets",
	"backup":           "restore",
	"barcode":          "qr",
	"billing":          "usage",
	"blank":            "missing",
	"broken":           "failed away",
	"bulk":             "batch",
	"caddy":            "balancer",
	"calculate":        "formulas",
	"calendar":         "schedule",
	"certificate":      "tls",
	"clone":            "copy",
	"colleague":        "user team",
	"company":          "leaves",
	"correlate":        "match",
	"crash":            "dead away",
	"cron":             "schedule",
	"cronjob":          "schedule",
	"csv":              "batch tables",
	"currency":         "numbers format formulas",
	"customer":         "person",
	"date":             "formulas",
	"datev":            "xml",
	"dedupe":           "safely",
	"deduplicate":      "safely",
	"default":          "settings",
	"deleted":          "erase remove",
	"digital":          "seal",
	"directory":        "oidc organization",
	"disallow":         "disable",
	"dkim":             "bounces",
	"docx":             "template",
	"download":         "outputs",
	"dropbox":          "targets elsewhere",
	"dsgvo":            "personal erase",
	"duplicate":        "copy twice",
	"edit":             "change",
	"email":            "mail",
	"empty":            "missing",
	"encrypt":          "password",
	"encryption":       "password",
	"error":            "failed mistakes",
	"excel":            "batch tables",
	"expire":           "ends",
	"expiry":           "ends",
	"eyes":             "approved",
	"failover":         "balancer",
	"faktura":          "numbers",
	"fallback":         "default",
	"fast":             "benchmarks",
	"fix":              "correct cure",
	"footer":           "headers",
	"forbid":           "disable",
	"forgot":           "sign token",
	"format":           "formulas",
	"former":           "leaves",
	"ftp":              "sftp targets",
	"gdpr":             "personal erase",
	"gitops":           "git",
	"gotenberg":        "exports",
	"grafana":          "metrics",
	"ha":               "balancer",
	"hacked":           "weakness",
	"healthcheck":      "probes",
	"helm":             "kubernetes",
	"hide":             "conditions condition if",
	"highavailability": "balancer",
	"hot":              "watch",
	"hotfolder":        "watch folder",
	"https":            "tls balancer",
	"hungarian":        "languages",
	"idempotency":      "safely repeat",
	"idp":              "oidc",
	"image":            "pictures",
	"import":           "batch",
	"install":          "start production",
	"invoice":          "numbers",
	"iteration":        "rows blocks",
	"kpi":              "metrics",
	"ldap":             "oidc organization",
	"leave":            "leaves",
	"leaver":           "leaves",
	"left":             "leaves",
	"letterhead":       "template",
	"lock":             "password",
	"login":            "sign log",
	"logo":             "pictures",
	"loop":             "rows blocks",
	"mass":             "batch",
	"max":              "limits",
	"maximum":          "limits",
	"merge":            "append batch",
	"monitor":          "metrics watch",
	"multilingual":     "languages",
	"nextcloud":        "targets",
	"nginx":            "balancer",
	"nightly":          "schedule",
	"odt":              "docx",
	"offboarding":      "leaves",
	"onboarding":       "users",
	"onedrive":         "targets elsewhere",
	"opentelemetry":    "traces",
	"outlook":          "mail",
	"parallel":         "order",
	"password":         "encrypts",
	"pdfa":             "archives",
	"performance":      "benchmarks",
	"permission":       "open sharing",
	"photo":            "pictures",
	"placeholder":      "fields tags",
	"polling":          "wait",
	"powerpoint":       "presentation pptx slides",
	"practice":         "drill try",
	"privacy":          "personal",
	"protect":          "password",
	"proxy":            "balancer",
	"quota":            "limits usage",
	"rehearse":         "drill try",
	"repeat":           "rows again",
	"rerun":            "retry again",
	"resend":           "redeliver again",
	"restrict":         "scopes",
	"reverseproxy":     "balancer",
	"revert":           "versions restore",
	"rounding":         "formulas",
	"saml":             "oidc",
	"scale":            "machine large",
	"secret":           "signature token",
	"send":             "deliver redeliver",
	"sepa":             "girocode",
	"separator":        "formulas",
	"sequence":         "order",
	"sequential":       "numbers gaps",
	"serial":           "order",
	"share":            "open",
	"sharepoint":       "targets elsewhere",
	"signin":           "sign log",
	"single":           "oidc organization",
	"smtp":             "mail server",
	"spam":             "bounces sender",
	"speed":            "benchmarks",
	"ssl":              "tls",
	"sso":              "oidc organization",
	"stop":             "pause cancel",
	"subfolder":        "folder",
	"sum":              "formulas",
	"synchronous":      "wait",
	"terraform":        "git",
	"thousands":        "numbers format",
	"throttle":         "rate limited",
	"timer":            "schedule",
	"timezone":         "zone",
	"total":            "formulas",
	"traefik":          "balancer",
	"translate":        "languages",
	"trash":            "erase remove",
	"tutorial":         "start build",
	"undo":             "versions restore back",
	"update":           "upgrade change",
	"vat":              "invoices",
	"visible":          "open sharing",
	"webform":          "public",
	"webhook":          "events receiver",
	"word":             "docx template",
	"wrong":            "mistakes failed",
	"xml":              "invoices",
	"zapier":           "n8n",
})

func setOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, one := range strings.Fields(text) {
		all[one] = true
	}
	return all
}

func stemmed(of map[string]string) map[string][]string {
	out := map[string][]string{}
	for name, others := range of {
		for _, other := range strings.Fields(others) {
			out[stem(name)] = append(out[stem(name)], stem(other))
		}
	}
	return out
}

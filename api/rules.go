package api

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/platenhq/platen/internal/platen"
)

// Limits of what a body may hold, in characters unless said otherwise. Those that forms
// hold, too, are in package platen.
const (
	maxFields    = 500 // entries
	maxFieldName = 200
)

var (
	colorForm  = regexp.MustCompile(`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	iconForm   = regexp.MustCompile(`^[A-Za-z0-9 _-]{1,64}$`)
	localeForm = regexp.MustCompile(`^[A-Za-z]{2,3}(-[0-9A-Za-z]{1,8})*$`)
	fileIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// line is the rule of a text on one line: it says something, is not too long
// and has no control characters.
func line(limit int) rule {
	return func(s string) string {
		if !strings.ContainsFunc(s, shows) {
			return "must not be empty"
		}
		return short(limit)(s)
	}
}

// shows tells of characters that can be seen: white space, zero-width characters
// and the like are none, and no tag can name a field of them alone.
func shows(r rune) bool { return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) }

// short is the rule of a text that may be empty.
func short(limit int) rule {
	return func(s string) string {
		if n := utf8.RuneCountInString(s); n > limit {
			return fmt.Sprintf("has %d characters: at most %d are allowed", n, limit)
		}
		if strings.ContainsFunc(s, unicode.IsControl) {
			return "must not contain control characters such as line breaks or tabs"
		}
		return ""
	}
}

func color(s string) string {
	if !colorForm.MatchString(s) {
		return "must be '#' and 3, 4, 6 or 8 hex digits, such as #cccccc"
	}
	return ""
}

func icon(s string) string {
	if !iconForm.MatchString(s) {
		return "must be 1 to 64 letters, digits, spaces, '-' or '_', such as DocumentText"
	}
	return ""
}

// locale is the rule of a language with its country or script; empty: none.
func locale(s string) string {
	if s == "" {
		return ""
	}
	tag, err := language.Parse(s)
	if base, _, _ := tag.Raw(); err != nil || len(s) > platen.MaxLocale || !localeForm.MatchString(s) || base.String() == "und" {
		return "must be a locale that exists, as BCP 47 writes it, such as de-AT or en; leave it empty for English"
	}
	return ""
}

// fileID is the rule of a file's id, or of an address that fileIDIn knows.
func fileID(s string) string {
	switch s = fileIDIn(s); {
	case s == "":
		return "must not be empty: leave it out to get a new document"
	case len(s) > platen.MaxFileID:
		return fmt.Sprintf("is longer than %d characters: give the file's id in the drive, or its address", platen.MaxFileID)
	case !fileIDForm.MatchString(s):
		return "must be the file's id in the drive (letters, digits, '-' and '_') or its address, not its name"
	}
	return ""
}

// appendixID is fileID for a file that is appended.
func appendixID(s string) string {
	if strings.TrimSpace(s) == "" {
		return "must not be empty: name a file of the drive, or leave the entry out"
	}
	return fileID(s)
}

// paragraphs is the rule of a text of several lines.
func paragraphs(limit int) rule {
	return func(s string) string {
		if n := utf8.RuneCountInString(s); n > limit {
			return fmt.Sprintf("has %d characters: at most %d are allowed", n, limit)
		}
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }) {
			return "must not contain control characters other than line breaks and tabs"
		}
		return ""
	}
}

// orEmptyOr is a rule that an empty text keeps, too.
func orEmptyOr(of rule) rule {
	return func(s string) string {
		if s == "" {
			return ""
		}
		return of(s)
	}
}

// recipients is the rule of a template for the addresses of a mail.
func recipients(s string) string {
	if fault := line(platen.MaxTextTemplate)(s); fault != "" {
		return fault
	}
	all := platen.EmailRecipients(s)
	if len(all) > platen.MaxEmailRecipients {
		return fmt.Sprintf("names %d recipients: at most %d are allowed", len(all), platen.MaxEmailRecipients)
	}
	for _, one := range all {
		if one = strings.TrimSpace(one); !strings.Contains(one, "{{") && !platen.IsEmailAddress(one) {
			return "must be addresses with commas between them, such as {{Email}}, archive@example.com: without names, quotes and brackets"
		}
	}
	return ""
}

// folderPath is the rule of a template for folders; empty: none.
func folderPath(s string) string {
	if fault := short(platen.MaxTextTemplate)(s); fault != "" {
		return fault
	}
	path := platen.FolderPath(s)
	if len(path) > platen.MaxFolderDepth {
		return fmt.Sprintf("names %d folders, one in the other: at most %d are allowed", len(path), platen.MaxFolderDepth)
	}
	for _, name := range path {
		if strings.Trim(name, " .") == "" || !strings.ContainsFunc(name, shows) {
			return "must be names of folders with one '/' between them, such as Customers/{{Customer Name}}: none may be blank, '.' or '..'"
		}
	}
	return ""
}

// folderID is the rule of a folder's id, or of an address that folderIDIn knows;
// empty: none.
func folderID(s string) string {
	if s = folderIDIn(s); s == "" || len(s) <= platen.MaxFileID && fileIDForm.MatchString(s) {
		return ""
	}
	return "must be the folder's id in the drive (letters, digits, '-' and '_') or its address, not its name"
}

// webhookURL is the rule of an address that events can be sent to. Whether
// the host may be reached is decided when it is connected to.
func webhookURL(s string) string {
	const cure = "must be an absolute http or https address, such as https://example.com/events"
	if utf8.RuneCountInString(s) > platen.MaxReceiverAddress {
		return fmt.Sprintf("is longer than %d characters", platen.MaxReceiverAddress)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "must not contain spaces or control characters"
	}
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return cure
	}
	if u.User != nil {
		return "must not contain a user name or password"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "has a port that does not exist: use 1 to 65535"
		}
	}
	return ""
}

// oneOf is the rule of a text that is one of a few words.
// declaredSeries is the rule of a series as documents name it.
func declaredSeries(s string) string {
	if _, ok := platen.SeriesTag(s); !ok {
		return fmt.Sprintf("must be a name such as invoices, or invoices@year to begin again in each year: lower-case letters, digits and _, a letter first, at most %d characters", platen.MaxSeriesName)
	}
	return ""
}

func oneOf(words ...string) rule {
	return func(s string) string {
		if !slices.Contains(words, s) {
			return "must be " + strings.Join(words, " or ")
		}
		return ""
	}
}

func documentIDForm(s string) string {
	if !platen.IsID(platen.PrefixDocument, s) {
		return "must be the id of a document of this workflow, which begins with " + platen.PrefixDocument
	}
	return ""
}

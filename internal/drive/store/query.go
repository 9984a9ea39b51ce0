package store

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits on a search: its length in bytes, how deep it may nest, how many
// terms it may have.
const (
	maxQuery      = 8 << 10
	maxQueryDepth = 30
	maxQueryTerms = 100
)

// query turns a search of files.list (the parameter q) into a condition on
// drive.files f. See "Search query terms and operators" of the Drive guides.
type query struct {
	user  User
	left  []lexeme
	args  pgx.NamedArgs
	depth int
	terms int
	// isFullText says that a term asks what files say.
	isFullText bool
}

// ParseQuery returns the condition, and whether it asks what files say, and adds
// its arguments to args, which has @owner. An empty q is always true.
func ParseQuery(q string, user User, args pgx.NamedArgs) (condition string, isFullText bool, err error) {
	if strings.TrimSpace(q) == "" {
		return "true", false, nil
	}
	if len(q) > maxQuery || !isStorable(q) {
		return "", false, invalidQuery(fmt.Sprintf("q must be at most %d bytes of text", maxQuery))
	}
	left, err := lexemes(q)
	if err != nil {
		return "", false, err
	}
	p := &query{user: user, left: left, args: args}
	if condition, err = p.or(); err != nil {
		return "", false, err
	}
	if p.terms > maxQueryTerms {
		return "", false, invalidQuery("too many terms")
	}
	if p.peek().kind != endOfQuery {
		return "", false, invalidQuery("unexpected " + p.peek().text)
	}
	return condition, p.isFullText, nil
}

func (p *query) peek() lexeme { return p.left[0] }

func (p *query) next() lexeme {
	l := p.left[0]
	if l.kind != endOfQuery {
		p.left = p.left[1:]
	}
	return l
}

// accept takes the next lexeme if it is this word or symbol.
func (p *query) accept(text string) bool {
	if l := p.peek(); (l.kind == word || l.kind == symbol) && l.text == text {
		p.next()
		return true
	}
	return false
}

func (p *query) expect(text string) error {
	if !p.accept(text) {
		return invalidQuery("expected " + text)
	}
	return nil
}

func (p *query) arg(value any) string {
	name := fmt.Sprintf("q%d", len(p.args))
	p.args[name] = value
	return "@" + name
}

func (p *query) or() (string, error)  { return p.join("or", " OR ", p.and) }
func (p *query) and() (string, error) { return p.join("and", " AND ", p.not) }

func (p *query) join(operator, sql string, operand func() (string, error)) (string, error) {
	first, err := operand()
	if err != nil {
		return "", err
	}
	all := []string{first}
	for p.accept(operator) {
		more, err := operand()
		if err != nil {
			return "", err
		}
		all = append(all, more)
	}
	return "(" + strings.Join(all, sql) + ")", nil
}

func (p *query) not() (string, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxQueryDepth {
		return "", invalidQuery("too deeply nested")
	}
	if p.accept("not") {
		condition, err := p.not()
		return "NOT " + condition, err
	}
	if p.accept("(") {
		condition, err := p.or()
		if err != nil {
			return "", err
		}
		return condition, p.expect(")")
	}
	return p.term()
}

func (p *query) term() (string, error) {
	if p.terms++; p.terms > maxQueryTerms {
		return "", invalidQuery("too many terms")
	}
	l := p.next()
	switch {
	case l.kind == quoted:
		if err := p.expect("in"); err != nil {
			return "", err
		}
		return p.in(l.text, p.next().text)
	case l.kind != word:
		return "", invalidQuery("expected a search term")
	}
	switch l.text {
	case "name":
		return p.text("f.name", p.namePrefix)
	case "fullText":
		return p.text("", p.fullText)
	case "visibility":
		return p.visibility()
	case "mimeType":
		return p.text("f.mime_type", func(v string) string {
			return "position(" + p.arg(v) + " IN f.mime_type) > 0"
		})
	case "modifiedTime", "viewedByMeTime":
		return p.time("f.modified_at")
	case "createdTime":
		return p.time("f.created_at")
	case "trashed":
		return p.boolean("f.trashed")
	case "starred":
		return p.boolean("f.starred")
	case "sharedWithMe":
		if p.peek().kind == symbol && p.peek().text != ")" {
			return p.boolean("false")
		}
		return "false", nil
	case "shortcutDetails.targetId":
		return p.text("f.target_id", func(string) string { return "false" })
	case "properties":
		return p.has("f.properties")
	case "appProperties":
		return p.has("f.app_properties")
	}
	return "", invalidQuery("unknown search term " + l.text)
}

// in handles 'value' in collection.
func (p *query) in(value, collection string) (string, error) {
	switch collection {
	case "parents":
		if value == rootAlias {
			return "f.parent_id = (SELECT r.id FROM drive.files r WHERE r.owner_id = @owner AND r.parent_id IS NULL)", nil
		}
		return "f.parent_id = " + p.arg(value), nil
	case "owners", "writers", "readers":
		// Every file that can be listed belongs to the caller alone.
		if value == "me" || strings.EqualFold(value, p.user.Email) {
			return "true", nil
		}
		return "false", nil
	}
	return "", invalidQuery("unknown collection " + collection)
}

// text handles = and != on a column ("" for none) and contains.
func (p *query) text(column string, contains func(string) string) (string, error) {
	operator, value := p.next(), p.next()
	if value.kind != quoted {
		return "", invalidQuery("expected a string in single quotes")
	}
	switch {
	case operator.text == "contains":
		return contains(value.text), nil
	case column != "" && (operator.text == "=" || operator.text == "!="):
		return "(" + column + " " + operator.text + " " + p.arg(value.text) + ")", nil
	}
	return "", invalidQuery("operator " + operator.text + " does not fit here")
}

// namePrefix finds names in which a word begins with the value, as Google's
// contains does.
func (p *query) namePrefix(value string) string {
	return "f.name ~* " + p.arg(`(^|[^[:alnum:]])`+regexp.QuoteMeta(value))
}

// fullText finds every word of the value, or the value as it is when it stands
// in double quotes, in names, in descriptions and in what files say: there whole
// words alone, as Google does.
func (p *query) fullText(value string) string {
	p.isFullText = true
	words := strings.Fields(value)
	if phrase, quoted := strings.CutPrefix(value, `"`); quoted {
		words = []string{strings.TrimSuffix(phrase, `"`)}
	}
	if len(words) == 0 {
		return "true"
	}
	all := make([]string, len(words))
	for i, w := range words {
		p.terms++ // each is one more to be looked for
		all[i] = "(" + p.namePrefix(w) + " OR position(lower(" + p.arg(w) + ") IN lower(f.description)) > 0" +
			" OR EXISTS (SELECT FROM drive.texts t WHERE t.sha256 = f.sha256 AND t.mime_type = f.mime_type" +
			" AND t.words @@ phraseto_tsquery('simple', " + p.arg(strings.ToLower(w)) + ")))"
	}
	return "(" + strings.Join(all, " AND ") + ")"
}

// visibility tells files that are shared with everybody who has the link from
// those that are not; no file here is anything else.
func (p *query) visibility() (string, error) {
	operator, value := p.next(), p.next()
	if operator.text != "=" && operator.text != "!=" || value.kind != quoted {
		return "", invalidQuery("expected = or != and a visibility")
	}
	condition := "false"
	switch value.text {
	case "anyoneWithLink":
		condition = "(f.link_role IS NOT NULL)"
	case "limited":
		condition = "(f.link_role IS NULL)"
	case "anyoneCanFind", "domainCanFind", "domainWithLink":
	default:
		return "", invalidQuery("unknown visibility")
	}
	if operator.text == "!=" {
		return "NOT " + condition, nil
	}
	return condition, nil
}

func (p *query) time(column string) (string, error) {
	operator, value := p.next(), p.next()
	switch operator.text {
	case "=", "!=", "<", "<=", ">", ">=":
	default:
		return "", invalidQuery("operator " + operator.text + " does not fit here")
	}
	if value.kind == quoted {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
			if t, err := time.Parse(layout, value.text); err == nil {
				return "(" + column + " " + operator.text + " " + p.arg(t) + ")", nil
			}
		}
	}
	return "", invalidQuery("expected a time such as '2026-01-02T03:04:05'")
}

func (p *query) boolean(column string) (string, error) {
	operator, value := p.next(), p.next()
	if operator.text != "=" && operator.text != "!=" || value.kind != word || value.text != "true" && value.text != "false" {
		return "", invalidQuery("expected = true or = false")
	}
	return "(" + column + " " + operator.text + " " + value.text + ")", nil
}

// has handles { key='k' and value='v' }.
func (p *query) has(column string) (string, error) {
	if err := p.expect("has"); err != nil {
		return "", err
	}
	if err := p.expect("{"); err != nil {
		return "", err
	}
	pair := map[string]string{}
	for _, closing := range []string{"and", "}"} {
		name := p.next().text
		if err := p.expect("="); err != nil {
			return "", err
		}
		value := p.next()
		if value.kind != quoted {
			return "", invalidQuery("expected a string in single quotes")
		}
		pair[name] = value.text
		if err := p.expect(closing); err != nil {
			return "", err
		}
	}
	key, hasKey := pair["key"]
	value, hasValue := pair["value"]
	if !hasKey || !hasValue {
		return "", invalidQuery("expected { key='…' and value='…' }")
	}
	return "(" + column + " @> " + p.arg(map[string]string{key: value}) + "::jsonb)", nil
}

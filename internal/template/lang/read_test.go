package lang_test

import (
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

func TestTagsAreReadByWhatTheyBeginWith(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]syntax.Kind{
		"Name":              syntax.Field,
		"= Name":            syntax.Formula,
		"=Name":             syntax.Formula,
		"#if A":             syntax.If,
		"# if A":            syntax.If,
		"#IF A":             syntax.If,
		"else if A":         syntax.ElseIf,
		"ELSE IF A":         syntax.ElseIf,
		"else  if  A":       syntax.ElseIf,
		"else":              syntax.Else,
		"Else":              syntax.Else,
		"/if":               syntax.EndIf,
		"/ IF":              syntax.EndIf,
		"#each Items":       syntax.Each,
		"# EACH Items":      syntax.Each,
		"/each":             syntax.EndEach,
		"/each Items":       syntax.EndEach, // what stands behind the end does no harm
		"image Logo":        syntax.Image,
		"Image Logo 3cm":    syntax.Image,
		"qr Url":            syntax.Code,
		"QR Url":            syntax.Code,
		"ean13 Article":     syntax.Code,
		"CODE128 Parcel":    syntax.Code,
		"datamatrix Part":   syntax.Code,
		"ean13":             syntax.Field,
		"code of conduct":   syntax.Field,
		"data of it":        syntax.Field,
		"link Url":          syntax.Link,
		"link Url, Text":    syntax.Link,
		"image":             syntax.Field, // a word alone is a name
		"qr":                syntax.Field,
		"link":              syntax.Field,
		"images of it":      syntax.Field,
		"elsewhere":         syntax.Field,
		"else where":        syntax.Field,
		"if A":              syntax.Field,
		"each A":            syntax.Field,
		"@index":            syntax.Field,
		"this":              syntax.Field,
		"#":                 syntax.Faulty,
		"#iff A":            syntax.Faulty,
		"#if":               syntax.Faulty,
		"#each":             syntax.Faulty,
		"/":                 syntax.Faulty,
		"/unless":           syntax.Faulty,
		"=":                 syntax.Faulty,
		"= 1 +":             syntax.Faulty,
		"else if 1 +":       syntax.Faulty,
		"image (Logo":       syntax.Faulty,
		"image Logo 9999m":  syntax.Image, // a name of two words
		"image Logo 9999mm": syntax.Faulty,
	} {
		e := lang.NewEvaluator(nil, lang.Builtins{})
		if got := read(e, tag); got.Kind != want || got.Tag != "{{"+tag+"}}" {
			t.Errorf("{{%s}}: got kind %d and tag %s, want kind %d", tag, got.Kind, got.Tag, want)
		}
	}
}

func TestAFieldOfTheTagsNameTakesPrecedenceOverEveryKeyword(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"= A", "#if A", "#each Items", "/if", "/each", "else", "else if A", "image Logo", "qr Url", "link Url", "#section"} {
		body := `{"` + name + `": "field", "Items": [], "Logo": "x", "Url": "y", "A": 1}`
		e := evaluator(t, body)
		if got := read(e, name); got.Kind != syntax.Field || e.Text(got, nil) != "field" {
			t.Errorf("%s: got kind %d showing %q, want the field", name, got.Kind, e.Text(got, nil))
		}
	}
}

func TestATagIsReadOnce(t *testing.T) {
	t.Parallel()
	e := lang.NewEvaluator(nil, lang.Builtins{})
	if a, b := read(e, "= 1 + 1"), read(e, "= 1 + 1"); a != b {
		t.Error("got two statements of one tag")
	}
	if a, b := read(e, "Name"), read(e, " Name "); a == b || a.Tag == b.Tag {
		t.Errorf("got one statement for tags that are written %s and %s", a.Tag, b.Tag)
	}
}

func TestBlocksOfOtherLanguagesNameWhatMayBeMeant(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"#iff A": "#if", "#ech Items": "#each", "/eech": "/each", "/iff": "/if", "#section": "", "#unless A": ""} {
		e := lang.NewEvaluator(nil, lang.Builtins{})
		value(e, tag)
		f := e.Findings()
		if len(f) != 1 || f[0].Code != "unknown_block" {
			t.Fatalf("{{%s}}: got %+v, want unknown_block", tag, f)
		}
		got := ""
		if len(f[0].Nearest) > 0 {
			got = f[0].Nearest[0]
		}
		if got != want {
			t.Errorf("{{%s}}: got nearest %q, want %q", tag, got, want)
		}
	}
}

func TestStatementsKnowTheirPartInABlock(t *testing.T) {
	t.Parallel()
	e := lang.NewEvaluator(nil, lang.Builtins{})
	of := func(tag string) *syntax.Statement { return read(e, tag) }
	for tag, want := range map[string]struct{ opens, ends, control, inserts bool }{
		"A": {}, "= A": {}, "=": {},
		"#if A": {opens: true, control: true}, "#each A": {opens: true, control: true},
		"else": {control: true}, "else if A": {control: true},
		"/if": {ends: true, control: true}, "/each": {ends: true, control: true},
		"image A": {inserts: true}, "qr A": {inserts: true}, "link A": {inserts: true},
	} {
		s := of(tag)
		if s.Opens() != want.opens || s.Ends() != want.ends || s.IsControl() != want.control || s.Inserts() != want.inserts {
			t.Errorf("{{%s}}: opens %v, ends %v, is a control %v, inserts %v; want %+v", tag, s.Opens(), s.Ends(), s.IsControl(), s.Inserts(), want)
		}
	}
	for _, c := range []struct {
		open, tag string
		want      bool
	}{
		{"#if A", "/if", true}, {"#if A", "else", true}, {"#if A", "else if B", true}, {"#if A", "/each", false}, {"#if A", "#if B", false}, {"#if A", "A", false},
		{"#each A", "/each", true}, {"#each A", "else", false}, {"#each A", "else if B", false}, {"#each A", "/if", false}, {"A", "/each", false}, {"else", "/if", false},
	} {
		if got := of(c.tag).Closes(of(c.open)); got != c.want {
			t.Errorf("{{%s}} behind {{%s}}: got %v, want %v", c.tag, c.open, got, c.want)
		}
	}
}

package lang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

const mib = 1 << 20

// shelf obtains pictures of the sizes that their names are listed with, at
// short addresses.
type shelf struct {
	sizes  map[string]int64
	asked  []string
	limits []int64
}

func (s *shelf) obtain(p lang.Picture) (lang.Obtained, error) {
	s.asked, s.limits = append(s.asked, p.Source), append(s.limits, p.Limit)
	size, ok := s.sizes[p.Source]
	switch {
	case !ok:
		return lang.Obtained{}, platen.Errorf(platen.KindInvalid, "picture_unusable", "It is no picture.")
	case size > p.Limit && strings.HasPrefix(p.Source, "stopped"):
		return lang.Obtained{}, platen.Errorf(platen.KindTooLarge, "over", "over")
	}
	return lang.Obtained{URI: "https://short/" + p.Source, Width: 1, Height: 1, Bytes: size}, nil
}

func fillPictures(t *testing.T, template, data string, s *shelf) (placed []string, findings []lang.Finding) {
	t.Helper()
	parsed, err := lang.ParseData([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	e := lang.NewEvaluator(parsed, lang.Builtins{})
	e.ObtainWith(s.obtain)
	for _, span := range e.Fill(e.ReadLine(template), nil, false) {
		if span.Picture != nil {
			placed = append(placed, strings.TrimPrefix(span.Picture.URI, "https://short/"))
		}
	}
	if err := e.Failed(); err != nil {
		t.Fatal(err)
	}
	return placed, e.Findings()
}

func TestDifferentPicturesShareOneLimit(t *testing.T) {
	t.Parallel()
	s := &shelf{sizes: map[string]int64{"a": 10 * mib, "b": 9 * mib, "stopped": 9 * mib, "c": 8 * mib, "d": 1}}
	placed, findings := fillPictures(t, `{{image "a"}}{{image "a"}}{{image "b"}}{{image "stopped"}}{{image "c"}}{{image "a"}}{{image "d"}}{{image "e"}}`, `{}`, s)
	if want := []string{"a", "a", "c", "a"}; !slices.Equal(placed, want) {
		t.Errorf("placed %q, want %q: those for which there is room, however often", placed, want)
	}
	if want := []string{"a", "b", "stopped", "c"}; !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q: each once, and none without room", s.asked, want)
	}
	if want := []int64{18 * mib, 8 * mib, 8 * mib, 8 * mib}; !slices.Equal(s.limits, want) {
		t.Errorf("limits %v, want %v", s.limits, want)
	}
	var tags []string
	for _, f := range findings {
		if f.Code != "pictures_too_large" || !f.Data {
			t.Errorf("got %+v, want pictures_too_large, of the data", f)
		}
		tags = append(tags, f.Tag)
	}
	if want := []string{`{{image "b"}}`, `{{image "stopped"}}`, `{{image "d"}}`, `{{image "e"}}`}; !slices.Equal(tags, want) {
		t.Errorf("findings of %q, want %q", tags, want)
	}
}

func TestMistakesOfPicturesSayWhichFieldHasThem(t *testing.T) {
	t.Parallel()
	s := &shelf{sizes: map[string]int64{"a": 1}}
	_, findings := fillPictures(t, "{{#each Items}}{{image Photo}}{{/each}}{{image Logo}}", `{"Items": [{"Photo": "x"}, {"Photo": "a"}, {"Photo": "y"}], "Logo": "z"}`, s)
	var said []string
	for _, f := range findings {
		said = append(said, f.Field+"|"+f.Message)
	}
	want := []string{"Items, item 1, Photo|Items, item 1, Photo: It is no picture.", "Items, item 3, Photo|Items, item 3, Photo: It is no picture.", "Logo|Logo: It is no picture."}
	if !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestMistakesOfAlternativeTextsAreSaid(t *testing.T) {
	t.Parallel()
	const without, unexpected, noPicture = "alt_without_text: Behind alt stands the alternative text", "alt_unexpected: The tag says alt twice", "alt_unexpected: The tag brings no picture"
	for tag, want := range map[string]string{
		`{{image Logo 40mm alt "Our logo"}}`:            "",
		`{{image Logo, alt = 'Our logo', 40x20mm}}`:     "",
		`{{image Logo alt Caption 40mm}}`:               "",
		`{{image [Old alt]}} {{image Old alt}}`:         "",
		`{{image Alt}}`:                                 "",
		`{{image Logo alt}}`:                            without,
		`{{image Logo 40mm alt ""}}`:                    without,
		`{{image Logo alt "a" alt "b"}}`:                unexpected,
		`{{image Logo alt "a" & }}`:                     "formula_incomplete: The formula",
		`{{image Logo alt SUMM(1)}}`:                    "unknown_function: ",
		`{{image Logo alt Long}}`:                       "alt_too_long: Long: An alternative text has at most 1000 characters",
		`{{image Logo alt Part}}`:                       "no_text: The alternative text names a part",
		`{{Logo alt "Our logo"}}`:                       noPicture,
		`{{link Logo alt "Our logo"}}`:                  noPicture,
		`{{link Old alt "Our logo"}}`:                   "link_unusable: ",
		`{{markdown Logo alt "Our logo"}}`:              noPicture,
		`{{chart Items: Name, Qty alt "Our logo"}}`:     noPicture,
		`{{= Logo alt "Our logo"}}`:                     noPicture,
		`{{#if Old alt = "a"}}x{{/if}}{{= "a alt 'b"}}`: "",
	} {
		_, findings := fillPictures(t, tag, `{"Logo": "a", "Old alt": "a", "Alt": "a", "Caption": "c", "Part": {"A": 1}, "Long": "`+strings.Repeat("ü", lang.MaxAlt+1)+`"}`, &shelf{sizes: map[string]int64{"a": 1}})
		got := ""
		for _, f := range findings {
			got += f.Code + ": " + f.Message
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

func TestAnEmptyAlternativeTextIsTold(t *testing.T) {
	t.Parallel()
	data, err := lang.ParseData([]byte(`{"Items": [{"Photo": "a", "Name": "Nut"}, {"Photo": "a", "Name": " "}, {"Photo": "a"}], "Logo": "a", "Empty": ""}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*shelf{{sizes: map[string]int64{"a": 1}}, nil} { // with pictures and without
		e := lang.NewEvaluator(data, lang.Builtins{})
		if s != nil {
			e.ObtainWith(s.obtain)
		}
		e.Fill(e.ReadLine(`{{#each Items}}{{image Photo alt Name}}{{/each}}{{image Logo alt "x"}}{{image Empty alt Empty}}{{image Logo}}{{image Logo alt Gone}}`), nil, false)
		if got := e.Silent(); !slices.Equal(got, []string{"{{image Photo alt Name}}", "{{image Logo alt Gone}}"}) {
			t.Errorf("got %q", got)
		}
		if got := e.Missing(); !slices.Equal(got, []string{"Gone"}) {
			t.Errorf("missing: got %q", got)
		}
	}
}

func TestSizesOfPicturesThatCannotBeAreSaid(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"{{image Logo 99999cm}}":                            "picture_too_large: A picture of 99999cm is larger than a metre.",
		"{{image Logo " + strings.Repeat("9", 400) + "cm}}": "picture_too_large: A picture of " + strings.Repeat("9", 40) + " is larger than a metre.",
		"{{image Logo width=99999cm}}":                      "picture_size: The size of a picture stands alone behind its field, such as 40mm or 40x20mm, without width=.",
		"{{qr Logo 0.00001mm}}":                             "picture_size: A picture of 0.00001mm is smaller than a tenth of a millimetre.",
		"{{qr Long}}":                                       "code_too_long: Long: A QR code holds at most 2329 bytes of text, in which a letter beyond ASCII takes two to four.",
	} {
		_, findings := fillPictures(t, tag, `{"Logo": "a", "Long": "`+strings.Repeat("ü", 1166)+`"}`, &shelf{sizes: map[string]int64{"a": 1}})
		got := ""
		for _, f := range findings {
			got += f.Code + ": " + f.Message
		}
		if got != want {
			t.Errorf("%.40s: got %q, want %q", tag, got, want)
		}
	}
}

func TestLinksKeepWhatTheirAddressEscapes(t *testing.T) {
	t.Parallel()
	data, err := lang.ParseData([]byte(`{"Name": "a b/c", "Customer Name": "Ä", "Base": "https://x/%2F"}`))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://x/a%2Fb?{{Name}}":                            "https://x/a%2Fb?a%20b%2Fc",
		"https://x/a%2Fb?q=%7B%7BName%7D%7D&r=%25":            "https://x/a%2Fb?q=a%20b%2Fc&r=%25",
		"https://x/%7b%7bCustomer%20Name%7d%7d/%7B%7BName}}/": "https://x/%C3%84/a%20b%2Fc/",
		"https://x/%7B%7B%7BName%7D%7D%7D":                    "https://x/%7Ba%20b%2Fc%7D",
		"https://x/%7B{{Name}}%7D%20%zz":                      "",
		"%7B%7BBase%7D%7D?a=%2F":                              "https://x/%2F?a=%2F",
		"https://x/{{%7D%7D?{{Name}}":                         "https://x/{{%7D%7D?a%20b%2Fc",
	} {
		e := lang.NewEvaluator(data, lang.Builtins{})
		target, ok := e.Target(address)
		if !ok {
			t.Errorf("%s: no tag was found", address)
			continue
		}
		if got := e.Address(target, nil); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
	e := lang.NewEvaluator(data, lang.Builtins{})
	for _, address := range []string{"https://x/%7B%7Ba", "https://x/{a}%7D%7D", "https://x/a%2Fb"} {
		if _, ok := e.Target(address); ok {
			t.Errorf("%s: a tag was found", address)
		}
	}
}

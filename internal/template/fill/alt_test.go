package fill_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/docs/v1"

	drivedocs "github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// described are the descriptions of the pictures in the lines of a file that is filled.
func described(t *testing.T, body string) []string {
	t.Helper()
	d, findings := withPictures(t, docx(t, body, "", ""))
	if len(findings) > 0 {
		t.Errorf("%.80s: %v", body, findings)
		return nil
	}
	resource, err := drivedocs.Get(d, "id", "title", "2")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, id := range pictureIDs(resource.Body.Content) {
		o := resource.InlineObjects[id].InlineObjectProperties.EmbeddedObject
		all = append(all, o.Description+o.Title)
	}
	return all
}

func TestPicturesHaveTheAlternativeTextOfTheirTags(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		drawn(`{{image Logo 40mm alt "Our logo"}} {{image Logo}} {{image Logo alt "Logo, small" 10mm}}`): {"Our logo", "", "Logo, small"},
		drawn(`{{qr Site 25mm alt "A <b> & ""c""; d, 100 % – 🔩"}}`):                                      {`A <b> & "c"; d, 100 % – 🔩`},
		drawn(`{{image Logo alt Empty}} {{image Empty alt "Nothing"}}`):                                  {""},
		drawn("| {{Items.Name}} | {{image Items.Photo alt \"Photo of \" & Items.Name}}\nend"):            {"Photo of Bolt", "Photo of Nut"},
		drawn("{{#each Items}}\n{{image Photo alt Name}}\n{{/each}}\nend"):                               {"Bolt", "Nut"},
		`<w:p>` + placeholderXML(`{{image Logo alt &quot;Our logo&quot;}}`) + `</w:p>`:                   {"Our logo"},
		`<w:p>` + placeholderXML(`{{image Logo}}`) + `</w:p>`:                                            {""},
		drawn(`{{image Logo alt Evil}}`):                                                                 {"{{image Logo}}"},
	} {
		if got := described(t, body); !slices.Equal(got, want) {
			t.Errorf("%.200s: got %q, want %q", body, got, want)
		}
	}
}

func TestPicturesOfHTMLHaveTheirAlternativeText(t *testing.T) {
	t.Parallel()
	data := fmt.Sprintf(`{"Terms": "<p>a <img src=\"%s\" alt=\" Our \n logo \"> b <img src=\"%[1]s\" alt=\"%s\"></p>"}`, "https://example.com/40x20", strings.Repeat("x", lang.MaxAlt+1))
	requests, err := fill.ComposeDocument(&docs.Document{Body: &docs.Body{Content: []*docs.StructuralElement{{EndIndex: 16, StartIndex: 1, Paragraph: &docs.Paragraph{
		Elements: []*docs.ParagraphElement{{StartIndex: 1, EndIndex: 16, TextRun: &docs.TextRun{Content: "{{html Terms}}\n"}}},
	}}}}}, func() *lang.Evaluator {
		e := lang.NewEvaluator(parse(t, data), lang.Builtins{})
		e.ObtainWith(func(lang.Picture) (lang.Obtained, error) {
			return lang.Obtained{URI: "data:image/png;base64,AA==", Width: 40, Height: 20}, nil
		})
		return e
	}(), nonce)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range requests {
		if r.InsertInlineImage != nil {
			got = append(got, r.InsertInlineImage.Uri)
		}
	}
	want := []string{"data:image/png;alt=" + strings.Repeat("x", lang.MaxAlt) + ";base64,AA==", "data:image/png;alt=Our%20logo;base64,AA=="}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnSlidesPicturesHaveTheAlternativeTextOfTheirTags(t *testing.T) {
	t.Parallel()
	pic := func(id int, description string) string {
		return fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="P%[1]d" %s/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/>`+
			`<p:spPr><a:xfrm><a:off x="1000" y="2000"/><a:ext cx="4000" cy="8000"/></a:xfrm></p:spPr></p:pic>`, id, description)
	}
	p, err := fillSlide(t, pic(20, `descr="{{image Logo alt &quot;Our logo&quot;}}"`)+pic(21, `title="{{image Logo}}"`)+pic(22, `descr="A photo"`), `{{qr Site alt "To the " & "shop"}}`)
	if err != nil {
		t.Fatal(err)
	}
	part, _ := p.Package.Part("ppt/slides/slide1.xml")
	for name, want := range map[string]string{`name="P20"`: ` descr="Our logo"/>`, `name="P21"`: `/>`, `name="P22"`: ` descr="A photo"/>`, `name="Box"`: ` descr="To the shop"/>`} {
		if !strings.Contains(string(part), name+want) {
			t.Errorf("%s: want %s in %s", name, want, part)
		}
	}
}

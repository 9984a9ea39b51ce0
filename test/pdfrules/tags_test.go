package pdfrules_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
)

func TestAPictureOfATagIsDescribedInThePDF(t *testing.T) {
	t.Parallel()
	d, err := wml.ReadDocument(rendertest.Docx{
		Settings: `<w:themeFontLang w:val="en-GB"/>`,
		Body:     rendertest.Paragraph("", `Pay {{qr Link 25mm alt &quot;Code of the invoice &quot; &amp; No}} soon`) + rendertest.Paragraph("", `{{code128 No alt &quot;Nr. &quot; &amp; No}}`),
	}.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	read, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := lang.ParseData([]byte(`{"Link": "https://pay.example/1001", "No": "A-1001"}`))
	if err != nil {
		t.Fatal(err)
	}
	e := lang.NewEvaluator(data, lang.Builtins{})
	e.ObtainWith(func(p lang.Picture) (lang.Obtained, error) {
		return picture.Source{Direct: true}.Obtain(t.Context(), p, nil)
	})
	requests, err := fill.ComposeDocument(read, e, "nonce")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := docs.Apply(d, "id", requests); err != nil {
		t.Fatal(err)
	}
	file, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	out := made(t, "tagged.docx", file)
	wantRules(t, out)
	said := rendertest.Tool(t, out, "mutool", "show", "FILE", "grep")
	for _, want := range []string{`/Alt(Code of the invoice A-1001)`, `/Alt(Nr. A-1001)`} {
		if !strings.Contains(said, want) {
			t.Errorf("MuPDF does not read %s in %s", want, said)
		}
	}
}

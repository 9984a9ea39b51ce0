package fill_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// large is a template of 200 tags and a row for 500 items, with its data.
func large(t testing.TB) (file []byte, data string) {
	var lines, fields, items []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("Text before {{Field %d}} and behind it.", i))
		fields = append(fields, fmt.Sprintf(`"Field %d": "value %d"`, i, i))
	}
	for i := range 500 {
		items = append(items, fmt.Sprintf(`{"No": %d, "Name": "Item %d", "Qty": %d, "Price": "%d.50"}`, i, i, i%7, i))
	}
	lines = append(lines, "| No | Name | Qty | Sum", "| {{Items.No}} | {{Items.Name}} | {{Items.Qty}} | {{= Items.Qty * Items.Price}}", "| | | | {{= SUM(Items.Qty * Items.Price)}}", "end")
	return docx(t, drawn(strings.Join(lines, "\n")), "", ""), "{" + strings.Join(fields, ",") + `,"Items":[` + strings.Join(items, ",") + "]}"
}

func BenchmarkComposingOf200TagsAnd500Rows(b *testing.B) {
	file, body := large(b)
	d, err := wml.ReadDocument(file)
	if err != nil {
		b.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fill.ComposeDocument(resource, lang.NewEvaluator(parse(b, body), lang.Builtins{}), nonce); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFillingOf200TagsAnd500Rows(b *testing.B) {
	file, body := large(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := filledFile(b, file, body); err != nil {
			b.Fatal(err)
		}
	}
}

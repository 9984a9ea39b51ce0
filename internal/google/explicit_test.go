package google_test

import (
	"net/http"
	"reflect"
	"testing"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
)

func TestWhatADocumentSaysIsFalseIsSentBackAsFalse(t *testing.T) {
	t.Parallel()
	const document = `{"revisionId": "1", "tabs": [{"documentTab": {
		"body": {"content": [{"paragraph": {"elements": [
			{"textRun": {"content": "a", "textStyle": {"italic": false, "bold": false, "underline": true}}},
			{"textRun": {"content": "b\n", "textStyle": {}}}], "paragraphStyle": {"keepWithNext": false}}}]},
		"headers": {"h": {"content": [{"paragraph": {"elements": [{"textRun": {"content": "c\n", "textStyle": {"bold": false}}}]}}]}}}}]}`
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, document) })
	var got [][]string
	_, err := client.EditDocument(t.Context(), "file", platen.ReadWhole, func(d *docsapi.Document) ([]*docsapi.Request, error) {
		tab := d.Tabs[0].DocumentTab
		p := tab.Body.Content[0].Paragraph
		got = [][]string{p.Elements[0].TextRun.TextStyle.ForceSendFields, p.Elements[1].TextRun.TextStyle.ForceSendFields,
			p.ParagraphStyle.ForceSendFields, tab.Headers["h"].Content[0].Paragraph.Elements[0].TextRun.TextStyle.ForceSendFields}
		return nil, nil
	})
	if want := [][]string{{"Bold", "Italic"}, nil, {"KeepWithNext"}, {"Bold"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("forced %q, %v, want %q", got, err, want)
	}
}

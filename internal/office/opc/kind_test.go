package opc_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestTheKindOfAFileIsThatOfItsMainPartUnderAnyName(t *testing.T) {
	t.Parallel()
	const ml = "application/vnd.openxmlformats-officedocument."
	for _, c := range []struct {
		part, types string
		want        opc.Kind
	}{
		{"[Content_Types].xml", `<Override PartName="/word/document2.xml" ContentType="` + ml + `wordprocessingml.document.main+xml"/>`, opc.DocumentKind},
		{"[content_types].xml", `<Default Extension="xml" ContentType="` + ml + `wordprocessingml.document.main+xml"/>`, opc.DocumentKind},
		{"[Content_Types].xml", `<Override PartName="/a" ContentType="` + ml + `wordprocessingml.styles+xml"/><Override PartName="/b" ContentType="` + ml + `presentationml.presentation.main+xml"/>`, opc.PresentationKind},
		{"[Content_Types].xml", `<Override PartName="/b" ContentType="application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"/>`, opc.PresentationKind},
		{"[Content_Types].xml", `<Override PartName="/word/document.xml" ContentType="` + ml + `spreadsheetml.sheet.main+xml"/>`, opc.OtherKind},
		{"[Content_Types].xml", `<Override PartName="/word/document.xml" ContentType="` + ml + `wordprocessingml.styles+xml"/>`, opc.OtherKind},
		{"word/document.xml", "", opc.OtherKind},
	} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		f, err := z.Create(c.part)
		if err == nil {
			_, err = f.Write([]byte(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` + c.types + `</Types>`))
		}
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := opc.KindOf(out.Bytes()); got != c.want {
			t.Errorf("%s: got %d, want %d", c.types, got, c.want)
		}
	}
	if got := opc.KindOf([]byte("PK no zip")); got != opc.OtherKind {
		t.Errorf("got %d of what is no zip", got)
	}
}

package include_test

import (
	"os"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/merge"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/include"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// Our drive finds documents by their paths, and keeps what was included.
func TestDocumentsOfOurDriveAreIncluded(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.StackVariable) == "" {
		t.Skipf("%s names no running stack: make test has one", testkit.StackVariable)
	}
	s := drivetest.Serve(t)
	template := s.Upload(t, "Contract", platen.MIMEDocs, docx(t, "{{include \"Clauses/Payment\"}}\n{{include Ids}}\nend"))
	file, err := s.Client.File(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := s.Client.NewFileID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client.CreateFolder(t.Context(), platen.File{ID: folder, Name: "Clauses", Parent: file.Parent}); err != nil {
		t.Fatal(err)
	}
	law := s.Upload(t, "Law", platen.MIMEDocs, docx(t, "Law of {{Name}}."))
	payment := s.Upload(t, "Payment of all", platen.MIMEDocs, docx(t, "{{Name}} pays."))
	if _, err := s.Client.CopyInto(t.Context(), folder, payment, "Payment", "key-of-clause", platen.ProtectionNone); err != nil {
		t.Fatal(err)
	}
	copied, err := s.Client.Copy(t.Context(), template, "Contract of Ada", "key-of-copy")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fill.New(platen.Document{File: file, OutputName: "x"}, []byte(`{"Name": "Ada", "Ids": ["`+law+`", "Law"]}`), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	f.Include = include.Of(s.Client, s.Client, template)
	if _, err := f.Fill(t.Context(), s.Client, copied, nil); err != nil {
		t.Fatal(err)
	}
	content, err := s.Client.ExportOffice(t.Context(), copied.ID, platen.MIMEDocx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := opc.ReadPackage(content)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := merge.Texts(p)
	if got, want := strings.Join(texts, "|"), "Ada pays.|Law of Ada.|Law of Ada.|end"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

package api

import (
	"cmp"
	"mime"
	"net/http"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
)

// uploadLimit is how many bytes an office file may have.
const uploadLimit = 10 << 20

// An officeFile is what a template is made of.
type officeFile struct {
	documentType platen.DocumentType
	contentType  string
	content      []byte
}

// readOffice reads an office file. What kind it is its content says, not its header.
func readOffice(r *http.Request) (*officeFile, error) {
	content, err := edge.ReadBody(r, uploadLimit)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		return nil, platen.Errorf(platen.KindInvalid, "drive_file_not_document", "The body is a form: send the bytes of the file alone, with curl by --data-binary @template.docx in place of -F.")
	}
	if len(content) == 0 {
		return nil, platen.Errorf(platen.KindInvalid, "drive_file_not_document", "The body is empty: send the bytes of a .docx or .pptx file.")
	}
	return officeOf(content)
}

// officeOf is what kind of an office file a content is.
func officeOf(content []byte) (*officeFile, error) {
	switch opc.KindOf(content) {
	case opc.DocumentKind:
		return &officeFile{platen.TypeDocs, platen.MIMEDocx, content}, nil
	case opc.PresentationKind:
		return &officeFile{platen.TypeSlides, platen.MIMEPptx, content}, nil
	}
	why := cmp.Or(opc.WhyOther(content), "save the template as one, and send its bytes as they are")
	return nil, platen.Errorf(platen.KindInvalid, "drive_file_not_document", "The body is no .docx or .pptx file: %s.", why)
}

// uploadDocument makes a document of an office file.
func (s *server) uploadDocument(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	if err != nil {
		return err
	}
	office, err := readOffice(r)
	if err != nil {
		return err
	}
	return s.addDocument(w, r, wf, newDocument{office: office})
}

// replaceTemplate gives a document's template the content of an office file, and keeps the
// one before as a version. The file stays the same one (specification, section 2.3), so the
// document does not change, unless the file is gone: then a new one takes its place.
func (s *server) replaceTemplate(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	if err != nil {
		return err
	}
	office, err := readOffice(r)
	if err != nil {
		return err
	}
	if office.documentType != d.Type {
		kind := "a presentation: send a .pptx file"
		if d.Type == platen.TypeDocs {
			kind = "a text document: send a .docx file"
		}
		return platen.Errorf(platen.KindInvalid, "drive_file_not_document", "The template is %s, or add a document of the other kind.", kind)
	}
	err = s.changeTemplate(r.Context(), wf, d, func(c templateChange) error {
		d, err = c.replace(office.content, platen.VersionReplaced, "")
		return err
	})
	if err != nil {
		return err
	}
	return s.writeChanged(r.Context(), w, r, http.StatusOK, wf, d)
}

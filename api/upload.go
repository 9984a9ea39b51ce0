package api

import (
	"cmp"
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"

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

// readOffice reads an office file, which is the body as it is or a field of a form. What
// kind it is its content says, not its header. A form may also have settings, unless that is
// nil.
func readOffice(r *http.Request, settings *documentPatch) (*officeFile, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == edge.FormType {
		return readOfficeForm(r, settings)
	}
	content, err := edge.ReadBody(r, uploadLimit)
	if err != nil {
		return nil, err
	}
	return officeOf("The body", content)
}

// The fields of a form: the office file, and the settings of the document as JSON.
const (
	fileField     = "file"
	settingsField = "settings"
)

func readOfficeForm(r *http.Request, settings *documentPatch) (*officeFile, error) {
	const asFile = "with curl by -F " + fileField + "=@template.docx"
	cure := "send the file alone, " + asFile + ", and settings in a PATCH of the document"
	if settings != nil {
		cure = "send the file, " + asFile + ", and settings as one JSON object in the field " + settingsField
	}
	var content, said []byte
	var name string
	var d decoder
	err := edge.ReadForm(r, uploadLimit, func(part *multipart.Part, read func() ([]byte, error)) (err error) {
		at := "/" + escape(cut(part.FormName()))
		switch {
		case part.FormName() == settingsField && settings != nil && said == nil:
			if said, err = read(); len(said) > bodyLimit {
				d.fault(at, "has more than 1 MiB")
			}
		case part.FormName() != fileField:
			d.fault(at, "is no field of an upload, or there already: %s", cure)
		case content != nil:
			d.fault(at, "is in the form already: send one file")
		case part.FileName() == "":
			d.fault(at, "is text: send a file, %s", asFile)
		default:
			name = part.FileName()
			content, err = read()
		}
		return cmp.Or(err, d.err())
	})
	if err != nil {
		return nil, err
	}
	if content == nil {
		d.fault("/"+fileField, "is required: send a file, %s", asFile)
		return nil, d.err()
	}
	if said != nil {
		if *settings, err = readDocumentPatch(said); err != nil {
			return nil, inForm("/"+settingsField, err)
		}
	}
	return officeOf("The file "+strconv.Quote(cut(name)), content)
}

// inForm is the error of a body that stands in a form, at a pointer.
func inForm(pointer string, err error) error {
	var e *platen.Error
	if !errors.As(err, &e) {
		return err
	}
	inner := *e
	inner.Faults = nil
	for _, f := range e.Faults {
		f.Pointer = pointer + f.Pointer
		inner.Faults = append(inner.Faults, f)
	}
	return &inner
}

// officeOf is what kind of an office file a content is. What it is, its error begins with.
func officeOf(what string, content []byte) (*officeFile, error) {
	if len(content) == 0 {
		return nil, platen.Errorf(platen.KindInvalid, "drive_file_not_document", "%s is empty: send the bytes of a .docx or .pptx file.", what)
	}
	switch opc.KindOf(content) {
	case opc.DocumentKind:
		return &officeFile{platen.TypeDocs, platen.MIMEDocx, content}, nil
	case opc.PresentationKind:
		return &officeFile{platen.TypeSlides, platen.MIMEPptx, content}, nil
	}
	why := cmp.Or(opc.WhyOther(content), "save the template as one, and send its bytes as they are")
	return nil, platen.Errorf(platen.KindInvalid, "drive_file_not_document", "%s is no .docx or .pptx file: %s.", what, why)
}

// uploadDocument makes a document of an office file, with its settings from the start.
func (s *server) uploadDocument(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findChangeable(r)
	if err != nil {
		return err
	}
	var settings documentPatch
	office, err := readOffice(r, &settings)
	if err == nil {
		err = s.checkSettings(r.Context(), wf.Owner.ID, settings, "/"+settingsField)
	}
	if err != nil {
		return err
	}
	return s.addDocument(w, r, wf, newDocument{office: office, documentPatch: settings})
}

// replaceTemplate gives a document's template the content of an office file, and keeps the
// one before as a version. The file stays the same one (specification, section 2.3), so the
// document does not change, unless the file is gone: then a new one takes its place.
func (s *server) replaceTemplate(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findChangeableDocument(r)
	if err != nil {
		return err
	}
	office, err := readOffice(r, nil)
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
	check := requireUnchanged(r)
	err = s.changeTemplate(r.Context(), wf, d, func(c templateChange) error {
		d, err = c.replace(office.content, platen.VersionReplaced, "", check)
		return err
	})
	if err != nil {
		return err
	}
	return s.writeChanged(r.Context(), w, r, http.StatusOK, wf, d)
}

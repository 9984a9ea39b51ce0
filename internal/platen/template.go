package platen

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A TemplateVersion is what a template said at a moment: an office file that is kept, so
// that it can be put back. An extension.
type TemplateVersion struct {
	ID         string // ver_…
	DocumentID string
	// Number counts the versions of a document from 1, and is never given twice.
	Number    int
	Type      DocumentType
	Cause     VersionCause
	Note      string // by the user who kept the version; may be empty
	SHA256    string // hex, of the office file
	Size      int64  // bytes
	CreatedAt time.Time
	CreatedBy User // the name is empty if the caller may not see it
}

// A TemplateUpload is the office file that a template was made of.
type TemplateUpload struct {
	SHA256 string // hex; empty: not known
	// ModifiedAt is when the drive's file changed then: one that changed later says
	// something else.
	ModifiedAt time.Time
}

// ContentType is the MIME type of the office file.
func (v TemplateVersion) ContentType() string { return v.Type.OfficeType() }

// A VersionCause says why a version was kept.
type VersionCause string

// The causes of versions.
const (
	VersionKept     VersionCause = "KEPT"     // on purpose
	VersionReplaced VersionCause = "REPLACED" // another content was about to take its place
	VersionRestored VersionCause = "RESTORED" // an earlier version was about to be put back
)

const (
	// MaxVersions is how many versions a document has; the oldest goes.
	MaxVersions = 20
	// MaxVersionSize is how many bytes the office file of a version has, which is how
	// many Google exports.
	MaxVersionSize = 10 << 20
	// MaxVersionNote is how many characters a note has.
	MaxVersionNote = 200
)

// OfficeType is the MIME type of office files that the drive converts to this type.
func (t DocumentType) OfficeType() string {
	if t == TypeSlides {
		return MIMEPptx
	}
	return MIMEDocx
}

// OfficeExtension is the ending of their names.
func (t DocumentType) OfficeExtension() string {
	if t == TypeSlides {
		return ".pptx"
	}
	return ".docx"
}

// A TemplateFinding is a mistake of a template, for its author. It quotes the
// template and never the data.
type TemplateFinding struct {
	Where   string // such as "paragraph 3", "slide 2" or "outputName"; empty for the whole
	Around  string // the text at the place
	Offset  int    // characters of Around before the place
	Tag     string
	Code    string
	Message string
	Nearest []string // what may have been meant, best first
	// Note says that the template may be meant so: it is no mistake.
	Note bool
}

// The severities of a finding about a template.
const (
	SeverityMistake = "mistake"
	SeverityNote    = "note"
)

// Severity is SeverityNote or SeverityMistake.
func (f TemplateFinding) Severity() string {
	if f.Note {
		return SeverityNote
	}
	return SeverityMistake
}

// A TemplateCheck is what was found in a document's template, the template of
// its output's name and, where it is used, that of its password.
type TemplateCheck struct {
	Texts []string // the template, paragraph by paragraph
	// AppendedTexts are those of templates that are appended to its PDF.
	AppendedTexts []string
	Findings      []TemplateFinding
	Schema        []byte // JSON Schema of the data that is asked for
}

// A Sample is a document filled with sample data. Nothing of it is kept.
type Sample struct {
	Name     string // the output's
	PDF      []byte // marked as a sample on every page; nil when the template cannot be filled
	Findings []TemplateFinding
	// MissingFields are named by tags and not in the data.
	MissingFields []string
	// PDFFindings are what the PDF does not show as the template has it.
	PDFFindings []Finding
}

// Bounds of what somebody types into the form of a preview.
const (
	MaxFormFields = 200 // values that a form asks for; of a list, of one row
	MaxFormRows   = 200 // of one list
	// MaxFormCells is how many values a form takes in all.
	MaxFormCells = 4000
	// MaxFormPicture is how large a picture that is uploaded may be, in bytes.
	MaxFormPicture = 2 << 20
)

// A FormKind is how a value is typed in.
type FormKind string

// The kinds of what a form asks for.
const (
	FormText    FormKind = "text"
	FormLong    FormKind = "long" // a text of several lines
	FormNumber  FormKind = "number"
	FormDate    FormKind = "date"
	FormTruth   FormKind = "truth" // yes or no
	FormPicture FormKind = "picture"
	FormGroup   FormKind = "group" // an object
	FormList    FormKind = "list"
)

// A FormField is a value, an object or a list that a form asks for.
type FormField struct {
	Name  string // of the member, without its path
	Label string // the name as people write it
	Kind  FormKind
	// Example is a text that the template takes; empty: it takes any.
	Example string
	// Fields are those of a group, and of one row of a list; a list without any has
	// single values, of the kind Item.
	Fields []FormField
	Item   FormKind
	// Either: the template takes an object or a list of such here; the user of the form
	// chooses.
	Either bool
}

// A Form is what a template asks for, as a person fills it in.
type Form struct {
	Fields []FormField
	// Point is the decimal sign of the template's locale.
	Point string
	More  int // values that are left out: there are too many
}

// A FormInput is what was typed in. Paths are names joined by a dot, with the number of
// the row behind the name of a list: Items[0].Name.
type FormInput struct {
	Texts map[string]string
	Rows  map[string][]int // the rows of a list by its path, in their order
	// Lists says of paths without rows that they are a list, or are none, where a
	// template takes either.
	Lists map[string]bool
}

// FirstItemRow is the number of the row of an event's first item, where a form is filled with
// an event. Rows that are added have smaller numbers: none takes the place of another item.
const FirstItemRow = 500_000

// AddRow puts a row behind those of a list, which has at most MaxFormRows.
func (in FormInput) AddRow(list string) {
	rows, next := in.Rows[list], 0
	for _, n := range rows {
		if n < FirstItemRow {
			next = max(next, n+1)
		}
	}
	if len(rows) < MaxFormRows {
		in.Rows[list] = append(rows, next)
	}
}

// DropRow takes a row, such as Items[2], out of its list.
func (in FormInput) DropRow(row string) {
	open := strings.LastIndexByte(row, '[')
	if open < 0 {
		return
	}
	list := row[:open]
	if n, err := strconv.Atoi(strings.TrimSuffix(row[open+1:], "]")); err == nil {
		in.Rows[list] = slices.DeleteFunc(in.Rows[list], func(r int) bool { return r == n })
	}
}

// FormPath is the path of a member.
func FormPath(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// FormRow is the path of a row of a list.
func FormRow(list string, row int) string { return list + "[" + strconv.Itoa(row) + "]" }

// A TemplateForm is the form of a template, with what is wrong with the template before
// anything is typed in.
type TemplateForm struct {
	Form
	Findings []TemplateFinding
	// Other are fields of the source that the template does not use.
	Other []string
}

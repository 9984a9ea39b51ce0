package platen

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

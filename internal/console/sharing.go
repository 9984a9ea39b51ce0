package console

import (
	"slices"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

const (
	forLink   = "Everybody who has the link can open the outputs."
	forFolder = "Whoever can open their folder in the drive can open the outputs."
)

// sharingInWords says who can open a document's outputs. In Platen's own drive,
// everybody with a file's address can open it; the document's setting has no effect.
func (s *site) sharingInWords(sharing string) string {
	switch with := platen.Sharing(sharing); {
	case s.OwnDrive && with == platen.SharingDomain:
		return "Everybody who has the link can open the outputs: Platen's own drive knows no domains."
	case s.OwnDrive || with == platen.SharingAnyone:
		return forLink
	case with == platen.SharingDomain:
		return "Everybody of the account's domain who has the link can open the outputs."
	}
	return forFolder
}

// opens says who can open an output, as its document is set now; empty where it has no
// file, or nobody knows.
func (s *site) opens(w client.Workflow, o client.Output) string {
	of := slices.IndexFunc(w.Documents, func(d client.Document) bool { return d.ID == o.DocumentID })
	refused := slices.ContainsFunc(o.Findings, func(f client.PDFFinding) bool { return f.Code == platen.CodeSharingRefused })
	switch {
	case len(o.Files) == 0:
		return ""
	case refused && !s.OwnDrive:
		return forFolder
	case of >= 0:
		return s.sharingInWords(w.Documents[of].OutputSharing)
	case s.OwnDrive:
		return forLink
	}
	return ""
}

// findingInWords says what is odd about an output.
func (s *site) findingInWords(f client.PDFFinding) string {
	switch {
	case f.Code == platen.CodeSharingRefused && s.OwnDrive:
		return "It was not shared with a domain: Platen's own drive knows none. Choose another answer to who may open the outputs, in the settings of the template."
	case f.Code == platen.CodeSharingRefused, f.Code == platen.CodeFileKept, (platen.Finding{Code: f.Code}).IsOfFilling():
		return f.Message
	}
	return "Not shown in the PDF as the template has it: " + f.Message
}

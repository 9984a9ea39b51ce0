package console

import (
	"slices"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

var (
	forLink   = say("Everybody who has the link can open the outputs.")
	forFolder = say("Whoever can open their folder in the drive can open the outputs.")
)

// sharingInWords says who can open a document's outputs. In Platen's own drive,
// everybody with a file's address can open it; the document's setting has no effect.
func (s *site) sharingInWords(in catalog.Printer, sharing string) string {
	switch with := platen.Sharing(sharing); {
	case s.OwnDrive && with == platen.SharingDomain:
		return in.Text("Everybody who has the link can open the outputs: Platen's own drive knows no domains.")
	case s.OwnDrive || with == platen.SharingAnyone:
		return in.Text(forLink)
	case with == platen.SharingDomain:
		return in.Text("Everybody of the account's domain who has the link can open the outputs.")
	}
	return in.Text(forFolder)
}

// opens says who can open an output, as its document is set now; empty where it has no
// file, or nobody knows.
func (s *site) opens(in catalog.Printer, w client.Workflow, o client.Output) string {
	of := slices.IndexFunc(w.Documents, func(d client.Document) bool { return d.ID == o.DocumentID })
	refused := slices.ContainsFunc(o.Findings, func(f client.PDFFinding) bool { return f.Code == platen.CodeSharingRefused })
	switch {
	case len(o.Files) == 0:
		return ""
	case refused && !s.OwnDrive:
		return in.Text(forFolder)
	case of >= 0:
		return s.sharingInWords(in, w.Documents[of].OutputSharing)
	case s.OwnDrive:
		return in.Text(forLink)
	}
	return ""
}

// findingInWords says what is odd about an output.
func (s *site) findingInWords(in catalog.Printer, f client.PDFFinding) saying {
	switch {
	case f.Code == platen.CodeSharingRefused && s.OwnDrive:
		return own(in.Text("It was not shared with a domain: Platen's own drive knows none. Choose another answer to who may open the outputs, in the settings of the template."))
	case f.Code == platen.CodeSharingRefused, f.Code == platen.CodeFileKept, (platen.Finding{Code: f.Code}).IsOfFilling():
		return theirs(in, f.Code, f.Message)
	}
	return sentences(own(in.Text("Not shown in the PDF as the template has it:")), theirs(in, "", f.Message))
}

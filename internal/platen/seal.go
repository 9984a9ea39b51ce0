package platen

import "time"

// Seals tells of a document whose PDF is signed with the certificate of the installation.
func (d Document) Seals() bool { return d.CreatePDFCopy && d.Seal }

// Codes of PDFs that cannot be sealed.
const (
	// CodeSealUnset is for an installation that seals nothing.
	CodeSealUnset = "seal_not_configured"
	// CodeSealCertificateEnded: the certificate is not valid now.
	CodeSealCertificateEnded = "seal_certificate_ended"
	// CodeSealUnavailable: the time stamp service, or the files of certificate and key, cannot
	// be had just now.
	CodeSealUnavailable = "seal_unavailable"
)

// ErrSealUnset says that this installation seals nothing.
func ErrSealUnset() *Error {
	return Errorf(KindInvalid, CodeSealUnset, "This installation seals no PDFs: whoever runs it sets PLATEN_SEAL_CERTIFICATE_FILE and PLATEN_SEAL_KEY_FILE. Or set seal of the document to false.")
}

// CheckSealValid refuses a certificate that is not valid at a time.
func CheckSealValid(from, until, at time.Time) error {
	switch {
	case at.After(until):
		return Errorf(KindInvalid, CodeSealCertificateEnded, "The document asks for a seal, and the certificate of this installation ended on %s: whoever runs it gives a new one in PLATEN_SEAL_CERTIFICATE_FILE and PLATEN_SEAL_KEY_FILE. Then retry the run. Or set seal of the document to false.", until.UTC().Format(time.DateOnly))
	case at.Before(from):
		return Errorf(KindInvalid, CodeSealCertificateEnded, "The document asks for a seal, and the certificate of this installation begins on %s: whoever runs it gives one that is valid now in PLATEN_SEAL_CERTIFICATE_FILE and PLATEN_SEAL_KEY_FILE. Then retry the run. Or set seal of the document to false.", from.UTC().Format(time.DateOnly))
	}
	return nil
}

// ErrSealUnavailable says what a PDF waits for that is to be sealed; err is why.
func ErrSealUnavailable(what string, err error) *Error {
	return &Error{Kind: KindUnavailable, Code: CodeSealUnavailable, Err: err,
		Message: "The PDF cannot be sealed just now, and waits: " + what + "."}
}

// Package protect finishes PDFs. It puts others behind them, binds many into one, and marks
// samples and tests as such. It encrypts them so that they open with a password only (AES-256, revision 6
// of the standard security handler, ISO 32000-2, 7.6.4).
//
// Where a password comes from, and which documents get one, is not decided
// here.
package protect

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/text/unicode/norm"

	"github.com/platenhq/platen/internal/platen"
)

const (
	// MaxInput is the largest PDF that is taken, in bytes.
	MaxInput = 32 << 20
	// MaxPassword is the longest password in bytes of UTF-8. Readers cut at
	// this length (ISO 32000-2, 7.6.4.3.3), so that a longer one opens nothing.
	MaxPassword = 127

	everythingAllowed = 0xfffc // /P -4
	copyingForbidden  = 0xffec // /P -20: bit 5, extraction of text and graphics, is off
)

// preparePDFCPU keeps the library from writing a configuration directory (and
// from a panic where it cannot). Its switch is a global variable, so it is
// thrown once and before anything reads it.
var preparePDFCPU = sync.OnceFunc(api.DisableConfigDir)

// A Protector appends to PDFs, marks and encrypts them. The zero value is ready, and safe for concurrent
// use.
type Protector struct {
	// Signer returns what seals a PDF; nil: nothing is sealed.
	Signer func() (Signer, error)
}

// Protect encrypts a PDF so that it opens with password. With preventCopy the
// permission to extract its content is withdrawn, which readers honour and
// cryptography does not enforce. An owner password, which would lift that,
// there is none.
//
// KindInvalid: the password is empty, too long or cannot be typed, or the PDF
// cannot be read. KindTooLarge: the PDF is larger than MaxInput.
func (Protector) Protect(pdf []byte, password string, preventCopy bool) ([]byte, error) {
	return protectWith(random(32), pdf, password, preventCopy)
}

// protectWith is Protect with a key for the file.
func protectWith(key, pdf []byte, password string, preventCopy bool) (protected []byte, err error) {
	user, err := preparePassword(password)
	if err != nil {
		return nil, err
	}
	if len(pdf) > MaxInput {
		return nil, platen.Errorf(platen.KindTooLarge, "pdf_too_large", "The PDF is larger than %d MiB: make the template smaller.", MaxInput>>20)
	}
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			protected, err = nil, unreadableError(fmt.Errorf("panic: %v", cause))
		}
	}()
	preparePDFCPU()
	permissions := uint16(everythingAllowed)
	if preventCopy {
		permissions = copyingForbidden
	}
	if direct, ok := encryptDirectly(key, pdf, []byte(user), permissions); ok {
		return direct, nil
	}
	pages, err := read(pdf)
	if err != nil {
		return nil, unreadableError(err)
	}
	if err := encrypt(key, pages, []byte(user), permissions); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(len(pdf) + len(pdf)/8)
	if err := api.WriteContext(pages, &out); err != nil {
		return nil, fmt.Errorf("encrypt the PDF: %w", err)
	}
	return out.Bytes(), nil
}

// read parses a PDF that is not encrypted yet.
func read(pdf []byte) (*model.Context, error) {
	const unused = "-" // the library wants an owner password for the command that refuses encrypted files
	config := model.NewAESConfiguration("", unused, 256)
	config.Cmd = model.ENCRYPT
	config.Offline = true
	config.Optimize, config.OptimizeBeforeWriting = false, false
	return api.ReadAndValidate(bytes.NewReader(pdf), config)
}

// encrypt has pages written encrypted. The library does not make the entries
// itself: it would harden an owner password that nobody is to have.
func encrypt(key []byte, pages *model.Context, password []byte, permissions uint16) error {
	// Revision 6 is PDF 2.0's.
	version := model.V20
	pages.HeaderVersion, pages.RootVersion = &version, nil
	pages.RootDict.Delete("Version")
	pages.RootDict.Delete("Metadata") // a claim to be PDF/A among them would not be true any more

	pages.Cmd = model.VALIDATE // one that leaves encryption as it stands
	pages.EncKey = key
	pages.AES4Streams, pages.AES4Strings = true, true
	pages.E = &model.Enc{R: 6, V: 5, L: 256, P: int(int16(permissions)), Emd: true}
	dictionary := newEncryption(pages.EncKey, password, permissions).dictionary(permissions)
	number, err := pages.InsertAndUseRecycled(*model.NewXRefTableEntryGen0(dictionary))
	if err != nil {
		return fmt.Errorf("insert the encryption dictionary: %w", err)
	}
	pages.Encrypt = types.NewIndirectRef(number, 0)
	return nil
}

// Opens returns nil when pdf, which Protect made, is encrypted by revision 6
// and opens with password.
func (Protector) Opens(pdf []byte, password string) error {
	user, err := preparePassword(password)
	if err != nil {
		return err
	}
	entries, err := readEncryption(pdf)
	if err != nil {
		return err
	}
	return entries.open([]byte(user))
}

// CheckPassword is what Protect refuses a password with, of KindInvalid; nil for
// one that it takes.
func CheckPassword(password string) error {
	_, err := preparePassword(password)
	return err
}

// Vanishes tells whether nothing of a text is left in a password that a person could
// type: it is empty, or holds spaces and characters alone that no reader shows.
func Vanishes(text string) bool {
	return !strings.ContainsFunc(norm.NFKC.String(text), func(r rune) bool {
		return !unicode.IsSpace(r) && !isUnprintable(r) &&
			!unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	})
}

// preparePassword brings a password to the form in which it is typed: the
// mapping and normalization of SASLprep (RFC 4013), which the PDF standard asks
// for. Readers that leave it out agree about the result.
func preparePassword(password string) (string, error) {
	prepared := norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r == '\u00ad', r == '\u200b', r == '\u200c', r == '\u200d', r == '\u2060', r == '\ufeff',
			r >= '\ufe00' && r <= '\ufe0f':
			return -1
		}
		return r
	}, strings.ToValidUTF8(password, "\ufffd")))
	switch {
	case strings.TrimSpace(prepared) == "":
		return "", platen.Errorf(platen.KindInvalid, "pdf_password_empty", "The PDF password is empty: a PDF must not go out unprotected.")
	case len(prepared) > MaxPassword:
		return "", platen.Errorf(platen.KindInvalid, "pdf_password_too_long", "The PDF password has %d bytes as UTF-8: PDF readers take at most %d.", len(prepared), MaxPassword)
	case strings.ContainsFunc(prepared, isUnprintable):
		return "", platen.Errorf(platen.KindInvalid, "pdf_password_unprintable", "The PDF password contains a line break or another character that nobody can type.")
	}
	return prepared, nil
}

func isUnprintable(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar
}

func unreadableError(cause error) *platen.Error {
	return &platen.Error{Kind: platen.KindInvalid, Code: "pdf_unreadable",
		Message: "The PDF that the drive made cannot be read, or is encrypted already.", Err: cause}
}

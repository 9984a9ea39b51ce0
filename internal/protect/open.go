package protect

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/hex"
	"regexp"

	"github.com/platenhq/platen/internal/platen"
)

// The library that writes the encryption refuses to read files whose password
// has a space or a symbol such as € in it, although every reader opens them.
// So the check of a password is done here, by ISO 32000-2, 7.6.4.3.3.

// readEncryption finds the entries in a file as Protect writes it: the
// encryption dictionary is an object of its own with hexadecimal strings.
func readEncryption(pdf []byte) (encryption, error) {
	references := regexp.MustCompile(`/Encrypt (\d+) (\d+) R`).FindAllSubmatch(pdf, -1)
	if len(references) == 0 || !bytes.Contains(pdf[max(0, len(pdf)-64):], []byte("%%EOF")) {
		return encryption{}, platen.Errorf(platen.KindInvalid, "pdf_not_encrypted", "The stored PDF is not encrypted, or not whole.")
	}
	last := references[len(references)-1]
	start := bytes.LastIndex(pdf, []byte("\n"+string(last[1])+" "+string(last[2])+" obj"))
	if start < 0 {
		return encryption{}, foreign()
	}
	dictionary, _, _ := bytes.Cut(pdf[start:], []byte("endobj"))
	if !bytes.Contains(dictionary, []byte("/R 6")) || !bytes.Contains(dictionary, []byte("/AESV3")) {
		return encryption{}, foreign()
	}
	e := encryption{
		u:     hexEntry(dictionary, "U", 48),
		ue:    hexEntry(dictionary, "UE", 32),
		perms: hexEntry(dictionary, "Perms", 16),
	}
	if e.u == nil || e.ue == nil || e.perms == nil {
		return encryption{}, foreign()
	}
	return e, nil
}

// hexEntry returns the string under name, nil unless it has exactly size bytes.
func hexEntry(dictionary []byte, name string, size int) []byte {
	_, rest, found := bytes.Cut(dictionary, []byte("/"+name+"<"))
	digits, _, closed := bytes.Cut(rest, []byte(">"))
	value, err := hex.DecodeString(string(digits))
	if !found || !closed || err != nil || len(value) != size {
		return nil
	}
	return value
}

func foreign() *platen.Error {
	return platen.Errorf(platen.KindInvalid, "pdf_not_encrypted", "The stored PDF is not encrypted as this service does it.")
}

// open checks the password (algorithm 2.A), and by the permissions that the
// key it leads to is the file's key.
func (e encryption) open(password []byte) error {
	hash, validationSalt, keySalt := e.u[:32], e.u[32:40], e.u[40:48]
	wrong := platen.Errorf(platen.KindInvalid, "pdf_password_wrong", "The stored PDF does not open with the password.")
	if subtle.ConstantTimeCompare(hardenedHash(password, validationSalt), hash) != 1 {
		return wrong
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block(hardenedHash(password, keySalt)), make([]byte, aes.BlockSize)).CryptBlocks(key, e.ue)
	perms := make([]byte, aes.BlockSize)
	block(key).Decrypt(perms, e.perms)
	if string(perms[9:12]) != "adb" {
		return wrong
	}
	return nil
}

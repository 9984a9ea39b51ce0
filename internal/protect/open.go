package protect

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"regexp"

	"github.com/platenhq/platen"
)

// The library that writes the encryption refuses to read files whose password
// has a space or a symbol such as € in it, although every reader opens them.
// So the check of a password is done here, by ISO 32000-2, 7.6.4.3.3.

// encryption is what the standard security handler keeps for the user password.
type encryption struct {
	u     []byte // hash (32 bytes), validation salt (8), key salt (8)
	ue    []byte // the file's key, encrypted
	perms []byte // permissions, encrypted with the file's key
}

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

// hardenedHash is algorithm 2.B for user passwords.
func hardenedHash(password, salt []byte) []byte {
	first := sha256.Sum256(append(bytes.Clone(password), salt...))
	k := first[:]
	for round := 1; ; round++ {
		e := bytes.Repeat(append(bytes.Clone(password), k...), 64)
		cipher.NewCBCEncrypter(block(k[:16]), k[16:32]).CryptBlocks(e, e)
		sum := 0
		for _, b := range e[:16] { // 256 is 1 modulo 3, so the digits' sum has the number's rest
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			h := sha256.Sum256(e)
			k = h[:]
		case 1:
			h := sha512.Sum384(e)
			k = h[:]
		default:
			h := sha512.Sum512(e)
			k = h[:]
		}
		if round >= 64 && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}

// block is AES with a key whose length is right by construction.
func block(key []byte) cipher.Block {
	b, err := aes.NewCipher(key)
	if err != nil {
		panic("protect: " + err.Error())
	}
	return b
}

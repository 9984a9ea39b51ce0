package operate

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"golang.org/x/text/secure/precis"
)

// verifier is what a server keeps of a password, by which nobody signs in: the form of
// pg_authid.rolpassword (PostgreSQL manual, pg_authid; RFC 5803). A server with
// password_encryption = md5 takes it, too. It prepares a password as pgx does.
func verifier(password string) string {
	if password == "" {
		return "" // nobody signs in with it
	}
	if prepared, err := precis.OpaqueString.String(password); err == nil {
		password = prepared
	}
	const iterations = 4096
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)                                                       // it never fails
	salted, _ := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size) // nor with these lengths
	of := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	stored := sha256.Sum256(of(salted, "Client Key"))
	in := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, in(salt), in(stored[:]), in(of(salted, "Server Key")))
}

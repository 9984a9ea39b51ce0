package platen

import (
	"hash/crc32"
	"strings"
)

// TokenPrefix starts every access token, so that secret scanners, and people,
// recognise one that got lost.
const TokenPrefix = "plt_"

const tokenChecksum = 6 // base-62 digits that hold a CRC-32

// NewToken returns the text of a new access token: TokenPrefix, 160 random
// bits and a checksum. It is shown once and stored nowhere.
func NewToken() string {
	text := TokenPrefix + NewKey()
	return text + checksum(text)
}

// IsToken tells whether text has the form of an access token and its checksum
// holds. It finds typing errors and guesses without asking anybody, and says
// nothing about validity.
func IsToken(text string) bool {
	end := len(text) - tokenChecksum
	return strings.HasPrefix(text, TokenPrefix) && end > len(TokenPrefix) && checksum(text[:end]) == text[end:]
}

func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var b [tokenChecksum]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(b[:])
}

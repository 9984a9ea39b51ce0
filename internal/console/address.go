package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/platenhq/platen/internal/platen"
)

// previewPath is the path below which NewPreview answers.
const previewPath = "/preview/"

// PreviewAddress is where NewPreview shows a document, at the origin of its host.
// The signature in it stands for the owner's permission, as long as the document
// has the version that is signed with it.
func PreviewAddress(origin string, key []byte, d platen.Document) string {
	address := origin + previewPath + d.ID + "?sig=" + base64.RawURLEncoding.EncodeToString(previewSignature(key, d.ID, d.PreviewVersion))
	if d.PreviewVersion > 0 {
		address += "&v=" + strconv.Itoa(d.PreviewVersion)
	}
	return address
}

// isSigned checks an address in constant time; what it says wrong is a page that
// is not there.
func isSigned(keys [][]byte, documentID string, version int, signature string) bool {
	given, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	return err == nil && slices.ContainsFunc(keys, func(key []byte) bool {
		return hmac.Equal(given, previewSignature(key, documentID, version))
	})
}

func previewSignature(key []byte, documentID string, version int) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(documentID))
	if version > 0 {
		mac.Write([]byte("." + strconv.Itoa(version)))
	}
	return mac.Sum(nil)
}

// versionOf reads the version of an address; the first has none.
func versionOf(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && strconv.Itoa(n) == text
}

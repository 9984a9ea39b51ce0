package platen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
)

// MailLinkPath is the path below which files of mails are read.
const MailLinkPath = "/mailed/"

// MailLink is the path at which everybody may read the file of a mail of a workflow, until
// the mail's LinkUntil. Nobody without the key can guess one.
func MailLink(key []byte, workflowID, mailID string) string {
	return MailLinkPath + workflowID + "/" + mailID + "/" + base64.RawURLEncoding.EncodeToString(mailLinkSignature(key, workflowID, mailID))
}

// ReadMailLink reads a path of MailLink that was signed with one of the keys.
func ReadMailLink(keys [][]byte, path string) (workflowID, mailID string, ok bool) {
	parts := strings.Split(strings.TrimPrefix(path, MailLinkPath), "/")
	if len(parts) != 3 || !IsID(PrefixWorkflow, parts[0]) {
		return "", "", false
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || !slices.ContainsFunc(keys, func(key []byte) bool { return hmac.Equal(given, mailLinkSignature(key, parts[0], parts[1])) }) {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// MailPart is the mail's id in a link to one of the outputs that a mail brings beside its own.
func MailPart(mailID, outputID string) string { return mailID + "~" + outputID }

// CutMailPart cuts what MailPart has joined. Without an output the link is to the mail's own.
func CutMailPart(id string) (mailID, outputID string) {
	mailID, outputID, _ = strings.Cut(id, "~")
	return mailID, outputID
}

func mailLinkSignature(key []byte, workflowID, mailID string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(workflowID + "/" + mailID))
	return mac.Sum(nil)[:18]
}

package platen

import (
	"time"
)

// DriveKind is which cloud drive an installation uses. Each kind issues its own
// credentials, and no credential of one is ever sent to the other.
type DriveKind string

const (
	DriveGoogle DriveKind = "google"
	DrivePlaten DriveKind = "platen" // our own, 'platen drive'
)

// ConnectionKind says how a user's cloud drive is opened.
type ConnectionKind string

const (
	ConnectionToken          ConnectionKind = "token"           // Secret is a bearer token of our own drive
	ConnectionRefreshToken   ConnectionKind = "refresh_token"   // Secret is an OAuth refresh token
	ConnectionServiceAccount ConnectionKind = "service_account" // the operator's service account, acting as Subject
)

// Issuer is the drive that issues credentials of this kind; empty for an unknown
// kind. Our own drive issues refresh tokens and service-account keys, too: those
// are for clients of Google's, and the service opens it by bearer token alone.
func (k ConnectionKind) Issuer() DriveKind {
	switch k {
	case ConnectionToken:
		return DrivePlaten
	case ConnectionRefreshToken, ConnectionServiceAccount:
		return DriveGoogle
	}
	return ""
}

// CodeConnectionBroken is the code of a connection that its drive refuses. A run waits
// for the user to connect again, as it waits for an outage to end.
const CodeConnectionBroken = "drive_connection_broken"

// ConnectionRemembered is how long a worker may work with a connection that was
// changed or removed: four steps of each document open the same one.
const ConnectionRemembered = 2 * time.Second

// A DriveConnection is what a user's cloud drive is opened with.
type DriveConnection struct {
	Kind    ConnectionKind
	Subject string // e-mail address to impersonate; empty: the account itself
	Secret  Secret // credential by Kind; empty for a service account whose key the operator configured
}

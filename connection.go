package platen

// ConnectionKind says how a user's cloud drive is opened.
type ConnectionKind string

const (
	ConnectionToken          ConnectionKind = "token"           // Secret is a bearer token of our own drive
	ConnectionRefreshToken   ConnectionKind = "refresh_token"   // Secret is an OAuth refresh token
	ConnectionServiceAccount ConnectionKind = "service_account" // the operator's service account, acting as Subject
)

// A DriveConnection is what a user's cloud drive is opened with.
type DriveConnection struct {
	Kind    ConnectionKind
	Subject string // e-mail address to impersonate; empty: the account itself
	Secret  string // credential by Kind; empty for a service account whose key the operator configured
}

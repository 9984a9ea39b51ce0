package platen

// Limits of what is typed in, in characters. The API refuses more, and the forms of the
// console take no more.
const (
	MaxWorkflowName    = 200
	MaxTextTemplate    = 500 // output names and passwords, before their tags are filled
	MaxReceiverAddress = 2048
	MaxLocale          = 35 // as BCP 47 asks of buffers at least (RFC 5646, 4.4.1)
)

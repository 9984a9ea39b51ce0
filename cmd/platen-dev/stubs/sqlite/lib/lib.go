// Package lib has the codes of SQLite's errors that Temporal's server asks for.
package lib

// From SQLite's result codes, https://sqlite.org/rescode.html.
const (
	SQLITE_CONSTRAINT            = 19
	SQLITE_CONSTRAINT_PRIMARYKEY = 1555
	SQLITE_CONSTRAINT_UNIQUE     = 2067
)

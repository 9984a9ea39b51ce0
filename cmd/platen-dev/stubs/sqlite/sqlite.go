// Package sqlite is what Temporal's server compiles against of a SQLite that was
// translated from C. It registers no driver: sql.Open("sqlite") fails.
package sqlite

// Error is what nothing returns.
type Error struct{}

func (*Error) Code() int     { return 0 }
func (*Error) Error() string { return "SQLite is not part of this Temporal" }

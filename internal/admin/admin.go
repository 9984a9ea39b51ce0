// Package admin is what an operator does to an installation: users, teams, tokens,
// connections of drives, pauses, recovery, keys, the audit. Commands and pages of operators
// are both built on it.
//
// It knows no flag and no page, opens no connection and speaks no HTTP. Where a value that an
// operator gave cannot be taken, the error names the field, and its caller the flag or the
// input that stands for the field.
package admin

import (
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/operate"
)

// Admin changes what the stores keep.
type Admin struct {
	DB    *operate.DB
	Drive *store.Store // nil: accounts of our own drive are not asked for
}

// Close ends the connections.
func (a *Admin) Close() { a.DB.Close() }

// refuse is KindInvalid for the value of a field: name, email or valid. Its message and its
// one fault say what is wrong, and how to cure it, without the name of the field.
func refuse(field, format string, args ...any) error {
	e := platen.Errorf(platen.KindInvalid, "", format, args...)
	e.Faults = []platen.Fault{{Pointer: "/" + field, Message: e.Message}}
	return e
}

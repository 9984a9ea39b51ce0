// Package run holds the statements that the worker alone runs. They are about the queue of
// automations and its workers, orders, waits, output folders and notices to owners.
//
// They work across tenants, with the role of the worker. What serve runs as well is in
// package postgres. A request of /v0 and a command run none of these statements.
package run

import "github.com/platenhq/platen/internal/postgres"

// A DB is the service's database with the stores of the worker.
type DB struct {
	*postgres.DB

	Queue   *Queue
	Order   *Order
	Parking *Parking
	Folders *OutputFolders
	Notices *Notices
	Usage   *Usage
	// Schedules hides that of postgres.DB, which is serve's.
	Schedules *Schedules
}

// New adds the stores of the worker to a database. They use its connections.
func New(of *postgres.DB) *DB {
	return &DB{DB: of, Queue: &Queue{db: of}, Order: &Order{db: of}, Parking: &Parking{of}, Folders: &OutputFolders{of}, Notices: &Notices{of}, Usage: &Usage{of}, Schedules: &Schedules{of}}
}

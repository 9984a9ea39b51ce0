// Package operate holds the statements of commands and of the operators' pages. They manage
// users, teams, tokens, connections, pauses, roles and walls, and rotate keys.
//
// Pages run them with the role accounts, which reads nothing that tenants or their senders
// made. Commands connect as the owner of the tables. A request of /v0 and a worker run none
// of these statements.
package operate

import "github.com/platenhq/platen/internal/postgres"

// A DB is the service's database with the stores of operators, who may also do on behalf
// of users what those may.
type DB struct {
	*postgres.DB

	Users       *Users
	Tokens      *Tokens
	Connections *Connections
	Workflows   *Workflows
	Automations *Automations
	Events      *Events
	Pauses      *Pauses
	Usage       *Usage
	Rotation    *Rotation
}

// New adds the stores of operators to a database. They use its connections.
func New(of *postgres.DB) *DB {
	db := &DB{DB: of}
	db.Users, db.Tokens, db.Connections = &Users{of.Users, db}, &Tokens{of.Tokens, db}, &Connections{of.Connections, db}
	db.Workflows, db.Automations, db.Events = &Workflows{of.Workflows, db}, &Automations{of.Automations, db}, &Events{of.Events, db}
	db.Pauses, db.Usage, db.Rotation = &Pauses{db}, &Usage{of.Usage, db}, &Rotation{db}
	return db
}

// Users is the store of users and their teams.
type Users struct {
	*postgres.Users
	db *DB
}

// Tokens is the store of the tokens of all users.
type Tokens struct {
	*postgres.Tokens
	db *DB
}

// Connections is the store of users' connections to their drives.
type Connections struct {
	*postgres.Connections
	db *DB
}

// Workflows is the store of the workflows of all tenants.
type Workflows struct {
	*postgres.Workflows
	db *DB
}

// Automations is the store of the automations of all tenants.
type Automations struct {
	*postgres.Automations
	db *DB
}

// Events is the store of the events of all tenants.
type Events struct {
	*postgres.Events
	db *DB
}

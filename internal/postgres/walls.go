package postgres

// A Part is what takes a role of its own in the database. A role may do what its
// part does and nothing else.
type Part string

// The parts. Their roles have no password: logins are members of them, and a program
// takes a role on each of its connections (SET ROLE).
const (
	// PartAPI is a request of /v0, or of a preview page, on behalf of a user: row-level
	// security shows it what that user may see.
	PartAPI Part = "api"
	// PartFront is the rest of serve: it finds callers by their tokens and documents by
	// their links, and sweeps. It works across tenants and reads no data of events.
	PartFront Part = "front"
	// PartAccept stores source events. It works across tenants and reads none of them.
	PartAccept Part = "accept"
	// PartWork is the worker: dispatch, runs and deliveries, across tenants.
	PartWork Part = "work"
	// PartDrive is our own drive, in a schema of its own.
	PartDrive Part = "drive"
	// PartOperator is the operators' pages of serve: it changes users, teams, tokens and
	// connections across tenants, and reads nothing that tenants or their senders made.
	PartOperator Part = "accounts"
)

// Parts returns every part.
func Parts() []Part { return []Part{PartAPI, PartFront, PartAccept, PartWork, PartDrive, PartOperator} }

// A wall is what each part may do with a table, and which rows /v0 sees on behalf of a
// user. A table without one is closed to every part.
type wall struct {
	table string
	// visible is the condition for the rows that PartAPI may read and write. Rows of
	// other tables in it are those that it may see. everyRow: there is nothing of tenants.
	visible string
	// writable is the same for rows that PartAPI writes. Empty: visible.
	writable string
	grants   map[Part]string
	// bounds narrow what a part across tenants writes.
	bounds []bound
}

// A bound is what holds of each row that a part writes with a command.
type bound struct {
	name    string
	part    Part
	command string // INSERT or UPDATE
	holds   string
}

// The caller of a request, as walls know it. A sub-select is worked out once for a
// statement, not for each row.
const (
	callerID   = `(SELECT current_setting('platen.user_id', true))`
	callerTeam = `(SELECT current_setting('platen.team_id', true))`

	everyRow = `true`
	// ofWorkflow is of a table with a workflow_id.
	ofWorkflow = `EXISTS (SELECT FROM public.workflows w WHERE w.id = workflow_id)`
	// ofAutomation is of a table with an automation_id.
	ofAutomation = `EXISTS (SELECT FROM public.automations a WHERE a.id = automation_id)`
	// ofDocument is of a table with a document_id. Lists of such a table read the few
	// documents of the caller once; by ofAutomation they would read every automation.
	ofDocument = `EXISTS (SELECT FROM public.documents d WHERE d.id = document_id)`
	// ofOwner is of a table with an owner_id, whose owner may be another of the team.
	ofOwner = `owner_id = ` + callerID + ` OR EXISTS (SELECT FROM public.workflows w WHERE w.owner_id = {table}.owner_id)`
	// ofHolder is of a table with a holder_id: a team, or a user.
	ofHolder = `holder_id = ` + callerID + ` OR holder_id = ` + callerTeam
	// ofCaller is of a table with a user_id.
	ofCaller = `user_id = ` + callerID

	readOnly  = `SELECT`
	readWrite = `SELECT, INSERT, UPDATE, DELETE`
)

// walls has a line for each table of the schema public but roles, which a login reads
// before it takes its own. A table that is added gets one: a test fails until it does.
var walls = []wall{
	// Accounts.
	{table: "teams", visible: `id = ` + callerTeam + ` OR EXISTS (SELECT FROM public.users u WHERE u.team_id = teams.id) OR EXISTS (SELECT FROM public.workflows w WHERE w.team_id = teams.id)`, grants: map[Part]string{
		PartAPI: readOnly, PartFront: readOnly, PartWork: readOnly,
		PartOperator: `SELECT, INSERT, UPDATE`, // creating a team locks the table
	}},
	{table: "users", visible: `id = ` + callerID + ` OR team_id = ` + callerTeam + ` OR EXISTS (SELECT FROM public.workflows w WHERE w.owner_id = users.id)`, grants: map[Part]string{
		PartAPI: readOnly, PartFront: readOnly, PartAccept: `SELECT (id, disabled_at)`, PartWork: readOnly,
		// Not operator_since: no page can make a user an operator.
		PartOperator: `SELECT, INSERT (id, name, email, team_id), UPDATE (name, email, team_id, disabled_at, deleted_at)`,
	}, bounds: []bound{
		// Pages may take power from an operator, and give none to one.
		{"platen_no_operator", PartOperator, "UPDATE", `operator_since IS NULL OR disabled_at IS NOT NULL`},
	}},
	{table: "tokens", visible: ofCaller, grants: map[Part]string{
		PartFront: `SELECT, UPDATE (last_used_at)`, PartWork: `SELECT (user_id, expires_at, revoked_at, last_used_at)`,
		// Not hash.
		PartOperator: `SELECT (id, user_id, name, created_at, expires_at, revoked_at, last_used_at, scopes), INSERT (id, user_id, name, hash, expires_at, scopes), UPDATE (revoked_at)`,
	}, bounds: []bound{
		{"platen_no_operator", PartOperator, "INSERT", `EXISTS (SELECT FROM public.users u WHERE u.id = user_id AND u.operator_since IS NULL)`},
	}},
	{table: "drive_connections", visible: `user_id = ` + callerID + ` OR EXISTS (SELECT FROM public.workflows w WHERE w.owner_id = drive_connections.user_id)`, grants: map[Part]string{
		PartAPI: `SELECT, UPDATE`, PartFront: `SELECT, INSERT, UPDATE`, PartWork: `SELECT, UPDATE`,
		// A connection is ended with its secret, which is sealed, and held meanwhile.
		PartOperator: `SELECT, UPDATE (updated_at), DELETE`,
	}},

	// Configuration.
	{table: "workflows", visible: `owner_id = ` + callerID + ` OR team_id = ` + callerTeam, grants: map[Part]string{
		PartAPI: `SELECT, INSERT, UPDATE`, PartFront: readOnly, PartAccept: `SELECT (id, owner_id, team_id, status, auto_create)`, PartWork: readOnly,
		PartOperator: `SELECT (id, owner_id, team_id, status, updated_at), UPDATE (team_id, status, updated_at)`,
	}},
	{table: "sources", visible: ofWorkflow, grants: map[Part]string{
		PartAPI: `SELECT, INSERT, UPDATE`, PartFront: readOnly, PartAccept: `SELECT (id, workflow_id, key_hash, fields, fields_given, last_names, previous_key_hash, previous_until, verification), UPDATE (fields, last_names)`, PartWork: readOnly,
		PartOperator: `SELECT (id, workflow_id)`,
	}},
	{table: "source_names", visible: `EXISTS (SELECT FROM public.sources s WHERE s.id = source_id)`, grants: map[Part]string{
		PartAPI: `SELECT, DELETE`, PartAccept: readWrite,
		PartOperator: `SELECT (source_id), DELETE`, // names end with their workflow
	}},
	{table: "documents", visible: ofWorkflow, grants: map[Part]string{
		PartAPI: `SELECT, INSERT, UPDATE`, PartFront: `SELECT, UPDATE (state, template_removed_at), DELETE`, PartWork: readOnly,
	}},
	{table: "template_versions", visible: ofDocument, grants: map[Part]string{
		PartAPI: readWrite, PartFront: `SELECT (id, data_key)`, PartWork: `SELECT (id, data_key)`,
	}},
	{table: "outgoing_webhooks", visible: ofWorkflow, grants: map[Part]string{PartAPI: readWrite, PartFront: readOnly, PartWork: readOnly}},
	{table: "test_receivers", visible: ofWorkflow, grants: map[Part]string{PartAPI: readWrite, PartFront: readOnly, PartWork: readOnly}},

	// Events and what is made of them.
	{table: "automations", visible: ofWorkflow, grants: map[Part]string{
		PartAPI: `SELECT, UPDATE`, PartFront: `SELECT (id, owner_id, state, leased_until, parked_at, waits, accepted_at, data_key)`, PartAccept: `SELECT (id), INSERT`, PartWork: `SELECT, UPDATE`,
		PartOperator: `SELECT (id, owner_id, workflow_id, test, attempt, state, failure_code, leased_until, parked_at, waits, accepted_at, started_at, finished_at, data_erased_at, erase_due_at)`,
	}},
	{table: "plans", visible: ofAutomation, grants: map[Part]string{PartFront: readOnly, PartWork: readWrite}},
	{table: "outputs", visible: ofDocument, grants: map[Part]string{
		PartAPI: `SELECT, UPDATE`, PartFront: `SELECT (id, document_id, state)`, PartWork: readWrite,
		PartOperator: `SELECT (id, automation_id, state, failure_code, updated_at)`,
	}},
	{table: "output_words", visible: ofDocument, grants: map[Part]string{
		PartAPI: readOnly, PartWork: readWrite,
	}},
	{table: "events", visible: ofWorkflow, grants: map[Part]string{PartAPI: `SELECT, UPDATE`, PartWork: readWrite, PartOperator: `SELECT (state, test, created_at, next_at)`}},
	{table: "deliveries", visible: `EXISTS (SELECT FROM public.events e WHERE e.id = event_id)`, grants: map[Part]string{
		PartAPI: readOnly, PartWork: readWrite,
	}},
	{table: "mails", visible: ofAutomation, grants: map[Part]string{PartAPI: `SELECT, INSERT (id, number, output_id, automation_id, workflow_id, state, sent_to), UPDATE (state, code, message, leased_until, ended_at)`, PartWork: readWrite, PartOperator: `SELECT (output_id, number, state, code, ended_at)`}},
	{table: "endpoints", visible: ofOwner, grants: map[Part]string{PartAPI: `SELECT, INSERT, UPDATE`, PartWork: `SELECT, INSERT, UPDATE`, PartOperator: `SELECT (disabled, rests_until, failures, test)`}},
	{table: "errands", visible: `EXISTS (SELECT FROM public.automations a WHERE a.id = errands.id) OR EXISTS (SELECT FROM public.events e WHERE e.id = errands.id) OR EXISTS (SELECT FROM public.mails m WHERE m.id = errands.id)`, grants: map[Part]string{
		PartAPI: readWrite, PartFront: `SELECT, INSERT, UPDATE`, PartWork: readWrite,
	}},
	{table: "number_series", visible: ofHolder, grants: map[Part]string{PartAPI: `SELECT, INSERT, UPDATE`, PartWork: `SELECT, INSERT, UPDATE`}},
	{table: "numbers", visible: ofHolder, grants: map[Part]string{PartAPI: `SELECT, INSERT`, PartWork: `SELECT, INSERT, UPDATE`}},
	{table: "turns", visible: ofOwner, grants: map[Part]string{PartWork: readWrite}},
	{table: "workflow_turns", visible: ofWorkflow, grants: map[Part]string{PartWork: readWrite}},
	{
		table:   "pauses",
		visible: `scope = 'all' OR scope = 'workflow' AND EXISTS (SELECT FROM public.workflows w WHERE w.id = pauses.id) OR scope = 'user' AND EXISTS (SELECT FROM public.users u WHERE u.id = pauses.id) OR scope = 'team' AND EXISTS (SELECT FROM public.teams t WHERE t.id = pauses.id)`,
		grants:  map[Part]string{PartAPI: `SELECT (scope, id, reason, paused_at)`, PartWork: readOnly, PartOperator: `SELECT, DELETE`},
	},
	{table: "notices", visible: ofOwner, grants: map[Part]string{PartWork: readWrite}},
	{table: "output_folders", visible: ofOwner, grants: map[Part]string{PartWork: readWrite}},

	// What is kept for a while.
	{table: "idempotency_keys", visible: ofCaller, grants: map[Part]string{
		PartAPI: readWrite, PartFront: `SELECT, UPDATE (created_at), DELETE`, PartWork: readOnly, PartOperator: `SELECT (user_id), DELETE`,
	}},
	{table: "source_event_keys", visible: `EXISTS (SELECT FROM public.sources s WHERE s.id = source_id)`, grants: map[Part]string{
		PartAPI: `SELECT (source_id, key_hash, automation_id)`, PartFront: `SELECT, UPDATE (accepted_at), DELETE`, PartAccept: `SELECT (source_id, key_hash, accepted_at, automation_id, body_hash), INSERT, UPDATE (accepted_at)`,
	}},
	{table: "preview_copies", visible: ofOwner, grants: map[Part]string{PartAPI: `SELECT, INSERT, DELETE`, PartFront: readWrite}},
	// Pictures are found by the hash of their content, which PartAPI may not read.
	{table: "pictures", visible: everyRow, grants: map[Part]string{
		PartAPI: `SELECT (id, expires_at), INSERT, UPDATE (expires_at)`, PartFront: readWrite, PartWork: `SELECT (id, expires_at), INSERT, UPDATE (expires_at)`,
	}},

	// Counters that all share.
	{table: "quota_uses", visible: everyRow, grants: map[Part]string{PartAPI: readWrite, PartFront: readWrite, PartWork: readWrite, PartOperator: readOnly}},
	{table: "quota_tickets", visible: everyRow, grants: map[Part]string{PartAPI: readWrite, PartFront: readWrite, PartWork: readWrite}},
	{table: "workers", visible: everyRow, grants: map[Part]string{PartFront: readOnly, PartWork: readWrite, PartOperator: readOnly}},

	// Of the installation.
	{table: "audit", visible: `owner_id = ` + callerID + ` OR team_id = ` + callerTeam, writable: `actor_id = ` + callerID, grants: map[Part]string{
		PartAPI: `SELECT, INSERT`, PartFront: `SELECT, INSERT`, PartWork: `SELECT, INSERT`, PartOperator: `SELECT, INSERT`,
	}},
	{table: "migrations", visible: everyRow, grants: map[Part]string{PartAPI: readOnly, PartFront: readOnly, PartAccept: readOnly, PartWork: readOnly, PartOperator: readOnly}},
}

// functions are those of the schema public that run as their owner, and who may call
// them beside it.
var functions = map[string][]Part{
	"audit_sweep(timestamptz, integer)": {PartFront, PartWork},
	sealedCounts + "()":                 {PartOperator},
}

package operate

import (
	"github.com/platenhq/platen/internal/postgres"
)

// A wall is what each part may do with a table, and which rows /v0 sees on behalf of a
// user. A table without one is closed to every part.
type wall struct {
	table string
	// visible is the condition for the rows that PartAPI may read and write. Rows of
	// other tables in it are those that it may see. everyRow: there is nothing of tenants.
	visible string
	// writable is the same for rows that PartAPI writes. Empty: visible.
	writable string
	grants   map[postgres.Part]string
	// bounds narrow what a part across tenants writes.
	bounds []bound
}

// A bound is what holds of each row that a part writes with a command.
type bound struct {
	name    string
	part    postgres.Part
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
	{table: "teams", visible: `id = ` + callerTeam + ` OR EXISTS (SELECT FROM public.users u WHERE u.team_id = teams.id) OR EXISTS (SELECT FROM public.workflows w WHERE w.team_id = teams.id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: readOnly, postgres.PartFront: readOnly, postgres.PartWork: readOnly,
		postgres.PartOperator: `SELECT, INSERT, UPDATE`, // creating a team locks the table
	}},
	{table: "users", visible: `id = ` + callerID + ` OR team_id = ` + callerTeam + ` OR EXISTS (SELECT FROM public.workflows w WHERE w.owner_id = users.id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: readOnly, postgres.PartFront: readOnly, postgres.PartAccept: `SELECT (id, disabled_at)`, postgres.PartWork: readOnly,
		// Not operator_since: no page can make a user an operator.
		postgres.PartOperator: `SELECT, INSERT (id, name, email, team_id), UPDATE (name, email, team_id, disabled_at, deleted_at)`,
	}, bounds: []bound{
		// Pages may take power from an operator, and give none to one.
		{"platen_no_operator", postgres.PartOperator, "UPDATE", `operator_since IS NULL OR disabled_at IS NOT NULL`},
	}},
	{table: "tokens", visible: ofCaller, grants: map[postgres.Part]string{
		postgres.PartFront: `SELECT, UPDATE (last_used_at)`, postgres.PartWork: `SELECT (user_id, expires_at, revoked_at, last_used_at)`,
		// Not hash.
		postgres.PartOperator: `SELECT (id, user_id, name, created_at, expires_at, revoked_at, last_used_at, scopes), INSERT (id, user_id, name, hash, expires_at, scopes), UPDATE (revoked_at)`,
	}, bounds: []bound{
		{"platen_no_operator", postgres.PartOperator, "INSERT", `EXISTS (SELECT FROM public.users u WHERE u.id = user_id AND u.operator_since IS NULL)`},
	}},
	{table: "drive_connections", visible: `user_id = ` + callerID + ` OR EXISTS (SELECT FROM public.workflows w WHERE w.owner_id = drive_connections.user_id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, UPDATE`, postgres.PartFront: `SELECT, INSERT, UPDATE`, postgres.PartWork: `SELECT, UPDATE`,
		// A connection is ended with its secret, which is sealed, and held meanwhile. The first
		// one of a user is made with an account of our own drive.
		postgres.PartOperator: `SELECT, INSERT (user_id, kind, subject, secret), UPDATE (updated_at), DELETE`,
	}, bounds: []bound{
		{"platen_no_operator", postgres.PartOperator, "INSERT", `EXISTS (SELECT FROM public.users u WHERE u.id = user_id AND u.operator_since IS NULL)`},
	}},

	// Configuration.
	{table: "workflows", visible: `owner_id = ` + callerID + ` OR team_id = ` + callerTeam, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, INSERT, UPDATE`, postgres.PartFront: readOnly, postgres.PartAccept: `SELECT (id, owner_id, team_id, status, auto_create, ordered_by)`, postgres.PartWork: readOnly,
		postgres.PartOperator: `SELECT (id, owner_id, team_id, status, updated_at), UPDATE (team_id, status, updated_at)`,
	}},
	{table: "sources", visible: ofWorkflow, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, INSERT, UPDATE`, postgres.PartFront: readOnly, postgres.PartAccept: `SELECT (id, workflow_id, key_hash, fields, fields_given, last_names, previous_key_hash, previous_until, verification), UPDATE (fields, last_names)`, postgres.PartWork: `SELECT, UPDATE (fields, last_names)`,
		postgres.PartOperator: `SELECT (id, workflow_id)`,
	}},
	{table: "source_names", visible: `EXISTS (SELECT FROM public.sources s WHERE s.id = source_id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartAccept: readWrite, postgres.PartWork: readWrite, // batches and schedules have names, as an event has
		postgres.PartOperator: `SELECT (source_id), DELETE`, // names end with their workflow
	}},
	{table: "documents", visible: ofWorkflow, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, INSERT, UPDATE`, postgres.PartFront: `SELECT, UPDATE (state, template_removed_at), DELETE`, postgres.PartAccept: `SELECT (workflow_id, state)`, postgres.PartWork: readOnly,
	}},
	{table: "template_versions", visible: ofDocument, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartFront: `SELECT (id, data_key)`, postgres.PartWork: `SELECT (id, data_key)`,
	}},
	{table: "outgoing_webhooks", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: readOnly, postgres.PartWork: readOnly}},
	{table: "test_receivers", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: readOnly, postgres.PartWork: readOnly}},
	{table: "receivers", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: readOnly, postgres.PartWork: readOnly}},

	{table: "public_forms", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: readOnly, postgres.PartWork: `SELECT (id, key)`}},
	{table: "public_form_uses", visible: `EXISTS (SELECT FROM public.public_forms f WHERE f.id = form_id)`, grants: map[postgres.Part]string{postgres.PartFront: readWrite}},

	// Events and what is made of them.
	{table: "automations", visible: ofWorkflow, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, UPDATE`, postgres.PartFront: `SELECT (id, owner_id, state, leased_until, parked_at, waits, accepted_at, data_key)`, postgres.PartAccept: `SELECT (id), INSERT`, postgres.PartWork: `SELECT, INSERT, UPDATE`, // rows of batches become some
		postgres.PartOperator: `SELECT (id, owner_id, workflow_id, test, attempt, state, failure_code, leased_until, parked_at, waits, accepted_at, started_at, finished_at, data_erased_at, erase_due_at, order_number)`,
	}},
	{table: "failures_done", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite}},
	{table: "batches", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartWork: readWrite}},
	{table: "batch_rows", visible: `EXISTS (SELECT FROM public.batches b WHERE b.id = batch_id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartFront: `SELECT (automation_id, data_key, state)`, postgres.PartWork: readWrite, postgres.PartOperator: `SELECT (batch_id, automation_id)`,
	}},
	{table: "plans", visible: ofAutomation, grants: map[postgres.Part]string{postgres.PartFront: readOnly, postgres.PartWork: readWrite}},
	{table: "outputs", visible: ofDocument, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, UPDATE`, postgres.PartFront: `SELECT (id, document_id, state)`, postgres.PartWork: readWrite,
		postgres.PartOperator: `SELECT (id, automation_id, state, attempt, failure_code, updated_at)`,
	}},
	{table: "output_words", visible: ofDocument, grants: map[postgres.Part]string{
		postgres.PartAPI: readOnly, postgres.PartWork: readWrite,
	}},
	{table: "events", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, UPDATE`, postgres.PartWork: readWrite, postgres.PartOperator: `SELECT (state, test, created_at, next_at)`}},
	{table: "deliveries", visible: `EXISTS (SELECT FROM public.events e WHERE e.id = event_id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: readOnly, postgres.PartWork: readWrite,
	}},
	{table: "mails", visible: ofAutomation, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT (id, number, output_id, automation_id, workflow_id, state, sent_to, whom, accepted), UPDATE (state, accepted, whom, code, message, leased_until, ended_at, link_until)`, postgres.PartWork: readWrite, postgres.PartOperator: `SELECT (output_id, number, state, code, ended_at)`}},
	{table: "targets", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: `SELECT (id, secret)`, postgres.PartWork: readOnly}},
	{table: "mail_senders", visible: ofOwner, writable: `owner_id = ` + callerID, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartFront: `SELECT (id, password)`, postgres.PartWork: `SELECT, UPDATE (failing_since, code, message)`,
		postgres.PartOperator: `SELECT (owner_id, failing_since), DELETE`, // senders end with their owner
	}},
	{table: "schedules", visible: ofWorkflow, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartFront: `SELECT (id, secret, data)`,
		postgres.PartWork:     `SELECT, UPDATE (next_at, requested_at, try_at, attempts, leased_until, listed_at, looked_at, last_at, last_state, last_events, last_code, last_message, last_ended)`,
		postgres.PartOperator: `SELECT (workflow_id, last_state, last_ended, test), DELETE`, // schedules end with their owner
	}},
	{table: "schedule_files", visible: `EXISTS (SELECT FROM public.schedules s WHERE s.id = schedule_id)`, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, DELETE`, postgres.PartWork: readWrite}},
	{table: "placements", visible: ofWorkflow, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, INSERT, UPDATE (state, target_name, code, message, ended_at, created_at, folder, leased_until, storing, attempts, next_at)`, postgres.PartWork: readWrite,
		postgres.PartOperator: `SELECT (output_id, target_id, state, code, ended_at)`,
	}},
	{table: "reviews", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, UPDATE (verdict, decided_at, unsent)`, postgres.PartWork: readWrite, postgres.PartOperator: `SELECT (verdict, next_at, requested_at, unsent)`}},
	{table: "review_answers", visible: `EXISTS (SELECT FROM public.reviews r WHERE r.output_id = review_answers.output_id)`, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT`, postgres.PartWork: readWrite}},
	{table: "review_corrections", visible: `EXISTS (SELECT FROM public.reviews r WHERE r.output_id = review_corrections.output_id)`, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT, UPDATE (body)`, postgres.PartWork: readWrite}},
	{table: "endpoints", visible: ofOwner, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT, UPDATE`, postgres.PartWork: `SELECT, INSERT, UPDATE`, postgres.PartOperator: `SELECT (disabled, rests_until, failures, test)`}},
	{table: "errands", visible: `EXISTS (SELECT FROM public.automations a WHERE a.id = errands.id) OR EXISTS (SELECT FROM public.events e WHERE e.id = errands.id) OR EXISTS (SELECT FROM public.mails m WHERE m.id = errands.id) OR EXISTS (SELECT FROM public.placements p WHERE p.id = errands.id) OR EXISTS (SELECT FROM public.outputs o WHERE o.id = errands.id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartFront: `SELECT, INSERT, UPDATE`, postgres.PartWork: readWrite,
	}},
	{table: "number_series", visible: ofHolder, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT, UPDATE`, postgres.PartWork: `SELECT, INSERT, UPDATE`}},
	{table: "numbers", visible: ofHolder, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT`, postgres.PartWork: `SELECT, INSERT, UPDATE`}},
	{table: "usage_months", visible: `owner_id = ` + callerID, grants: map[postgres.Part]string{postgres.PartAPI: readOnly, postgres.PartWork: `SELECT, INSERT, UPDATE`, postgres.PartOperator: readOnly}},
	{table: "usage_entries", visible: `owner_id = ` + callerID, grants: map[postgres.Part]string{postgres.PartAPI: readOnly, postgres.PartWork: readWrite, postgres.PartOperator: readOnly}},
	{table: "usage_limits", visible: `owner_id = ` + callerID, grants: map[postgres.Part]string{postgres.PartAPI: readOnly, postgres.PartWork: `SELECT (owner_id, documents, near_at, reached_at), UPDATE (near_at, reached_at)`, postgres.PartOperator: readOnly}},
	{table: "turns", visible: ofOwner, grants: map[postgres.Part]string{postgres.PartWork: readWrite}},
	{table: "workflow_turns", visible: ofWorkflow, grants: map[postgres.Part]string{postgres.PartWork: readWrite}},
	{
		table:   "pauses",
		visible: `scope = 'all' OR scope = 'workflow' AND EXISTS (SELECT FROM public.workflows w WHERE w.id = pauses.id) OR scope = 'user' AND EXISTS (SELECT FROM public.users u WHERE u.id = pauses.id) OR scope = 'team' AND EXISTS (SELECT FROM public.teams t WHERE t.id = pauses.id)`,
		grants:  map[postgres.Part]string{postgres.PartAPI: `SELECT (scope, id, reason, paused_at)`, postgres.PartWork: readOnly, postgres.PartOperator: `SELECT, DELETE`},
	},
	{table: "notices", visible: ofOwner, grants: map[postgres.Part]string{postgres.PartWork: readWrite}},
	{table: "output_folders", visible: ofOwner, grants: map[postgres.Part]string{postgres.PartWork: readWrite}},

	// What is kept for a while.
	{table: "idempotency_keys", visible: ofCaller, grants: map[postgres.Part]string{
		postgres.PartAPI: readWrite, postgres.PartFront: `SELECT, UPDATE (created_at), DELETE`, postgres.PartWork: readOnly, postgres.PartOperator: `SELECT (user_id), DELETE`,
	}},
	{table: "source_event_keys", visible: `EXISTS (SELECT FROM public.sources s WHERE s.id = source_id)`, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT (source_id, key_hash, automation_id)`, postgres.PartFront: `SELECT, UPDATE (accepted_at), DELETE`, postgres.PartAccept: `SELECT (source_id, key_hash, accepted_at, automation_id, body_hash), INSERT, UPDATE (accepted_at)`,
	}},
	{table: "preview_copies", visible: ofOwner, grants: map[postgres.Part]string{postgres.PartAPI: `SELECT, INSERT, DELETE`, postgres.PartFront: readWrite}},
	// Pictures are found by the hash of their content, which PartAPI may not read.
	{table: "pictures", visible: everyRow, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT (id, expires_at), INSERT, UPDATE (expires_at)`, postgres.PartFront: readWrite, postgres.PartWork: `SELECT (id, expires_at), INSERT, UPDATE (expires_at)`,
	}},

	// Counters that all share.
	{table: "quota_uses", visible: everyRow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: readWrite, postgres.PartWork: readWrite, postgres.PartOperator: readOnly}},
	{table: "quota_tickets", visible: everyRow, grants: map[postgres.Part]string{postgres.PartAPI: readWrite, postgres.PartFront: readWrite, postgres.PartWork: readWrite}},
	{table: "workers", visible: everyRow, grants: map[postgres.Part]string{postgres.PartFront: readOnly, postgres.PartWork: readWrite, postgres.PartOperator: readOnly}},

	// Of the installation.
	// Who answers by a link has no account: the owner asked them.
	{table: "audit", visible: `owner_id = ` + callerID + ` OR team_id = ` + callerTeam, writable: `actor_id = ` + callerID + ` OR actor = 'approver' AND owner_id = ` + callerID, grants: map[postgres.Part]string{
		postgres.PartAPI: `SELECT, INSERT`, postgres.PartFront: `SELECT, INSERT`, postgres.PartWork: `SELECT, INSERT`, postgres.PartOperator: `SELECT, INSERT`,
	}},
	{table: "migrations", visible: everyRow, grants: map[postgres.Part]string{postgres.PartAPI: readOnly, postgres.PartFront: readOnly, postgres.PartAccept: readOnly, postgres.PartWork: readOnly, postgres.PartOperator: readOnly}},
}

// functions are those of the schema public that run as their owner, and who may call
// them beside it.
var functions = map[string][]postgres.Part{
	"audit_sweep(timestamptz, integer)": {postgres.PartFront, postgres.PartWork},
	"usage_room(text, boolean)":         {postgres.PartAPI, postgres.PartAccept, postgres.PartWork},
	"usage_standing(text, boolean)":     {postgres.PartAPI, postgres.PartAccept, postgres.PartWork},
	sealedCounts + "()":                 {postgres.PartOperator},
}

-- +goose Up

-- The tables of the service, grouped by what they belong to: accounts, workflows, runs,
-- events, coordination, operations. Indexes stand beside their table; functions, triggers
-- and the view stand at the end. Later changes are migrations of their own.

-- Accounts

CREATE TABLE teams (
    id         text        PRIMARY KEY,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- A disabled user's tokens are refused. A deleted user stays as a row, because other rows
-- refer to it.
CREATE TABLE users (
    id             text        PRIMARY KEY,
    name           text        NOT NULL,
    email          text        NOT NULL,
    team_id        text        REFERENCES teams (id),
    operator_since timestamptz, -- sees the operators' pages; a command sets it, no role of a program may
    disabled_at    timestamptz,
    deleted_at     timestamptz,
    created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

-- The text of a token is stored nowhere.
CREATE TABLE tokens (
    id           text        PRIMARY KEY,
    user_id      text        NOT NULL REFERENCES users (id),
    name         text        NOT NULL,
    hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    scopes       text[]      NOT NULL DEFAULT '{}', -- what it lets its user do; empty: everything
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);
CREATE INDEX tokens_user ON tokens (user_id);

-- One drive for each user. The secret is sealed.
CREATE TABLE drive_connections (
    user_id       text        PRIMARY KEY REFERENCES users (id),
    kind          text        NOT NULL CHECK (kind IN ('token', 'refresh_token', 'service_account')),
    subject       text        NOT NULL,
    secret        bytea,
    broken_at     timestamptz, -- when the drive refused it; one that was stored later is not broken
    broken_reason text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);

-- The first request with an Idempotency-Key holds a claim, then its answer.
CREATE TABLE idempotency_keys (
    user_id       text        NOT NULL REFERENCES users (id),
    key           text        NOT NULL,
    fingerprint   bytea       NOT NULL, -- of method, path and body
    claim         text        NOT NULL,
    claimed_until timestamptz NOT NULL,
    answer        bytea,                -- sealed; null: under way
    created_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Workflows

CREATE TABLE workflows (
    id             text        PRIMARY KEY,
    owner_id       text        NOT NULL REFERENCES users (id),
    team_id        text        REFERENCES teams (id),
    name           text        NOT NULL,
    color          text        NOT NULL,
    icon           text        NOT NULL,
    locale         text        NOT NULL DEFAULT '', -- of numbers, dates and words in documents; empty: English
    status         text        NOT NULL CHECK (status IN ('INCOMPLETE', 'COMPLETE', 'ARCHIVED')),
    auto_create    boolean     NOT NULL,
    created_by_api boolean     NOT NULL,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL
);
CREATE INDEX workflows_owner ON workflows (owner_id, created_at, id);
CREATE INDEX workflows_team ON workflows (team_id, created_at, id) WHERE team_id IS NOT NULL;

-- The key is a credential: it is sealed, and found by its hash.
CREATE TABLE sources (
    id                text    PRIMARY KEY,
    workflow_id       text    NOT NULL UNIQUE REFERENCES workflows (id),
    type              text    NOT NULL CHECK (type = 'WEBHOOK'),
    key               bytea   NOT NULL,
    key_hash          bytea   NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    -- After a rotation the previous address takes events until previous_until.
    previous_key_hash bytea   CHECK (octet_length(previous_key_hash) = 32),
    previous_until    timestamptz,
    verification      bytea,  -- how senders prove themselves: JSON, sealed; null: by the address alone
    fields            jsonb   NOT NULL CHECK (jsonb_typeof(fields) = 'array'),
    fields_given      boolean NOT NULL,
    last_names        jsonb   -- names of the last event, where fields were given
);
CREATE UNIQUE INDEX sources_previous_key ON sources (previous_key_hash) WHERE previous_key_hash IS NOT NULL;

-- The names of fields that events of a source had, for suggestions and forms. The source
-- shows the fields of its last event.
CREATE TABLE source_names (
    source_id text        NOT NULL REFERENCES sources (id),
    name      text        COLLATE "C" NOT NULL,
    seen_at   timestamptz NOT NULL, -- when a list with it was replaced
    lists     integer     NOT NULL DEFAULT 1, -- how many lists of fields had it
    PRIMARY KEY (source_id, name)
);

-- Names that senders gave their events, hashed. An event whose name is here starts nothing
-- again. It is a table of its own, because names are forgotten long before automations. It
-- has no foreign key: sources are never deleted, and the key would lock the source's row
-- for every event.
CREATE TABLE source_event_keys (
    source_id     text        NOT NULL,
    key_hash      bytea       NOT NULL CHECK (octet_length(key_hash) = 32),
    automation_id text        NOT NULL, -- of the event that took the name
    body_hash     bytea       NOT NULL, -- eight bytes of the hash of name and body: another body is another event
    accepted_at   timestamptz NOT NULL,
    PRIMARY KEY (source_id, key_hash)
);
CREATE INDEX source_event_keys_age ON source_event_keys (accepted_at);

-- A PENDING document has no template yet. A DISCARDED one never became ready, and its copy
-- is being removed. A REMOVED one stays as long as outputs were made from it; its template
-- goes when no output under way needs it.
CREATE TABLE documents (
    id                        text        PRIMARY KEY,
    workflow_id               text        NOT NULL REFERENCES workflows (id),
    state                     text        NOT NULL CHECK (state IN ('PENDING', 'READY', 'DISCARDED', 'REMOVED')),
    type                      text        NOT NULL CHECK (type IN ('CLOUD_DOCS', 'CLOUD_SLIDES')),
    -- The template in the drive.
    file_id                   text        NOT NULL,
    file_name                 text        NOT NULL,
    file_url                  text        NOT NULL,
    file_mime_type            text        NOT NULL,
    template_removed_at       timestamptz,
    changing                  text        NOT NULL DEFAULT '', -- the request that changes the template's contents
    changing_until            timestamptz, -- at most
    preview_version           integer     NOT NULL DEFAULT 0, -- signs addresses of previews: raising it revokes them
    -- The output.
    output_name               text        NOT NULL,
    output_folder             text        NOT NULL DEFAULT '', -- a template for the folder's name; empty: not set
    output_folder_id          text        NOT NULL DEFAULT '', -- the folder that it is in; empty: not set
    output_sharing            text        NOT NULL DEFAULT '' CHECK (output_sharing IN ('', 'folder', 'domain', 'anyone')), -- empty: with nobody
    remove_output             boolean     NOT NULL,
    on_missing                text        NOT NULL DEFAULT 'blank' CHECK (on_missing IN ('blank', 'fail')), -- when the event lacks a field that the template names
    numbers                   text[]      NOT NULL DEFAULT '{}', -- the series that outputs take numbers of
    email                     jsonb, -- templates of the mail about each output; null: none is sent
    -- The PDF.
    create_pdf_copy           boolean     NOT NULL,
    enable_pdf_password       boolean     NOT NULL,
    pdf_password              bytea,      -- sealed; null: empty
    pdf_password_prevent_copy boolean     NOT NULL,
    appendices                text[]      NOT NULL DEFAULT '{}', -- files of the drive that follow the output
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    CHECK (state <> 'READY' OR file_id <> '')
);
CREATE INDEX documents_workflow ON documents (workflow_id, created_at, id) WHERE state = 'READY';
CREATE INDEX documents_of_workflow ON documents (workflow_id);
CREATE INDEX documents_strays ON documents (created_at) WHERE state <> 'READY';

-- Earlier contents of templates, as office files.
CREATE TABLE template_versions (
    id          text        PRIMARY KEY,
    document_id text        NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number      integer     NOT NULL,
    cause       text        NOT NULL CHECK (cause IN ('KEPT', 'REPLACED', 'RESTORED')),
    note        text        NOT NULL DEFAULT '',
    sha256      bytea       NOT NULL, -- of the office file
    size        bigint      NOT NULL,
    data_key    bytea       NOT NULL, -- sealed; encrypts the content
    content     bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    created_by  text        NOT NULL REFERENCES users (id),
    UNIQUE (document_id, number)
);
-- An office file is compressed, and this one is encrypted.
ALTER TABLE template_versions ALTER COLUMN content SET STORAGE EXTERNAL;

-- Copies of templates that are filled with sample data: a row is written before the copy is
-- made, and deleted when the copy is gone. An old row is of a process that died.
CREATE TABLE preview_copies (
    key        text        PRIMARY KEY,
    owner_id   text        NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Pictures that drives may read at signed addresses for some minutes, under the SHA-256 of
-- their content.
CREATE TABLE pictures (
    id         text        PRIMARY KEY,
    media_type text        NOT NULL,
    content    bytea       NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX pictures_expired ON pictures (expires_at);

-- The folders that outputs went into, so that none is made twice. Names are data of events:
-- their hashes are enough. A folder into which no output went for long is forgotten.
CREATE TABLE output_folders (
    owner_id    text        NOT NULL REFERENCES users,
    parent_id   text        NOT NULL,
    name_sha256 bytea       NOT NULL CHECK (octet_length(name_sha256) = 32),
    folder_id   text        NOT NULL,
    made        boolean     NOT NULL, -- the folder is known to have been there
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, parent_id, name_sha256)
);
CREATE INDEX output_folders_age ON output_folders (updated_at);

CREATE TABLE outgoing_webhooks (
    id              text        PRIMARY KEY,
    workflow_id     text        NOT NULL UNIQUE REFERENCES workflows (id),
    url             text        NOT NULL,
    secret          bytea       NOT NULL, -- sealed
    -- After a rotation the previous secret signs along until previous_until.
    previous_secret bytea, -- sealed
    previous_until  timestamptz,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);

-- Where events of tests go. In a table of their own, no statement sends other events there.
CREATE TABLE test_receivers (
    id              text        PRIMARY KEY,
    workflow_id     text        NOT NULL UNIQUE REFERENCES workflows (id),
    url             text        NOT NULL,
    secret          bytea       NOT NULL, -- sealed
    previous_secret bytea, -- sealed
    previous_until  timestamptz,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);

-- Runs

-- Workflow, owner and team are copied from the workflow of the source when an event is
-- accepted, in the statement that reads them. A foreign key for each would lock the same
-- few parent rows once for every event.
CREATE TABLE automations (
    id                  text        PRIMARY KEY,
    workflow_id         text        NOT NULL,
    source_id           text        NOT NULL,
    owner_id            text        NOT NULL,
    team_id             text,
    state               text        NOT NULL CHECK (state IN ('ACCEPTED', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')),
    reason              text        NOT NULL DEFAULT '', -- why it is skipped
    attempt             integer     NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    test                boolean     NOT NULL DEFAULT false, -- outputs are marked, and events go to the test receiver alone
    -- The event. What is encrypted has the key data_key, which is sealed. Without that key
    -- every copy is unreadable: erasing the data sets it to null.
    data_key            bytea,
    body                bytea       NOT NULL, -- encrypted
    event_key           bytea,      -- the sender's name of the event, encrypted; null: it has none
    key_taken_by        text,       -- the automation that had the name before
    request_id          text        NOT NULL,
    hops                integer     NOT NULL DEFAULT 0, -- deliveries that led to the event; its own events carry one more, so that circles end
    accepted_at         timestamptz NOT NULL,
    -- The queue.
    not_before          timestamptz, -- no start is tried earlier
    leased_until        timestamptz, -- somebody is starting it
    claimed_by          text,        -- the worker that claimed it last; not indexed: only the few open rows are read by it
    started_at          timestamptz,
    parked_at           timestamptz, -- since when the run waits for something outside and takes no place
    waits               jsonb       NOT NULL DEFAULT '{}', -- what it waits for, by the ids of what waits
    -- The end.
    cancel_requested_at timestamptz,
    finished_at         timestamptz,
    failure_code        text        NOT NULL DEFAULT '', -- why nothing could be begun
    failure             text        NOT NULL DEFAULT '',
    -- Erasure, of the data, and of the whole run.
    data_erased_at      timestamptz,
    erase_requested_at  timestamptz,
    erase_requested_by  text,
    erase_due_at        timestamptz, -- when it is tried next
    erased_at           timestamptz,
    CONSTRAINT automations_leased_check CHECK (leased_until IS NULL OR state = 'ACCEPTED'),
    CONSTRAINT automations_finished_check CHECK ((state IN ('COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED')) = (finished_at IS NOT NULL)),
    CONSTRAINT automations_skipped_check CHECK ((state = 'SKIPPED') = (reason <> ''))
) WITH (
    -- Every row is updated three times within seconds and then rests. What the updates leave
    -- behind must not wait for a fifth of the table.
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.05
);
-- The queue. Claims go from workflow to workflow: what a pause holds is not read for others.
CREATE INDEX automations_waiting_workflow ON automations (owner_id, workflow_id, accepted_at, id) WHERE state = 'ACCEPTED';
-- What counts against the limit of open runs, and apart from it what is parked.
CREATE INDEX automations_under_way ON automations (owner_id, parked_at) WHERE state = 'RUNNING' OR leased_until IS NOT NULL;
-- Lists. Those of states and marks that few have leave out what ends well: without these
-- indexes one page reads everything that was ever made.
CREATE INDEX automations_workflow ON automations (workflow_id, accepted_at, id);
CREATE INDEX automations_rare_ends ON automations (workflow_id, state, accepted_at, id) WHERE state IN ('FAILED', 'SKIPPED', 'CANCELLED');
CREATE INDEX automations_tests ON automations (workflow_id, accepted_at, id) WHERE test;
CREATE INDEX automations_request ON automations (workflow_id, request_id, accepted_at, id) WHERE request_id NOT LIKE 'req\_%'; -- ids that senders gave
CREATE INDEX automations_failed_at ON automations (finished_at) WHERE state = 'FAILED';
CREATE INDEX automations_key_taken ON automations (key_taken_by) WHERE key_taken_by IS NOT NULL;
CREATE INDEX automations_key_reused ON automations (finished_at) WHERE reason = 'KEY_REUSED';
-- Retention: with data, in the order in which they ended; without data and with outputs;
-- with an erasure that is not done.
CREATE INDEX automations_data ON automations (finished_at) WHERE finished_at IS NOT NULL AND data_erased_at IS NULL;
CREATE INDEX automations_outputs ON automations (finished_at) WHERE data_erased_at IS NOT NULL AND erase_requested_at IS NULL;
CREATE INDEX automations_erasures ON automations (erase_due_at) WHERE erase_due_at IS NOT NULL;

-- When each owner's automations were last claimed, so that owners take turns. served is how
-- many were started since the owner last rested, with those that were under way then; held
-- is how many of these were open.
CREATE TABLE turns (
    owner_id    text        PRIMARY KEY,
    served_at   timestamptz NOT NULL,
    served      integer     NOT NULL DEFAULT 0,
    held        integer     NOT NULL DEFAULT 0,
    workflow_id text,        -- of the owner's, that was served last
    other_at    timestamptz  -- when another one of the owner's was
);

-- The same for workflows. When a run of a workflow waits or has failed for a reason that may
-- hold for the next, none starts before paused_until, and one at a time before alone_until.
CREATE TABLE workflow_turns (
    workflow_id  text        PRIMARY KEY,
    served_at    timestamptz NOT NULL,
    served       integer     NOT NULL DEFAULT 0,
    held         integer     NOT NULL DEFAULT 0,
    paused_until timestamptz,
    alone_until  timestamptz
) WITH (fillfactor = 50);

-- What an operator holds: no automation of it starts until somebody resumes it.
CREATE TABLE pauses (
    scope     text        NOT NULL CHECK (scope IN ('all', 'team', 'user', 'workflow')),
    id        text        NOT NULL, -- of the team, the user or the workflow; empty: all
    reason    text        NOT NULL, -- users read it
    paused_by text        NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, id)
);

-- The configuration that an automation was started with. Passwords in it are sealed one by
-- one.
CREATE TABLE plans (
    automation_id text        PRIMARY KEY REFERENCES automations (id),
    plan          jsonb       NOT NULL,
    pinned_at     timestamptz NOT NULL DEFAULT now()
);

-- An output is written some seven times while it is made. Postgres keeps the new row beside
-- the old one, and out of the indexes, where no indexed column changes and the page has
-- room: hence the fillfactor, and an index of unswept outputs by their creation.
CREATE TABLE outputs (
    id             text        PRIMARY KEY,
    automation_id  text        NOT NULL REFERENCES automations (id),
    document_id    text        NOT NULL REFERENCES documents (id),
    state          text        NOT NULL CHECK (state IN ('PENDING', 'DONE', 'FAILED')),
    test           boolean     NOT NULL, -- as of its automation
    attempt        integer     NOT NULL, -- of the automation, when it last became PENDING
    generation     integer     NOT NULL,
    -- The filled copy.
    copy_begun     boolean     NOT NULL,
    copy           jsonb,
    fill_begun     boolean     NOT NULL,
    fill_ended     boolean     NOT NULL,
    missing_fields text[]      NOT NULL,
    appendices     jsonb       NOT NULL DEFAULT '[]', -- those that are ready to be appended
    appendix_begun boolean     NOT NULL DEFAULT false, -- the next of them
    -- The PDF.
    pdf_id         text        NOT NULL,
    pdf_hashes     text[]      NOT NULL,
    pdf            jsonb,
    findings       jsonb       NOT NULL DEFAULT '[]', -- what the PDF does not show as its template meant it
    removed        boolean     NOT NULL,
    -- Files that nobody needs.
    repeated       boolean     NOT NULL,
    keeps_files    boolean     NOT NULL DEFAULT false, -- made once more after a restore: a receiver may know files under its keys, which stay
    thrown_away    text[]      NOT NULL DEFAULT '{}', -- copies to remove by their ids: the drive's list may not show them
    swept_at       timestamptz, -- when the drive was looked through for orphans; null again after a retry
    failure_code   text        NOT NULL,
    failure        text        NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (automation_id, document_id)
) WITH (fillfactor = 70);
CREATE INDEX outputs_document ON outputs (document_id, created_at, id);
CREATE INDEX outputs_failed ON outputs (document_id, created_at, id) WHERE state = 'FAILED';
CREATE INDEX outputs_tests ON outputs (document_id, created_at, id) WHERE test;
CREATE INDEX outputs_pending ON outputs (document_id) WHERE state = 'PENDING'; -- removed documents wait for these
CREATE INDEX outputs_unswept ON outputs (created_at, id)
    WHERE state <> 'PENDING' AND (repeated OR state = 'FAILED' AND copy_begun) AND swept_at IS NULL;

-- Where each word is in the name of a finished output, in the order of the list. It has no
-- foreign key to outputs: a trigger knows which rows are of one, and such a key would need
-- another index.
CREATE TABLE output_words (
    document_id text        NOT NULL,
    word        text        COLLATE "C" NOT NULL,
    created_at  timestamptz NOT NULL, -- of the output
    output_id   text        NOT NULL,
    PRIMARY KEY (document_id, word, created_at, output_id)
);

-- What the next automation gets, for each team, or owner without one. The row is locked from
-- the moment a number is drawn until it is kept, so that no number is lost.
CREATE TABLE number_series (
    holder_id  text        NOT NULL, -- of a team or a user
    name       text        NOT NULL,
    next       bigint      NOT NULL CHECK (next > 0),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (holder_id, name)
);

-- Every number below next that the series has given, or left out.
CREATE TABLE numbers (
    holder_id     text        NOT NULL,
    series        text        NOT NULL,
    number        bigint      NOT NULL,
    up_to         bigint      NOT NULL CHECK (up_to >= number), -- beyond number: all of them were left out
    automation_id text        REFERENCES automations (id),      -- null: left out
    output_ids    text[]      NOT NULL DEFAULT '{}',            -- the outputs that ask for it
    drawn_at      timestamptz NOT NULL DEFAULT now(),
    -- Whether it was used, once its outputs are not kept any more; null: they say it.
    used          boolean,
    code          text        NOT NULL DEFAULT '',
    PRIMARY KEY (holder_id, series, number),
    FOREIGN KEY (holder_id, series) REFERENCES number_series (holder_id, name)
);
CREATE UNIQUE INDEX numbers_of_automation ON numbers (automation_id, series) WHERE automation_id IS NOT NULL;

-- The mails about outputs. The mail of the automation has number 1 and the id of the output;
-- each further one has its number behind it. Recipients are not stored, but for sent_to.
CREATE TABLE mails (
    id            text        PRIMARY KEY,
    number        integer     NOT NULL DEFAULT 1,
    output_id     text        NOT NULL REFERENCES outputs (id) ON DELETE CASCADE,
    automation_id text        NOT NULL REFERENCES automations (id),
    workflow_id   text        NOT NULL,
    state         text        NOT NULL CHECK (state IN ('PENDING', 'SENT', 'FAILED', 'NOT_SENT')),
    sent_to       bytea,      -- recipients of a further mail, encrypted with the automation's data key; null: the document names them
    recipients    integer     NOT NULL DEFAULT 0, -- how many
    attempts      integer     NOT NULL DEFAULT 0,
    leased_until  timestamptz, -- an attempt is under way until then, unless its outcome is recorded before
    code          text        NOT NULL DEFAULT '', -- of the last failure
    message       text        NOT NULL DEFAULT '', -- quotes no value
    created_at    timestamptz NOT NULL DEFAULT now(),
    tried_at      timestamptz,
    sent_at       timestamptz,
    ended_at      timestamptz -- when it was sent or given up
);
CREATE UNIQUE INDEX mails_of_output ON mails (output_id, number);
CREATE INDEX mails_of_automation ON mails (automation_id);
CREATE INDEX mails_pending ON mails ((coalesce(tried_at, created_at))) WHERE state = 'PENDING';
CREATE INDEX mails_unsent ON mails (workflow_id, automation_id) WHERE state IN ('FAILED', 'PENDING');
CREATE INDEX mails_failed ON mails (ended_at) WHERE state = 'FAILED';

-- Events

-- One event for each output and attempt: an output that failed and is made by a retry has
-- two.
CREATE TABLE events (
    id              text        PRIMARY KEY,
    workflow_id     text        NOT NULL REFERENCES workflows (id),
    automation_id   text        NOT NULL REFERENCES automations (id),
    output_id       text        NOT NULL REFERENCES outputs (id),
    attempt         integer     NOT NULL,
    type            text        NOT NULL,
    test            boolean     NOT NULL, -- as of its automation
    payload         bytea       NOT NULL, -- encrypted; sent byte for byte; empty: erased
    state           text        NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED', 'HELD')),
    reason          text        NOT NULL DEFAULT '', -- why it is held
    attempts_before integer     NOT NULL DEFAULT 0, -- attempts up to this number belong to deliveries before the present ones, and change no state
    next_at         timestamptz, -- when the next attempt is due; null: the first, at once
    created_at      timestamptz NOT NULL,
    UNIQUE (output_id, attempt)
);
CREATE INDEX events_due ON events (coalesce(next_at, created_at)) WHERE state = 'PENDING';
CREATE INDEX events_workflow ON events (workflow_id, created_at, id);
CREATE INDEX events_held ON events (workflow_id, automation_id) WHERE state = 'HELD';
-- Lists and counts of states. Delivered events, the most by far, are not in it.
CREATE INDEX events_undelivered ON events (workflow_id, state, created_at, id) WHERE state IN ('PENDING', 'FAILED', 'HELD');
CREATE INDEX events_tests ON events (workflow_id, created_at, id) WHERE test;

CREATE TABLE deliveries (
    event_id    text        NOT NULL REFERENCES events (id),
    attempt     integer     NOT NULL CHECK (attempt >= 1),
    at          timestamptz NOT NULL,
    duration    interval    NOT NULL,
    status      integer     NOT NULL,
    failure     text        NOT NULL, -- empty: delivered
    answer      bytea,      -- of the receiver, encrypted; null: it said nothing, or was erased
    retry_after interval    NOT NULL,
    PRIMARY KEY (event_id, attempt)
);

-- Where events go: one row for each address that an owner's events are sent to. Each attempt
-- changes it twice, and no index but its key reads it, so that its versions stay on one
-- page. 32 leases make a row of some 3 kB, which stays in its page by toast_tuple_target.
CREATE TABLE endpoints (
    owner_id      text        NOT NULL,
    url_hash      bytea       NOT NULL CHECK (octet_length(url_hash) = 32),
    test          boolean     NOT NULL DEFAULT false, -- events of tests go there; its hash differs from that of the address itself
    in_flight     jsonb       NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(in_flight) = 'array'),
    places        integer     NOT NULL DEFAULT 0, -- attempts at once while nothing fails; 0: as many as at a new endpoint
    failures      integer     NOT NULL DEFAULT 0, -- in a row
    failing_since timestamptz,
    rests         integer     NOT NULL DEFAULT 0, -- cool-downs since it last took an event
    rests_until   timestamptz,
    slowed        boolean     NOT NULL DEFAULT false,
    turn          timestamptz, -- the last that was given to an event that waits
    took          interval    NOT NULL DEFAULT '0',
    disabled      text        NOT NULL DEFAULT '', -- why; empty: in use
    disabled_at   timestamptz,
    PRIMARY KEY (owner_id, url_hash)
) WITH (fillfactor = 50, toast_tuple_target = 8160);

-- Coordination

-- Outbox commands: what Temporal is to be told on behalf of /v0. A row is written with the
-- change that asks for it, and deleted when it was passed on.
CREATE TABLE errands (
    kind         text        NOT NULL CHECK (kind IN ('CANCEL', 'DELIVER', 'WAKE', 'MAIL')),
    id           text        NOT NULL, -- of the automation, the event or the mail
    version      integer     NOT NULL DEFAULT 1,
    requested_at timestamptz NOT NULL DEFAULT now(),
    leased_until timestamptz, -- somebody is passing it on
    PRIMARY KEY (kind, id)
);
CREATE INDEX errands_due ON errands (requested_at);

-- The workers that are there, and how many open runs each takes. A row is written again
-- every few seconds and is worth nothing after a crash: it is not logged.
CREATE UNLOGGED TABLE workers (
    id                text        PRIMARY KEY,
    carries           integer     NOT NULL CHECK (carries > 0),
    build             text        NOT NULL,
    retention_data    interval    NOT NULL,
    retention_outputs interval    NOT NULL,
    seen_at           timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What was used of Google's quotas, by when it counts no more. Rows of a project without an
-- account, and of an account without a project, are what Google refused without our knowing
-- why. After a crash nothing is known of the minute before: it is not logged.
CREATE UNLOGGED TABLE quota_uses (
    project       text        NOT NULL,
    account       text        NOT NULL,
    owner_id      text        NOT NULL,
    until         timestamptz NOT NULL,
    docs_writes   integer     NOT NULL DEFAULT 0,
    docs_reads    integer     NOT NULL DEFAULT 0,
    slides_writes integer     NOT NULL DEFAULT 0,
    slides_reads  integer     NOT NULL DEFAULT 0,
    drive_units   integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (project, until, account, owner_id)
) WITH (fillfactor = 50);

-- Who uses quotas now (held_until), and who waits for them and asks again (due_at). Owners
-- take turns, and so do the workflows of one.
CREATE UNLOGGED TABLE quota_tickets (
    id            text        PRIMARY KEY,
    project       text        NOT NULL,
    account       text        NOT NULL,
    owner_id      text        NOT NULL,
    workflow_id   text        NOT NULL DEFAULT '',
    docs_writes   integer     NOT NULL DEFAULT 0,
    docs_reads    integer     NOT NULL DEFAULT 0,
    slides_writes integer     NOT NULL DEFAULT 0,
    slides_reads  integer     NOT NULL DEFAULT 0,
    drive_units   integer     NOT NULL DEFAULT 0,
    asked_at      timestamptz NOT NULL,
    due_at        timestamptz,
    held_until    timestamptz,
    CHECK ((due_at IS NULL) <> (held_until IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX quota_tickets_project ON quota_tickets (project);

-- Operations

-- The notices that owners got by mail.
CREATE TABLE notices (
    kind         text        NOT NULL CHECK (kind IN ('failures', 'receiver', 'connection', 'mails', 'keys')),
    subject      text        NOT NULL,
    owner_id     text        NOT NULL,
    caused_at    timestamptz, -- the last cause that the owner was told of
    told_at      timestamptz,
    pending_at   timestamptz NOT NULL, -- the last cause that somebody began to tell of
    leased_until timestamptz,
    mail         text        NOT NULL DEFAULT '', -- the mail's name: one that is sent again keeps it
    PRIMARY KEY (kind, subject)
);
CREATE INDEX notices_of_owner ON notices (owner_id, kind, told_at);

-- Who did what, from where, and with which outcome. Entries are added and expire; none is
-- changed. They outlive what they are about, so there is no foreign key.
CREATE TABLE audit (
    id          text        PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor       text        NOT NULL CHECK (actor IN ('user', 'operator', 'service')),
    actor_id    text        NOT NULL,
    token_id    text        NOT NULL,
    address     inet,
    action      text        NOT NULL,
    owner_id    text        NOT NULL, -- whom it concerns; empty: the installation
    team_id     text,
    workflow_id text        NOT NULL,
    object_id   text        NOT NULL,
    outcome     text        NOT NULL,
    request_id  text        NOT NULL
);
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_owner ON audit (owner_id, at, id);
CREATE INDEX audit_team ON audit (team_id, at, id) WHERE team_id IS NOT NULL;
CREATE INDEX audit_actor ON audit (actor_id, at, id);
CREATE INDEX audit_workflow ON audit (workflow_id, at, id) WHERE workflow_id <> '';

-- Which role of Postgres each part of the programs takes. Without rows none has one of its
-- own, and row-level security is off. 'platen roles' fills it, grants what each role may do,
-- and makes the policies.
CREATE TABLE roles (
    part text PRIMARY KEY,
    role text NOT NULL
);
-- A program reads it before it takes its role.
GRANT SELECT ON roles TO PUBLIC;

-- Names of sources

-- A list of names is kept when another one replaces it: a source whose events are alike
-- writes nothing here. The last 500 names are kept. When 500 came within a minute, as from a
-- sender that has values as names, no more are taken.
-- +goose StatementBegin
CREATE FUNCTION keep_source_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) >= 500 AND min(seen_at) > now() - interval '1 minute' FROM source_names WHERE source_id = NEW.id) THEN
        RETURN NULL;
    END IF;
    INSERT INTO source_names AS kept (source_id, name, seen_at)
    SELECT NEW.id, name, now()
    FROM jsonb_array_elements_text(CASE WHEN OLD.fields_given THEN OLD.last_names ELSE OLD.fields END) WITH ORDINALITY AS old (name, place)
    WHERE place <= 500
    ON CONFLICT (source_id, name) DO UPDATE
    SET seen_at = excluded.seen_at, lists = kept.lists + 1
    WHERE kept.seen_at < excluded.seen_at - interval '1 minute';
    DELETE FROM source_names
    WHERE source_id = NEW.id AND name IN (
        SELECT name
        FROM source_names
        WHERE source_id = NEW.id
        ORDER BY seen_at DESC, name
        OFFSET 500
    );
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER source_names_kept AFTER UPDATE OF fields, last_names ON sources
    FOR EACH ROW WHEN (OLD.fields IS DISTINCT FROM NEW.fields OR OLD.last_names IS DISTINCT FROM NEW.last_names)
    EXECUTE FUNCTION keep_source_names();

-- Names end with their workflow.
-- +goose StatementBegin
CREATE FUNCTION forget_source_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM source_names WHERE source_id IN (SELECT id FROM sources WHERE workflow_id = NEW.id);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER source_names_forgotten AFTER UPDATE OF status ON workflows
    FOR EACH ROW WHEN (NEW.status = 'ARCHIVED' AND OLD.status <> 'ARCHIVED')
    EXECUTE FUNCTION forget_source_names();

-- Words of outputs

-- The words that a search for outputs finds: lower case, at most fifty of a name, cut
-- off after sixty characters. Searches cut their own words alike.
-- +goose StatementBegin
CREATE FUNCTION words_of(name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(word), '{}')
    FROM (
        SELECT DISTINCT left(word, 60) COLLATE "C" AS word
        FROM regexp_split_to_table(left(lower(name), 4000), '[\s!-/:-@\[-`{-~–—„“”‘’«»]+') word
        WHERE word <> ''
        LIMIT 50
    ) words
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION keep_output_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND (OLD.copy IS NOT NULL OR OLD.pdf IS NOT NULL) AND OLD.state = 'DONE' THEN
        DELETE FROM output_words
        WHERE document_id = OLD.document_id AND word = ANY (words_of(concat_ws(' ', OLD.copy->>'name', OLD.pdf->>'name')))
            AND created_at = OLD.created_at AND output_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.state = 'DONE' THEN
        INSERT INTO output_words (document_id, word, created_at, output_id)
        SELECT NEW.document_id, word, NEW.created_at, NEW.id
        FROM unnest(words_of(concat_ws(' ', NEW.copy->>'name', NEW.pdf->>'name'))) word
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER output_words_removed AFTER DELETE ON outputs
    FOR EACH ROW EXECUTE FUNCTION keep_output_words();
CREATE TRIGGER output_words_added AFTER INSERT ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE') EXECUTE FUNCTION keep_output_words();
CREATE TRIGGER output_words_changed AFTER UPDATE ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE' AND (OLD.state <> 'DONE' OR OLD.copy IS DISTINCT FROM NEW.copy OR OLD.pdf IS DISTINCT FROM NEW.pdf OR OLD.created_at <> NEW.created_at))
    EXECUTE FUNCTION keep_output_words();

-- Audit

-- The owner of the table is bound by it, too. audit_sweep alone deletes, and
-- nothing that is younger than 30 days.
-- +goose StatementBegin
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('platen.audit_sweep', true) = 'on' AND OLD.at < now() - interval '30 days' THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_not_truncated BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- Roles that may not delete call this: it runs as the owner of the table.
-- +goose StatementBegin
CREATE FUNCTION audit_sweep(before timestamptz, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    swept bigint;
BEGIN
    PERFORM set_config('platen.audit_sweep', 'on', true);
    DELETE FROM audit
    WHERE id IN (
        SELECT a.id
        FROM audit a
        WHERE a.at < least(before, now() - interval '30 days')
        ORDER BY a.at
        LIMIT most
        FOR UPDATE SKIP LOCKED
    );
    GET DIAGNOSTICS swept = ROW_COUNT;
    PERFORM set_config('platen.audit_sweep', 'off', true);
    RETURN swept;
END
$$;
-- +goose StatementEnd

-- The function reads names in the schema of the tables, for every caller.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION audit_sweep(timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION audit_sweep(timestamptz, integer) FROM PUBLIC;

-- Loads

-- What each user has under way, for dashboards of operators: numbers and ids, and nothing
-- that anybody sent or named. It shows all users to every role that may read it. Failures
-- are those that ended within a day, however long they waited before. Tests are not counted,
-- but while they wait or run: they take places as others do.
CREATE VIEW tenant_loads AS
SELECT u.id AS owner_id,
    coalesce(w.waiting, 0) AS waiting,
    w.waiting_since,
    coalesce(o.open, 0) AS open,
    coalesce(o.parked, 0) AS parked,
    coalesce(f.failed, 0) AS failed_within_a_day,
    coalesce(e.overdue, 0) AS events_overdue,
    coalesce(e.pending, 0) AS events_pending,
    coalesce(r.disabled, 0) AS endpoints_disabled,
    coalesce(r.cooling, 0) AS endpoints_cooling_down
FROM users u
LEFT JOIN (
    SELECT owner_id, count(*) AS waiting, min(accepted_at) AS waiting_since
    FROM automations
    WHERE state = 'ACCEPTED'
    GROUP BY owner_id
) w ON w.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) FILTER (WHERE parked_at IS NULL) AS open, count(*) FILTER (WHERE parked_at IS NOT NULL) AS parked
    FROM automations
    WHERE state = 'RUNNING' OR leased_until IS NOT NULL
    GROUP BY owner_id
) o ON o.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) AS failed
    FROM automations
    WHERE state = 'FAILED' AND NOT test AND finished_at > now() - interval '1 day'
    GROUP BY owner_id
) f ON f.owner_id = u.id
LEFT JOIN (
    SELECT k.owner_id, count(*) AS pending, count(*) FILTER (WHERE coalesce(v.next_at, v.created_at) < now() - interval '15 minutes') AS overdue
    FROM events v
    JOIN workflows k ON k.id = v.workflow_id
    WHERE v.state = 'PENDING' AND NOT v.test
    GROUP BY k.owner_id
) e ON e.owner_id = u.id
LEFT JOIN (
    SELECT owner_id, count(*) FILTER (WHERE disabled <> '') AS disabled, count(*) FILTER (WHERE disabled = '' AND rests_until > now()) AS cooling
    FROM endpoints
    WHERE NOT test
    GROUP BY owner_id
) r ON r.owner_id = u.id;

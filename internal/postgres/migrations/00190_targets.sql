-- +goose NO TRANSACTION
-- Targets, at which outputs are stored as well, and what they have.
-- +goose Up
SET lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS targets (
    id          text        PRIMARY KEY,
    workflow_id text        NOT NULL REFERENCES workflows (id),
    name        text        NOT NULL,
    settings    jsonb       NOT NULL, -- all but the secret
    secret      bytea,                -- sealed; null: none
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    UNIQUE (workflow_id, name)
);

-- An output at a target. It stays when the target is deleted: the target may keep the files.
CREATE TABLE IF NOT EXISTS placements (
    id            text        PRIMARY KEY,
    output_id     text        NOT NULL REFERENCES outputs (id) ON DELETE CASCADE,
    target_id     text        NOT NULL,
    target_name   text        NOT NULL,
    automation_id text        NOT NULL,
    workflow_id   text        NOT NULL,
    state         text        NOT NULL CHECK (state IN ('PENDING', 'STORED', 'FAILED', 'NOT_STORED')),
    folder        text, -- null: no attempt has worked it out
    receipts      jsonb       NOT NULL DEFAULT '[]',
    hashes        text[]      NOT NULL DEFAULT '{}', -- hex SHA-256 of contents that a storing was begun with
    attempts      integer     NOT NULL DEFAULT 0,
    code          text        NOT NULL DEFAULT '',
    message       text        NOT NULL DEFAULT '',
    leased_until  timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    tried_at      timestamptz,
    stored_at     timestamptz,
    ended_at      timestamptz
);
CREATE INDEX IF NOT EXISTS placements_output ON placements (output_id);
CREATE INDEX IF NOT EXISTS placements_pending ON placements (created_at) WHERE state = 'PENDING';
CREATE INDEX IF NOT EXISTS placements_failed ON placements (ended_at) WHERE state = 'FAILED';
CREATE INDEX IF NOT EXISTS placements_unsettled ON placements (workflow_id, automation_id) WHERE state IN ('PENDING', 'FAILED');
CREATE INDEX IF NOT EXISTS placements_automation ON placements (automation_id) WHERE state = 'PENDING';

ALTER TABLE errands DROP CONSTRAINT IF EXISTS errands_kind_check;
ALTER TABLE errands ADD CONSTRAINT errands_kind_check CHECK (kind IN ('CANCEL', 'DELIVER', 'WAKE', 'MAIL', 'REVIEW', 'STORE')) NOT VALID;
ALTER TABLE errands VALIDATE CONSTRAINT errands_kind_check;

-- Whatever makes an output DONE – its run, a decision, a recovery – has it stored in the same
-- transaction. What a test made is stored nowhere.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION place_output() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH placed AS (
        INSERT INTO placements (id, output_id, target_id, target_name, automation_id, workflow_id, state, code, message, ended_at)
        SELECT NEW.id || '.' || t.id, NEW.id, t.id, t.name, NEW.automation_id, t.workflow_id,
            CASE WHEN NEW.test THEN 'NOT_STORED' ELSE 'PENDING' END, CASE WHEN NEW.test THEN 'test_mode' ELSE '' END,
            CASE WHEN NEW.test THEN 'The automation is a test: its outputs are stored at no target.' ELSE '' END, CASE WHEN NEW.test THEN now() END
        FROM automations a
        JOIN targets t ON t.workflow_id = a.workflow_id
        WHERE a.id = NEW.automation_id AND a.erase_requested_at IS NULL
        ON CONFLICT (id) DO NOTHING
        RETURNING id, state
    )
    INSERT INTO errands (kind, id, requested_at)
    SELECT 'STORE', id, now()
    FROM placed
    WHERE state = 'PENDING'
    ON CONFLICT (kind, id) DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER outputs_placed AFTER UPDATE OF state ON outputs
    FOR EACH ROW WHEN (NEW.state = 'DONE' AND OLD.state <> 'DONE')
    EXECUTE FUNCTION place_output();
RESET lock_timeout;

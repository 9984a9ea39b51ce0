-- +goose Up

-- Who did what, from where, and what became of it. Entries are added and expire;
-- none is changed. They outlive what they are about, so nothing is referred to.
CREATE TABLE IF NOT EXISTS audit (
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

CREATE INDEX IF NOT EXISTS audit_at ON audit (at, id);
CREATE INDEX IF NOT EXISTS audit_owner ON audit (owner_id, at, id);
CREATE INDEX IF NOT EXISTS audit_team ON audit (team_id, at, id) WHERE team_id IS NOT NULL;

-- The owner of the table is bound by it, too. audit_sweep alone deletes, and
-- nothing that is younger than 30 days.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE OR REPLACE TRIGGER audit_not_truncated BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- Roles that may not delete call this: it runs as the owner of the table.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_sweep(before timestamptz, most integer) RETURNS bigint
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

-- Its names are those of the schema that the tables are in, whoever calls it.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION audit_sweep(timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION audit_sweep(timestamptz, integer) FROM PUBLIC;

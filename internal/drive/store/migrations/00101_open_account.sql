-- +goose NO TRANSACTION
-- An account is opened with its folder and its token by a login that may read and change
-- nothing in this schema. One that is there already is left alone: false.
-- +goose Up
SET lock_timeout = '5s';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION drive.open_account(id text, name text, email text, root text, key text, token bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- A violated constraint would put the address into the log of Postgres.
    INSERT INTO drive.users (id, name, email) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO drive.files (id, owner_id, name, mime_type, link_key) VALUES ($4, $1, 'My Drive', 'application/vnd.google-apps.folder', $5);
    INSERT INTO drive.tokens (sha256, user_id) VALUES ($6, $1);
    RETURN true;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION drive.open_account(text, text, text, text, text, bytea) FROM PUBLIC;
RESET lock_timeout;

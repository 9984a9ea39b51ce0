-- +goose Up

-- Addresses of previews are signed with it, so that raising it revokes them.
ALTER TABLE documents ADD COLUMN preview_version integer NOT NULL DEFAULT 0;

-- Copies of templates that are filled with sample data: noted before they are
-- made and forgotten when they are gone. One that is still here after a while
-- was left behind by a process that died.
CREATE TABLE preview_copies (
	key text PRIMARY KEY,
	owner_id text NOT NULL REFERENCES users (id),
	created_at timestamptz NOT NULL DEFAULT now()
);

-- Forms by which everybody who has their link makes documents of a workflow.
-- +goose Up
SET LOCAL lock_timeout = '5s';

-- The key is a credential: it is sealed, and found by its hash.
CREATE TABLE public_forms (
    id          text        PRIMARY KEY,
    workflow_id text        NOT NULL UNIQUE REFERENCES workflows (id),
    key         bytea       NOT NULL,
    key_hash    bytea       NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    enabled     boolean     NOT NULL,
    title       text        NOT NULL,
    text        text        NOT NULL,
    shows_pages boolean     NOT NULL,
    per_day     integer     NOT NULL CHECK (per_day > 0),
    per_address integer     NOT NULL CHECK (per_address > 0)
);

-- How many events a form sent on a day, in UTC: in all, where address is empty, and from one
-- address, of which there is a keyed hash alone.
CREATE TABLE public_form_uses (
    form_id text    NOT NULL REFERENCES public_forms (id) ON DELETE CASCADE,
    day     date    NOT NULL,
    address bytea   NOT NULL,
    used    integer NOT NULL,
    PRIMARY KEY (form_id, day, address)
);

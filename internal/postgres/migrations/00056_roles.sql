-- +goose Up

-- Which role of Postgres each part of the programs takes; empty: none has one of
-- its own, and row-level security is off. 'platen roles' fills it.
CREATE TABLE IF NOT EXISTS roles (
    part text PRIMARY KEY,
    role text NOT NULL
);

-- A program reads it before it takes its role.
GRANT SELECT ON roles TO PUBLIC;

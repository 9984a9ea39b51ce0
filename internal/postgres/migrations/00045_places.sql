-- +goose Up

-- How many attempts may be under way at an endpoint at once while nothing fails;
-- 0: as many as at one that nothing was sent to yet. 32 leases make a row of some
-- 3 kB, which is to stay in its page as it is.
ALTER TABLE endpoints ADD COLUMN IF NOT EXISTS places integer NOT NULL DEFAULT 0;
ALTER TABLE endpoints SET (toast_tuple_target = 8160);

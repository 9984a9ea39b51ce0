-- +goose NO TRANSACTION
-- Events that are held for receivers that were deleted fail: nothing can be sent there.
-- +goose Up
SET lock_timeout = '5s';
UPDATE events e
SET state = 'FAILED', reason = ''
WHERE e.state = 'HELD' AND e.receiver_id <> '' AND NOT EXISTS (SELECT FROM receivers r WHERE r.id = e.receiver_id);
RESET lock_timeout;

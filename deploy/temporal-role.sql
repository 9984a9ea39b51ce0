-- The login of Temporal, which may make its databases.
\getenv password TEMPORAL_PASSWORD
SELECT 'CREATE ROLE temporal LOGIN CREATEDB'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'temporal') \gexec
ALTER ROLE temporal PASSWORD :'password';

-- The login of Temporal, which may make its databases. Databases that the login platen
-- made for an earlier release become its own.
\getenv password TEMPORAL_PASSWORD
SELECT 'CREATE ROLE temporal LOGIN CREATEDB'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'temporal') \gexec
ALTER ROLE temporal PASSWORD :'password';
SELECT count(*) > 0 AS earlier
FROM pg_database
WHERE datname = 'temporal' AND datdba <> 'temporal'::regrole \gset
\if :earlier
ALTER DATABASE temporal OWNER TO temporal;
ALTER DATABASE temporal_visibility OWNER TO temporal;
\connect temporal
SELECT format('ALTER TABLE %s OWNER TO temporal', oid::regclass)
FROM pg_class
WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace \gexec
\connect temporal_visibility
SELECT format('ALTER TABLE %s OWNER TO temporal', oid::regclass)
FROM pg_class
WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace \gexec
SELECT format('ALTER FUNCTION %s OWNER TO temporal', p.oid::regprocedure)
FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') \gexec
\endif

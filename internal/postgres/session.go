package postgres

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
)

// sessionSettings are the settings that our statements need; they override those of the
// server, the database and the login. Any login may set them.
var sessionSettings = map[string]string{
	// Short queries only: to compile one costs more than to run it.
	"jit": "off",
	// Rows that are read are in memory, or on a disk without heads. By the default of 4 a
	// plan that was made for a small table, and is kept, reads the whole of a large one.
	"random_page_cost": "1.1",
	// Days and texts of times are those of UTC.
	"timezone":      "UTC",
	"datestyle":     "ISO",
	"intervalstyle": "postgres",
	// A schema with the name of the login would come first: a login may be called drive.
	"search_path":                   "public",
	"client_encoding":               "UTF8",
	"default_transaction_isolation": "read committed",
	// Every transaction here is a few statements long: one that rests for a minute
	// belongs to a machine that is gone, and holds its locks.
	"idle_in_transaction_session_timeout": "60s",
	// What a failed statement was called with is customers' data, and not for the
	// server's log.
	"log_parameter_max_length_on_error": "0",
}

// A Session is what ReadURL sets connections up for.
type Session struct {
	// Application is what connections are called in pg_stat_activity, where the address
	// says nothing. Default: platen.
	Application string
	// MaxConns is the size of a pool where the address says nothing (pool_max_conns).
	// Default: DefaultMaxConns.
	MaxConns int32
	// Settings are set beside those that all our statements need.
	Settings map[string]string
}

// ReadURL reads the address of a database. Each connection that is opened by it is set up
// as our statements need it, but for what the address sets itself. Every connection of the
// product begins here.
func ReadURL(url string, s Session) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err) // pgx leaves the password out
	}
	if stated, err := pgx.ParseConfig(url); err == nil && stated.RuntimeParams["pool_max_conns"] == "" {
		config.MaxConns = cmp.Or(s.MaxConns, DefaultMaxConns) // pgx would take the number of our CPUs
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	params := config.ConnConfig.RuntimeParams
	if params["application_name"] == "" {
		params["application_name"] = cmp.Or(s.Application, "platen")
	}
	settings := maps.Clone(sessionSettings)
	for name := range params {
		delete(settings, strings.ToLower(name))
	}
	maps.Copy(settings, s.Settings)
	set := setAll(settings)
	// Not as parameters of the startup message: poolers refuse those that they do not know.
	config.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := checkVersion(conn.ParameterStatus("server_version")); err != nil {
			return err
		}
		return conn.Exec(ctx, set).Close()
	}
	return config, nil
}

// oldestVersion is the first major version that has all that we use.
const oldestVersion = 14

// checkVersion answers nil for a version such as "15.18 (Debian 15.18-0+deb12u1)" or
// "18beta1" that is new enough, else KindInvalid with code "postgres_too_old".
func checkVersion(version string) error {
	digits := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(version)
	}
	if major, err := strconv.Atoi(version[:digits]); err == nil && major < oldestVersion {
		return platen.Errorf(platen.KindInvalid, "postgres_too_old", "Postgres %s is too old: update it to %d or later", version, oldestVersion)
	}
	return nil
}

// setAll is a statement for each setting.
func setAll(settings map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "SET %s = %s;", pgx.Identifier{name}.Sanitize(), Literal(settings[name]))
	}
	return b.String()
}

// OtherSettings are those that an address sets in another way than our statements need
// them, such as "jit = on". How long a transaction may rest is the operator's choice.
func OtherSettings(config *pgxpool.Config) (others []string) {
	for name, value := range config.ConnConfig.RuntimeParams {
		name = strings.ToLower(name)
		if want, ours := sessionSettings[name]; ours && name != "idle_in_transaction_session_timeout" && !strings.EqualFold(value, want) {
			others = append(others, name+" = "+value)
		}
	}
	slices.Sort(others)
	return others
}

package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/postgres"
)

// rooms are the packages of stores, and the stores of package postgres. Each names the parts
// that use it: the role of one of them may run each of its statements.
var rooms = map[string][]postgres.Part{
	"accept":  {postgres.PartAccept},
	"operate": {postgres.PartOperator},
	"run":     {postgres.PartWork},

	"Plans":      {postgres.PartWork},
	"Outbox":     {postgres.PartWork},
	"Deliveries": {postgres.PartWork},

	"Workflows":         serve,
	"Documents":         serve,
	"Sources":           serve,
	"Webhooks":          serve,
	"Receivers":         serve,
	"PublicForms":       serve,
	"Events":            serve,
	"Numbers":           serve,
	"Usage":             serve,
	"Schedules":         serve,
	"Idempotency":       serve,
	"OrphanedTemplates": serve,
	"TemplateVersions":  serve,
	"Previews":          serve,
	"Tokens":            serve,
	"Users":             serve,

	"Automations": serveAndWork,
	"Batches":     serveAndWork,
	"Outputs":     serveAndWork,
	"Mails":       serveAndWork,
	"Targets":     serveAndWork,
	"MailSenders": serveAndWork,
	"Reviews":     serveAndWork,
	"Endpoints":   serveAndWork,
	"Connections": serveAndWork,
	"Pictures":    serveAndWork,
	"Quotas":      serveAndWork,
	"Audit":       serveAndWork,
}

var (
	serve        = []postgres.Part{postgres.PartAPI, postgres.PartFront}
	serveAndWork = []postgres.Part{postgres.PartAPI, postgres.PartFront, postgres.PartWork}
)

// byCommand are the functions of operate whose statements commands alone run: they connect
// as the owner of the tables.
var byCommand = []string{
	"SetOperator", "Pause", "RestoreWorkflow", "SetLimit",
	"ForOperator", "LatestOutputs", "OperatorEvents", "Recoverable", "WorkflowOf",
	"Counts", "Rotate", "rotateBatch", "rotatePlans", "rotatePlan",
}

const stores = "github.com/platenhq/platen/internal/postgres"

// room is the package of stores, else the store, on whose behalf the caller runs a
// statement; empty: none.
func room() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	store := ""
	for {
		frame, more := frames.Next()
		below, ok := strings.CutPrefix(frame.Function, stores)
		// What the compiler puts into its caller has the caller's package in its name.
		name, function, _ := strings.Cut(strings.TrimPrefix(below, "/"), ".")
		switch {
		case !ok:
		case slices.ContainsFunc(byCommand, func(c string) bool { return strings.Contains(function+".", "."+c+".") }):
			return ""
		case name == "" && store == "":
			store, _, _ = strings.Cut(strings.TrimPrefix(function, "(*"), ")")
			if rooms[store] == nil {
				store = ""
			}
		case rooms[name] != nil:
			return name
		}
		if !more {
			return store
		}
	}
}

// A statement is one that a room ran.
type statement struct {
	room, sql string
	arguments int
}

// checked are the statements that were found to be permitted, of all tests of a binary.
var checked sync.Map

// A recorder keeps the statements that rooms run in one test.
type recorder struct {
	mu   sync.Mutex
	seen map[statement]bool
}

func (r *recorder) record(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) {
	switch first, _, _ := strings.Cut(strings.TrimSpace(data.SQL), " "); strings.TrimSpace(first) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
	default:
		if first, _, _ := strings.Cut(strings.TrimSpace(data.SQL), "\n"); first != "SELECT" {
			return // BEGIN, SET, LOCK, LISTEN
		}
	}
	s := statement{room: room(), sql: data.SQL, arguments: len(data.Args)}
	if s.room == "" {
		return
	}
	if len(data.Args) > 0 {
		if rewriter, ok := data.Args[0].(pgx.QueryRewriter); ok {
			sql, arguments, err := rewriter.RewriteQuery(ctx, conn, data.SQL, data.Args[1:])
			if err != nil {
				return
			}
			s.sql, s.arguments = sql, len(arguments)
		}
	}
	if _, known := checked.Load(s); known {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = map[statement]bool{}
	}
	r.seen[s] = true
}

// Beyond are the statements that rooms ran in this test since it was called last, and that
// no role of the room may run. What one test asked is not asked again in the same binary.
func (f *Harness) Beyond() (refused []string) {
	f.T.Helper()
	f.ran.mu.Lock()
	defer f.ran.mu.Unlock()
	for s := range f.ran.seen {
		var errs []error
		for _, part := range rooms[s.room] {
			planned, err := f.asks(part, s)
			if planned {
				checked.Store(s, true)
			}
			if err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) == len(rooms[s.room]) {
			refused = append(refused, fmt.Sprintf("%s: %v\n%s", s.room, errors.Join(errs...), s.sql))
		}
	}
	f.ran.seen = nil
	return refused
}

// asks plans a statement with the role of a part, which Postgres refuses as it refuses to
// run it. Not planned and without an error is one that a test keeps from being planned, by
// other tables or by locks.
func (f *Harness) asks(part postgres.Part, s statement) (planned bool, _ error) {
	ctx := context.WithoutCancel(f.T.Context())
	var role string
	f.Must(f.Owner.QueryRow(ctx, `SELECT role FROM roles WHERE part = $1`, string(part)).Scan(&role))
	arguments := ""
	if s.arguments > 0 {
		arguments = "(" + strings.Repeat("NULL, ", s.arguments-1) + "NULL)"
	}
	conn, err := f.Owner.Acquire(ctx)
	f.Must(err)
	defer conn.Release()
	_, err = conn.Conn().PgConn().Exec(ctx, `BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL ROLE `+pgx.Identifier{role}.Sanitize()+`;
		PREPARE asked AS `+s.sql+`; EXPLAIN EXECUTE asked`+arguments).ReadAll()
	_, undone := conn.Exec(ctx, `ROLLBACK`)
	f.Must(undone)
	_, _ = conn.Exec(ctx, `DEALLOCATE asked`) // it is still there where its role was refused
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42501" {
		return false, fmt.Errorf("the role of %s: %s", part, refused.Message)
	}
	return err == nil, nil
}

package chaos

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"
)

// canaries are values that must be found nowhere but where they are meant to be.
type canaries struct {
	tag, password string
}

func newCanaries(seed uint64) canaries {
	return canaries{tag: fmt.Sprintf("canary-tag-%x-Zq", seed), password: fmt.Sprintf("canary-pass-%x-Xw", seed)}
}

// secrets are all of them, by what they are.
func (w *witness) secrets() map[string]string {
	all := map[string]string{
		"tag value": w.load.canaries.tag, "password": w.load.canaries.password,
		"access token": w.service.token, "drive token": w.service.driveToken, "secret key": w.service.secretKeys,
	}
	for _, one := range w.integrator.workflows {
		all["signing secret of "+one.name] = strings.TrimPrefix(one.secret, "whsec_")
		all["source key of "+one.name] = one.source[strings.LastIndex(one.source, "/")+1:]
	}
	return all
}

// meant are the columns that hold values of events, because that is what they
// are for.
func meant() []string {
	// Contents of the drive are documents, which say what they were told.
	return []string{"public.automations.body", "drive.contents.body"}
}

func (w *witness) checkSecrets(ctx context.Context, histories [][]byte) {
	w.t.Helper()
	w.checkLogs()
	if len(histories) == 0 || !bytes.Contains(bytes.Join(histories, nil), []byte("RunAutomation")) {
		w.t.Errorf("%d events of histories, and no run among them: their search says nothing", len(histories))
	}
	for what, text := range w.secrets() {
		for _, history := range histories {
			if bytes.Contains(history, []byte(text)) {
				w.fault("secret", "the %s is in a Temporal history", what)
				break
			}
		}
	}
	w.checkDump(ctx)
}

// checkLogs reads every log of the data directory: those of the programs, of
// platen-dev, of Temporal and of Postgres.
func (w *witness) checkLogs() {
	w.t.Helper()
	read := 0
	err := filepath.WalkDir(w.service.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(entry.Name(), ".log") && filepath.Base(filepath.Dir(path)) != "log" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for what, secret := range w.secrets() {
			if bytes.Contains(text, []byte(secret)) {
				w.fault("secret", "the %s is in %s", what, path)
			}
		}
		return nil
	})
	if err != nil {
		w.t.Errorf("read the logs: %v", err)
	}
	if read < 6 {
		w.t.Errorf("read %d logs, want those of five processes and of what stands below them", read)
	}
}

// checkDump looks into every column of every table, as a dump would show it.
func (w *witness) checkDump(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `
		SELECT c.table_schema, c.table_name, c.column_name
		FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		w.t.Fatal(err)
	}
	type column struct{ Schema, Table, Column string }
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		w.t.Fatal(err)
	}
	seen := 0
	for _, c := range columns {
		name := c.Schema + "." + c.Table + "." + c.Column
		for what, secret := range w.secrets() {
			found := w.rows(ctx, pgx.Identifier{c.Schema, c.Table}, c.Column, secret)
			switch {
			case slices.Contains(meant(), name):
				seen += found
			case found > 0:
				w.fault("secret", "the %s is in %d rows of %s", what, found, name)
			}
		}
	}
	if seen == 0 {
		w.t.Errorf("no value of an event is where it is meant to be: the search says nothing")
	}
}

// rows counts those that show the text in a column.
func (w *witness) rows(ctx context.Context, table pgx.Identifier, column, text string) (found int) {
	w.t.Helper()
	field := pgx.Identifier{column}.Sanitize()
	// Text of bytea is hex: what was stored in the clear shows as such.
	err := w.db.QueryRow(ctx, "SELECT count(*) FROM "+table.Sanitize()+" WHERE strpos("+field+"::text, $1) > 0 OR strpos("+field+"::text, $2) > 0",
		text, hex.EncodeToString([]byte(text))).Scan(&found)
	if err != nil {
		w.t.Fatalf("search %s.%s: %v", table.Sanitize(), column, err)
	}
	return found
}

// histories returns the events of every run of this test, as Temporal stores
// them; nothing in them is encoded by a codec.
func (w *witness) histories(ctx context.Context) [][]byte {
	w.t.Helper()
	var all [][]byte
	var page []byte
	for {
		listed, err := w.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			PageSize: 500, NextPageToken: page, Query: "TaskQueue = '" + queue + "'",
		})
		if err != nil {
			w.t.Fatalf("list the runs: %v", err)
		}
		for _, run := range listed.Executions {
			history := w.temporal.GetWorkflowHistory(ctx, run.Execution.WorkflowId, run.Execution.RunId, false, 1)
			for history.HasNext() {
				event, err := history.Next()
				if err != nil {
					w.t.Fatalf("history of %s: %v", run.Execution.WorkflowId, err)
				}
				raw, err := proto.Marshal(event)
				if err != nil {
					w.t.Fatal(err)
				}
				all = append(all, raw)
			}
		}
		if page = listed.NextPageToken; len(page) == 0 {
			return all
		}
	}
}

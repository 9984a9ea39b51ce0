package chaos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// temporalFaults: a minute without Temporal, at 1:10, because a start takes
// seconds.
func temporalFaults() []fault {
	all := []fault{
		{kind: "SIGKILL Temporal, gone for a while", inject: func(_ context.Context, f *faultRun) error {
			return f.service.temporalInstance.kill(f.between(time.Second, 8*time.Second))
		}},
		{kind: "SIGSTOP Temporal", inject: func(_ context.Context, f *faultRun) error { return f.stand(f.service.temporalInstance.process) }},
		{kind: "Temporal connections reset", inject: func(_ context.Context, f *faultRun) error {
			if f.service.temporal.reset() == 0 {
				return errMissed
			}
			return nil
		}},
		{kind: "Temporal unreachable", inject: func(_ context.Context, f *faultRun) error {
			f.service.temporal.hole.Store(true)
			time.Sleep(f.between(time.Second, 4*time.Second))
			f.service.temporal.hole.Store(false)
			return nil
		}},
		{kind: "Temporal hears and is not heard", inject: func(_ context.Context, f *faultRun) error { return f.partition() }},
		{kind: "Temporal's database emptied", inject: func(ctx context.Context, f *faultRun) error { return f.emptyTemporal(ctx) }},
		{kind: "Temporal's database put back to an older copy", inject: func(ctx context.Context, f *faultRun) error { return f.rewindTemporal(ctx) }},
		{kind: "runs terminated in Temporal", inject: func(ctx context.Context, f *faultRun) error { return f.onRuns(ctx, f.terminateRun) }},
		{kind: "runs cancelled in Temporal", inject: func(ctx context.Context, f *faultRun) error { return f.onRuns(ctx, f.cancelRun) }},
		{kind: "runs reset in Temporal", inject: func(ctx context.Context, f *faultRun) error { return f.onRuns(ctx, f.resetRun) }},
	}
	for i := range all {
		all[i].places = []string{"temporal"}
	}
	return all
}

// partition lets what is asked of Temporal through and holds its answers back.
// They come late, or never.
func (f *faultRun) partition() error {
	w := f.service.temporal
	w.held.Store(true)
	time.Sleep(f.between(2*time.Second, 8*time.Second))
	broken := 1
	if f.random.IntN(2) == 0 {
		broken = w.reset()
	}
	w.held.Store(false)
	if broken == 0 {
		return errMissed
	}
	return nil
}

// temporalDatabases are those that Temporal keeps everything in.
func temporalDatabases() []string { return []string{"temporal", "temporal_visibility"} }

// emptyTemporal takes Temporal's databases away while it stands still, and has
// it start without any.
func (f *faultRun) emptyTemporal(ctx context.Context) error {
	return f.replaceTemporal(ctx, func(conn *pgx.Conn) error {
		for _, name := range temporalDatabases() {
			if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
				return err
			}
		}
		return nil
	})
}

// rewindTemporal copies Temporal's databases, and puts the copies in their
// place some seconds later.
func (f *faultRun) rewindTemporal(ctx context.Context) error {
	g := f.service.temporalInstance
	err := g.frozen(ctx, func(conn *pgx.Conn) error {
		for _, name := range temporalDatabases() {
			if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name); err != nil {
				return err
			}
			if _, err := conn.Exec(ctx, "CREATE DATABASE "+name+"_copy TEMPLATE "+name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("copy Temporal's databases: %w", err)
	}
	time.Sleep(f.between(3*time.Second, 8*time.Second))
	return f.replaceTemporal(ctx, func(conn *pgx.Conn) error {
		for _, name := range temporalDatabases() {
			if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
				return err
			}
			if _, err := conn.Exec(ctx, "ALTER DATABASE "+name+"_copy RENAME TO "+name); err != nil {
				return err
			}
		}
		return nil
	})
}

// replaceTemporal changes Temporal's databases while runs are under way, and
// starts it on what there is then.
func (f *faultRun) replaceTemporal(ctx context.Context, change func(*pgx.Conn) error) error {
	g, met := f.service.temporalInstance, 0
	err := g.frozen(ctx, func(conn *pgx.Conn) (err error) {
		time.Sleep(f.between(200*time.Millisecond, time.Second)) // runs begin and cannot end
		if met, err = f.underWay(ctx); err != nil {
			return err
		}
		if err := change(conn); err != nil {
			return err
		}
		// It stands still to its end.
		return errors.Join(g.Forget(), g.process.killNow())
	})
	if err != nil {
		return fmt.Errorf("change Temporal's databases: %w", err)
	}
	if err := g.await(3 * time.Minute); err != nil {
		return err
	}
	if met == 0 {
		return errMissed
	}
	return nil
}

// underWay counts automations and events that Temporal holds runs of.
func (f *faultRun) underWay(ctx context.Context) (n int, err error) {
	err = f.query(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `
			SELECT (SELECT count(*) FROM automations WHERE state = 'RUNNING') + (SELECT count(*) FROM events WHERE state = 'PENDING')`).Scan(&n)
	})
	return n, err
}

// query asks the service's database, past all wires.
func (f *faultRun) query(ctx context.Context, ask func(*pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := f.service.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return ask(conn)
}

// frozen does something to the instance's Postgres while what uses it stands still.
func (g *devInstance) frozen(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, g.database("postgres", nil))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if !g.process.signal(syscall.SIGSTOP) {
		return errMissed
	}
	defer g.process.signal(syscall.SIGCONT)
	return do(conn)
}

// A target is a run that an operator does something to.
type target struct {
	id         string // of its workflow: an automation's or an event's
	automation bool
	open       bool
}

// onRuns slows the workers down for a moment, so that runs are under way, and
// does something to some of them.
func (f *faultRun) onRuns(ctx context.Context, do func(context.Context, client.Client, target) (met bool, err error)) error {
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: f.service.temporalInstance.stack.TemporalAddress, Namespace: f.service.temporalInstance.stack.TemporalNamespace, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	defer temporal.Close()
	slow := int64(f.between(100*time.Millisecond, 300*time.Millisecond))
	f.service.workPG.latency.Add(slow)
	defer f.service.workPG.latency.Add(-slow)
	time.Sleep(f.between(400*time.Millisecond, 900*time.Millisecond))
	chosen, err := f.targets(ctx)
	if err != nil {
		return err
	}
	met := 0
	for _, one := range chosen {
		did, err := do(ctx, temporal, one)
		if err != nil {
			return fmt.Errorf("the run of %s: %w", one.id, err)
		}
		if did {
			met++
		}
	}
	if met == 0 {
		return errMissed
	}
	return nil
}

// targets are automations and events that are under way, and automations that
// have just ended.
func (f *faultRun) targets(ctx context.Context) (all []target, err error) {
	err = f.query(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `
			(SELECT id, true AS automation, true AS open FROM automations WHERE state = 'RUNNING' ORDER BY id LIMIT 4)
			UNION ALL (SELECT id, false, true FROM events WHERE state = 'PENDING' ORDER BY id LIMIT 3)
			UNION ALL (SELECT id, true, false FROM automations WHERE state = 'COMPLETED' ORDER BY finished_at DESC LIMIT 2)`)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t target, err error) {
			return t, row.Scan(&t.id, &t.automation, &t.open)
		})
		return err
	})
	return all, err
}

func (f *faultRun) terminateRun(ctx context.Context, temporal client.Client, one target) (bool, error) {
	if !one.open {
		return false, nil
	}
	f.interventions.end(one.id, "terminated in Temporal")
	return found(temporal.TerminateWorkflow(ctx, one.id, "", "chaos"))
}

func (f *faultRun) cancelRun(ctx context.Context, temporal client.Client, one target) (bool, error) {
	if !one.open {
		return false, nil
	}
	if one.automation {
		f.interventions.end(one.id, "cancelled in Temporal")
	} else {
		f.interventions.hold(one.id)
	}
	return found(temporal.CancelWorkflow(ctx, one.id, ""))
}

// resetRun begins a run again from its first task, open or ended.
func (f *faultRun) resetRun(ctx context.Context, temporal client.Client, one target) (bool, error) {
	events := temporal.GetWorkflowHistory(ctx, one.id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if ok, err := found(err); !ok {
			return false, err
		}
		if event.GetEventType() != enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			continue
		}
		_, err = temporal.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
			Namespace:                 f.service.temporalInstance.stack.TemporalNamespace,
			WorkflowExecution:         &common.WorkflowExecution{WorkflowId: one.id},
			Reason:                    "chaos",
			WorkflowTaskFinishEventId: event.GetEventId(),
			RequestId:                 fmt.Sprint(f.random.Uint64()),
		})
		return found(err)
	}
	return false, nil
}

// found tells a run that is gone or has ended from one that was met.
func found(err error) (bool, error) {
	var gone *serviceerror.NotFound
	var refused *serviceerror.InvalidArgument
	if errors.As(err, &gone) || errors.As(err, &refused) {
		return false, nil
	}
	return err == nil, err
}

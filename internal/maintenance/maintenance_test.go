package maintenance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// lines are the log's, by the job's name.
func lines(t *testing.T, log *bytes.Buffer) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	for decoder := json.NewDecoder(log); decoder.More(); {
		line := map[string]any{}
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		all[line["job"].(string)] = append(all[line["job"].(string)], line)
	}
	return all
}

func TestAJobIsDoneAtOnceAndThenAtItsIntervalUntilItIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		often, seldom := 0, 0
		stop := Start(t.Context(), slog.New(slog.NewJSONHandler(&log, nil)),
			Job{Name: "often", Every: time.Minute, Do: func(context.Context, *slog.Logger) error { often++; return errors.New("away") }},
			Job{Name: "seldom", Every: time.Hour, Do: func(context.Context, *slog.Logger) error { seldom++; return nil }},
		)
		time.Sleep(150 * time.Second)
		synctest.Wait()
		stop()
		time.Sleep(24 * time.Hour)
		if often != 3 || seldom != 1 {
			t.Errorf("done %d and %d times, want 3 and 1", often, seldom)
		}
		said := lines(t, &log)
		if len(said["often"]) != 3 || said["often"][0]["level"] != "WARN" || said["often"][0]["error"] != "away" || len(said["seldom"]) != 0 {
			t.Errorf("log: got %v, want a warning for each failure", said)
		}
	})
}

func TestStoppingWaitsForThePassUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := false
		stop := Start(t.Context(), slog.New(slog.DiscardHandler), Job{Name: "slow", Every: time.Hour, Do: func(ctx context.Context, _ *slog.Logger) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return ctx.Err()
		}})
		synctest.Wait()
		stop()
		if !ended {
			t.Error("it was not waited for")
		}
	})
}

// A panic in a goroutine of nobody's would end the whole process.
func TestAPanicOfAJobEndsItsPassAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		passes, others := 0, 0
		stop := Start(t.Context(), slog.New(slog.NewJSONHandler(&log, nil)),
			Job{Name: "broken", Every: time.Minute, Do: func(context.Context, *slog.Logger) error {
				if passes++; passes < 3 {
					panic("Canary-Of-A-Panic")
				}
				return nil
			}},
			Job{Name: "other", Every: time.Minute, Do: func(context.Context, *slog.Logger) error { others++; return nil }},
		)
		time.Sleep(150 * time.Second)
		synctest.Wait()
		stop()
		if passes != 3 || others != 3 {
			t.Errorf("got %d passes of it and %d of the other, want 3 of each", passes, others)
		}
		if strings.Contains(log.String(), "Canary") {
			t.Errorf("the log has the value of the panic: %s", log.String())
		}
		said := lines(t, &log)["broken"]
		if len(said) != 2 || said[0]["level"] != "ERROR" || said[0]["panic"] != "string" || !strings.Contains(said[0]["stack"].(string), "maintenance_test.go") {
			t.Errorf("log: got %v, want two errors with the stack", said)
		}
	})
}

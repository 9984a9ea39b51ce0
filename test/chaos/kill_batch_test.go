package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit"
)

// sentBatch is what the API says of a batch.
type sentBatch struct {
	ID         string         `json:"id"`
	State      string         `json:"state"`
	Rows       int            `json:"rows"`
	Counts     map[string]int `json:"counts"`
	FinishedAt *string        `json:"finishedAt"`
}

// TestABatchSurvivesKillingTheProgram kills the program with its Postgres while the rows of a
// batch become automations, and sends the batch again after each start. Every row is made
// once, and the end of the batch is one event. PLATEN_KILL_ROWS says how many there are (64),
// PLATEN_BATCH_KILLS how often it is killed (1), PLATEN_KILL_SEED chooses the moments (1).
func TestABatchSurvivesKillingTheProgram(t *testing.T) {
	t.Parallel()
	rows := int(testkit.Number(t, "PLATEN_KILL_ROWS", 64))
	kills := int(testkit.Number(t, "PLATEN_BATCH_KILLS", 1))
	seed := testkit.Number(t, "PLATEN_KILL_SEED", 1)
	t.Logf("%d rows, %d kills; PLATEN_KILL_SEED=%d repeats their moments", rows, kills, seed)
	random := rand.New(rand.NewPCG(seed, 0))

	place := newPlace(t)
	p := place.start(t)
	i := newSender(t, p)
	file, customers := i.rows(t, rows)
	sent := i.sendBatch(t, p, file)
	underway := 0
	for n := range kills {
		// Each kill comes behind a number of rows from its own part of them.
		behind := (n*rows + random.IntN(rows)) / (kills + 1)
		b := i.awaitBatch(t, p, sent.ID, func(b sentBatch) bool { return b.Counts["COMPLETED"] >= behind })
		time.Sleep(time.Duration(random.Int64N(int64(latest / 4)))) // what the test is about
		p.signal(t, syscall.SIGKILL)
		p.awaitEnd(t, stopLimit)
		p.awaitNothingLeft(t, afterlife)
		p = place.start(t)
		if b.FinishedAt == nil {
			underway++
		}
		t.Logf("kill %d with %v", n+1, b.Counts)
		if again := i.sendBatch(t, p, file); again.ID != sent.ID {
			t.Fatalf("the batch that was sent again is %s, want %s", again.ID, sent.ID)
		}
	}
	if underway == 0 {
		t.Errorf("no kill came before the end of the batch: the test says nothing")
	}
	b := i.awaitBatch(t, p, sent.ID, func(b sentBatch) bool { return b.FinishedAt != nil })
	if b.State != "COMPLETED" || b.Rows != rows || b.Counts["COMPLETED"] != rows {
		t.Errorf("the batch is %s with %v, want %d rows COMPLETED", b.State, b.Counts, rows)
	}
	for _, customer := range customers {
		p.awaitFinished(t, i.receiver.await(t, customer).automation)
	}
	i.check(t, p, customers)
	p.checkRows(t, sent.ID, rows)
	first := i.receiver.await(t, sent.ID)
	ends, _ := i.receiver.about(sent.ID)
	for _, end := range ends {
		if end.id != first.id || end.body != first.body || !strings.Contains(end.body, fmt.Sprintf(`"COMPLETED":%d,`, rows)) {
			t.Errorf("the end of the batch came as %s, then as %s; want one event with %d rows COMPLETED", first.body, end.body, rows)
		}
	}
}

// rows are the lines of a batch with a customer in each.
func (i *sender) rows(t *testing.T, n int) (file []byte, customers []string) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(i.example.Event, &fields); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for row := range n {
		customer := fmt.Sprintf("row-%05d", row+1)
		fields["Customer Number"] = customer
		if err := json.NewEncoder(&lines).Encode(fields); err != nil {
			t.Fatal(err)
		}
		customers = append(customers, customer)
	}
	return lines.Bytes(), customers
}

// sendBatch sends a file under one key.
func (i *sender) sendBatch(t *testing.T, p *running, file []byte) sentBatch {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.APIURL+"/workflows/"+i.workflowID+"/batches/", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", p.AccessToken)
	request.Header.Set("Idempotency-Key", "killed")
	var b sentBatch
	send(t, request, &b)
	return b
}

// awaitBatch waits until a batch is as it is wanted, or has ended.
func (i *sender) awaitBatch(t *testing.T, p *running, id string, wanted func(sentBatch) bool) sentBatch {
	t.Helper()
	deadline := time.After(3 * lifePatience)
	for {
		var b sentBatch
		if p.call(t, http.MethodGet, "/workflows/"+i.workflowID+"/batches/"+id+"/", nil, &b); wanted(b) || b.FinishedAt != nil {
			return b
		}
		select {
		case <-time.After(25 * time.Millisecond):
		case <-deadline:
			t.Fatalf("the batch is %s with %v after %v", b.State, b.Counts, 3*lifePatience)
		}
	}
}

// checkRows looks for the automation of each row: it has one, and no other row has it.
func (p *running) checkRows(t *testing.T, batchID string, rows int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), p.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var all, made int
	err = db.QueryRow(t.Context(), `
		SELECT count(*), count(DISTINCT a.id)
		FROM batch_rows r
		LEFT JOIN automations a ON a.id = r.automation_id AND a.state = 'COMPLETED'
		WHERE r.batch_id = $1`, batchID).Scan(&all, &made)
	if err != nil {
		t.Fatal(err)
	}
	if all != rows || made != rows {
		t.Errorf("got %d rows with %d automations, want %d of each", all, made, rows)
	}
}

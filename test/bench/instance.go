package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

const email = "ada@bench.example"

// An instance is Platen on a database of its own, with one user.
type instance struct {
	bench             *bench
	databaseName      string
	databaseURL       string
	secretKeys        string
	queue             string
	token, driveToken string
	pool              *pgxpool.Pool
	temporal          client.Client
	http              *http.Client

	drive, serve, worker *part
	watch                *watch // receives its telemetry; nil: no receiver
	workerDrive          string // where the worker finds the drive; empty: where everybody does
	ownerParked          int    // parked runs of one owner at most; 0: as by default
}

// open starts drive and serve; the worker is started when it is wanted.
func (b *bench) open(ctx context.Context) (*instance, error) { return b.openWatched(ctx, nil) }

func (b *bench) openWatched(ctx context.Context, w *watch) (_ *instance, err error) {
	i := &instance{bench: b, watch: w, secretKeys: app.NewSecretKey(), http: newClient()}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.close(context.WithoutCancel(ctx)))
		}
	}()
	if i.databaseName, i.databaseURL, err = b.stack.createDatabase(ctx); err != nil {
		return nil, err
	}
	i.queue = i.databaseName
	if err := app.Migrate(ctx, i.databaseURL); err != nil {
		return nil, err
	}
	if i.pool, err = pgxpool.New(ctx, i.databaseURL); err != nil {
		return nil, err
	}
	i.temporal, err = client.DialContext(ctx, client.Options{HostPort: b.stack.TemporalAddress, Namespace: b.stack.TemporalNamespace, Logger: quiet()})
	if err != nil {
		return nil, fmt.Errorf("reach Temporal: %w", err)
	}
	if i.drive, err = i.watch.start(ctx, b, partDrive, i.settings()); err != nil {
		return nil, err
	}
	if i.serve, err = i.watch.start(ctx, b, partServe, i.settings()); err != nil {
		return nil, err
	}
	return i, i.moveIn(ctx, email)
}

// settings are the environment of every part.
func (i *instance) settings() map[string]string {
	s := map[string]string{
		"PLATEN_LOG_LEVEL": "warn", "PLATEN_DATABASE_URL": i.databaseURL, "PLATEN_SECRET_KEYS": i.secretKeys,
		"PLATEN_TEMPORAL_ADDRESS": i.bench.stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE": i.bench.stack.TemporalNamespace,
		"PLATEN_QUEUE": i.queue, "PLATEN_ALLOW_PRIVATE": "127.0.0.0/8", "PLATEN_PICTURES_ALLOW_PRIVATE": "127.0.0.0/8", "PLATEN_RATE_LIMIT": "0", "PLATEN_DRIVE_RATE_LIMIT": "0", "PLATEN_DRIVE_AT_ONCE": "0",
	}
	if i.drive != nil {
		s["PLATEN_DRIVE_ENDPOINT"] = i.drive.Main
	}
	return s
}

// moveIn makes the user that calls are made for from now on, as an operator does.
func (i *instance) moveIn(ctx context.Context, email string) (err error) {
	admin, err := i.admin(ctx)
	if err != nil {
		return err
	}
	defer admin.Close()
	if _, err := admin.CreateUser(ctx, "Ada Lovelace", email, ""); err != nil {
		return err
	}
	if i.token, err = admin.CreateToken(ctx, email, "bench", 0); err != nil {
		return err
	}
	if i.driveToken, err = admin.CreateDriveToken(ctx, "Ada Lovelace", email); err != nil {
		return err
	}
	return admin.ConnectUser(ctx, email, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(i.driveToken)})
}

func (i *instance) admin(ctx context.Context) (*admin.Admin, error) {
	return app.OpenAdmin(ctx, config.Database{DatabaseURL: i.databaseURL}, config.Secrets{SecretKeys: platen.Secret(i.secretKeys)})
}

func (i *instance) startWorker(ctx context.Context) (err error) {
	settings := i.settings()
	if i.workerDrive != "" {
		settings["PLATEN_DRIVE_ENDPOINT"] = i.workerDrive
	}
	if i.ownerParked > 0 {
		settings["PLATEN_MAX_PARKED_PER_OWNER"] = strconv.Itoa(i.ownerParked)
	}
	i.worker, err = i.watch.start(ctx, i.bench, partWorker, settings)
	return err
}

// stopWorker ends the runs that are open, too: nobody would carry them on.
func (i *instance) stopWorker(ctx context.Context) error {
	if i.worker == nil {
		return nil
	}
	i.worker.stop()
	i.worker = nil
	open := &workflowservice.ListWorkflowExecutionsRequest{
		Query: fmt.Sprintf("TaskQueue = '%s' AND ExecutionStatus = 'Running'", i.queue), PageSize: 1000,
	}
	for {
		found, err := i.temporal.ListWorkflow(ctx, open)
		if err != nil {
			return fmt.Errorf("list open runs: %w", err)
		}
		for _, e := range found.GetExecutions() {
			if e.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
				// One that has ended meanwhile is as good.
				_ = i.temporal.TerminateWorkflow(ctx, e.GetExecution().GetWorkflowId(), "", "the benchmark is over")
			}
		}
		if open.NextPageToken = found.GetNextPageToken(); len(open.NextPageToken) == 0 {
			return nil
		}
	}
}

func (i *instance) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := i.stopWorker(ctx)
	i.serve.stop()
	i.drive.stop()
	if i.temporal != nil {
		i.temporal.Close()
	}
	if i.pool != nil {
		i.pool.Close()
	}
	if i.databaseName != "" {
		err = errors.Join(err, i.bench.stack.dropDatabase(ctx, i.databaseName))
	}
	return err
}

// call sends a request to /v0; any status but 2xx is an error.
func (i *instance) call(ctx context.Context, method, path, token string, body, result any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, i.serve.Main+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", token)
	answer, err := i.http.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: got %s: %.300s", method, path, answer.Status, raw)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(raw, result)
}

// A job is a workflow that is ready to run: a one-page letter, made into an
// encrypted PDF, its original removed, its event sent to the receiver.
type job struct {
	workflowID string
	source     string // address of the source webhook
}

// passwordTemplate gives password with the letter's event.
const (
	passwordTemplate = "open-{{Customer Number}}"
	outputName       = "Bench {{Bench Number}} end"
)

func (i *instance) newJob(ctx context.Context, receiverURL string) (job, error) {
	file, err := i.upload(ctx, examples.Letter)
	if err != nil {
		return job{}, err
	}
	var made struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
		Documents []struct {
			ID string `json:"id"`
		} `json:"documents"`
	}
	body := map[string]any{
		"name": "Letters", "document": map[string]any{"fileId": file}, "outgoingWebhook": map[string]any{"webhookUrl": receiverURL},
	}
	if err := i.call(ctx, http.MethodPost, "/workflows/", i.token, body, &made); err != nil {
		return job{}, err
	}
	document := map[string]any{
		"outputName": outputName, "createPdfCopy": true, "removeOutput": true,
		"enablePdfPassword": true, "pdfPassword": passwordTemplate, "enablePdfPreventCopy": true,
	}
	path := "/workflows/" + made.ID + "/documents/" + made.Documents[0].ID + "/"
	if err := i.call(ctx, http.MethodPatch, path, i.token, document, nil); err != nil {
		return job{}, err
	}
	return job{workflowID: made.ID, source: made.Source.WebhookURL}, nil
}

// upload puts an example into the user's drive and returns its id there.
func (i *instance) upload(ctx context.Context, name string) (string, error) {
	e, err := examples.Get(name)
	if err != nil {
		return "", err
	}
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: i.driveToken}))
	files, err := driveapi.NewService(ctx, authorized, option.WithEndpoint(strings.TrimRight(i.drive.Main, "/")+"/drive/v3/"))
	if err != nil {
		return "", err
	}
	made, err := files.Files.Create(&driveapi.File{Name: e.Title, MimeType: e.MIMEType}).Context(ctx).
		Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", name, err)
	}
	return made.Id, nil
}

// letterEvent is the letter's source event with a number that its document's
// name will show, filled up to size bytes.
func letterEvent(n int64, size int) ([]byte, error) {
	e, err := examples.Get(examples.Letter)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(e.Event, &fields); err != nil {
		return nil, fmt.Errorf("read the letter's event: %w", err)
	}
	fields["Bench Number"] = fmt.Sprint(n)
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	const frame = len(`,"Remarks":""`)
	if room := size - len(raw) - frame; room > 0 {
		fields["Remarks"] = strings.Repeat("x", room)
		return json.Marshal(fields)
	}
	return raw, nil
}

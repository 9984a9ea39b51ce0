package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/oauth2"
	drive "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
)

// A client does over HTTP what an integrator does.
type client struct {
	ready
	http *http.Client
}

func newClient(r ready) *client {
	return &client{ready: r, http: &http.Client{Timeout: 30 * time.Second}}
}

// What the client reads of /v0's resources.
type (
	workflow struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Status string `json:"status"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
		Documents []document `json:"documents"`
	}
	document struct {
		ID         string `json:"id"`
		PreviewURL string `json:"previewUrl"`
	}
)

// call sends body, unless it is nil, and reads the answer into result, unless
// that is nil. Any status but want is an error that shows the answer.
func (c *client) call(ctx context.Context, method, path string, body, result any, want int) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.APIURL+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", c.AccessToken)
	return c.do(request, result, want)
}

func (c *client) do(request *http.Request, result any, want int) error {
	answer, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, 32<<20))
	if err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
	}
	if answer.StatusCode != want {
		return fmt.Errorf("%s %s: got %s, want %d: %s", request.Method, request.URL.Path, answer.Status, want, raw)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
	}
	return nil
}

func (c *client) findWorkflow(ctx context.Context, name string) (workflow, bool, error) {
	var all []workflow
	if err := c.call(ctx, http.MethodGet, "/workflows/", nil, &all, http.StatusOK); err != nil {
		return workflow{}, false, err
	}
	for _, w := range all {
		if w.Name == name && w.Status != "ARCHIVED" {
			return w, true, nil
		}
	}
	return workflow{}, false, nil
}

func (c *client) createWorkflow(ctx context.Context, name, fileID string) (w workflow, err error) {
	body := map[string]any{"name": name}
	if fileID != "" {
		body["document"] = map[string]any{"fileId": fileID, "createPdfCopy": true}
	}
	return w, c.call(ctx, http.MethodPost, "/workflows/", body, &w, http.StatusCreated)
}

// post sends a source event and wants the answer that says it is stored.
func (c *client) post(ctx context.Context, webhookURL string, event []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, webhookURL, bytes.NewReader(event))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	return c.do(request, nil, http.StatusOK)
}

// ensureTemplate uploads an example as a Docs or Slides file, unless the drive
// has one of its name, and returns its id.
func (c *client) ensureTemplate(ctx context.Context, e examples.Example) (string, error) {
	authorized := oauth2.NewClient(context.WithValue(ctx, oauth2.HTTPClient, c.http), oauth2.StaticTokenSource(&oauth2.Token{AccessToken: c.DriveToken}))
	service, err := drive.NewService(ctx, option.WithHTTPClient(authorized), option.WithEndpoint(c.DriveURL+"/drive/v3/"))
	if err != nil {
		return "", err
	}
	found, err := service.Files.List().Context(ctx).Q(fmt.Sprintf("name = '%s' and trashed = false", e.Title)).Fields("files(id)").Do()
	if err != nil {
		return "", fmt.Errorf("look for template %s: %w", e.Title, err)
	}
	if len(found.Files) > 0 {
		return found.Files[0].Id, nil
	}
	made, err := service.Files.Create(&drive.File{Name: e.Title, MimeType: e.MIMEType}).Context(ctx).
		Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		return "", fmt.Errorf("upload template %s: %w", e.Title, err)
	}
	if made.Id == "" {
		return "", errors.New("upload template: the drive gave it no id")
	}
	return made.Id, nil
}

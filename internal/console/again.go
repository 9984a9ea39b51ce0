package console

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// sendAgain sends the data of a run, as it was changed in its form, to the workflow's
// source, which treats it as the event of any sender. It starts a run of its own.
func (s *site) sendAgain(ctx context.Context, r request) (view, error) {
	if _, err := r.get(ctx, r.runPath(), nil); err != nil {
		return view{}, err
	}
	if !r.me.Token.Write {
		return view{}, &problem{Status: http.StatusForbidden, Code: "scope_missing", Detail: "It may read, and not send events."}
	}
	text, failed := r.typed("data"), error(nil)
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		failed = refused("The data is no JSON object. It begins with { and ends with }, and names stand in quotation marks.")
	} else {
		failed = s.post(ctx, r, text)
	}
	why, err := explained(failed)
	if err != nil {
		return view{}, err
	}
	if why == "" {
		return view{to: "/console" + r.workflowPath() + "/runs/"}, nil
	}
	v, err := s.run(ctx, r)
	if p, ok := v.Page.(runPage); ok {
		p.Again, p.AgainProblem = text, why
		v.Page, v.Live, v.status = p, "", http.StatusBadRequest
	}
	return v, err
}

// post sends an event to the source of the workflow.
func (s *site) post(ctx context.Context, r request, event string) error {
	var w workflow
	if _, err := r.get(ctx, r.workflowPath()+"/", &w); err != nil {
		return err
	}
	source := r.client
	source.api, source.token = s.Hooks, ""
	// What was changed after a form was sent is another event.
	if once := r.typed("once"); once != "" {
		source.once = fmt.Sprintf("%s-%x", once, sha256.Sum256([]byte(event)))
	}
	key := w.Source.WebhookURL[strings.LastIndex(w.Source.WebhookURL, "/")+1:]
	_, err := source.sendTo(ctx, http.MethodPost, "/"+key, "application/json", []byte(event), nil)
	return err
}

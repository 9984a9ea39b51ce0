package console

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/platenhq/platen"
)

// sendAgain sends the data of a run, as it was changed in its form, to the workflow's
// source, which treats it as the event of any sender. It starts a run of its own, which is
// a test if that one was.
func (s *site) sendAgain(ctx context.Context, r request) (view, error) {
	var of automation
	if _, err := r.get(ctx, r.runPath(), &of); err != nil {
		return view{}, err
	}
	if !r.me.Token.Write {
		return view{}, &problem{Status: http.StatusForbidden, Code: "scope_missing", Detail: "It may read, and not send events."}
	}
	text, failed := r.typed("data"), error(nil)
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		failed = refused("The data is no JSON object. It begins with { and ends with }, and names stand in quotation marks.")
	} else {
		failed = s.post(ctx, r, text, of.Test)
	}
	why, err := explained(failed)
	if err != nil {
		return view{}, err
	}
	if why == "" {
		to := "/console" + r.workflowPath() + "/runs/"
		if of.Test {
			to += "?test=true"
		}
		return view{to: to}, nil
	}
	v, err := s.run(ctx, r)
	if p, ok := v.Page.(runPage); ok {
		p.Again, p.AgainProblem = text, why
		v.Page, v.Live, v.status = p, "", http.StatusBadRequest
	}
	return v, err
}

// post sends an event to the source of the workflow, as a test or not.
func (s *site) post(ctx context.Context, r request, event string, test bool) error {
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
	path := "/" + w.Source.WebhookURL[strings.LastIndex(w.Source.WebhookURL, "/")+1:]
	if test {
		path += "/" + platen.TestSegment
	}
	_, err := source.sendTo(ctx, http.MethodPost, path, "application/json", []byte(event), nil)
	return err
}

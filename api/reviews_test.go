package api

import (
	"net/http"
	"net/url"
	"testing"
)

// inReview has the output of a tenant wait for its user, in the second round.
func (x *tenancy) inReview(t *testing.T, me tenant) {
	t.Helper()
	output := me.ids["output"]
	for _, sql := range []string{
		`UPDATE automations SET state = 'REVIEW', attempt = 2 WHERE id = (SELECT automation_id FROM outputs WHERE id = $1)`,
		`UPDATE outputs SET state = 'REVIEW', attempt = 2 WHERE id = $1`,
	} {
		_, err := x.db.Pool().Exec(t.Context(), sql, output)
		x.must(t, err)
	}
	_, err := x.db.Pool().Exec(t.Context(), `
		INSERT INTO reviews (output_id, round, automation_id, workflow_id, terms, sha256, expires_at)
		SELECT o.id, 2, a.id, a.workflow_id, jsonb_build_object('by', jsonb_build_array($2::text), 'expireDays', 30), 'x', now() + interval '30 days'
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = $1`, output, me.user.Email)
	x.must(t, err)
}

// Somebody who looks at a page while the document is made again has not seen the new one.
func TestAnAnswerIsAboutTheRoundThatWasSeen(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	x.inReview(t, me)
	at := "/v0/workflows/" + me.ids["workflow"] + "/outputs/" + me.ids["output"] + "/"
	x.as(t, me.token, "POST", at+"approve/", `{"round":1}`).problem(400, "review_superseded")
	x.as(t, me.token, "POST", at+"reject/", `{"reason":"Wrong town.","round":1}`).problem(400, "review_superseded")
	x.as(t, me.token, "POST", at+"approve/", `{"round":0}`).is(400)
	x.as(t, me.token, "POST", at+"approve/", `{"reason":"None."}`).is(400)
	x.as(t, me.token, "POST", at+"reject/", `{"round":2}`).is(400)
	b, page := x.console(t).signIn(me.token), "/console/workflows/"+me.ids["workflow"]+"/runs/"+me.ids["automation"]+"/"
	b.get("/").is(200).shows("Waiting for approval")
	b.get(page).is(200).shows(`name="round" value="2"`)
	for _, seen := range []url.Values{{"round": {"1"}}, {}} {
		b.open("POST", page+"outputs/"+me.ids["output"]+"/approve", seen)
		if got := x.as(t, me.token, "GET", "/v0/workflows/"+me.ids["workflow"]+"/outputs/?id="+me.ids["output"], "").is(200).list(); len(got) != 1 || got[0].(map[string]any)["state"] != "REVIEW" {
			t.Fatalf("after an answer about %v: got %v, want that it still waits", seen, got)
		}
	}
	b.open("POST", page+"outputs/"+me.ids["output"]+"/approve", url.Values{"round": {"2"}}).is(http.StatusSeeOther)
	got := x.as(t, me.token, "POST", at+"approve/", "").is(200).object() // the same answer again
	if verdict := got["review"].(map[string]any)["verdict"]; verdict != "APPROVED" {
		t.Errorf("got %v, want that it is approved", verdict)
	}
}

package console

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"testing"

	"github.com/platenhq/platen/internal/inside"
)

// What a form does not show, or shows with white space around it, is sent along as it was.
func TestAVerificationKeepsWhatNobodyChangedInItsForm(t *testing.T) {
	t.Parallel()
	hmac := `{"scheme":"HMAC","header":"Authorization","encoding":"hex","prefix":"HMAC ","secretCount":1,"toleranceSeconds":null,"networks":[]}`
	signed := `{"scheme":"STANDARD_WEBHOOKS","secretCount":1,"toleranceSeconds":900,"networks":[]}`
	for name, c := range map[string]struct {
		set        string
		form, want map[string]string
	}{
		"tolerance beside a timestamp": {signed, map[string]string{"scheme": "STRIPE", "secrets": "correct-horse"},
			map[string]string{"scheme": `"STRIPE"`, "secrets": `["correct-horse"]`, "toleranceSeconds": "900"}},
		"no tolerance without a timestamp": {signed, map[string]string{"scheme": "GITHUB", "secrets": "correct-horse"},
			map[string]string{"scheme": `"GITHUB"`, "secrets": `["correct-horse"]`}},
		"a space that ends the prefix": {hmac, map[string]string{"scheme": "HMAC", "secrets": "correct-horse", "header": " Authorization ", "encoding": "hex", "prefix": "HMAC "},
			map[string]string{"scheme": `"HMAC"`, "secrets": `["correct-horse"]`, "header": `"Authorization"`, "encoding": `"hex"`, "prefix": `"HMAC "`}},
	} {
		var sent map[string]json.RawMessage
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			_, _ = w.Write([]byte(c.set))
		})
		from := httptest.NewRequest(http.MethodPost, "/", nil)
		from.PostForm = url.Values{}
		for field, text := range c.form {
			from.PostForm.Set(field, text)
		}
		if err := new(site).setVerification(t.Context(), request{Request: from, api: inside.Caller{API: api, From: from}.Client()}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := map[string]string{}
		for field, value := range sent {
			got[field] = string(value)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v sent, want %v", name, got, c.want)
		}
	}
}

package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestWhoAnswersAtAPathOfTheAPIsHost(t *testing.T) {
	t.Parallel()
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(name)) })
	}
	h := apiHost{api: named("api"), site: named("site"), icon: named("icon"), docs: named("docs"), pictures: named("pictures"), forms: named("forms"), reviews: named("reviews"), connect: named("connect")}
	answers := func(path string) string {
		r, w := httptest.NewRequest("POST", "/", nil), httptest.NewRecorder()
		r.URL.Path = path
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	for path, want := range map[string]string{
		"/v0": "api", "/v0/": "api", "/v0/workflows/": "api", "/v0//workflows": "api", "//v0/workflows": "api", "/preview/x": "api",
		"/openapi.json": "api", "/healthz": "api", "/readyz": "api", "": "api", "//": "api", "/no-such-path": "api", "/.env": "api",
		"/": "site", "/console": "site", "/console/": "site", "/console/workflows/": "site", "/console//workflows/": "site", "/consoles": "api",
		"/favicon.ico": "icon", "/favicon.ico/": "api",
		"/docs": "docs", "/docs/": "docs", "/docs/api": "docs", "/docs/../v0/": "docs", "/docsx": "api",
		"/docs/contract": "api", "/docs/contract/": "api", "/docs/contract/x": "docs",
		"/forms/x": "forms", "/forms/x/made/y": "forms", "/forms": "api", "/reviews/x": "reviews", "/reviews/x/document.pdf": "reviews",
		"/pictures/pic_1": "pictures", "/pictures/": "pictures", "/pictures": "api",
		"/connect/google": "connect", "/connect/google/callback": "connect", "/connect": "api", "/connect/googlex": "api",
	} {
		if got := answers(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	h.connect = nil
	if got := answers("/connect/google"); got != "api" {
		t.Errorf("where users do not connect in a browser: got %s, want api", got)
	}
}

package api

import (
	"net/http"
	"net/url"
	"testing"
)

func TestARefusedSignInSaysWhatToDo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t)
	for _, wrong := range []string{"", "plt_1", nobodys} {
		b.open("POST", "/console/sign-in", url.Values{"token": {wrong}}).is(http.StatusForbidden).
			shows(`role="alert"`, "platen token create --user").lacks("Authorization", "the header")
	}
	b.open("POST", "/console/sign-in", url.Values{"token": {nobodys}}).shows("This token is not valid")
}

package platen_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestNobodyMakesUpALinkOfAMail(t *testing.T) {
	t.Parallel()
	now, before, other := []byte("key of now"), []byte("key of before"), []byte("key of others")
	workflow, mail := platen.NewID(platen.PrefixWorkflow), platen.NewID(platen.PrefixOutput)+".2"
	for key, good := range map[string]bool{string(now): true, string(before): true, string(other): false} {
		path := platen.MailLink([]byte(key), workflow, mail)
		gotWorkflow, gotMail, ok := platen.ReadMailLink([][]byte{now, before}, path)
		if ok != good || ok && (gotWorkflow != workflow || gotMail != mail) {
			t.Errorf("%s: got %s, %s, %t, want it good: %t", key, gotWorkflow, gotMail, ok, good)
		}
	}
	path := platen.MailLink(now, workflow, mail)
	for _, wrong := range []string{
		platen.MailLinkPath, path[:len(path)-1], path + "A", path + "/", strings.Replace(path, mail, platen.NewID(platen.PrefixOutput), 1), strings.Replace(path, workflow, platen.NewID(platen.PrefixWorkflow), 1),
		strings.Replace(path, mail, strings.TrimSuffix(mail, ".2"), 1), platen.MailLinkPath + workflow + "/" + mail + "/",
	} {
		if _, _, ok := platen.ReadMailLink([][]byte{now}, wrong); ok {
			t.Errorf("%s opens", wrong)
		}
	}
}

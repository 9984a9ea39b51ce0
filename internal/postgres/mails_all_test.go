package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// A mail that failed because an output was missing begins again, and no other does.
func TestAMailWithoutAnOutputIsReopenedBeforeItsFirstAttemptAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for name, c := range map[string]struct {
		code  string
		begun bool
		want  platen.MailState
	}{
		"an output was missing":       {platen.CodeEmailOutputMissing, false, platen.MailPending},
		"another reason":              {platen.CodeEmailAddressRefused, false, platen.MailFailed},
		"one that may have gone out":  {platen.CodeEmailOutputMissing, true, platen.MailFailed},
		"a run that nobody may retry": {platen.CodeCancelled, false, platen.MailFailed},
	} {
		automation, output, mail := f.mailed(f.User(nil))
		key := platen.MailKey{AutomationID: automation, OutputID: output}
		if c.begun {
			_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
			f.Must(err)
		}
		f.Must(f.Mails.GiveUpMail(t.Context(), key, c.code, "why"))
		f.Exec(`UPDATE mails SET created_at = now() - interval '3 days' WHERE id = $1`, key.ID())
		for range 2 {
			f.Must(f.Mails.ReopenMail(t.Context(), key))
		}
		got := mail()
		if got.State != c.want {
			t.Errorf("%s: got %+v, want %s", name, got, c.want)
		}
		if c.want != platen.MailPending {
			continue
		}
		if got.Code != "" || time.Since(got.CreatedAt) > time.Hour || f.Count(`SELECT count(*) FROM mails WHERE id = $1 AND ended_at IS NULL`, key.ID()) != 1 {
			t.Errorf("%s: got %+v, want a mail of now without a failure", name, got)
		}
		begun, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
		f.Must(err)
		if begun.Attempts != 1 {
			t.Errorf("%s: got attempt %d, want 1", name, begun.Attempts)
		}
	}
}

func TestAMailWithoutAnOutputIsNotSentAgainByHand(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	f.Must(f.Mails.GiveUpMail(t.Context(), key, platen.CodeEmailOutputMissing, "that of document doc_2 failed"))
	for _, to := range []string{"", "ada@example.com"} {
		storetest.WantKind(t, "to "+to, f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, to), platen.KindInvalid, platen.CodeEmailOutputMissing)
	}
	f.Must(f.Mails.ReopenMail(t.Context(), key))
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@example.com"))
}

func TestALinkOpensTheOutputsThatItsMailBringsUntilOneIsRevoked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	other := platen.NewID(platen.PrefixOutput)
	document := platen.NewID(platen.PrefixDocument)
	f.Exec(`INSERT INTO documents SELECT (jsonb_populate_record(d, jsonb_build_object('id', $1::text))).* FROM documents d JOIN outputs o ON o.document_id = d.id WHERE o.id = $2`, document, key.OutputID)
	f.Exec(`INSERT INTO outputs (id, automation_id, document_id, state, test, attempt, generation, copy_begun, fill_begun, fill_ended, missing_fields, pdf_id, pdf_hashes, removed, repeated, failure_code, failure)
		SELECT $1, automation_id, $3, state, test, attempt, generation, copy_begun, fill_begun, fill_ended, missing_fields, pdf_id, pdf_hashes, removed, repeated, failure_code, failure FROM outputs WHERE id = $2`, other, key.OutputID, document)
	_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	record := func(outputs []string) {
		t.Helper()
		f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailPending, Outputs: outputs, LinkUntil: new(time.Now().Add(time.Hour))}))
	}
	linked := func(id string) string {
		t.Helper()
		output, err := f.Mails.LinkedOutput(t.Context(), w.ID, id)
		if err != nil {
			storetest.WantKind(t, "the link", err, platen.KindNotFound, "output_not_found")
		}
		return output
	}
	part := platen.MailPart(key.ID(), other)
	record(nil)
	if got := linked(part); got != "" {
		t.Errorf("of a mail that brings its own output: got %s", got)
	}
	record([]string{key.OutputID, other})
	record(nil) // an attempt that found nothing out takes nothing away
	for id, want := range map[string]string{key.ID(): key.OutputID, part: other, platen.MailPart(key.ID(), "out_none"): ""} {
		if got := linked(id); got != want {
			t.Errorf("link %s: got %q, want %q", id, got, want)
		}
	}
	f.Must(f.Mails.RevokeMailLinks(t.Context(), owner, w.ID, other))
	for _, id := range []string{key.ID(), part} {
		if got := linked(id); got != "" {
			t.Errorf("a link that was revoked for one of them: got %s", got)
		}
	}
}

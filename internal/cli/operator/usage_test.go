package operator

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

func TestUsageIsListedAndExportedForBills(t *testing.T) {
	t.Parallel()
	i := install(t)
	owner := i.workflow.Owner
	_, err := i.pool.Exec(t.Context(), `
		INSERT INTO usage_months (owner_id, month, documents, pages, bytes, mails)
		VALUES ($1, '2026-10-01', 5, 7, 900, 2), ($1, '2026-11-01', 1, 1, 10, 0), ('usr_gone', '2026-11-01', 4, 4, 4, 4)`, owner.ID)
	i.must(err)
	_, err = i.pool.Exec(t.Context(), `INSERT INTO usage_entries (owner_id, month, documents, pages, bytes, mails) VALUES ($1, '2026-11-01', 1, 2, 20, 3)`, owner.ID)
	i.must(err)
	list := func(c usageListCommand) string {
		t.Helper()
		c.Database = config.Database{DatabaseURL: i.pool.Config().ConnString()}
		var out bytes.Buffer
		i.must(c.run(t.Context(), &out))
		return out.String()
	}
	october, november := month(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)), month(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	want := "month,owner_id,email,documents,pages,bytes,mails,limit\r\n" +
		"2026-10," + owner.ID + "," + owner.Email + ",5,7,900,2,\r\n" +
		"2026-11,usr_gone,,4,4,4,4,\r\n" +
		"2026-11," + owner.ID + "," + owner.Email + ",2,3,30,3,\r\n"
	got := list(usageListCommand{Since: &october, Month: &november, CSV: true})
	if sorted(got) != sorted(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := list(usageListCommand{Month: &november, User: owner.Email}); strings.Contains(got, "usr_gone") || !strings.Contains(got, "30") || !strings.HasPrefix(got, "MONTH") {
		t.Errorf("got\n%s\nwant the owner's November alone", got)
	}
	if got := list(usageListCommand{Month: &october, JSON: true}); got != `{"month":"2026-10","ownerId":"`+owner.ID+`","email":"`+owner.Email+`","documents":5,"pages":7,"bytes":900,"mails":2,"limit":null}`+"\n" {
		t.Errorf("got %s", got)
	}
	if err := (&usageListCommand{Since: &november, Month: &october}).run(t.Context(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "--since") {
		t.Errorf("got %v, want that the months are refused", err)
	}
	if err := new(month).UnmarshalText([]byte("2026-13")); err == nil || platen.FormatMonth(time.Time(october)) != "2026-10" {
		t.Errorf("got %v, want that no such month is taken", err)
	}
}

// sorted are the lines of a text in their order.
func sorted(text string) string {
	lines := strings.Split(text, "\r\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestAnOperatorLimitsTheDocumentsOfAnOwner(t *testing.T) {
	t.Parallel()
	i := install(t)
	var said bytes.Buffer
	limit := func(c usageLimitCommand) error {
		c.Database, c.Email = config.Database{DatabaseURL: i.pool.Config().ConnString()}, i.workflow.Owner.Email
		said.Reset()
		return c.run(t.Context(), &said)
	}
	room := func() (left *int64) {
		i.must(i.pool.QueryRow(t.Context(), `SELECT usage_room($1, false)`, i.workflow.Owner.ID).Scan(&left))
		return left
	}
	i.must(limit(usageLimitCommand{Documents: new(int64(7))}))
	if got := room(); got == nil || *got != 7 {
		t.Errorf("got %v, want room for 7", got)
	}
	this := platen.FormatMonth(time.Now())
	if want := "The owner may have 7 documents in a month; in " + this + ", 0 are made or wait."; !strings.HasPrefix(said.String(), want) {
		t.Errorf("got %q, want %q", said.String(), want)
	}
	said.Reset()
	i.must((&usageListCommand{Database: config.Database{DatabaseURL: i.pool.Config().ConnString()}, CSV: true}).run(t.Context(), &said))
	if want := this + "," + i.workflow.Owner.ID + "," + i.workflow.Owner.Email + ",0,0,0,0,7\r\n"; !strings.Contains(said.String(), want) {
		t.Errorf("got %q, want the owner's limit listed", said.String())
	}
	if err := limit(usageLimitCommand{Documents: new(int64(-1))}); err == nil || !strings.Contains(err.Error(), "--documents") {
		t.Errorf("got %v, want that the number is refused", err)
	}
	i.must(limit(usageLimitCommand{None: true}))
	if got := room(); got != nil {
		t.Errorf("got %v, want no limit", *got)
	}
}

func TestANegativeLimitIsRefusedWithoutAHintToIt(t *testing.T) {
	t.Parallel()
	err := Run(t.Context(), []string{"usage", "limit", "ada@example.com", "--documents", "-1"})
	if err == nil || !strings.HasPrefix(err.Error(), "--documents: must be 0 or more, not -1; ") {
		t.Errorf("got %v, want that it must be 0 or more", err)
	}
}

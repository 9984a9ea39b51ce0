package bounce_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/platenhq/platen/internal/bounce"
	"github.com/platenhq/platen/internal/platen"
)

// report is a delivery status notification with these groups of fields.
func report(groups ...string) string {
	return "From: MAILER-DAEMON@mx.example.net\nTo: <bounces+token@example.com>\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" +
		"--b\nContent-Type: text/plain\n\nIt is late.\n--b\nContent-Type: message/delivery-status\n\n" + strings.Join(groups, "\n\n") + "\n\n--b--\n"
}

const ofServer = "Reporting-MTA: dns; mx.example.net"

func read(t *testing.T, message string) platen.Returned {
	t.Helper()
	got, err := bounce.Read(strings.NewReader(message))
	if err != nil {
		t.Fatalf("%v:\n%.300s", err, message)
	}
	return got
}

// The files of Postfix and Exim are what Debian's programs wrote; those of Exchange and Gmail
// have the form of theirs.
func TestMessagesOfManyServersSayWhomAMailDidNotReach(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.eml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no messages")
	}
	want := map[string]platen.FailedRecipient{
		"exchange.eml": {Final: "ada@example.org", Original: "Ada.Lovelace@example.org", Status: "5.1.10"},
		"gmail.eml":    {Final: "ada@example.org", Status: "5.1.1"},
		"postfix.eml":  {Final: "ada@example.org", Original: "ada@example.org", Status: "5.1.1"},
		"exim.eml":     {Final: "ada@example.org", Original: "ada@example.org", Status: "5.0.0"},
	}
	if len(files) != len(want) {
		t.Errorf("got %d messages, want %d", len(files), len(want))
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		unix := strings.ReplaceAll(string(content), "\r\n", "\n")
		for spelling, message := range map[string]string{"lines of Unix": unix, "lines of mail": strings.ReplaceAll(unix, "\n", "\r\n"), "of a mailbox": "From MAILER-DAEMON Mon Nov  2 10:00:00 2026\n" + unix} {
			got := read(t, message)
			if !slices.Equal(got.Failed, []platen.FailedRecipient{want[filepath.Base(file)]}) {
				t.Errorf("%s, %s: got %+v, want %+v", file, spelling, got.Failed, want[filepath.Base(file)])
			}
			if !slices.Contains(got.To, "bounces+token@example.com") {
				t.Errorf("%s, %s: it came to %q", file, spelling, got.To)
			}
		}
	}
}

func TestWhatIsNoFailureNamesNobody(t *testing.T) {
	t.Parallel()
	plain := "From: ada@example.org\nTo: bounces+token@example.com\n"
	for name, message := range map[string]string{
		"a delay":             report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: delayed\nStatus: 4.4.1\nWill-Retry-Until: Sat, 7 Nov 2026 10:00:00 +0000"),
		"a delivery":          report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: delivered\nStatus: 2.0.0"),
		"passed on":           report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: relayed (to a server that reports nothing)\nStatus: 2.0.0"),
		"an automatic answer": plain + "Auto-Submitted: auto-replied\nSubject: Away\n\nI am away. Action: failed\n",
		"a receipt":           plain + "Content-Type: multipart/report; report-type=disposition-notification; boundary=b\n\n--b\nContent-Type: message/disposition-notification\n\nFinal-Recipient: rfc822; ada@example.org\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--b--\n",
		"a mail about one":    plain + "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: message/rfc822\n\n" + report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1") + "\n--a--\n",
		"no parts":            plain + "Content-Type: multipart/report; report-type=delivery-status\n\n--b\n",
		"an empty status":     report(""),
		"a wrong type":        plain + "Content-Type: ;;\n\n",
	} {
		if got := read(t, message); len(got.Failed) != 0 {
			t.Errorf("%s: got %+v, want nobody", name, got.Failed)
		}
	}
	for name, message := range map[string]string{"nothing": "", "no message": "hello", "a line without an end": "From " + strings.Repeat("x", 10_000)} {
		if got, err := bounce.Read(strings.NewReader(message)); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %+v, %v, want it refused", name, got, err)
		}
	}
}

func TestAMessageThatIsCutOffOnItsWayIsNotCalledMalformed(t *testing.T) {
	t.Parallel()
	cut := platen.Errorf(platen.KindInvalid, "body_unreadable", "The body could not be read to its end.")
	if _, err := bounce.Read(iotest.ErrReader(cut)); !errors.Is(err, cut) {
		t.Errorf("got %v, want %v", err, cut)
	}
}

func TestMessagesHaveManyForms(t *testing.T) {
	t.Parallel()
	ada, bob := platen.FailedRecipient{Final: "ada@example.org", Status: "5.1.1"}, platen.FailedRecipient{Final: "bob@example.org", Status: "4.4.7"}
	const group = "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1"
	encoded := strings.Replace(report(), "message/delivery-status\n\n", "message/delivery-status\nContent-Transfer-Encoding: base64\n\n"+base64.StdEncoding.EncodeToString([]byte(ofServer+"\n\n"+group+"\n"))+"\n", 1)
	inside := "From: list@example.net\nTo: bounces+token@example.com\nContent-Type: multipart/mixed; boundary=a\n\n--a\n" + report(ofServer, group)[strings.Index(report(), "Content-Type"):] + "\n--a\nContent-Type: text/plain\n\nScanned.\n--a--\n"
	for name, c := range map[string]struct {
		message string
		want    []platen.FailedRecipient
	}{
		"two recipients, one given up":  {report(ofServer, group, "Final-Recipient: rfc822; <bob@example.org>\nAction: FAILED (expired)\nStatus: 4.4.7 (delivery time expired)"), []platen.FailedRecipient{ada, bob}},
		"several blank lines":           {report("", ofServer, "", group, ""), []platen.FailedRecipient{ada}},
		"one of two failed":             {report(ofServer, group, "Final-Recipient: rfc822; bob@example.org\nAction: delayed\nStatus: 4.4.1"), []platen.FailedRecipient{ada}},
		"without an action":             {report(ofServer, "Final-Recipient: rfc822; ada@example.org\nStatus: 5.1.1"), []platen.FailedRecipient{ada}},
		"with a status that is none":    {report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: ada is gone"), []platen.FailedRecipient{{Final: "ada@example.org"}}},
		"of an address beyond ASCII":    {strings.Replace(report(ofServer, "Final-Recipient: utf-8; ada@example.org\nAction: failed\nStatus: 5.1.1"), "message/delivery-status", "message/global-delivery-status", 1), []platen.FailedRecipient{ada}},
		"in base64":                     {encoded, []platen.FailedRecipient{ada}},
		"within what a filter adds":     {inside, []platen.FailedRecipient{ada}},
		"cut off behind the recipient":  {strings.TrimSuffix(report(ofServer, group), "\n\n--b--\n"), []platen.FailedRecipient{ada}},
		"recipients in a header alone":  {"From: mailer-daemon@example.net\nTo: bounces+token@example.com\nX-Failed-Recipients: ada@example.org,\n bob@example.org\n\nThis message was created automatically by mail delivery software.\n", []platen.FailedRecipient{{Final: "ada@example.org"}, {Final: "bob@example.org"}}},
		"a status without recipients":   {"X-Failed-Recipients: ada@example.org\n" + report(ofServer), []platen.FailedRecipient{{Final: "ada@example.org"}}},
		"a delay with recipients aside": {"X-Failed-Recipients: ada@example.org\n" + report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: delayed\nStatus: 4.4.1"), nil},
	} {
		if got := read(t, c.message); !slices.Equal(got.Failed, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got.Failed, c.want)
		}
	}
}

func TestALargeMessageIsReadAsFarAsItIsNeeded(t *testing.T) {
	t.Parallel()
	var groups []string
	for i := range 1000 {
		groups = append(groups, fmt.Sprintf("Final-Recipient: rfc822; r%d@example.org\nAction: failed\nStatus: 5.1.1", i))
	}
	if got := read(t, report(groups...)); len(got.Failed) != 100 {
		t.Errorf("got %d recipients, want 100", len(got.Failed))
	}
	if got := read(t, "To: "+strings.Repeat("a@example.com, ", 10_000)+"b@example.com\n\n"); len(got.To) != 100 {
		t.Errorf("got %d addresses, want 100", len(got.To))
	}
	deep := strings.Repeat("Content-Type: multipart/mixed; boundary=a\n\n--a\n", 5000)
	if got := read(t, deep); len(got.Failed) != 0 {
		t.Errorf("got %+v", got)
	}
	endless := &counted{}
	if got, _ := bounce.Read(endless); len(got.Failed) != 0 || endless.bytes > bounce.MaxRead+1<<16 {
		t.Errorf("read %d bytes of a header without an end: %+v", endless.bytes, got)
	}
}

// counted is a header without an end.
type counted struct{ bytes int }

func (c *counted) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "X: yyyyyyyyyyyyyyyyy\n"[(c.bytes+i)%21]
	}
	c.bytes += len(p)
	return len(p), nil
}

func FuzzRead(f *testing.F) {
	f.Add(report(ofServer, "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1"))
	f.Add("X-Failed-Recipients: ada@example.org\n\n")
	f.Fuzz(func(t *testing.T, message string) {
		got, err := bounce.Read(strings.NewReader(message))
		if err != nil && platen.KindOf(err) != platen.KindInvalid {
			t.Fatal(err)
		}
		for _, r := range got.Failed {
			if strings.ContainsAny(r.Final+r.Original+r.Status, "\r\n") {
				t.Errorf("got %+v, with a line break", r)
			}
		}
	})
}

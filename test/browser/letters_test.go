package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/browser"
	"github.com/platenhq/platen/internal/testkit/mailbox"
	"github.com/platenhq/platen/internal/testkit/pages"
)

// lettersPage is written for people who have never seen JSON.
const lettersPage = "docs/write-letters.md"

// Its numbered steps, and what somebody does who reads one.
var (
	numberedStep = regexp.MustCompile(`(?m)^\d+\. (.*)$`)
	asked        = regexp.MustCompile("(?i)(?:press|open) \\*([^*]+)\\*|type `([^`]+)` into \\*([^*]+)\\*(, and press Enter)?|(drop the file)|until the page says \\*([^*]+)\\*")
)

func TestLettersAreWrittenAsTheirPageSaysInChromium(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	smtp := box.Start(t)
	i := install(t, func(s *config.Serve, w *config.Work) {
		s.SMTPFrom, w.SMTPFrom = "harbour@example.com", "harbour@example.com"
		w.SMTPURL, w.SMTPClearText.Setting = platen.Secret("smtp://"+smtp), config.Of(true)
	})
	raw, err := os.ReadFile(filepath.Join(pages.Root(t), lettersPage))
	if err != nil {
		t.Fatal(err)
	}
	template := letter(t, "berth letter.docx", pages.Shown(t, lettersPage)...)
	v := visitor{i.signIn(t, browser.Options{}), t, "letters"}
	done := 0
	for _, step := range numberedStep.FindAllStringSubmatch(string(raw), -1) {
		all := asked.FindAllStringSubmatch(step[1], -1)
		if len(all) == 0 {
			t.Errorf("%q asks for nothing that this test knows", step[1])
		}
		for _, does := range all {
			t.Log(does[0])
			switch press, text, field, says := does[1], does[2], does[3], does[6]; {
			case press != "":
				v.presses(press)
			case does[4] != "":
				v.Enter(v.called("input, textarea", field), text)
			case text != "":
				v.writes(v.called("input, textarea", field), text)
			case says != "":
				waitFor(t, v.Page, step[1], fmt.Sprintf(`[...document.querySelectorAll("main .state")].some((e) => e.textContent === %q)`, says))
			default:
				v.Drop(".drop", template)
			}
			done++
		}
		v.WantFit()
	}
	if done < 15 {
		t.Errorf("got %d actions of %s, want all of it", done, lettersPage)
	}
	v.reads("h1", "Berth of Ada Lovelace")
	if text := v.pdfText(); !strings.Contains(text, "Dear Ada Lovelace,") || !strings.Contains(text, "your berth is number 17.") {
		t.Errorf("the PDF says %q, want the letter filled", text)
	}
	if got := box.Mails(); len(got) != 1 || got[0].To[0] != "ada@example.com" || !strings.Contains(got[0].Text, "Berth of Ada Lovelace.pdf") {
		t.Errorf("got %d mails, want one to ada@example.com with the PDF", len(got))
	}
	wantAccessible(t, v.Page, "the letter that was mailed")
}

// presses presses the link or button that is called so, or opens the form below that line.
func (v visitor) presses(label string) {
	v.t.Helper()
	at := v.called("a, button, summary", label)
	if v.Evaluate(fmt.Sprintf(`document.querySelector(%q).localName`, at)) == "summary" {
		v.Evaluate(fmt.Sprintf(`document.querySelector(%q).click(); ""`, at))
		return
	}
	v.Press(at)
}

// called waits for an element that is seen and has this name, or a field whose label begins
// with it, and returns its selector.
func (v visitor) called(kind, label string) string {
	v.t.Helper()
	waitFor(v.t, v.Page, label, fmt.Sprintf(`(() => {
		const named = (e) => e.labels?.length ? e.labels[0].textContent.trim().startsWith(%[2]q) : e.textContent.trim() === %[2]q;
		const e = [...document.querySelectorAll(%[1]q)].find((e) => e.checkVisibility() && named(e));
		document.querySelector("[data-called]")?.removeAttribute("data-called");
		e?.setAttribute("data-called", "");
		return e !== undefined;
	})()`, kind, label))
	return "[data-called]"
}

package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// tryingRows is a harness whose templates ask for Name, and the page of batches there.
func tryingRows(t *testing.T, try func(row string) []platen.RowFinding) (x *harness, page string) {
	t.Helper()
	x, wf, _ := withTemplates(t, memory.TryingRows(try, new(int)))
	return x, strings.Replace(wf, "/v0", "/console", 1) + "/batches/"
}

func TestATableIsLookedAtAndSentInTheConsole(t *testing.T) {
	t.Parallel()
	x, page := tryingRows(t, func(row string) (all []platen.RowFinding) {
		if !strings.Contains(row, `"Name"`) {
			all = append(all, platen.RowFinding{DocumentID: "doc_1", Field: "Name", Code: "fields_missing", Message: "No name.", Nearest: []string{"Nam"}})
		}
		return all
	})
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page).is(200).shows("Make many from a table", "Look at it first", "None was sent.", `href="`+page+`"`)

	const file = "Nam;Name;No\n;Ada;1\nx;;2\n"
	b.drop(page+"check", url.Values{"once": {"one"}, "reference": {"No"}, "decimal": {","}}, "October.csv", file).is(200).
		shows("October.csv", "2 rows, 1 fine", "1 with a mistake", "Read as CSV in UTF-8, with cells parted by semicolons.", "no template asks for it", "did you mean <code>Name</code>?", "fills <code>Name</code>",
			"No name.", "Did you mean <code>Nam</code>?", "Make 2 documents", `value="No"`, `value="," selected`, "choose <bdi>October.csv</bdi> once more")
	if n := len(x.store.Batches); n != 0 {
		t.Fatalf("a look stored %d batches, want none", n)
	}
	made := b.drop(page, url.Values{"once": {"two"}, "reference": {"No"}}, "October.csv", file).is(http.StatusSeeOther).header.Get("Location")
	if again := b.drop(page, url.Values{"once": {"two"}, "reference": {"No"}}, "October.csv", file).is(http.StatusSeeOther).header.Get("Location"); again != made {
		t.Errorf("a form that was sent twice leads to %s and %s, want one batch", made, again)
	}
	b.get(page).is(200).shows("October.csv", "0 of 2 rows")
	b.get(made).is(200).shows("October.csv", "0 of 2 rows ended", "<progress", "Pause", "Cancel the batch", "not begun: 2", "results.csv", "outputs.zip", "outputs.pdf", `data-live="/console/live?of=batch:`).lacks("Go on")
	if stored := x.store.Batches[0]; stored.Name != "October.csv" || stored.Content[1].Reference != "2" || stored.Test {
		t.Errorf("got %+v, want the rows with their references", stored)
	}
	b.drop(page, url.Values{"test": {"on"}}, "November.csv", file).is(http.StatusSeeOther)
	if stored := x.store.Batches[1]; !stored.Test {
		t.Error("got a batch that is none of tests")
	}
}

func TestABatchIsChangedInTheConsole(t *testing.T) {
	t.Parallel()
	x, page := tryingRows(t, func(string) []platen.RowFinding { return nil })
	b := x.console(t).signIn(memory.AdaToken)
	made := b.drop(page, nil, "October.jsonl", "{\"Name\":\"Ada\"}\n{\"Name\":\"Bob\"}\n").is(http.StatusSeeOther).header.Get("Location")
	b.open("POST", made+"pause", url.Values{}).is(http.StatusSeeOther)
	b.get(made).is(200).shows("paused", "Go on").lacks(">Pause<")
	b.open("POST", made+"resume", url.Values{}).is(http.StatusSeeOther)
	b.open("POST", made+"cancel", url.Values{}).is(http.StatusBadRequest).shows("Tick the box first")
	b.open("POST", made+"cancel", url.Values{"certain": {"on"}}).is(http.StatusSeeOther)
	b.get(made).is(200).shows("cancelled").lacks("Cancel the batch")
	x.store.Batches[0].Counts = map[platen.RowState]int{platen.RowFailed: 2}
	b.open("POST", made+"retry", url.Values{}).is(http.StatusSeeOther)
	b.get(made).is(200).shows("Retry the 2 failed rows", "Retry the failed rows with a corrected file")
	b.drop(made+"correct", url.Values{"reference": {"Name"}}, "October.jsonl", `{"Name":"Cy"}`).is(http.StatusBadRequest).shows(`role="alert"`, "1 rows", `value="Name"`)
	b.drop(made+"correct", nil, "", "").is(http.StatusBadRequest).shows("Choose a file first")
	b.drop(made+"correct", url.Values{"row": {"Row"}}, "October.jsonl", `{"Name":"Cy","Row":2}`).is(http.StatusSeeOther)
	if rows := x.store.Batches[0].Content; string(rows[1].Body) != `{"Name":"Cy"}` {
		t.Errorf("got %+v, want the second row corrected", rows)
	}
	b.open("POST", made+"burn", url.Values{}).is(http.StatusNotFound)
	b.get(made + "results.csv").is(200).shows("1,PENDING")
	b.get(page + "bat_0000000000000000/").is(http.StatusNotFound)
	b.get(page + "check").is(http.StatusSeeOther)
	x.console(t).signIn(memory.BobToken).get(made).is(http.StatusNotFound)
	x.store.Scope(memory.AdaToken, "read")
	b.get(made).is(200).lacks("<form method=\"post\" action=\"" + made)
	b.get(page).is(200).lacks("Make many from a table</h2>")
}

// Rows are numbered by their lines, and there may be fewer lines than numbers.
func TestOutputsOfALargeBatchAreDownloadedInTheRangesOfItsRows(t *testing.T) {
	t.Parallel()
	x, page := tryingRows(t, func(string) []platen.RowFinding { return nil })
	b := x.console(t).signIn(memory.AdaToken)
	made := b.drop(page, nil, "October.jsonl", "{\"Name\":\"Ada\"}\n{\"Name\":\"Bob\"}\n").is(http.StatusSeeOther).header.Get("Location")
	stored := &x.store.Batches[0]
	stored.Rows, stored.Content[0].Number, stored.Content[1].Number = platen.MaxRowsOfFile+1, 2, 30_001
	b.get(made).is(200).shows("outputs.pdf?rows=2-10001", "outputs.zip?rows=30001-40000").lacks("rows=1-10000")
}

func TestATableThatIsNotTakenSaysWhyAndKeepsTheForm(t *testing.T) {
	t.Parallel()
	x, page := tryingRows(t, func(string) []platen.RowFinding { return nil })
	b := x.console(t).signIn(memory.AdaToken)
	for _, to := range []string{page, page + "check"} {
		b.drop(to, url.Values{"reference": {"No"}}, "", "").is(http.StatusBadRequest).shows(`role="alert"`, "Choose a file first", `value="No"`)
		b.drop(to, url.Values{"key": {"No"}, "encoding": {"klingon"}}, "October.csv", "Name\nAda\n").is(http.StatusBadRequest).shows(`role="alert"`, "klingon", `value="klingon"`, `value="No"`)
		b.drop(to, nil, "October.csv", "A,B\n1,\"2\n").is(http.StatusBadRequest).shows("The table cannot be read")
		b.drop(to, url.Values{"items": {"Lines"}}, "October.csv", "Name\nAda\n").is(http.StatusBadRequest).shows("parameter key")
		b.open("POST", to, url.Values{}).is(http.StatusBadRequest).shows("The form could not be read")
	}
	b.drop(page, nil, "October.jsonl", "{\"Name\":\"Ada\"}\n7\n").is(http.StatusBadRequest).shows("1 of 2 rows cannot be taken", "Row 2")
	b.drop(page, nil, "October.csv", "Name\n"+strings.Repeat("Ada,Bob\n", 400_000)).is(http.StatusBadRequest)
	if n := len(x.store.Batches); n != 0 {
		t.Errorf("%d batches are stored of files that were not taken", n)
	}
	incomplete := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/batches/"
	b.get(incomplete).is(200).shows("nothing would be made of the rows").lacks("Look at it first")
	b.drop(incomplete, nil, "October.jsonl", `{"Name":"Ada"}`).is(http.StatusBadRequest).shows("nothing would be made")
}

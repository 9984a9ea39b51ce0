package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// madeBatch is a batch of some rows with an output of each, whose PDFs are in the drive.
func (x *harness) madeBatch(t *testing.T, names ...string) (at string, outputs []platen.Output) {
	t.Helper()
	batches := x.ofBatches(t)
	rows := strings.TrimSuffix(strings.Repeat("{},", len(names)), ",")
	id := x.do(t, "POST", batches+"?name=October.csv", "["+rows+"]").is(201).object()["id"].(string)
	stored := &x.store.Batches[len(x.store.Batches)-1]
	stored.Outputs = map[int][]platen.Output{}
	for i, name := range names {
		o := platen.Output{ID: fmt.Sprintf("out_%014d", i), State: platen.OutputDone}
		file := platen.File{ID: "file" + o.ID, Name: name, MIMEType: platen.MIMEPDF}
		x.cloud.Files[file.ID] = file
		o.PDF = &file
		stored.Outputs[i+1], outputs = []platen.Output{o}, append(outputs, o)
	}
	return batches + id, outputs
}

func TestAZipOfABatchHasItsOutputsInTheOrderOfTheRows(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at, outputs := x.madeBatch(t, "B.pdf", "A.pdf", "A.pdf", "../D.pdf")
	delete(x.cloud.Files, outputs[1].PDF.ID)
	a := x.do(t, "GET", at+"/outputs.zip", "").is(200)
	names, contents := a.zipped()
	if want := []string{"00001 B.pdf", "00003 A.pdf", "00004 .._D.pdf", "errors.txt"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if contents["00003 A.pdf"] != "%PDF stored A.pdf" || !strings.HasPrefix(contents["errors.txt"], "row 2 A.pdf: The file of the output is not in the drive any more") {
		t.Errorf("got %q", contents)
	}
	if got := a.header.Get("Content-Disposition"); a.header.Get("Content-Type") != "application/zip" || !strings.Contains(got, "October.csv.zip") {
		t.Errorf("got %v, want a zip with the name of the batch", a.header)
	}
	names, _ = x.do(t, "GET", at+"/outputs.zip?rows=3-3", "").is(200).zipped()
	if want := []string{"00003 A.pdf"}; !slices.Equal(names, want) {
		t.Errorf("the third row: got %q, want %q", names, want)
	}
	if a := x.do(t, "HEAD", at+"/outputs.zip", "").is(200); a.body != "" {
		t.Errorf("HEAD: got %q", a.body)
	}
}

func TestAZipOfABatchSaysWhyARowHasNoFile(t *testing.T) {
	t.Parallel()
	for want, row := range map[string]platen.StoredRow{
		"The row has no field Name. (fields_missing)":                 {State: platen.RowFailed, Code: "fields_missing", Message: "the row has no field Name"},
		"No document was made: its condition is not true of the row.": {State: platen.RowCompleted},
		"It is PENDING.": {State: platen.RowPending},
	} {
		if got := whyNothing(row); got != want {
			t.Errorf("%+v: got %q, want %q", row, got, want)
		}
	}
}

func TestAZipOfABatchNamesItsRowsAndIsTheTeamsAlone(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	at, _ := x.madeBatch(t, "A.pdf")
	for _, bad := range []string{"0-1", "2-1", "1", "1-", "a-b", ""} {
		x.do(t, "GET", at+"/outputs.zip?rows="+bad, "").problem(400, "invalid_parameter")
	}
	x.as(t, memory.BobToken, "GET", at+"/outputs.zip", "").problem(403, "workflow_not_found")
	x.do(t, "GET", at[:strings.LastIndex(at, "/")]+"/bat_0000000000000000/outputs.zip", "").problem(403, "batch_not_found")
	x.store.Batches[0].Rows = platen.MaxRowsOfFile + 1
	x.do(t, "GET", at+"/outputs.zip", "").problem(400, "invalid_parameter")
	x.do(t, "GET", at+fmt.Sprintf("/outputs.zip?rows=1-%d", platen.MaxRowsOfFile+1), "").problem(400, "invalid_parameter")
	x.do(t, "GET", at+fmt.Sprintf("/outputs.zip?rows=1-%d", platen.MaxRowsOfFile), "").is(200)
}

func TestAZipOfABatchWaitsForTheDrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newHarness(t)
		at, outputs := x.madeBatch(t, "A.pdf")
		asked := 0
		x.cloud.Fails["file"+outputs[0].ID] = &platen.Error{Kind: platen.KindRateLimited, Code: platen.CodeQuotaUsedUp, Message: "used up"}
		x.cloud.During = func() {
			if asked++; asked == 3 {
				delete(x.cloud.Fails, "file"+outputs[0].ID)
			}
		}
		names, _ := x.do(t, "GET", at+"/outputs.zip", "").is(200).zipped()
		if want := []string{"00001 A.pdf"}; !slices.Equal(names, want) || asked != 3 {
			t.Errorf("got %q after %d questions, want the file at the third", names, asked)
		}
	})
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/platenhq/platen/client"
)

type batchCommand struct {
	Access
	Workflow  WorkflowName  `arg:"" help:"Id of the workflow (wkf_…), or its name."`
	File      string        `arg:"" help:"File whose rows are events: CSV or an Excel workbook (.xlsx), with names in the first row, a JSON list, or an object on each line; -: standard input."`
	Reference string        `placeholder:"FIELD" help:"Field that holds the reference of each row, such as Order.No."`
	GroupBy   string        `placeholder:"COLUMN" help:"Of a table: rows that follow each other with the same value in this column make one event, with a list of items."`
	Items     string        `placeholder:"LIST" help:"With --group-by: the name of that list, whose columns are named LIST.…; Items without it."`
	Sheet     string        `help:"Of a workbook: the sheet; without it the first that is not hidden."`
	Encoding  string        `help:"Of a CSV file that is neither UTF-8 nor UTF-16, such as windows-1252."`
	Delimiter string        `help:"Of a CSV file: what parts its cells; without it comma, semicolon, tab and bar are tried."`
	Decimal   string        `placeholder:"SIGN" help:"Of a CSV file: the sign before decimals, . or a comma. It decides what 1.234 is."`
	DryRun    bool          `help:"Try each row on the templates and say what is wrong, without sending any. The exit code is 1 if a row has a mistake."`
	Correct   string        `placeholder:"BATCH" help:"Make the failed rows of this batch (bat_…) of the corrected file, in place of sending a new batch."`
	RowField  string        `placeholder:"FIELD" help:"With --correct: the field that holds the number of each row in the batch; without it the file has all rows of the batch."`
	Test      bool          `help:"Send each row as a test."`
	Key       string        `placeholder:"KEY" help:"Idempotency key: the same rows under the same key are one batch."`
	Wait      bool          `help:"Show the progress until every row has ended. The exit code is 0 if all are COMPLETED and each of their mails went out or is still tried, else 3."`
	Results   string        `placeholder:"FILE" help:"Wait, and write a CSV file with a line for each row; -: standard output."`
	PDF       string        `name:"pdf" placeholder:"FILE" help:"Wait, and write one PDF with the pages of all outputs in the order of the rows. A batch of more than 10,000 rows gives several files, with their rows in the names."`
	Zip       string        `placeholder:"FILE" help:"Wait, and write the PDFs as a zip; several for more than 10,000 rows."`
	Timeout   time.Duration `default:"24h" help:"How long to wait at most. The batch goes on; the exit code is 5."`
	JSON      bool          `name:"json" help:"Print the batch as one JSON object."`
}

// prepare refuses flags that do not go together, and files that cannot be written.
func (c *batchCommand) prepare() error {
	for flag, file := range map[string]string{"--results": c.Results, "--pdf": c.PDF, "--zip": c.Zip} {
		if file == "" {
			continue
		}
		if file == "-" && flag != "--results" {
			return Usage(fmt.Errorf("%s: name a file", flag))
		}
		if err := prepareFile(flag, file); err != nil {
			return err
		}
	}
	if c.RowField != "" && c.Correct == "" {
		return Usage(errors.New("--row-field: name the batch with --correct"))
	}
	return nil
}

// Run prints the batch's id.
func (c *batchCommand) Run(ctx context.Context, e *Environment) error {
	if err := c.prepare(); err != nil {
		return err
	}
	rows, err := readInput(ctx, e, c.File)
	if err != nil {
		return err
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	w, err := c.Workflow.workflow(ctx, api)
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.check(ctx, e, api, w, rows)
	}
	b, err := c.send(ctx, api, w, rows)
	if err != nil {
		return err
	}
	if b.Table != nil {
		fmt.Fprintln(e.Err, "read as "+readAs(*b.Table))
	}
	if c.waits() {
		if b, err = c.wait(ctx, e, api, b); err != nil {
			return err
		}
	}
	if err := c.fetch(ctx, e, api, b); err != nil {
		return err
	}
	if err := c.print(e, b); err != nil || !c.waits() {
		return err
	}
	if b.Counts.Completed < b.Rows || b.Undelivered > 0 {
		return &exit{fmt.Errorf("batch %s: %s", Shown(b.ID), rowsOf(b)), ExitNotCompleted}
	}
	return nil
}

// fetch writes the files that were asked for.
func (c *batchCommand) fetch(ctx context.Context, e *Environment, api *client.Client, b client.Batch) error {
	if c.Results != "" {
		results, err := api.BatchResults(ctx, b.WorkflowID, b.ID)
		if err != nil {
			return err
		}
		if err := writeOut(e, c.Results, results.Content); err != nil {
			return err
		}
	}
	if c.PDF != "" {
		if err := download(ctx, e, api, b, c.PDF, api.BatchPDF); err != nil {
			return err
		}
	}
	if c.Zip != "" {
		return download(ctx, e, api, b, c.Zip, api.BatchZip)
	}
	return nil
}

func (c *batchCommand) waits() bool {
	return c.Wait || c.Results != "" || c.PDF != "" || c.Zip != ""
}

// mostRows is how many rows one file of outputs has.
const mostRows = 10_000

// download writes the outputs of a batch, in one file or in one for each 10,000 numbers of
// rows.
func download(ctx context.Context, e *Environment, api *client.Client, b client.Batch, to string, read func(context.Context, string, string, client.RowRange, io.Writer) error) error {
	ranges := []client.RowRange{{}}
	if b.Rows > mostRows {
		var err error
		if ranges, err = api.RowRanges(ctx, b.WorkflowID, b.ID, mostRows); err != nil {
			return err
		}
	}
	for _, rows := range ranges {
		file := to
		if b.Rows > mostRows {
			extension := filepath.Ext(to)
			file = fmt.Sprintf("%s %d-%d%s", strings.TrimSuffix(to, extension), rows.First, rows.Last, extension)
		}
		if err := writeWhole(e, file, func(out io.Writer) error { return read(ctx, b.WorkflowID, b.ID, rows, out) }); err != nil {
			return err
		}
	}
	return nil
}

func (c *batchCommand) send(ctx context.Context, api *client.Client, w client.Workflow, rows []byte) (client.Batch, error) {
	if c.Correct != "" {
		return api.CorrectBatch(ctx, w.ID, c.Correct, rows, c.RowField, c.options())
	}
	if c.Key != "" {
		ctx = client.WithIdempotencyKey(ctx, c.Key)
	}
	o := c.options()
	if c.File != "-" {
		o.Name = filepath.Base(c.File)
	}
	return api.CreateBatch(ctx, w.ID, rows, o)
}

func (c *batchCommand) options() client.BatchOptions {
	return client.BatchOptions{Reference: c.Reference, Test: c.Test, Key: c.GroupBy, Items: c.Items,
		Sheet: c.Sheet, Encoding: c.Encoding, Delimiter: c.Delimiter, Decimal: c.Decimal}
}

// check prints what a dry run finds, a line for each finding.
func (c *batchCommand) check(ctx context.Context, e *Environment, api *client.Client, w client.Workflow, rows []byte) error {
	found, err := api.CheckBatch(ctx, w.ID, rows, c.options())
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(e.Out, found)
	} else {
		err = printTrial(e, found)
	}
	if why := found.Refusal; err == nil && why != nil {
		return fmt.Errorf("the batch would be refused: %s", Shown(failure(why)))
	}
	if err == nil && found.Faulty > 0 {
		err = fmt.Errorf("%d of %s would fail", found.Faulty, count(found.Checked, "row"))
	}
	return err
}

func printTrial(e *Environment, found client.BatchCheck) error {
	if found.Table != nil {
		fmt.Fprintln(e.Err, "read as "+readAs(*found.Table))
	}
	for _, p := range found.Findings {
		text := fmt.Sprintf("row %d", p.Row)
		if p.Field != nil && !strings.HasPrefix(p.Message, *p.Field+": ") {
			text += ", " + *p.Field
		}
		text += ": "
		if p.Severity == "note" {
			text += "note: "
		}
		if _, err := fmt.Fprintln(e.Out, Shown(text+p.Message+suggest(p.Nearest))); err != nil {
			return err
		}
	}
	for _, f := range found.Unused {
		if _, err := fmt.Fprintln(e.Out, Shown(fmt.Sprintf("no template asks for %q.%s", f.Field, suggest(f.Nearest)))); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.Out, "%s, %d checked, %d with a mistake\n", count(found.Rows, "row"), found.Checked, found.Faulty)
	return err
}

func suggest(nearest []string) string {
	if len(nearest) == 0 {
		return ""
	}
	return fmt.Sprintf(" Did you mean %s?", nearest[0])
}

// readAs is what a table was read as, in one line.
func readAs(t client.Table) string {
	text := fmt.Sprintf("sheet %q", t.Sheet)
	if t.Kind == "csv" {
		text = fmt.Sprintf("CSV, %s, cells parted by %q", t.Encoding, t.Delimiter)
	}
	if t.HiddenRows > 0 {
		text += fmt.Sprintf(", with %s that it does not show", count(t.HiddenRows, "row"))
	}
	return fmt.Sprintf("%s; columns %q", text, t.Columns)
}

// wait tells on Err how far a batch is, until every row has ended.
func (c *batchCommand) wait(ctx context.Context, e *Environment, api *client.Client, b client.Batch) (client.Batch, error) {
	waiting, cancel := context.WithTimeoutCause(ctx, c.Timeout, errPatience)
	defer cancel()
	var err error
	p := progress{e: e}
	for pause := firstPause; err == nil; pause = longer(pause) {
		text := rowsOf(b)
		if e.Lively {
			text = bar(endedRows(b), b.Rows) + " " + text
		}
		p.tell(text)
		if b.Ended() {
			break
		}
		if err = wait(waiting, pause); err == nil {
			var now client.Batch
			if now, err = api.Batch(waiting, b.WorkflowID, b.ID); err == nil {
				b = now
			}
		}
	}
	p.end()
	switch {
	case ctx.Err() != nil:
		return b, &exit{fmt.Errorf("interrupted; batch %s goes on", Shown(b.ID)), ExitInterrupted}
	case errors.Is(context.Cause(waiting), errPatience):
		return b, &exit{fmt.Errorf("batch %s is %s after %s, and goes on", Shown(b.ID), Shown(b.State), c.Timeout), ExitTimeout}
	}
	return b, err
}

func endedRows(b client.Batch) int {
	return b.Counts.Completed + b.Counts.Failed + b.Counts.Skipped + b.Counts.Cancelled
}

// bar draws how much of all is done.
func bar(done, all int) string {
	const columns = 20
	n := min(columns, columns*done/max(all, 1))
	return "[" + strings.Repeat("#", n) + strings.Repeat(" ", columns-n) + "]"
}

// rowsOf is how far a batch is, as one line.
func rowsOf(b client.Batch) string {
	text := fmt.Sprintf("%s, %d of %s ended", b.State, endedRows(b), count(b.Rows, "row"))
	for _, other := range []struct {
		n    int
		what string
	}{{b.Counts.Failed, "failed"}, {b.Counts.Skipped, "skipped"}, {b.Counts.Cancelled, "cancelled"}, {b.InReview, "in review"}} {
		if other.n > 0 {
			text += fmt.Sprintf(", %d %s", other.n, other.what)
		}
	}
	if b.Undelivered > 0 {
		text += fmt.Sprintf(", the mails of %s did not reach everybody", count(b.Undelivered, "row"))
	}
	if b.SecondsLeft != nil && !b.Ended() {
		text += ", about " + (time.Duration(*b.SecondsLeft) * time.Second).String() + " left"
	}
	return text
}

func (c *batchCommand) print(e *Environment, b client.Batch) error {
	switch {
	case c.JSON:
		return printJSON(e.Out, b)
	case c.Results == "-":
		return nil
	}
	_, err := fmt.Fprintln(e.Out, Shown(b.ID))
	return err
}

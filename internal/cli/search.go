package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/platenhq/platen/client"
)

type automationsSearch struct {
	Access
	Text     string       `arg:"" help:"What to look for in one field or in the name of a file: a name, an address, a number. Case does not matter."`
	Workflow WorkflowName `help:"Only automations of this workflow, by its id or name. Default: all that you see."`
	Since    Ago          `placeholder:"90d" help:"Only those accepted so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
	JSON     bool         `name:"json" help:"Print one JSON object a line."`
	To       string       `placeholder:"DIR" help:"Save what is found into a folder of this directory each: data, PDFs, and events with their payloads."`
	Erase    bool         `help:"Erase what is found, for ever. Asks before."`
	Yes      bool         `help:"Do not ask. Required without a terminal."`
}

// A match is an automation whose source data, or the name of whose file, has the text.
type match struct {
	client.Automation
	Where []string `json:"where"` // paths of fields

	detail client.AutomationDetail
}

// Run reads the source data of each automation, because the service keeps it encrypted
// and cannot search in it.
func (c *automationsSearch) Run(ctx context.Context, e *Environment) error {
	if c.To != "" {
		if err := prepareFolder("--to", c.To); err != nil {
			return err
		}
	}
	if len([]rune(strings.TrimSpace(c.Text))) < 2 {
		return Usage(fmt.Errorf("%q is too short to look for: give two letters or more", c.Text))
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	s := search{text: folded(c.Text), api: api, progress: progress{e: e}}
	if c.Workflow != "" {
		if s.workflow, err = c.Workflow.id(ctx, api); err != nil {
			return err
		}
	}
	found, err := s.print(ctx, e, c)
	if err != nil {
		return err
	}
	if c.To != "" {
		if err := saveAll(ctx, e, api, c.To, found); err != nil {
			return err
		}
	}
	if !c.Erase || len(found) == 0 {
		return nil
	}
	if err := confirmErasure(ctx, e, c.Yes, len(found)); err != nil {
		return err
	}
	for _, m := range found {
		if err := eraseOne(ctx, e, api, m.WorkflowID, m.ID); err != nil {
			return err
		}
	}
	return nil
}

// print prints all that is found, and returns it.
func (s *search) print(ctx context.Context, e *Environment, c *automationsSearch) (found []match, err error) {
	defer s.progress.end()
	const all = math.MaxInt
	keep := func(yield func(match, error) bool) {
		for m, err := range s.matches(ctx, c.Since) {
			if err == nil {
				found = append(found, m)
			}
			if !yield(m, err) {
				return
			}
		}
	}
	err = printList(e, Listing{Limit: all, JSON: c.JSON}, keep, []string{"ID", "STATE", "ACCEPTED", "WORKFLOW", "WHERE"}, func(m match) []string {
		return []string{m.ID, m.State, stamp(m.AcceptedAt), m.WorkflowID, strings.Join(m.Where, ", ")}
	})
	if err == nil {
		s.progress.tell("Searched " + count(s.searched, "automation") + s.without())
	}
	return found, err
}

type search struct {
	text             string // folded
	api              *client.Client
	workflow         string // empty: all
	progress         progress
	searched, erased int
}

// matches are those of tests, too, which lists leave out. The list is read first, so that
// the progress can say how many there are.
func (s *search) matches(ctx context.Context, since Ago) iter.Seq2[match, error] {
	return func(yield func(match, error) bool) {
		var all []client.Automation
		for _, tests := range []bool{false, true} {
			query := client.AutomationQuery{Since: since.time(), Newest: true, Test: tests}
			list := s.api.AllAutomations(ctx, query)
			if s.workflow != "" {
				list = s.api.Automations(ctx, s.workflow, query)
			}
			for a, err := range list {
				if err != nil {
					yield(match{}, err)
					return
				}
				all = append(all, a)
			}
		}
		for _, a := range all {
			m, err := s.look(ctx, a)
			if (err != nil || len(m.Where) > 0) && !yield(m, err) {
				return
			}
			if s.searched%often == 0 || s.progress.e.Lively {
				s.progress.tell(fmt.Sprintf("Searched %d of %d automations …", s.searched, len(all)))
			}
		}
	}
}

// without says how many have no data, which may be why a person is not found.
func (s *search) without() string {
	if s.erased == 0 {
		return "."
	}
	return fmt.Sprintf("; the data of %d is kept no longer.", s.erased)
}

// often is the number of automations between two progress lines where lines stay.
const often = 1000

// look finds the text in an automation.
func (s *search) look(ctx context.Context, a client.Automation) (match, error) {
	detail, err := s.api.Automation(ctx, a.WorkflowID, a.ID)
	if err != nil {
		return match{}, err
	}
	s.searched++
	decoder := json.NewDecoder(bytes.NewReader(detail.SourceData))
	decoder.UseNumber() // as it was sent
	var data any
	if len(detail.SourceData) > 0 {
		if err := decoder.Decode(&data); err != nil {
			return match{}, fmt.Errorf("source data of %s: %w", a.ID, err)
		}
	}
	if data == nil {
		s.erased++
	}
	where := s.in(data, "")
	for _, o := range detail.Outputs {
		for _, f := range o.Files {
			if strings.Contains(folded(f.Name), s.text) {
				where = append(where, "the name of "+f.Name)
			}
		}
	}
	return match{Automation: a, Where: where, detail: detail}, nil
}

func (s *search) in(value any, path string) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			found = append(found, s.in(inner, strings.TrimPrefix(path+"."+name, "."))...)
		}
		slices.Sort(found)
	case []any:
		for i, inner := range v {
			found = append(found, s.in(inner, path+"["+strconv.Itoa(i)+"]")...)
		}
	case string, json.Number:
		if strings.Contains(folded(fmt.Sprint(v)), s.text) {
			found = append(found, path)
		}
	}
	return found
}

// folded is a text without its case and in one of the ways to write each letter.
func folded(text string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFKC.String(strings.TrimSpace(text))))
}

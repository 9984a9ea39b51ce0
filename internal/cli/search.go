package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/platenhq/platen/client"
)

type automationsSearch struct {
	Access
	Listing
	Text     string       `arg:"" help:"What to look for in the source data: a name, an address, a number. Case does not matter."`
	Workflow WorkflowName `help:"Only automations of this workflow, by its id or name. Default: all that you see."`
	Since    Ago          `placeholder:"90d" help:"Only those accepted so long ago at most, such as 7d or 12h, or since a time such as 2026-01-02T03:04:05Z."`
}

// A match is an automation whose source data has the text.
type match struct {
	client.Automation
	Where []string `json:"where"` // paths of fields
}

// Run reads the source data of each automation, because the service keeps it encrypted
// and cannot search in it.
func (c *automationsSearch) Run(ctx context.Context, e *Environment) error {
	if len([]rune(strings.TrimSpace(c.Text))) < 2 {
		return Usage(fmt.Errorf("%q is too short to look for: give two letters or more", c.Text))
	}
	api, err := c.client(e)
	if err != nil {
		return err
	}
	id := ""
	if c.Workflow != "" {
		if id, err = c.Workflow.id(ctx, api); err != nil {
			return err
		}
	}
	s := search{text: folded(c.Text), api: api, workflow: id, progress: progress{e: e}}
	defer s.progress.end()
	err = printList(e, c.Listing, s.matches(ctx, c.Since), []string{"ID", "STATE", "ACCEPTED", "WORKFLOW", "WHERE"}, func(m match) []string {
		return []string{m.ID, m.State, stamp(m.AcceptedAt), m.WorkflowID, strings.Join(m.Where, ", ")}
	})
	if err == nil {
		s.progress.tell("Searched " + count(s.searched, "automation") + s.without())
	}
	return err
}

type search struct {
	text             string // folded
	api              *client.Client
	workflow         string // empty: all
	progress         progress
	searched, erased int
}

// matches are those of tests, too, which lists leave out. The list is read before the
// first automation, because its pages count against the same limit of requests.
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
			where, err := s.where(ctx, a)
			if (err != nil || len(where) > 0) && !yield(match{a, where}, err) {
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

// often is after how many automations the progress is told where lines stay.
const often = 1000

// where are the fields of an automation's data that have the text.
func (s *search) where(ctx context.Context, a client.Automation) ([]string, error) {
	detail, err := s.read(ctx, a)
	if err != nil {
		return nil, err
	}
	s.searched++
	decoder := json.NewDecoder(bytes.NewReader(detail.SourceData))
	decoder.UseNumber() // as it was sent
	var data any
	if len(detail.SourceData) > 0 {
		if err := decoder.Decode(&data); err != nil {
			return nil, fmt.Errorf("source data of %s: %w", a.ID, err)
		}
	}
	if data == nil {
		s.erased++
	}
	return s.in(data, ""), nil
}

// read waits where the service says how long: it limits how many requests come at once.
func (s *search) read(ctx context.Context, a client.Automation) (client.AutomationDetail, error) {
	for {
		detail, err := s.api.Automation(ctx, a.WorkflowID, a.ID)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.RetryAfter == 0 {
			return detail, err
		}
		if err := wait(ctx, refused.RetryAfter); err != nil {
			return detail, err
		}
	}
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

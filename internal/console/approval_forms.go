package console

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// What the form of a document's approval shows, and its defaults.

// Approvers are the addresses, as the form takes them.
func (d documentRow) Approvers() string {
	if d.Approval == nil {
		return ""
	}
	return strings.Join(d.Approval.By, ", ")
}

// ApprovalNeed is how many of them; empty: all.
func (d documentRow) ApprovalNeed() string {
	if n := d.ApprovalCount(); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

// ApprovalCount is how many of them have to approve; 0: all.
func (d documentRow) ApprovalCount() int {
	if d.Approval == nil {
		return 0
	}
	return int(d.Approval.Need)
}

// ApprovalWhen is the condition.
func (d documentRow) ApprovalWhen() string {
	if d.Approval == nil {
		return ""
	}
	return d.Approval.When
}

// ApprovalReminds and ApprovalExpires are days.
func (d documentRow) ApprovalReminds() string {
	if d.Approval == nil || d.Approval.RemindDays == nil {
		return strconv.Itoa(platen.DefaultRemindDays)
	}
	return strconv.Itoa(*d.Approval.RemindDays)
}

// ApprovalExpires is after how many days an output fails.
func (d documentRow) ApprovalExpires() string {
	if d.Approval == nil {
		return strconv.Itoa(platen.DefaultExpireDays)
	}
	return strconv.Itoa(d.Approval.ExpireDays)
}

// ApprovalCorrects tells whether those who come by a link may correct the data.
func (d documentRow) ApprovalCorrects() bool { return d.Approval != nil && d.Approval.CorrectByLink }

// DeputyLines are the deputies, as the form takes them.
func (d documentRow) DeputyLines() string {
	if d.Approval == nil {
		return ""
	}
	var lines []string
	for _, of := range slices.Sorted(maps.Keys(d.Approval.Deputies)) {
		lines = append(lines, of+" = "+d.Approval.Deputies[of])
	}
	return strings.Join(lines, "\n")
}

// setApproval has each output wait for people.
func (s *site) setApproval(ctx context.Context, r request) (string, error) {
	a := client.Approval{By: namesIn(r.typed("by")), When: r.typed("when"), CorrectByLink: r.PostForm.Has("correctByLink")}
	if len(a.By) == 0 {
		return "", refusedField("by", r.Text("Name at least one e-mail address."))
	}
	number := func(field string, least int) (int, error) {
		n, err := strconv.Atoi(r.typed(field))
		if err != nil || n < least || n > platen.MaxExpireDays {
			return 0, refusedField(field, r.Text("The days must be a whole number from %d to %d.", least, platen.MaxExpireDays))
		}
		return n, nil
	}
	if r.typed("need") != "" {
		n, err := strconv.Atoi(r.typed("need"))
		if err != nil || n < 1 || n > len(a.By) {
			return "", refusedField("need", r.Text("The number must be from 1 to %d, as many as there are addresses.", len(a.By)))
		}
		a.Need = client.Needed(n)
	}
	reminds, err := number("remindDays", 0)
	if err != nil {
		return "", err
	}
	if a.ExpireDays, err = number("expireDays", 1); err != nil {
		return "", err
	}
	a.RemindDays = &reminds
	for line := range strings.Lines(lines(r.typed("deputies"))) {
		of, deputy, ok := strings.Cut(line, "=")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case !ok:
			return "", refusedField("deputies", r.Text("Write a line such as lead@example.com = deputy@example.com."))
		}
		if a.Deputies == nil {
			a.Deputies = map[string]string{}
		}
		a.Deputies[strings.TrimSpace(of)] = strings.TrimSpace(deputy)
	}
	return r.changeDocument(ctx, client.DocumentSettings{Approval: &a})
}

func (s *site) removeApproval(ctx context.Context, r request) error {
	_, err := r.api.UpdateDocument(ctx, r.workflowID(), r.PathValue("document"), client.DocumentSettings{Approval: &client.Approval{}})
	return err
}

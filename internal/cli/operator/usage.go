package operator

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

type usageCommand struct {
	List  usageListCommand  `cmd:"" default:"withargs" help:"List documents, pages and bytes of PDFs, mails and the limit, by month in UTC and owner (the default). In this month, owners with a limit who used nothing are listed, too. Tests are not counted."`
	Limit usageLimitCommand `cmd:"" help:"Set how many documents an owner may have in a month (--documents), or take the limit back (--none). Events above it are refused with 429; what was accepted is carried out."`
}

// A month is a flag such as 2026-11.
type month time.Time

// UnmarshalText reads one.
func (m *month) UnmarshalText(text []byte) error {
	of, err := platen.ParseMonth(string(text))
	if err != nil {
		return fmt.Errorf("must be a month such as 2026-11, not %q", text)
	}
	*m = month(of)
	return nil
}

type usageListCommand struct {
	config.Database
	Month *month `help:"The month, such as 2026-11. Default: the present one."`
	Since *month `help:"The first of several months, up to --month."`
	User  string `help:"Id (usr_…) or e-mail address of an owner. Default: all of them."`
	CSV   bool   `name:"csv" xor:"as" help:"Print CSV (RFC 4180) with a heading, for billing."`
	JSON  bool   `name:"json" xor:"as" help:"One JSON object in each line."`
}

func (c *usageListCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *usageListCommand) run(ctx context.Context, out io.Writer) error {
	last := platen.Month(time.Now())
	if c.Month != nil {
		last = time.Time(*c.Month)
	}
	first := last
	if c.Since != nil {
		first = time.Time(*c.Since)
	}
	if first.After(last) {
		return fmt.Errorf("--since %s is after %s: give an earlier month, or a later --month", platen.FormatMonth(first), platen.FormatMonth(last))
	}
	return operate(ctx, c.Database, config.Secrets{}, func(a *admin.Admin) error {
		used, err := a.Usage(ctx, first, last, c.User)
		switch {
		case err != nil:
			return err
		case c.CSV:
			return usageCSV(out, used)
		case c.JSON:
			to := json.NewEncoder(out)
			for _, u := range used {
				if err := to.Encode(usageLine(u)); err != nil {
					return err
				}
			}
			return nil
		}
		return tableTo(out, "MONTH\tOWNER\tEMAIL\tDOCUMENTS\tPAGES\tBYTES\tMAILS\tLIMIT", func(row func(...string)) error {
			for _, u := range used {
				row(cellsOfUsage(u)...)
			}
			return nil
		})
	})
}

func cellsOfUsage(u platen.OwnerUsage) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{platen.FormatMonth(u.Month), u.OwnerID, orDash(u.Email), number(u.Documents), number(u.Pages), number(u.Bytes), number(u.Mails), limitText(u.Limit)}
}

// limitText is a limit as it is now; a dash: there is none.
func limitText(limit *int64) string {
	if limit == nil {
		return "-"
	}
	return strconv.FormatInt(*limit, 10)
}

// usageCSV has an empty cell for an address that was forgotten, and for no limit. No cell can begin a formula of
// a spreadsheet but that of an address, which gets an apostrophe.
func usageCSV(out io.Writer, used []platen.OwnerUsage) error {
	w := csv.NewWriter(out)
	w.UseCRLF = true
	if err := w.Write([]string{"month", "owner_id", "email", "documents", "pages", "bytes", "mails", "limit"}); err != nil {
		return err
	}
	for _, u := range used {
		cells := cellsOfUsage(u)
		cells[2] = u.Email
		if u.Limit == nil {
			cells[7] = ""
		}
		if u.Email != "" && (u.Email[0] == '=' || u.Email[0] == '+' || u.Email[0] == '-' || u.Email[0] == '@') {
			cells[2] = "'" + u.Email
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func usageLine(u platen.OwnerUsage) any {
	return struct {
		Month     string `json:"month"`
		Owner     string `json:"ownerId"`
		Email     string `json:"email,omitempty"`
		Documents int64  `json:"documents"`
		Pages     int64  `json:"pages"`
		Bytes     int64  `json:"bytes"`
		Mails     int64  `json:"mails"`
		Limit     *int64 `json:"limit"`
	}{platen.FormatMonth(u.Month), u.OwnerID, u.Email, u.Documents, u.Pages, u.Bytes, u.Mails, u.Limit}
}

type usageLimitCommand struct {
	config.Database
	Email     string `arg:"" help:"E-mail address of the owner."`
	Documents *int64 `required:"" xor:"limit" help:"How many documents, 0 or more. What waits counts with as many as its workflow has."`
	None      bool   `required:"" xor:"limit" help:"Take the limit back."`
}

func (c *usageLimitCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *usageLimitCommand) run(ctx context.Context, out io.Writer) error {
	if n := c.Documents; n != nil && (*n < 0 || *n > platen.MaxUsageLimit) {
		return fmt.Errorf("--documents must be a number from 0 to %d", int64(platen.MaxUsageLimit))
	}
	return act(ctx, "usage limit", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		room, err := a.LimitUsage(ctx, c.Email, c.Documents)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("The owner may have %d documents in a month; in %s, %d are made or wait. Programs that accept events know it within 30 seconds.", room.Most, platen.FormatMonth(time.Now()), room.Used)
		if c.None {
			text = "The owner has no limit. Programs that accept events know it within a second."
		}
		_, err = fmt.Fprintln(out, text)
		return err
	})
}

package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/google/probe"
)

// ProbeGoogle makes the calls of a probe with the drive of the user with this address.
// Its calls count towards the quotas that all programs share.
func (a *Admin) ProbeGoogle(ctx context.Context, c config.Cloud, q config.GoogleQuotas, email string, o probe.Options) (probe.Report, []probe.Answer, error) {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return probe.Report{}, nil, err
	}
	if _, err := a.DB.Connections.DriveConnection(ctx, u.ID); err != nil {
		return probe.Report{}, nil, fmt.Errorf("nothing was called: the drive of %s cannot be opened: %w", email, err)
	}
	connector, err := connector(c, q, a.DB, 0, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return probe.Report{}, nil, err
	}
	o.Open = func(wrap func(http.RoundTripper) http.RoundTripper) (google.Services, error) {
		return connector.Services(ctx, u.ID, wrap)
	}
	return probe.Run(ctx, o)
}

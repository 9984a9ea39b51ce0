package operator

import (
	"context"
	"fmt"
	"net"

	"github.com/platenhq/platen/internal/telemetry"
)

type healthCommand struct {
	URL     string `arg:"" optional:"" help:"Address to ask, such as http://127.0.0.1:9464/readyz. Default: /livez at --metrics."`
	Metrics string `env:"PLATEN_METRICS" default:"127.0.0.1:9464" help:"host:port of the program's metrics and probes."`
}

// Run answers nil when the program says that it is well.
func (c *healthCommand) Run(ctx context.Context) error {
	address := c.URL
	if address == "" {
		host, port, err := net.SplitHostPort(c.Metrics)
		if err != nil {
			return fmt.Errorf("--metrics (PLATEN_METRICS): %q is not host:port, such as 127.0.0.1:9464", c.Metrics)
		}
		if at := net.ParseIP(host); host == "" || at.IsUnspecified() {
			host = "localhost"
		}
		address = "http://" + net.JoinHostPort(host, port) + "/livez"
	}
	return telemetry.Ask(ctx, address)
}

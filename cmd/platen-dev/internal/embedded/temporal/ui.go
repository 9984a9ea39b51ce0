package temporal

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	uiserver "github.com/temporalio/ui-server/v2/server"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/server_options"
)

type webUI struct {
	server  *uiserver.Server
	address string
}

// startUI returns when the UI listens. Its Start ends the whole program when
// the port is taken, so choosePlaces has looked first.
func startUI(ctx context.Context, p places, namespace string) (*webUI, error) {
	ui := &webUI{
		address: p.ui.String(),
		server: uiserver.NewServer(server_options.WithConfigProvider(&config.Config{
			TemporalGRPCAddress: p.frontend.String(),
			Host:                hostPart(p.ui),
			Port:                p.ui.port,
			EnableUI:            true,
			DefaultNamespace:    namespace,
			// Without TLS in front a browser drops a cookie marked secure.
			CORS:             config.CORS{CookieInsecure: true},
			HideLogs:         true,
			DisableNewsFetch: true,
		})),
	}
	go func() { _ = ui.server.Start() }() // always nil
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.DialTimeout("tcp", ui.address, time.Second)
		if err == nil {
			return ui, conn.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			ui.stop()
			return nil, fmt.Errorf("start Temporal's UI on %s: %w: %w", ui.address, ctx.Err(), err)
		}
	}
}

// hostPart has the brackets of an IPv6 address, because the UI joins host and
// port by a bare colon.
func hostPart(p place) string {
	return strings.TrimSuffix(p.String(), ":"+strconv.Itoa(p.port))
}

func (u *webUI) stop() { u.server.Stop() }

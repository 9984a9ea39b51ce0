package cli

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/platenhq/platen/internal/agent"
)

type mcpCommand struct {
	Access
}

// Run serves until its input ends, which is its good end.
func (c *mcpCommand) Run(ctx context.Context, e *Environment) error {
	api, err := c.clientAs(e, agent.Program)
	if err != nil {
		return err
	}
	me, err := api.Me(ctx)
	if err != nil {
		return err
	}
	return agent.New(api, me.Token, e.Version).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(e.In), Writer: unclosed{e.Out}})
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

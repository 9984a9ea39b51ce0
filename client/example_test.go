package client_test

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/client"
)

func Example() {
	ctx, token, workflowID := context.Background(), "plt_…", "wkf_4fGk2LmQx8Rt0ZbC"

	c, err := client.New(client.Options{Address: "https://api.example.com/v0", Token: token})
	if err != nil {
		fmt.Println(err)
		return
	}
	for a, err := range c.Automations(ctx, workflowID, client.AutomationQuery{Newest: true}) {
		fmt.Println(a.ID, a.State, err)
	}
}

package main

import (
	"context"
	"net"
)

// runServices is where the product's parts start on the running stack: drive,
// worker with dispatch, API, webhooks, in that order. It calls ready once all
// of them answer, runs until ctx ends, and drains them in the reverse order
// before it returns. It owns the listeners from here on.
func runServices(ctx context.Context, s *stack, l listeners, ready func(endpoints) error) error {
	web := func(l net.Listener) string { return "http://" + l.Addr().String() }
	err := ready(endpoints{
		APIURL:            web(l.api) + "/v0",
		HooksURL:          web(l.hooks),
		DriveURL:          web(l.drive),
		TemporalAddress:   s.temporal.Address(),
		TemporalNamespace: namespace,
		TemporalUIURL:     s.temporal.UIURL(),
		DatabaseURL:       s.postgres.URL(database),
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

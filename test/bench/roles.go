package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

// roleTurns are of accepting without roles, and with them.
const roleTurns = 10

// measureRoles: what accepting costs when serve has a login of its own and row-level
// security is on, beside the one login that owns the tables. No worker runs.
func measureRoles(ctx context.Context, b *bench) (err error) {
	var both [2]*harness
	for k := range both {
		if both[k], err = b.idle(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, both[k].close(context.WithoutCancel(ctx))) }()
	}
	dropRoles, err := both[1].raiseWalls(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dropRoles(context.WithoutCancel(ctx))) }()
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return err
	}
	for _, n := range []int{1, usual} {
		b.say("accepting on %d connections without roles and with them, in turns", n)
		var rates, costs [2][]float64
		for range roleTurns {
			for k, g := range both {
				accepted := acceptor{"accepted events", g.job.source, g.serve}
				l, cost, err := accepted.round(ctx, g.instance, body, n)
				if err != nil {
					return err
				}
				rates[k], costs[k] = append(rates[k], l.rate()), append(costs[k], cost)
			}
		}
		of := fmt.Sprintf("%d conn., ", n)
		b.report.add(of+"accepted events, one login", "/s", rates[0])
		b.report.add(of+"accepted events, roles", "/s", rates[1])
		b.report.add(of+"roles ÷ one login", "×", ratios(rates[1], rates[0]), atLeast(0.95))
		b.report.add(of+"CPU per event, roles ÷ one login", "×", ratios(costs[1], costs[0]), atMost(1.05))
	}
	return nil
}

// raiseWalls gives serve a login of its own, and starts it again with that.
func (g *harness) raiseWalls(ctx context.Context) (drop func(context.Context) error, err error) {
	login := g.databaseName + "_serve"
	address, err := url.Parse(g.databaseURL)
	if err != nil {
		return nil, err
	}
	address.User = url.UserPassword(login, "bench")
	drop = func(ctx context.Context) error {
		g.serve.stop()
		g.serve = nil
		var all error
		for _, role := range []string{login, g.databaseName + "_api", g.databaseName + "_front", g.databaseName + "_accept", g.databaseName + "_work", g.databaseName + "_drive"} {
			_, owned := g.pool.Exec(ctx, "DROP OWNED BY "+role)
			_, dropped := g.pool.Exec(ctx, "DROP ROLE "+role)
			all = errors.Join(all, owned, dropped)
		}
		return all
	}
	if err := app.MakeRoles(ctx, g.databaseURL, "", config.RoleLogins{ServeDatabaseURL: address.String()}, 0, slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	settings := g.settings()
	settings["PLATEN_DATABASE_URL"], settings["PLATEN_REQUIRE_ROLES"] = address.String(), "true"
	g.serve.stop()
	g.serve = nil
	if g.serve, err = g.bench.start(ctx, partServe, settings); err != nil {
		return nil, errors.Join(err, drop(ctx))
	}
	// The source's address has another port now.
	source, err := url.Parse(g.job.source)
	if err != nil {
		return nil, err
	}
	g.job.source = g.serve.Hooks + source.Path
	return drop, nil
}

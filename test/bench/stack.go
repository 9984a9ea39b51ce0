package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A stack is what `platen-dev exec` tells its command about.
type stack struct {
	TemporalAddress   string `json:"temporalAddress"`
	TemporalNamespace string `json:"temporalNamespace"`
	DatabaseURL       string `json:"databaseUrl"`
}

const stackVariable = "PLATEN_TEST_STACK"

func readStack() (stack, error) {
	var s stack
	raw, err := os.ReadFile(os.Getenv(stackVariable))
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, fmt.Errorf("no running stack (%s=%q): run `make bench`: %w", stackVariable, os.Getenv(stackVariable), err)
	}
	return s, nil
}

// database returns the address of another database on the same server.
func (s stack) database(name string) (string, error) {
	u, err := url.Parse(s.DatabaseURL)
	if err != nil {
		return "", fmt.Errorf("read the database's address: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// createDatabase makes an empty database under a new name.
func (s stack) createDatabase(ctx context.Context) (name, address string, err error) {
	name = "bench_" + strings.ToLower(rand.Text())
	if err := s.execute(ctx, "CREATE DATABASE "+name); err != nil {
		return "", "", fmt.Errorf("create a database: %w", err)
	}
	address, err = s.database(name)
	return name, address, err
}

func (s stack) dropDatabase(ctx context.Context, name string) error {
	if err := s.execute(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

func (s stack) execute(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.DatabaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

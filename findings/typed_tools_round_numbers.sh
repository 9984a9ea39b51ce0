#!/usr/bin/env bash
# Go github.com/modelcontextprotocol/go-sdk v1.8.0 rounds the numbers of a tool's arguments
# and of its answer before they reach the other side.
#
# Expected: a handler added by AddTool whose field is a json.RawMessage gets the bytes that
#   the client sent, and what it answers arrives as it wrote it: that is what RawMessage is
#   for, and encoding/json keeps it.
# Seen: 10.10 arrives as 10.1, and 12345678901234567.89 as 12345678901234568, on the way in
#   and on the way out. To set defaults of the schema, the SDK decodes arguments and answers
#   into float64 and encodes them again. Server.AddTool, without types, keeps the bytes.
# Why it matters here: data of events are amounts and account numbers. "10.10" is printed on
#   an invoice, and the last digits of a long number name somebody else.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
export GOFLAGS=-mod=mod GOWORK=off
go mod init look >/dev/null 2>&1
go get github.com/modelcontextprotocol/go-sdk@v1.8.0 >/dev/null 2>&1
cat > main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type event struct {
	Data json.RawMessage `json:"data"`
}

const sent = `{"data":{"price":10.10,"account":12345678901234567.89}}`

func main() {
	ctx := context.Background()
	got := map[string]string{}
	s := mcp.NewServer(&mcp.Implementation{Name: "look", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	mcp.AddTool(s, &mcp.Tool{Name: "typed", InputSchema: schema, OutputSchema: schema}, func(_ context.Context, _ *mcp.CallToolRequest, in event) (*mcp.CallToolResult, event, error) {
		got["typed, in "] = string(in.Data)
		return nil, event{json.RawMessage(`{"price":10.10,"account":12345678901234567.89}`)}, nil
	})
	s.AddTool(&mcp.Tool{Name: "plain", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in event
		err := json.Unmarshal(r.Params.Arguments, &in)
		got["plain, in "] = string(in.Data)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(in.Data)}}}, err
	})
	here, there := mcp.NewInMemoryTransports()
	go s.Run(ctx, there)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "look", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		panic(err)
	}
	for _, tool := range []string{"typed", "plain"} {
		answer, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(sent)})
		if err != nil || answer.IsError {
			panic(fmt.Sprint(err, answer))
		}
		got[tool+", out"] = answer.Content[0].(*mcp.TextContent).Text
	}
	want := map[string]string{
		"typed, in ": `{"account":12345678901234568,"price":10.1}`, "typed, out": `{"data":{"account":12345678901234568,"price":10.1}}`,
		"plain, in ": `{"price":10.10,"account":12345678901234567.89}`, "plain, out": `{"price":10.10,"account":12345678901234567.89}`,
	}
	changed := 0
	for _, what := range []string{"typed, in ", "typed, out", "plain, in ", "plain, out"} {
		fmt.Println(what, got[what])
		if got[what] != want[what] {
			changed = 1
		}
	}
	os.Exit(changed)
}
GO
go run .

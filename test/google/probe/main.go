// Command probe asks Google what its documentation does not answer. It makes a folder
// in an account of Google's, some thirty calls in the folder, and removes everything.
// Its report says which questions the answers settle. The answers, without ids, names,
// addresses, links and tokens, are material for test/google.
//
// The account is the one of `make smoke-google`: PLATEN_SERVICE_ACCOUNT_FILE, with
// PLATEN_SMOKE_SUBJECT or PLATEN_SMOKE_FOLDER, or PLATEN_OAUTH_CLIENT_ID,
// PLATEN_OAUTH_CLIENT_SECRET and PLATEN_DRIVE_CREDENTIAL, a refresh token.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := probe(ctx, os.Args[1:], os.Getenv, nil, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// probe probes the account that the environment names, and prints the report.
// transport nil: the network.
func probe(ctx context.Context, args []string, getenv func(string) string, transport http.RoundTripper, out, progress io.Writer) error {
	flags := flag.NewFlagSet("probe", flag.ContinueOnError)
	flags.SetOutput(progress)
	keep := flags.String("keep", "", "keep the answers in this `folder`, for make google CORPUS=folder")
	wait := flags.Duration("wait", DefaultWait, "how long the list of files is asked for a new file")
	asJSON := flags.Bool("json", false, "print the report as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	connector, err := connect(getenv, transport)
	if err != nil {
		return fmt.Errorf("nothing was called: %w", err)
	}
	report, answers, err := Run(ctx, Options{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (google.Services, error) {
			return connector.Services(ctx, "usr_1", wrap)
		},
		Parent: getenv("PLATEN_SMOKE_FOLDER"), Wait: *wait,
		Say: func(format string, args ...any) { fmt.Fprintf(progress, format+"\n", args...) },
	})
	if err != nil && len(answers) == 0 {
		return err
	}
	write := report.Print
	if *asJSON {
		write = report.PrintJSON
	}
	unwritten := write(out)
	if *keep != "" {
		unwritten = errors.Join(unwritten, Keep(*keep, answers))
	}
	switch {
	case unwritten != nil || err != nil:
		return errors.Join(unwritten, err)
	case len(report.Kept) > 0:
		return fmt.Errorf("%d files could not be removed", len(report.Kept))
	case report.Interrupted || len(report.Failed) > 0:
		return errors.New("the probe did not finish")
	}
	return nil
}

// connect opens Google with the credentials of the environment.
func connect(getenv func(string) string, transport http.RoundTripper) (*google.Connector, error) {
	connection := platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Subject: getenv("PLATEN_SMOKE_SUBJECT")}
	if token := getenv("PLATEN_DRIVE_CREDENTIAL"); token != "" {
		connection = platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: platen.Secret(token)}
	} else if getenv("PLATEN_SERVICE_ACCOUNT_FILE") == "" {
		return nil, errors.New("set PLATEN_SERVICE_ACCOUNT_FILE, with PLATEN_SMOKE_SUBJECT or PLATEN_SMOKE_FOLDER, or set PLATEN_OAUTH_CLIENT_ID, PLATEN_OAUTH_CLIENT_SECRET and PLATEN_DRIVE_CREDENTIAL")
	}
	return google.NewConnector(google.Options{
		Kind: platen.DriveGoogle, ServiceAccountFile: getenv("PLATEN_SERVICE_ACCOUNT_FILE"),
		OAuthClientID: getenv("PLATEN_OAUTH_CLIENT_ID"), OAuthClientSecret: getenv("PLATEN_OAUTH_CLIENT_SECRET"),
		Transport:   transport,
		Connections: func(context.Context, string) (platen.DriveConnection, error) { return connection, nil },
	})
}

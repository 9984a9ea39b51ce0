package google_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

// calls notes the hosts that anything was sent to, and answers nothing.
type calls []string

func (c *calls) RoundTrip(r *http.Request) (*http.Response, error) {
	*c = append(*c, r.URL.Host)
	return nil, errors.New("nobody is there")
}

// redirecting is a drive that sends everybody to another address.
type redirecting struct {
	to   string
	sent *[]string
}

func (d redirecting) RoundTrip(r *http.Request) (*http.Response, error) {
	*d.sent = append(*d.sent, r.URL.Host)
	return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {d.to}}, Body: http.NoBody, Request: r}, nil
}

func TestOurDriveCannotSendItsTokenToGoogle(t *testing.T) {
	t.Parallel()
	var sent []string
	connector, err := google.NewConnector(google.Options{
		Kind:          platen.DrivePlaten,
		DriveEndpoint: "http://drive.example/drive/v3/", DocsEndpoint: "http://drive.example/", SlidesEndpoint: "http://drive.example/",
		Transport: redirecting{"https://www.googleapis.com/drive/v3/files/x", &sent},
		Connections: func(context.Context, string) (platen.DriveConnection, error) {
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := connector.Drive(t.Context(), "usr_1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.File(t.Context(), "x"); err == nil || !slices.Equal(sent, []string{"drive.example"}) {
		t.Errorf("sent to %v, %v; want an error and drive.example alone", sent, err)
	}
}

// A restored database, a switch from one drive to the other or a mistake in a
// command leaves connections behind that the other drive issued.
func TestACredentialOfOneDriveIsNeverSentToTheOther(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options    google.Options
		connection platen.DriveConnection
	}{
		"our drive's token to Google": {
			google.Options{Kind: platen.DriveGoogle}, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "drv_1"}},
		"a refresh token to our drive": {
			google.Options{Kind: platen.DrivePlaten, DriveEndpoint: "http://drive.example/drive/v3/", DocsEndpoint: "http://drive.example/", SlidesEndpoint: "http://drive.example/", OAuthClientID: "id"},
			platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "1//refresh"}},
		"a service account to our drive": {
			google.Options{Kind: platen.DrivePlaten, DriveEndpoint: "http://drive.example/drive/v3/", DocsEndpoint: "http://drive.example/", SlidesEndpoint: "http://drive.example/"},
			platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Secret: platen.Secret(serviceKey(t))}},
	} {
		var sent calls
		c.options.Transport = &sent
		c.options.Connections = func(context.Context, string) (platen.DriveConnection, error) { return c.connection, nil }
		connector, err := google.NewConnector(c.options)
		if err != nil {
			t.Fatal(err)
		}
		client, err := connector.Drive(t.Context(), "usr_1")
		if err == nil {
			_, err = client.File(t.Context(), "x")
		}
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != platen.KindForbidden || e.Code != "drive_connection_mismatch" || len(sent) > 0 {
			t.Errorf("%s: sent to %v, %v; want drive_connection_mismatch and nothing sent", name, sent, err)
		}
		if err != nil && strings.Contains(err.Error(), string(c.connection.Secret)) {
			t.Errorf("%s: the error quotes the credential", name)
		}
	}
}

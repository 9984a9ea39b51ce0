package google_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

func TestARefreshTokenIsTurnedIntoAccessTokensWhichAreRenewedOnce(t *testing.T) {
	t.Parallel()
	var issued atomic.Int32
	var allRefused atomic.Bool
	client := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			if r.FormValue("refresh_token") != "refresh" || r.FormValue("grant_type") != "refresh_token" {
				t.Errorf("token request %v", r.Form)
			}
			answer(w, 200, fmt.Sprintf(`{"access_token":"access-%d","token_type":"Bearer","expires_in":3600}`, issued.Add(1)))
			return
		}
		if allRefused.Load() || r.Header.Get("Authorization") == "Bearer access-1" {
			answer(w, 401, fault(401, "authError", "m"))
			return
		}
		var body struct{ Name string }
		decode(t, r, &body)
		answer(w, 200, fmt.Sprintf(`{"id":"x","name":%q}`, body.Name))
	}, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "refresh"}, google.Options{OAuthClientID: "id", OAuthClientSecret: "secret"})

	for range 2 {
		if file, err := client.Copy(t.Context(), "t", "the name", "k"); err != nil || file.Name != "the name" {
			t.Errorf("Copy = %+v, %v", file, err)
		}
	}
	if issued.Load() != 2 {
		t.Errorf("%d access tokens, want 2: one that was refused, one that is kept", issued.Load())
	}
	allRefused.Store(true)
	_, err := client.Copy(t.Context(), "t", "n", "k")
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != "drive_connection_broken" || issued.Load() != 3 {
		t.Errorf("%v after %d tokens, want drive_connection_broken after 3", err, issued.Load())
	}
}

func TestAWithdrawnConnectionIsBrokenAndAFailingTokenServiceIsNot(t *testing.T) {
	t.Parallel()
	for body, c := range map[string]struct {
		status int
		kind   platen.Kind
		code   string
	}{
		`{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`: {400, platen.KindForbidden, "drive_connection_broken"},
		`{"error":"internal_failure"}`: {503, platen.KindUnavailable, "drive_unavailable"},
		`{"error":"slow_down"}`:        {429, platen.KindUnavailable, "drive_unavailable"},
	} {
		client := open(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, c.status, body) },
			platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "refresh"}, google.Options{OAuthClientID: "id"})
		_, err := client.File(t.Context(), "x")
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != c.kind || e.Code != c.code {
			t.Errorf("%s: %v, want %s", body, err, c.code)
		}
	}
}

func serviceKey(t *testing.T) []byte {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "robot@example.com", "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":   "http://192.0.2.1/elsewhere",
	})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestAServiceAccountActsAsTheSubjectOfTheConnection(t *testing.T) {
	t.Parallel()
	key := serviceKey(t)
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		secret string
		file   string
	}{"key of the operator": {"", path}, "key of the connection": {string(key), ""}} {
		client := open(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" {
				parts := strings.Split(r.FormValue("assertion"), ".")
				claims, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
				if err != nil || !strings.Contains(string(claims), `"sub":"ada@example.com"`) || !strings.Contains(string(claims), "auth/drive") {
					t.Errorf("%s: claims %s, %v", name, claims, err)
				}
				answer(w, 200, `{"access_token":"robot","token_type":"Bearer","expires_in":3600}`)
				return
			}
			if r.Header.Get("Authorization") != "Bearer robot" {
				t.Errorf("%s: Authorization %q", name, r.Header.Get("Authorization"))
			}
			answer(w, 200, `{"id":"x"}`)
		}, platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Subject: "ada@example.com", Secret: platen.Secret(c.secret)}, google.Options{ServiceAccountFile: c.file})
		if _, err := client.File(t.Context(), "x"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhyAServiceAccountGetsNoTokenIsSaid(t *testing.T) {
	t.Parallel()
	key := serviceKey(t)
	for _, c := range []struct {
		status            int
		code, description string
		want              string
	}{
		{401, "unauthorized_client", "Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.", "domain-wide delegation"},
		{400, "invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.", "set the clock"},
		{400, "invalid_grant", "Invalid JWT Signature.", "key of the service account"},
		{400, "invalid_grant", "Invalid grant: account not found", "does not know the account"},
		{400, "invalid_grant", "Invalid email or User ID", "does not know the account"},
		{401, "invalid_client", "The OAuth client was not found.", "OAuth client"},
		{400, "invalid_grant", "The account is associated with nothing.", "has ended"},
	} {
		client := open(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, c.status, fmt.Sprintf(`{"error":%q,"error_description":%q}`, c.code, c.description))
		}, platen.DriveConnection{Kind: platen.ConnectionServiceAccount, Subject: "ada@example.com", Secret: platen.Secret(key)}, google.Options{})
		_, err := client.File(t.Context(), "x")
		e, ok := errors.AsType[*platen.Error](err)
		if !ok || e.Code != platen.CodeConnectionBroken || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s, %s: got %v, want %s with %q", c.code, c.description, err, platen.CodeConnectionBroken, c.want)
			continue
		}
		if logged := e.Err.Error(); !strings.Contains(logged, c.code) || !strings.Contains(logged, c.description) {
			t.Errorf("%s, %s: the log has %q", c.code, c.description, logged)
		}
	}
}

func TestAConnectionThatCannotBeOpenedSaysWhy(t *testing.T) {
	t.Parallel()
	for _, connection := range []platen.DriveConnection{
		{Kind: "other"}, {Kind: platen.ConnectionRefreshToken, Secret: "x"},
		{Kind: platen.ConnectionServiceAccount}, {Kind: platen.ConnectionServiceAccount, Secret: "no JSON"},
	} {
		connector, err := google.NewConnector(google.Options{
			Kind:        platen.DriveGoogle,
			Connections: func(context.Context, string) (platen.DriveConnection, error) { return connection, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = connector.Drive(t.Context(), "usr_1")
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != "drive_connection_broken" || strings.Contains(err.Error(), "no JSON") {
			t.Errorf("%+v: %v, want drive_connection_broken", connection, err)
		}
	}
}

func TestClientsAreSharedByConnection(t *testing.T) {
	t.Parallel()
	missing := platen.Errorf(platen.KindForbidden, "drive_not_connected", "no drive")
	connector, err := google.NewConnector(google.Options{
		Kind:          platen.DrivePlaten,
		DriveEndpoint: "http://drive.example", DocsEndpoint: "http://drive.example", SlidesEndpoint: "http://drive.example",
		Connections: func(_ context.Context, userID string) (platen.DriveConnection, error) {
			if userID == "none" {
				return platen.DriveConnection{}, missing
			}
			return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(strings.TrimSuffix(userID, "'"))}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	opened := map[string]*google.Client{}
	for _, user := range []string{"a", "a'", "b"} {
		if opened[user], err = connector.Drive(t.Context(), user); err != nil {
			t.Fatal(err)
		}
	}
	if opened["a"] != opened["a'"] || opened["a"] == opened["b"] {
		t.Error("clients are not kept by connection")
	}
	if _, err := connector.Drive(t.Context(), "none"); !errors.Is(err, missing) {
		t.Errorf("without a connection: %v, want the store's error", err)
	}
}

func TestNewConnectorRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	connections := func(context.Context, string) (platen.DriveConnection, error) { return platen.DriveConnection{}, nil }
	for _, o := range []google.Options{
		{}, {Connections: connections}, {Kind: platen.DriveGoogle}, {Kind: "other", Connections: connections},
		{Kind: platen.DriveGoogle, Connections: connections, DriveEndpoint: "drive.example.com"},
		{Kind: platen.DriveGoogle, Connections: connections, DriveEndpoint: "http:///drive"},
		{Kind: platen.DriveGoogle, Connections: connections, DocsEndpoint: "ftp://drive.example.com"},
		{Kind: platen.DriveGoogle, Connections: connections, SlidesEndpoint: "http://drive.example.com:port"},
		{Kind: platen.DrivePlaten, Connections: connections, DriveEndpoint: "http://drive.example"},
		{Kind: platen.DriveGoogle, Connections: connections, ServiceAccountFile: filepath.Join(t.TempDir(), "none.json")},
	} {
		if _, err := google.NewConnector(o); err == nil {
			t.Errorf("NewConnector(%+v) took it", o)
		}
	}
}

func TestAConnectionIsReadAgainWhenItIsNotToBeRememberedAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secret, read := "a", 0
		connector, err := google.NewConnector(google.Options{
			Kind:          platen.DrivePlaten,
			DriveEndpoint: "http://drive.example", DocsEndpoint: "http://drive.example", SlidesEndpoint: "http://drive.example",
			Remember: 2 * time.Second,
			Connections: func(context.Context, string) (platen.DriveConnection, error) {
				read++
				return platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(secret)}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		open := func() *google.Client {
			t.Helper()
			client, err := connector.Drive(t.Context(), "usr_1")
			if err != nil {
				t.Fatal(err)
			}
			return client
		}
		first := open()
		secret = "b"
		if open() != first || read != 1 {
			t.Errorf("at once: the connection was read %d times, want once", read)
		}
		time.Sleep(2 * time.Second)
		if open() == first || read != 2 {
			t.Errorf("two seconds later: the connection was read %d times, want twice, and another client", read)
		}
	})
}

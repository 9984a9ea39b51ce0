#!/usr/bin/env bash
# golang.org/x/oauth2 v0.37.0: the same answer of a token endpoint has an error code
# in one grant and none in another.
#
# Expected: oauth2.RetrieveError carries ErrorCode and ErrorDescription (RFC 6749 5.2)
#   whichever grant was refused; the type has these fields for that.
# Seen: clientcredentials fills both. oauth2/jwt, which service accounts of Google use,
#   leaves both empty for the same bytes. The reason is in Body alone.
# Why it matters here: a missing delegation, a wrong scope, a wrong clock and a deleted
#   account all look like `status 401, error ""` to a program that reads ErrorCode.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
cat > go.mod <<'MOD'
module look

go 1.26

require golang.org/x/oauth2 v0.37.0
MOD
cat > main.go <<'GO'
package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"golang.org/x/oauth2/jwt"
)

func main() {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"unauthorized_client","error_description":"no delegation"}`)
	}))
	defer endpoint.Close()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	_, service := (&jwt.Config{
		Email:      "robot@example.com",
		PrivateKey: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		TokenURL:   endpoint.URL,
	}).TokenSource(ctx).Token()
	_, client := (&clientcredentials.Config{ClientID: "a", ClientSecret: "b", TokenURL: endpoint.URL}).Token(ctx)

	ofService, ofClient := code(service), code(client)
	fmt.Printf("jwt: ErrorCode %q; clientcredentials: ErrorCode %q\n", ofService, ofClient)
	if ofService != "" || ofClient != "unauthorized_client" {
		os.Exit(1)
	}
}

func code(err error) string {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		panic(fmt.Sprint("no RetrieveError: ", err))
	}
	return refused.ErrorCode
}
GO
GOFLAGS=-mod=mod go run .

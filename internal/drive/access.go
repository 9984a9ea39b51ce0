package drive

import (
	"context"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/drive/store"
)

// An access is what the access log says of one request: who, by which token, to
// which file. The key of a link is a credential and is never part of it.
type access struct {
	user, token, file string
	account           string // that the request counts for; empty: it has no credentials
}

type accessKey struct{}

func withAccess(ctx context.Context) (context.Context, *access) {
	a := &access{}
	return context.WithValue(ctx, accessKey{}, a), a
}

// accessOf is that of the request that ctx belongs to.
func accessOf(ctx context.Context) *access {
	if a, ok := ctx.Value(accessKey{}).(*access); ok {
		return a
	}
	return &access{}
}

// tokenID names a token in logs: the beginning of its SHA-256, which the database
// has, too. It tells nothing of the token.
func tokenID(token string) string { return hex.EncodeToString(store.Hash(token)[:6]) }

// maxLogged bounds what a client sends in a path.
const maxLogged = 128

// logAccess logs one line for each answered request: at info for a file opened by its
// link, at debug for API calls, seven for each document.
func (s *Server) logAccess(r *http.Request, a *access, status int) {
	level := slog.LevelDebug
	if strings.HasSuffix(r.Pattern, "/d/{key}") || strings.HasSuffix(r.Pattern, " /open") {
		level = slog.LevelInfo
	}
	ctx := r.Context()
	if !s.log.Enabled(ctx, level) {
		return
	}
	file := a.file
	if file == "" {
		file = r.PathValue("id")
	}
	s.log.LogAttrs(ctx, level, "drive access", slog.String("route", r.Pattern), slog.Int("status", status),
		slog.String("file", file[:min(len(file), maxLogged)]), slog.String("user", a.user), slog.String("token", a.token),
		slog.String("client", s.proxies.Client(r).String()))
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the server's own writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) answered() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

package platen

import "context"

type callerKey struct{}

// WithCaller returns a context of what is done on behalf of a user: the database shows
// it what that user may see and nothing else.
func WithCaller(ctx context.Context, caller User) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

type signedInKey struct{}

// WithSignedIn returns a context of a request that the service itself sends to its API for
// a user who signed in in a browser. Nothing that comes from outside gets one.
func WithSignedIn(ctx context.Context, userID string) context.Context {
	return context.WithValue(ctx, signedInKey{}, userID)
}

// SignedIn returns the user of WithSignedIn; ok is false without one.
func SignedIn(ctx context.Context) (userID string, ok bool) {
	userID, ok = ctx.Value(signedInKey{}).(string)
	return userID, ok
}

// CallerOf returns the user of WithCaller; ok is false without one.
func CallerOf(ctx context.Context) (caller User, ok bool) {
	caller, ok = ctx.Value(callerKey{}).(User)
	return caller, ok
}

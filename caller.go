package platen

import "context"

type callerKey struct{}

// WithCaller returns a context of what is done on behalf of a user: the database shows
// it what that user may see and nothing else.
func WithCaller(ctx context.Context, caller User) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the user of WithCaller; ok is false without one.
func CallerOf(ctx context.Context) (caller User, ok bool) {
	caller, ok = ctx.Value(callerKey{}).(User)
	return caller, ok
}

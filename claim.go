package platen

// A Claim is what became of the wish to be the first request with an
// idempotency key.
type Claim struct {
	// ID is set when this request is the first: its answer is to be kept, or
	// the claim released, under this id.
	ID string
	// Same: the request that came first was the same as this one.
	Same bool
	// Answer is that of the first request; nil while it is under way.
	Answer []byte
}

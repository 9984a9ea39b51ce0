//go:build race

package simulation

// The race detector makes a seed take ten times as long: make test plays more,
// without it.
const defaultSeeds = 200

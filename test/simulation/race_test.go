//go:build race

package simulation

// The race detector makes a seed take ten times as long: make test plays the
// others without it.
const defaultSeeds = 200

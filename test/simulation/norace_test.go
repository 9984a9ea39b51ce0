//go:build !race

package simulation

const defaultSeeds = 20_000

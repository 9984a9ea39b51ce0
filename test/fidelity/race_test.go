//go:build race

package main

// The race detector takes several times the time and the memory that is measured.
const raceDetector = true

// Package docs holds the pages of this folder for the programs that serve them. It
// must hold nothing else. Pages of design and decisions are for those who change the
// code, and are not served.
package docs

import "embed"

// Pages are the pages, and the pictures on them.
//
//go:embed *.md *.png fidelity/*.png pictures/*.png guides/*.md
var Pages embed.FS

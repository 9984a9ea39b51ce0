// Package docs holds the pages of this folder for the programs that serve them. It
// must hold nothing else.
package docs

import "embed"

// Pages are the pages, and the pictures on them.
//
//go:embed *.md *.png fidelity/*.png guides/*.md decisions/*.md
var Pages embed.FS

// Package markdown reads Markdown as rich text. It follows CommonMark, with strikethrough
// and tables of GitHub's.
package markdown

import "github.com/platenhq/platen/internal/template/rich"

const (
	// MaxSize is how many bytes a text may have.
	MaxSize = 128 << 10
	// maxDepth is how deep lists and quotes may stand in one another.
	maxDepth = rich.MaxDepth
)

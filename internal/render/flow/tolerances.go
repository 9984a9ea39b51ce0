package flow

// Word processors reckon in whole twentieths of a point; places here are sums of
// floating-point numbers, so that what is equal there differs here in its last
// digits. None of these tolerances is more than a reader could see.
const (
	// fitTolerance lets fit what fills a column to its very end. The heights of
	// all lines of a page together are off by far less than a hundredth.
	fitTolerance = 0.01
	// placeTolerance is for lines and rows at the place where they go: it is
	// larger than fitTolerance, so that what was found to fit does.
	placeTolerance = 0.02
	// lineTolerance is how far letters may reach over the end of their line: a
	// twentieth of a point, to which Word rounds the room that they have.
	lineTolerance = 0.05
	// stopTolerance is how close behind text a tab stop counts as passed: less
	// than the twentieth by which stops differ, more than widths are off.
	stopTolerance = 0.02
	// fullTolerance is what is left of a line that has no room for a tab any
	// more: half a point, less than any letter takes.
	fullTolerance = 0.5
	// gridTolerance lets a line that is a twentieth higher than a row of the
	// grid stand in it, because the metrics of fonts are rounded to twentieths.
	gridTolerance = 0.05
	// besideTolerance is how far a line may reach over an object above or below
	// it before it has to stand beside it: less than the leading of any text.
	besideTolerance = 0.1
	// belowTolerance puts text below an object for sure, where it would stop
	// at its very edge otherwise.
	belowTolerance = 0.01
	// balanceTolerance is how far text may reach over the end of columns that
	// are made equally long: half a point, less than any line is high.
	balanceTolerance = 0.5
	// clipTolerance is how far content may reach over a row of an exact height
	// before it is cut off: half a point, which is white below any letter.
	clipTolerance = 0.5
	// widthTolerance is by how much the width that a table asks for may differ
	// from its grid's before the grid is scaled: programs round both to whole
	// points or pixels.
	widthTolerance = 0.5
	// frameTolerance makes a frame wider than its widest line, so that the line
	// does not break in it once it is set again.
	frameTolerance = 0.1
	// seamOverlap is how far the colour of merged cells goes on over the row
	// above, so that no reader shows a white hair between them.
	seamOverlap = 0.1
)

// What is narrower or lower than these is given that much, or treated as not
// there: text needs some room to be set at all.
const (
	// minBeside is the narrowest stretch beside an object that text is set in.
	minBeside = 15.0
	// minLine is the narrowest line: room for half a letter, which then stands in it
	// alone.
	minLine = 3.0
	// minBody is the height of a page's text where headers and footers leave
	// none: three lines of the usual size.
	minBody = 36.0
	// minColumn is the default width of a table's column: one letter of the usual
	// size. Columns below a point count as such.
	minColumn, noColumn = 12.0, 1.0
	// noLine is how long a part of a border counts as none.
	noLine = 0.01
	// minCell is the width of a cell's text whose margins leave none.
	minCell = 4.0
	// minFrame is the width of a frame without text.
	minFrame = 12.0
)

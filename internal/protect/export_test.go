package protect

// Rendered is an example as our renderer makes it.
var Rendered = rendered

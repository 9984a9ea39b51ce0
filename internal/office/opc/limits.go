package opc

// MaxNesting bounds tables in cells, boxes in boxes and fields in fields, so
// that a hostile file cannot exhaust the stack.
const MaxNesting = 40

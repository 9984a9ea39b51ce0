package pdfrules

import (
	"reflect"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// What is not there, or is of another kind, reads as nothing: rules say that it lacks.

func (c *checker) value(o types.Object) types.Object {
	v, err := c.Dereference(o)
	if err != nil {
		return nil
	}
	return v
}

func (c *checker) dict(o types.Object) types.Dict {
	d, _ := c.value(o).(types.Dict)
	return d
}

func (c *checker) array(o types.Object) types.Array {
	a, _ := c.value(o).(types.Array)
	return a
}

func (c *checker) name(o types.Object) string {
	n, _ := c.value(o).(types.Name)
	return n.Value()
}

func (c *checker) number(o types.Object) int {
	n, isNumber := c.value(o).(types.Integer)
	if !isNumber {
		return -1
	}
	return n.Value()
}

func (c *checker) text(o types.Object) string {
	s, err := model.Text(c.value(o))
	if err != nil {
		return ""
	}
	return s
}

// kids are one or several of something.
func (c *checker) kids(o types.Object) []types.Object {
	if o == nil {
		return nil
	}
	if several, isArray := c.value(o).(types.Array); isArray {
		return several
	}
	return []types.Object{o}
}

// objectNumber is that of a reference, 0 for what is none.
func objectNumber(o types.Object) int {
	if r, isReference := o.(types.IndirectRef); isReference {
		return r.ObjectNumber.Value()
	}
	return 0
}

func sameDict(a, b types.Dict) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// draws are the operators that show something (ISO 32000-1, annex A).
var draws = map[string]bool{"f": true, "F": true, "f*": true, "S": true, "s": true, "B": true, "B*": true, "b": true, "b*": true, "Tj": true, "TJ": true, "'": true, "\"": true, "Do": true, "sh": true, "BI": true}

// content checks the marks of a page and returns the numbers of those that belong to elements.
func (c *checker) content(page int, data []byte) []int {
	const none, artifact = -1, -2
	var numbers, open []int
	var operands []string
	inText := 0 // how many marks were open when the text began, and one
	for _, token := range tokens(data) {
		switch {
		case token == "BDC" || token == "BMC":
			kind := none
			for i, o := range operands {
				if o == "/MCID" && i+1 < len(operands) {
					kind, _ = strconv.Atoi(operands[i+1])
					numbers = append(numbers, kind)
				}
			}
			if len(operands) > 0 && operands[0] == "/Artifact" {
				kind = artifact
			}
			for _, outer := range open {
				if kind != none && outer != none {
					c.fault(Nesting, "page %d has an element or an artifact inside of another", page)
				}
			}
			open = append(open, kind)
		case token == "EMC":
			if len(open) == 0 || inText > len(open) {
				c.fault(Nesting, "page %d ends marks that do not end there", page)
				return numbers
			}
			open = open[:len(open)-1]
		case token == "BT":
			inText = len(open) + 1
		case token == "ET":
			if len(open)+1 != inText {
				c.fault(Nesting, "page %d has marks that do not end with their text", page)
			}
			inText = 0
		case draws[token]:
			isMarked := false
			for _, kind := range open {
				isMarked = isMarked || kind != none
			}
			if !isMarked {
				c.fault(Content, "page %d draws by %s without marks", page, token)
				return numbers
			}
		case token[0] == '/' || token[0] == '<' || token[0] == '(' || token[0] == '[' || token[0] == ']' || token[0] == '>' || token[0] >= '+' && token[0] <= '9':
			operands = append(operands, token)
			continue
		}
		operands = operands[:0]
	}
	if len(open) > 0 {
		c.fault(Nesting, "page %d ends with open marks", page)
	}
	return numbers
}

// tokens cuts content into names, strings, numbers and operators.
func tokens(data []byte) []string {
	isSpace := func(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' || b == '\f' || b == 0 }
	isDelimiter := func(b byte) bool {
		switch b {
		case '(', ')', '<', '>', '[', ']', '/', '%', '{', '}':
			return true
		}
		return false
	}
	var out []string
	for i := 0; i < len(data); {
		from := i
		switch b := data[i]; {
		case isSpace(b):
			i++
			continue
		case b == '(':
			for depth := 0; i < len(data); i++ {
				if data[i] == '\\' {
					i++
				} else if data[i] == '(' {
					depth++
				} else if data[i] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			i++
		case (b == '<' || b == '>') && i+1 < len(data) && data[i+1] == b:
			i += 2
		case b == '<':
			for i < len(data) && data[i] != '>' {
				i++
			}
			i++
		case b != '/' && isDelimiter(b):
			i++
		default:
			for i++; i < len(data) && !isSpace(data[i]) && !isDelimiter(data[i]); i++ {
			}
		}
		out = append(out, string(data[from:min(i, len(data))]))
	}
	return out
}

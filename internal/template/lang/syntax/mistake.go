package syntax

import "fmt"

// A Mistake is what is wrong with a tag as it is written.
type Mistake struct {
	Code    string // for programs, such as unknown_function
	Message string
	Nearest []string // what may have been meant, best first
}

func mistakef(code, format string, args ...any) *Mistake {
	return &Mistake{Code: code, Message: fmt.Sprintf(format, args...)}
}

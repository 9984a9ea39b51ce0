package pdfa

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Part is one of ISO 19005, of level B.
type Part int

// The parts.
const (
	Part2 Part = 2
	Part3 Part = 3
)

// A Fault is a rule that a file breaks, by its clause of ISO 19005-2, and what breaks it in words.
type Fault struct{ Clause, What string }

func (f Fault) String() string { return f.Clause + ": " + f.What }

// maxFaults bounds what is said of a file.
const maxFaults = 100

// checker holds one file against the rules.
type checker struct {
	*file
	part   Part
	faults []Fault
	known  map[Fault]bool
	// intent is the colour space of the profile that device colours mean, "" for none.
	intent string
	used   map[*font]map[int]bool // codes that are shown, false for those that are shown unseen alone
	fonts  map[any]*font
	drawn  map[string]bool // contents, with the colours that they begin in
	depth  int
	// associated are file specifications that an array AF names.
	associated map[int]bool
	// separations are colorants by their names, with how they are mixed; mixed are the spaces
	// that were looked at.
	separations map[string]string
	mixed       map[*any]bool
	programs    map[fontKey]*program
	// level is how many files the file is in, inside what was found of those in it.
	level  int
	inside map[*stream]bool
	nested int // nodes of trees that are open
	// mixes says that the page at hand is drawn with transparency.
	mixes bool
	// extra are described schemas by their namespaces, kinds types that they describe.
	extra map[string]xmpSchema
	kinds map[string]string
}

// Check returns what keeps a file from conforming, nil for one that does, as far as programs can
// tell. An error: it cannot be read as a PDF at all.
func Check(pdf []byte, part Part) (faults []Fault, err error) {
	return check(pdf, part, 0, &budget{})
}

func check(pdf []byte, part Part, level int, b *budget) (faults []Fault, err error) {
	defer func() {
		if cause := recover(); cause != nil { // a damaged file must not end the program
			faults, err = nil, fmt.Errorf("%w: %v", errNoPDF, cause)
		}
	}()
	c := &checker{part: part, known: map[Fault]bool{}, used: map[*font]map[int]bool{}, fonts: map[any]*font{}, drawn: map[string]bool{}, associated: map[int]bool{}, separations: map[string]string{},
		mixed: map[*any]bool{}, programs: map[fontKey]*program{}, level: level, inside: map[*stream]bool{}}
	read, err := open(pdf, b)
	if err != nil {
		return nil, err
	}
	c.file = read
	clear(read.objects) // those that the tables needed
	clear(read.streams)
	read.notes = c.atom
	c.frame()
	c.everyObject()
	root := c.dict(c.trailer["Root"])
	c.findIntent(root)
	c.catalog(root)
	c.pages(root["Pages"], dict{}, map[int]bool{})
	c.checkFonts()
	if c.isOver {
		c.fault("6.1.13", "it unpacks to more than is looked into")
	}
	return c.faults, nil
}

// maxWork bounds what is looked at: bytes of content, and steps through what refers to itself.
const maxWork = 400 << 20

// enter goes into a node of a tree, and is false where it is too deep. leave comes behind both.
func (c *checker) enter() bool {
	if c.nested++; c.nested > maxDepth {
		c.isOver = true
	}
	return c.nested <= maxDepth
}

func (c *checker) leave() { c.nested-- }

func (c *checker) fault(clause, format string, arguments ...any) {
	if len(c.faults) == maxFaults {
		return
	}
	for i, a := range arguments {
		switch a := a.(type) {
		case string:
			arguments[i] = shown(a)
		case name:
			arguments[i] = shown(string(a))
		}
	}
	f := Fault{clause, fmt.Sprintf(format, arguments...)}
	if !c.known[f] {
		c.known[f] = true
		c.faults = append(c.faults, f)
	}
}

// shown is a name of a file as a message has it: short, and of characters that can be seen.
func shown(s string) string {
	const longest = 60
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s[:min(len(s), longest*utf8.UTFMax)]))
	if len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return string(runes)
}

// Words says in one line what a file breaks, at most some of it.
func Words(faults []Fault) string {
	const most = 3
	var list []string
	for _, f := range faults[:min(len(faults), most)] {
		list = append(list, f.What)
	}
	if more := len(faults) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

package formula

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/office/dml"
)

// class says what a part is to those beside it, and so how much room stands between them.
type class int

const (
	ordinary class = iota
	operator       // the sign of a sum, the name of a function
	applied        // the same with what it is of
	binary
	relation
	opening
	closing
	punctuation
)

const (
	binaries   = "+-−±∓×÷∗*⋅·∘∙∧∨∩∪⊎⊓⊔⊕⊖⊗⊘⊙∖⋆†‡⋄⋉⋊⨯∔≀"
	relations  = "=<>:∼∝∈∉∊∋∌∍∣∤∥∦⊥⊢⊣⊨⊩≔≕⊂⊃⊄⊅⊆⊇⊈⊉⊊⊋⊏⊐⊑⊒⋈⋖⋗⋘⋙⩽⩾⪯⪰⪅⪆"
	openings   = "([{⟨⌈⌊⟦⦃⟮"
	closings   = ")]}⟩⌉⌋⟧⦄⟯!"
	separators = ",;"
	operators  = "∑∏∐∫∬∭∮∯∰∱∲∳⋀⋁⋂⋃⨀⨁⨂⨃⨄⨅⨆⨌"
)

func classOf(r rune) class {
	switch {
	case strings.ContainsRune(binaries, r):
		return binary
	case strings.ContainsRune(relations, r), r >= '≁' && r <= '⊋' && r != '⊎' && !isBinarySet(r), r >= '←' && r <= '⇿', r >= '⟵' && r <= '⟿', r >= '⋐' && r <= '⋭':
		return relation
	case strings.ContainsRune(openings, r):
		return opening
	case strings.ContainsRune(closings, r):
		return closing
	case strings.ContainsRune(separators, r):
		return punctuation
	case strings.ContainsRune(operators, r):
		return operator
	}
	return ordinary
}

// isBinarySet tells of signs among relations that join sets.
func isBinarySet(r rune) bool { return r >= '⊌' && r <= '⊎' || r == '≀' }

// gaps are the room between two parts, in em, from the class of the left one to that of the
// right one. In scripts there is none but beside operators.
func gap(left, right class, isScript bool) float64 {
	switch {
	case left == operator && (right == ordinary || right == operator || right == applied),
		(right == operator || right == applied) && (left == ordinary || left == closing || left == applied):
		return thin
	case isScript:
		return 0
	case left == binary || right == binary:
		return medium
	case (left == relation) != (right == relation) && left != opening && right != closing && right != punctuation && left != punctuation:
		return thick
	case left == punctuation:
		return thin
	}
	return 0
}

// settle makes signs ordinary that join nothing: the minus of a negative number.
func settle(atoms []*box) {
	before := opening
	for i, a := range atoms {
		if a.class == binary {
			isAlone := before != ordinary && before != closing && before != applied
			if i+1 == len(atoms) || isAlone || atoms[i+1].class == relation || atoms[i+1].class == closing || atoms[i+1].class == punctuation {
				a.class, a.breaks = ordinary, false
			}
		}
		before = a.class
	}
}

// row sets what stands side by side.
func (s *setter) row(row dml.FormulaRow, l level) *box {
	return join(s.atoms(row, l), l)
}

// pieces sets a row in pieces, each of which begins with a sign that a line may begin with.
func (s *setter) pieces(row dml.FormulaRow, l level) []*box {
	atoms := s.atoms(row, l)
	var out []*box
	from := 0
	for i := 1; i <= len(atoms); i++ {
		if i < len(atoms) && !atoms[i].breaks {
			continue
		}
		piece := join(atoms[from:i], l)
		if i < len(atoms) {
			piece.width += gap(atoms[i-1].class, atoms[i].class, l.script > 0) * l.em()
		}
		out, from = append(out, piece), i
	}
	return out
}

func join(atoms []*box, l level) *box {
	out := &box{}
	if len(atoms) == 1 {
		return atoms[0]
	}
	for i, a := range atoms {
		if i > 0 {
			out.width += gap(atoms[i-1].class, a.class, l.script > 0) * l.em()
		}
		out.put(a, out.width, 0)
		out.width += a.width
		out.overhang = a.overhang
	}
	return out
}

// atoms sets the parts of a row.
func (s *setter) atoms(row dml.FormulaRow, l level) []*box {
	var out []*box
	for _, p := range row {
		if p.Kind == "r" {
			out = append(out, s.text(p, l)...)
			continue
		}
		if b := s.object(p, s.sized(l, p.Look)); b != nil {
			out = append(out, b)
		}
	}
	settle(out)
	return out
}

// text sets a run: letters of words together, signs one by one.
func (s *setter) text(p *dml.FormulaPart, l level) []*box {
	if p.Look.IsHidden {
		return nil
	}
	l = s.sized(l, p.Look)
	if p.IsNormal {
		return []*box{s.words(p, l)}
	}
	var out []*box
	var word *box
	for _, r := range strings.ReplaceAll(p.Text, "\n", " ") {
		if r == ' ' || r == '\u00A0' {
			out, word = append(out, &box{width: l.em() / 4, marks: s.space(p, l)}), nil
			continue
		}
		sign := s.sign(p, r, l)
		if sign == nil {
			continue
		}
		if sign.class == ordinary && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.') {
			if word != nil {
				word.put(sign, word.width, 0)
				word.width += sign.width
				word.overhang, word.isLetter = sign.overhang, true
				continue
			}
			word = &box{width: sign.width, overhang: sign.overhang, isLetter: true}
			word.put(sign, 0, 0)
			out = append(out, word)
			continue
		}
		out, word = append(out, sign), nil
	}
	return out
}

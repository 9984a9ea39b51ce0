package rendertest

// What formulas are made of (ECMA-376 part 1, 22.1): elements with their arguments, which are
// elements of formulas, too. Text is in runs.

// MathRun is an m:r, with properties of formulas.
func MathRun(properties, text string) string {
	return `<m:r><m:rPr>` + properties + `</m:rPr><m:t xml:space="preserve">` + text + `</m:t></m:r>`
}

// Math is an element with its properties and arguments by turns: a name and what it holds. A
// text of one character or more that is no element is a run.
func Math(name, properties string, arguments ...string) string {
	out := `<m:` + name + `><m:` + name + `Pr>` + properties + `</m:` + name + `Pr>`
	for i := 0; i+1 < len(arguments); i += 2 {
		out += `<m:` + arguments[i] + `>` + MathRow(arguments[i+1]) + `</m:` + arguments[i] + `>`
	}
	return out + `</m:` + name + `>`
}

// MathRow is a row of elements, or of a text.
func MathRow(content string) string {
	if content == "" || content[0] == '<' {
		return content
	}
	return MathRun("", content)
}

// MathValue is a property.
func MathValue(name, value string) string { return `<m:` + name + ` m:val="` + value + `"/>` }

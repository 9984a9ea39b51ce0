package edit

import (
	"hash/fnv"

	"github.com/beevik/etree"
)

// AppendProperties writes the children of an element of properties, each as it stands in
// the file, behind out: those that isCounted says by their tag, with all that they hold.
func AppendProperties(out []byte, e *etree.Element, isCounted func(tag string) bool) []byte {
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok || !isCounted(c.Tag) {
			continue
		}
		out = append(append(append(out, '<'), c.Space...), ':')
		out = append(out, c.Tag...)
		for _, a := range c.Attr {
			out = append(append(append(out, ' '), a.Key...), '=')
			out = append(append(out, a.Value...), '"')
		}
		out = append(AppendProperties(out, c, func(string) bool { return true }), '>')
	}
	return out
}

// Variants tells properties apart that look the same in Google's styles. A style stands
// for the shortest properties that are shown with it; others are shown with a measure that
// has a trace of them.
type Variants map[string]string

// Note adds properties that are shown with the style of this key.
func (v Variants) Note(key string, properties []byte) {
	known, ok := v[key]
	if !ok || len(properties) < len(known) || len(properties) == len(known) && string(properties) < known {
		v[key] = string(properties)
	}
}

// Trace is a measure in points with a trace of properties, unless the style of this key
// stands for them. A float64 of up to 4,096 points holds it exactly, and it is less than
// the thousandth of a point to which measures are rounded.
func (v Variants) Trace(points float64, key string, properties []byte) float64 {
	if v[key] == string(properties) {
		return points
	}
	hash := fnv.New32a()
	_, _ = hash.Write(properties)
	const steps, step = 1 << 22, 1.0 / (1 << 36)
	return points + float64(hash.Sum32()%steps+1)*step
}

package protect

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// objectWriter writes objects, those that are no streams in streams of them (ISO 32000-1, 7.5.7
// and 7.5.8).
type objectWriter struct {
	out *bytes.Buffer
	// places are lines of the table of objects: their kind and two numbers.
	places map[int][3]int
	held   []heldObject
}

type heldObject struct {
	number int
	text   string
}

func (w *objectWriter) add(n int, text string) { w.held = append(w.held, heldObject{n, text}) }

func (w *objectWriter) stream(n int, one addition) {
	w.places[n] = [3]int{1, w.out.Len(), 0}
	one.write(w.out, n)
}

// end writes what is held from a number on, and the table.
func (w *objectWriter) end(next, root, info int) []byte {
	const together = 500
	for part := range slices.Chunk(w.held, together) {
		var head, body strings.Builder
		for i, one := range part {
			fmt.Fprintf(&head, "%d %d ", one.number, body.Len())
			body.WriteString(one.text + "\n")
			w.places[one.number] = [3]int{2, next, i}
		}
		w.stream(next, addition{entries: fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", len(part), head.Len()), stream: compressed([]byte(head.String() + body.String())), is: true})
		next++
	}
	table := w.out.Len()
	w.places[next] = [3]int{1, table, 0}
	w.places[0] = [3]int{0, 0, 65535}
	var lines bytes.Buffer
	var index strings.Builder
	numbers := slices.Sorted(maps.Keys(w.places))
	for i := 0; i < len(numbers); {
		first := i
		for i < len(numbers) && numbers[i] == numbers[first]+i-first {
			p := w.places[numbers[i]]
			lines.Write([]byte{byte(p[0]), byte(p[1] >> 24), byte(p[1] >> 16), byte(p[1] >> 8), byte(p[1]), byte(p[2] >> 8), byte(p[2])})
			i++
		}
		fmt.Fprintf(&index, "%d %d ", numbers[first], i-first)
	}
	id := sha256.Sum256(w.out.Bytes())
	one := addition{entries: fmt.Sprintf("/Type /XRef /Size %d /Index [%s] /W [1 4 2] /Root %d 0 R /Info %d 0 R /ID [<%x><%x>] /Filter /FlateDecode", next+1, index.String(), root, info, id[:16], id[:16]),
		stream: compressed(lines.Bytes()), is: true}
	one.write(w.out, next)
	fmt.Fprintf(w.out, "startxref\n%d\n%%%%EOF\n", table)
	return w.out.Bytes()
}

package protect

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A place is where an object is: in the file, or in a stream of objects.
type place struct {
	number int
	stream int   // the number of the stream; 0: the object is in none
	at     int64 // bytes from the beginning of the file, or its place in the stream
}

// line is a place as a table has it: a byte, six bytes and two.
func (p place) line() [9]byte {
	kind, first, second := byte(1), p.at, int64(0)
	if p.stream > 0 {
		kind, first, second = 2, int64(p.stream), p.at
	}
	return [9]byte{kind, byte(first >> 40), byte(first >> 32), byte(first >> 24), byte(first >> 16), byte(first >> 8), byte(first), byte(second >> 8), byte(second)}
}

// Objects without a stream wait until they are so many, or so many bytes.
const (
	mostHeld      = 500
	mostHeldBytes = 256 << 10
)

// An objectStream has objects that wait for the stream that they stand in (ISO 32000-1, 7.5.7).
type objectStream struct {
	numbers    []int
	head, body bytes.Buffer
}

func (s *objectStream) add(number int, o types.Object) {
	s.numbers = append(s.numbers, number)
	fmt.Fprintf(&s.head, "%d %d ", number, s.body.Len())
	s.body.WriteString(textOf(o))
	s.body.WriteByte('\n')
}

func (s *objectStream) isFull() bool {
	return len(s.numbers) == mostHeld || s.body.Len() > mostHeldBytes
}

// take returns the stream of what waits, of which there is nothing then.
func (s *objectStream) take() (types.Dict, []byte) {
	d := types.Dict{"Type": types.Name("ObjStm"), "N": types.Integer(len(s.numbers)), "First": types.Integer(s.head.Len()), "Filter": types.Name("FlateDecode")}
	content := deflated(s.head.Bytes(), s.body.Bytes())
	s.numbers = s.numbers[:0]
	s.head.Reset()
	s.body.Reset()
	return d, content
}

// textOf is an object as a file has it.
func textOf(o types.Object) string {
	if o == nil {
		return "null"
	}
	return o.PDFString()
}

func deflated(parts ...[]byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	for _, part := range parts {
		_, _ = z.Write(part) // a buffer takes everything
	}
	_ = z.Close()
	return out.Bytes()
}

// put writes an object, and what it has a stream of. One without goes into a stream of objects.
func (b *Binder) put(number int, o types.Object, stream []byte) {
	if stream == nil {
		if b.held.add(number, o); b.held.isFull() {
			b.flushHeld()
		}
		return
	}
	d := o.(types.Dict)
	d["Length"] = types.Integer(len(stream))
	b.places = append(b.places, place{number: number, at: b.size})
	b.write(strconv.AppendInt(nil, int64(number), 10))
	b.write([]byte(" 0 obj\n" + d.PDFString() + "\nstream\n"))
	b.write(stream)
	b.write([]byte("\nendstream\nendobj\n"))
}

// flushHeld writes the objects that wait for their stream.
func (b *Binder) flushHeld() {
	if len(b.held.numbers) == 0 {
		return
	}
	number := b.number()
	for i, held := range b.held.numbers {
		b.places = append(b.places, place{held, number, int64(i)})
	}
	d, content := b.held.take()
	b.put(number, d, content)
}

// writeTable writes where the objects are that no table has yet (ISO 32000-1, 7.5.8). Each
// table leads to the one before, so that none is kept.
func (b *Binder) writeTable() {
	number, at := b.number(), b.size
	b.places = append(b.places, place{number: number, at: at})
	slices.SortFunc(b.places, func(x, y place) int { return cmp.Compare(x.number, y.number) })
	var index types.Array
	lines := make([]byte, 0, 9*len(b.places))
	for i, p := range b.places {
		if i == 0 || b.places[i-1].number+1 != p.number {
			index = append(index, types.Integer(p.number), types.Integer(0))
		}
		index[len(index)-1] = index[len(index)-1].(types.Integer) + 1
		line := p.line()
		lines = append(lines, line[:]...)
	}
	d := types.Dict{"Type": types.Name("XRef"), "Size": types.Integer(b.objects + 1), "W": types.Array{types.Integer(1), types.Integer(6), types.Integer(2)}, "Index": index,
		"Root": reference(boundCatalog), "Info": reference(boundInfo), "ID": types.Array{b.id, b.id}, "Filter": types.Name("FlateDecode")}
	if b.table > 0 {
		d["Prev"] = types.Integer(b.table)
	}
	b.put(number, d, deflated(lines))
	b.places, b.table = b.places[:0], at
}

func (b *Binder) write(bytes []byte) {
	if b.failed != nil {
		return
	}
	n, err := b.out.Write(bytes)
	b.size += int64(n)
	b.failed = err
}

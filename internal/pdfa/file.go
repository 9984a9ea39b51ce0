package pdfa

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
)

// Limits on what a file unpacks to, in bytes, and on its objects.
const (
	maxUnpacked = 256 << 20 // all that is looked into
	maxRead     = 256 << 20 // all that is read, however often
	maxStream   = 64 << 20
	maxObjects  = 1 << 20
	maxTables   = 1 << 12
)

// A budget is what judging a file, with the files in it, has taken so far.
type budget struct {
	unpacked, read, work int
	isOver               bool // a limit was reached
}

// readOn counts bytes that are read through.
func (b *budget) readOn(n int) {
	if b.read += n; b.read > maxRead {
		b.isOver = true
	}
}

// spend counts work, and is false when there was too much.
func (b *budget) spend(n int) bool {
	if b.work += n; b.work > maxWork {
		b.isOver = true
	}
	return !b.isOver
}

// place is where an object stands: at an offset, or in a stream of objects.
type place struct {
	offset     int
	generation int
	in, index  int // of a stream of objects; in is 0 for none
}

// file reads the objects of a PDF (ISO 32000-1, 7.5).
type file struct {
	data    []byte
	places  map[int]place
	trailer dict
	// tables are where tables of places begin with the keyword xref.
	tables  []int
	objects map[int]any
	streams map[int][]any // objects in streams
	numbers map[int][]int // their numbers
	notes   func(any)
	*budget
	reading map[int]bool
	decoded map[*stream][]byte
	damaged map[*stream]bool // those that cannot be unpacked
}

var errNoPDF = errors.New("the file cannot be read as a PDF")

var startxref = []byte("startxref")

func open(data []byte, b *budget) (*file, error) {
	f := &file{data: data, budget: b, places: map[int]place{}, objects: map[int]any{}, streams: map[int][]any{}, numbers: map[int][]int{}, reading: map[int]bool{}, decoded: map[*stream][]byte{}, damaged: map[*stream]bool{}}
	at := bytes.LastIndex(data, startxref)
	if at >= 0 {
		p := &parser{data: data, at: at + len(startxref)}
		if n, ok := p.token().(number); ok {
			f.table(int(n.value), map[int]bool{})
		}
	}
	if f.dict(f.trailer["Root"]) == nil {
		f.scan()
	}
	if f.dict(f.trailer["Root"]) == nil {
		return nil, errNoPDF
	}
	return f, nil
}

// table reads the table at an offset and those before it. The first that names an object
// counts.
func (f *file) table(at int, seen map[int]bool) {
	if at < 0 || at >= len(f.data) || seen[at] || len(seen) > maxTables || len(f.places) > maxObjects {
		return
	}
	seen[at] = true
	p := &parser{data: f.data, at: at}
	var trailer dict
	if p.token() == keyword("xref") {
		f.tables = append(f.tables, p.at-len("xref"))
		trailer = f.lines(p)
	} else {
		p.at = at
		s, ok := f.indirect(p).(*stream)
		if !ok || s.dict["Type"] != name("XRef") {
			return
		}
		f.crossReferences(s)
		trailer = s.dict
	}
	if f.trailer == nil {
		f.trailer = trailer
	}
	if n, ok := trailer["XRefStm"].(number); ok {
		f.table(int(n.value), seen)
	}
	if n, ok := trailer["Prev"].(number); ok {
		f.table(int(n.value), seen)
	}
}

// lines reads a table and the trailer behind it (ISO 32000-1, 7.5.4).
func (f *file) lines(p *parser) dict {
	for {
		first, ok := p.token().(number)
		if !ok {
			break
		}
		count, _ := p.token().(number)
		for i := range int(min(count.value, maxObjects)) {
			offset, isOffset := p.token().(number)
			generation, _ := p.token().(number)
			kind := p.token()
			if !isOffset {
				return dict{}
			}
			n := int(first.value) + i
			if _, isKnown := f.places[n]; !isKnown && kind == keyword("n") {
				f.places[n] = place{offset: int(offset.value), generation: int(generation.value)}
			} else if !isKnown {
				f.places[n] = place{offset: -1}
			}
		}
	}
	d, _ := p.token().(dict)
	return d
}

// crossReferences reads a table that is a stream (ISO 32000-1, 7.5.8).
func (f *file) crossReferences(s *stream) {
	data, err := f.unpack(s)
	if err != nil {
		return
	}
	var widths [3]int
	list, _ := s.dict["W"].(array)
	for i := range min(3, len(list)) {
		n, _ := list[i].(number)
		widths[i] = int(n.value)
		if widths[i] < 0 || widths[i] > 8 {
			return
		}
	}
	size, _ := s.dict["Size"].(number)
	index := array{number{0, true}, size}
	if given, ok := s.dict["Index"].(array); ok {
		index = given
	}
	line := widths[0] + widths[1] + widths[2]
	if line == 0 {
		return
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, _ := index[i].(number)
		count, _ := index[i+1].(number)
		for j := range int(count.value) {
			if len(data) < line {
				return
			}
			var v [3]int
			v[0] = 1
			rest := data[:line]
			for k, w := range widths {
				if w > 0 {
					v[k] = 0
				}
				for _, b := range rest[:w] {
					v[k] = v[k]<<8 | int(b)
				}
				rest = rest[w:]
			}
			data = data[line:]
			n := int(first.value) + j
			if known, isKnown := f.places[n]; isKnown && known.offset >= 0 {
				continue
			}
			switch v[0] {
			case 1:
				f.places[n] = place{offset: v[1], generation: v[2]}
			case 2:
				f.places[n] = place{in: v[1], index: v[2]}
			}
		}
	}
}

var objectBegin = regexp.MustCompile(`(?:^|[\r\n\x00\t ])(\d{1,10})[ \r\n\t]+(\d{1,5})[ \r\n\t]+obj`)

// scan finds the objects of a file whose tables are of no use.
func (f *file) scan() {
	clear(f.places)
	clear(f.objects)
	f.trailer = dict{}
	for _, found := range objectBegin.FindAllSubmatchIndex(f.data, maxObjects) {
		n, _ := strconv.Atoi(string(f.data[found[2]:found[3]]))
		f.places[n] = place{offset: found[2]}
	}
	for at := 0; !f.isOver; {
		next := bytes.Index(f.data[at:], []byte("trailer"))
		if next < 0 {
			break
		}
		at += next + len("trailer")
		p := &parser{data: f.data, at: at}
		d, ok := p.token().(dict)
		if f.readOn(p.at - at); ok {
			for k, v := range d {
				f.trailer[k] = v
			}
		}
	}
}

// get follows references to what they lead to; null for what is not there.
func (f *file) get(o any) any {
	for range maxDepth {
		r, ok := o.(reference)
		if !ok {
			return o
		}
		o = f.load(r.number)
	}
	return nil
}

func (f *file) load(n int) any {
	if o, isKnown := f.objects[n]; isKnown {
		return o
	}
	at, ok := f.places[n]
	if !ok || at.offset < 0 || f.reading[n] {
		return nil
	}
	f.reading[n] = true
	defer delete(f.reading, n)
	var o any
	if at.in > 0 {
		o = f.inStream(at.in, at.index, n)
	} else if at.offset < len(f.data) {
		o = f.indirect(&parser{data: f.data, at: at.offset, note: f.notes})
	}
	f.objects[n] = o
	return o
}

// indirect reads an object with its number (ISO 32000-1, 7.3.10).
func (f *file) indirect(p *parser) any {
	if f.isOver {
		return nil
	}
	defer func(from int) { f.readOn(p.at - from) }(p.at)
	n, isNumber := p.token().(number)
	_, isGeneration := p.token().(number)
	if !isNumber || !isGeneration || p.token() != keyword("obj") {
		return nil
	}
	o := p.object()
	d, isDict := o.(dict)
	if !isDict {
		return o
	}
	before := p.at
	if p.token() != keyword("stream") {
		p.at = before
		return d
	}
	begin := p.at
	switch {
	case p.peek(0) == '\r' && p.peek(1) == '\n':
		p.at += 2
	case p.peek(0) == '\n' || p.peek(0) == '\r':
		p.at++
	}
	from := p.at
	length, isLength := f.get(d["Length"]).(number)
	to := from + int(length.value)
	if !isLength || to < from || to > len(f.data) || !endsStream(f.data[to:]) {
		to = len(f.data)
		if end := bytes.Index(f.data[from:], []byte("endstream")); end >= 0 {
			to = from + end
			if to > from && f.data[to-1] == '\n' {
				to--
			}
			if to > from && f.data[to-1] == '\r' {
				to--
			}
		}
	}
	p.at = to
	return &stream{dict: d, raw: f.data[from:to], begin: begin, number: int(n.value)}
}

func endsStream(rest []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(rest[:min(len(rest), 12)], "\r\n \t"), []byte("endst"))
}

func (f *file) inStream(number, index, n int) any {
	if _, isKnown := f.streams[number]; !isKnown {
		f.streams[number] = nil
		s, ok := f.load(number).(*stream)
		if !ok {
			return nil
		}
		data, err := f.unpack(s)
		if err != nil {
			return nil
		}
		f.streams[number], f.numbers[number] = f.objectsOf(s, data)
	}
	if i := slices.Index(f.numbers[number], n); i >= 0 {
		if index < len(f.numbers[number]) && f.numbers[number][index] == n {
			i = index
		}
		return f.streams[number][i]
	}
	return nil
}

func (f *file) objectsOf(s *stream, data []byte) (objects []any, numbers []int) {
	count, first := f.integer(s.dict["N"]), f.integer(s.dict["First"])
	p := &parser{data: data}
	var offsets []int
	for range min(max(count, 0), maxObjects) {
		n, isNumber := p.token().(number)
		offset, isOffset := p.token().(number)
		if !isNumber || !isOffset {
			break
		}
		numbers, offsets = append(numbers, int(n.value)), append(offsets, int(offset.value)+first)
	}
	for _, at := range offsets {
		if at < 0 || at > len(data) || f.isOver {
			objects = append(objects, nil)
			continue
		}
		p := &parser{data: data, at: at, note: f.notes}
		objects = append(objects, p.object())
		f.readOn(p.at - at)
	}
	return objects, numbers
}

var errFilter = errors.New("a filter that is not unpacked here")

// What is not there, or of another kind, reads as nothing.

func (f *file) dict(o any) dict {
	switch o := f.get(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

func (f *file) array(o any) array {
	a, _ := f.get(o).(array)
	return a
}

func (f *file) name(o any) name {
	n, _ := f.get(o).(name)
	return n
}

func (f *file) text(o any) string {
	t, _ := f.get(o).(text)
	return t.value
}

func (f *file) integer(o any) int {
	n, _ := f.get(o).(number)
	return int(n.value)
}

func (f *file) float(o any) float64 {
	n, _ := f.get(o).(number)
	return n.value
}

func (f *file) stream(o any) *stream {
	s, _ := f.get(o).(*stream)
	return s
}

// list are one or several of something.
func (f *file) list(o any) array {
	switch v := f.get(o).(type) {
	case nil:
		return nil
	case array:
		return v
	}
	return array{o}
}

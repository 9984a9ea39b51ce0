package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"regexp"
	"strings"
)

// mutate damages an office file: its bytes, its parts, or the XML in them.
func mutate(random *rand.Rand, data []byte) (damaged []byte, how string) {
	switch random.IntN(10) {
	case 0:
		return data[:random.IntN(len(data))], "cut off"
	case 1:
		out := bytes.Clone(data)
		for range 1 + random.IntN(20) {
			out[random.IntN(len(out))] = byte(random.IntN(256))
		}
		return out, "bytes changed"
	}
	parts, err := unzip(data)
	if err != nil {
		return data, "as it is"
	}
	var xml []int
	for i, p := range parts {
		if ext := path.Ext(p.name); ext == ".xml" || ext == ".rels" {
			xml = append(xml, i)
		}
	}
	var done []string
	for range 1 + random.IntN(4) {
		if len(xml) == 0 {
			break
		}
		at := xml[random.IntN(len(xml))]
		if p := &parts[at]; len(p.data) > 100 {
			var what string
			p.data, what = mutateXML(random, p.data)
			done = append(done, what+" in "+path.Base(p.name))
		}
	}
	if random.IntN(8) == 0 {
		at := random.IntN(len(parts))
		done = append(done, "without "+path.Base(parts[at].name))
		parts = append(parts[:at], parts[at+1:]...)
	}
	if random.IntN(8) == 0 {
		from, to := random.IntN(len(parts)), random.IntN(len(parts))
		parts[to].data = parts[from].data
		done = append(done, path.Base(parts[to].name)+" replaced")
	}
	return rezip(parts), strings.Join(done, ", ")
}

var (
	attribute = regexp.MustCompile(`="[^"<]*"`)
	element   = regexp.MustCompile(`<[A-Za-z][^<>/]*>`)
)

// absurd are values that numbers, names and colours are replaced by.
var absurd = []string{"", "0", "-1", "1", "99999999999999999999", "-2147483648", "2147483647", "65536", "1e308", "NaN", "-0", "both", "auto", "100%", "../../x", "rId1", "\u202E", "FFFFFF"}

func mutateXML(random *rand.Rand, data []byte) ([]byte, string) {
	switch random.IntN(6) {
	case 0, 1: // values
		n := 1 + random.IntN(30)
		spots := attribute.FindAllIndex(data, 20000)
		for range n {
			if len(spots) == 0 {
				break
			}
			at := random.IntN(len(spots))
			value := `="` + absurd[random.IntN(len(absurd))] + `"`
			data = splice(data, spots[at][0], spots[at][1], []byte(value))
			spots = attribute.FindAllIndex(data, 20000)
		}
		return data, "values"
	case 2: // an element again and again, or once more inside itself
		from, to, ok := someElement(random, data)
		if !ok {
			return data, "nothing"
		}
		one := bytes.Clone(data[from:to])
		times := 1 + random.IntN(2000)
		if len(one)*times > 4<<20 {
			times = 1 + (4<<20)/len(one)
		}
		return splice(data, to, to, bytes.Repeat(one, times)), fmt.Sprintf("%d times %.20s", times, one)
	case 3:
		from, to, ok := someElement(random, data)
		if !ok {
			return data, "nothing"
		}
		return splice(data, from, to, nil), fmt.Sprintf("no %.20s", data[from:min(to, from+20)])
	case 4: // one element in the place of another
		from, to, ok := someElement(random, data)
		at, end, also := someElement(random, data)
		if !ok || !also {
			return data, "nothing"
		}
		return splice(data, at, end, bytes.Clone(data[from:to])), "elements moved"
	}
	from, to, ok := someElement(random, data)
	if !ok {
		return data, "nothing"
	}
	// Nested in itself: the element's start, itself, its end, many times.
	start := bytes.IndexByte(data[from:to], '>') + 1
	end := bytes.LastIndexByte(data[from:to], '<')
	if start <= 0 || end < start {
		return data, "nothing"
	}
	depth := 1 + random.IntN(60)
	nested := append(bytes.Repeat(data[from:from+start], depth), data[from:to]...)
	nested = append(nested, bytes.Repeat(data[from+end:to], depth)...)
	return splice(data, from, to, nested), fmt.Sprintf("nested %d times", depth)
}

// someElement finds an element with its end, by its name alone.
func someElement(random *rand.Rand, data []byte) (from, to int, ok bool) {
	starts := element.FindAllIndex(data, 20000)
	if len(starts) < 2 {
		return 0, 0, false
	}
	s := starts[1+random.IntN(len(starts)-1)]
	name, _, _ := strings.Cut(strings.Trim(string(data[s[0]:s[1]]), "<>"), " ")
	end := bytes.Index(data[s[1]:], []byte("</"+name+">"))
	if end < 0 {
		return 0, 0, false
	}
	return s[0], s[1] + end + len(name) + 3, true
}

func splice(data []byte, from, to int, by []byte) []byte {
	out := make([]byte, 0, len(data)-(to-from)+len(by))
	out = append(out, data[:from]...)
	out = append(out, by...)
	return append(out, data[to:]...)
}

type zipPart struct {
	name string
	data []byte
}

func unzip(data []byte) ([]zipPart, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var parts []zipPart
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
		parts = append(parts, zipPart{f.Name, content})
	}
	return parts, nil
}

func rezip(parts []zipPart) []byte { return zipParts(parts, zip.Deflate) }

func zipParts(parts []zipPart, method uint16) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: p.name, Method: method})
		if err != nil {
			continue
		}
		_, _ = entry.Write(p.data) // a bytes.Buffer takes everything
	}
	_ = w.Close()
	return out.Bytes()
}

package pdfa

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
)

// unpack undoes the filters of a stream (ISO 32000-1, 7.4).
func (f *file) unpack(s *stream) ([]byte, error) {
	if known, ok := f.decoded[s]; ok {
		return known, nil
	}
	if f.damaged[s] {
		return nil, errFilter
	}
	data := s.raw
	filters, parameters := f.list(s.dict["Filter"]), f.list(s.dict["DecodeParms"])
	for i, filter := range filters {
		var with dict
		if i < len(parameters) {
			with = f.dict(parameters[i])
		}
		var err error
		n, _ := f.get(filter).(name)
		if data, err = f.undo(n, data, with); err != nil {
			f.damaged[s] = true
			return nil, err
		}
		if f.unpacked += len(data); f.unpacked > maxUnpacked {
			f.isOver = true
			return nil, errFilter
		}
	}
	f.decoded[s] = data
	return data, nil
}

func (f *file) undo(filter name, data []byte, with dict) ([]byte, error) {
	switch filter {
	case "FlateDecode", "Fl":
		if len(data) == 0 { // as some programs write nothing
			return nil, nil
		}
		r, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		out, err := io.ReadAll(io.LimitReader(r, maxStream+1))
		if len(out) > maxStream {
			f.isOver = true
			return nil, errFilter
		}
		if err != nil && len(out) == 0 {
			return nil, err
		}
		return f.unpredict(out, with), nil
	case "ASCIIHexDecode", "AHx":
		p := &parser{data: append([]byte("<"), data...)}
		return []byte(p.hex().value), nil
	case "ASCII85Decode", "A85":
		data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
		if end := bytes.IndexByte(data, '~'); end >= 0 {
			data = data[:end]
		}
		return io.ReadAll(ascii85.NewDecoder(bytes.NewReader(data)))
	case "RunLengthDecode", "RL":
		var out []byte
		for i := 0; i < len(data) && data[i] != 128; {
			n := int(data[i])
			i++
			if n < 128 {
				end := min(len(data), i+n+1)
				out = append(out, data[i:end]...)
				i = end
			} else if i < len(data) {
				out = append(out, bytes.Repeat(data[i:i+1], 257-n)...)
				i++
			}
			if len(out) > maxStream {
				f.isOver = true
				return nil, errFilter
			}
		}
		return out, nil
	case "Crypt":
		return data, nil
	}
	return nil, errFilter
}

// unpredict undoes what PNG's filters and TIFF's predictor did (ISO 32000-1, 7.4.4.4).
func (f *file) unpredict(data []byte, with dict) []byte {
	predictor := f.integer(with["Predictor"])
	if predictor < 2 {
		return data
	}
	or := func(key name, otherwise int) int {
		if n, ok := f.get(with[key]).(number); ok && n.value > 0 && n.value < 1<<20 {
			return int(n.value)
		}
		return otherwise
	}
	colors, bits, columns := or("Colors", 1), or("BitsPerComponent", 8), or("Columns", 1)
	pixel, row := max(1, colors*bits/8), (colors*bits*columns+7)/8
	if row > maxStream {
		f.isOver = true
		return data
	}
	if predictor == 2 {
		if bits == 8 {
			for at := 0; at+row <= len(data); at += row {
				for i := pixel; i < row; i++ {
					data[at+i] += data[at+i-pixel]
				}
			}
		}
		return data
	}
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		kind, line := data[0], make([]byte, row)
		data = data[1:]
		n := copy(line, data)
		data = data[n:]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out, above = append(out, line...), line
	}
	return out
}

func paeth(a, b, c byte) byte {
	distance := func(v byte) int {
		d := int(a) + int(b) - int(c) - int(v)
		return max(d, -d)
	}
	switch pa, pb, pc := distance(a), distance(b), distance(c); {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

package protect

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
)

// The frame of the files that our renderer writes: objects of generation 0 by their
// numbers, one after the other, then the one table of where they stand.
var (
	directHead  = []byte("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n\n")
	directTable = regexp.MustCompile(`^xref\n0 (\d+)\n((?:\d{10} \d{5} [fn] \n)+)trailer\n<<(/Size \d+ /Root \d+ 0 R(?: /Info \d+ 0 R)? /ID \[<[0-9a-f]{32}><[0-9a-f]{32}>\])(?: /XRefStm (\d+))?>>\nstartxref\n(\d+)\n%%EOF\n$`)
)

const (
	tableEntry = 20 // bytes of a line of the table
	// longestTail bounds table and trailer of a file; one with more objects is left to the library.
	longestTail = 1 << 20
)

// encryptDirectly encrypts a PDF of our renderer's making in one pass over its bytes. Any
// other, and any that has something unexpected in it, is left to the library: ok is false.
func encryptDirectly(key, pdf, password []byte, permissions uint16) (encrypted []byte, ok bool) {
	objects, entries, inStreams, ok := splitDirectly(pdf)
	if !ok {
		return nil, false
	}
	e := directEncrypter{key: key, inStreams: inStreams}
	e.block = block(e.key)
	e.out.Grow(len(pdf) + 64*len(objects) + 1024)
	e.out.WriteString("%PDF-2.0\n%\xE2\xE3\xCF\xD3\n\n") // revision 6 is PDF 2.0's
	offsets := make([]int, 0, len(objects))
	for i, object := range objects {
		offsets = append(offsets, e.out.Len())
		if inStreams && i == len(objects)-1 { // where the objects are that stand in streams, which is not encrypted
			e.out.Write(object)
		} else if !e.object(i+1, object) {
			return nil, false
		}
	}
	said, others, _ := bytes.Cut(entries[len("/Size "):], []byte(" "))
	dictionary, err := strconv.Atoi(string(said))
	if err != nil || dictionary <= len(objects) {
		return nil, false
	}
	at := e.out.Len()
	fmt.Fprintf(&e.out, "%d 0 obj\n%s\nendobj\n\n", dictionary, newEncryption(e.key, password, permissions).dictionary(permissions).PDFString())
	table := e.out.Len()
	fmt.Fprintf(&e.out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&e.out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&e.out, "%d 1\n%010d 00000 n \ntrailer\n<</Size %d %s /Encrypt %d 0 R", dictionary, at, dictionary+1, others, dictionary)
	if inStreams {
		fmt.Fprintf(&e.out, " /XRefStm %d", offsets[len(offsets)-1])
	}
	fmt.Fprintf(&e.out, ">>\nstartxref\n%d\n%%%%EOF\n", table)
	return e.out.Bytes(), true
}

// splitDirectly cuts a file into its objects and the entries of its trailer. inStreams says
// that some of its objects stand in streams: the last of those that do not says in which.
func splitDirectly(pdf []byte) (objects [][]byte, trailer []byte, inStreams, ok bool) {
	if !bytes.HasPrefix(pdf, directHead) {
		return nil, nil, false, false
	}
	tail := max(0, len(pdf)-longestTail)
	at := bytes.LastIndex(pdf[tail:], []byte("\nxref\n")) + 1
	parts := directTable.FindSubmatch(pdf[tail+at:])
	if at == 0 || parts == nil || string(parts[5]) != strconv.Itoa(tail+at) {
		return nil, nil, false, false
	}
	table := tail + at
	lines := parts[2]
	if n := len(lines) / tableEntry; string(parts[1]) != strconv.Itoa(n) || n < 2 {
		return nil, nil, false, false
	}
	from := len(directHead)
	for line := tableEntry; line < len(lines); line += tableEntry {
		to := table
		if next := line + tableEntry; next < len(lines) {
			to, _ = strconv.Atoi(string(lines[next : next+10]))
		}
		if at, _ := strconv.Atoi(string(lines[line : line+10])); at != from || to <= from || to > table {
			return nil, nil, false, false
		}
		objects, from = append(objects, pdf[from:to]), to
	}
	last := len(objects) - 1
	inStreams = len(parts[4]) > 0
	isListed := bytes.Contains(objects[last], []byte("<</Type /XRef ")) && string(parts[4]) == strconv.Itoa(table-len(objects[last]))
	return objects, parts[3], inStreams, isListed == inStreams
}

// directEncrypter writes objects with their strings and streams encrypted (ISO 32000-2,
// 7.6.3, algorithm 1.A).
type directEncrypter struct {
	key   []byte
	block cipher.Block
	// inStreams says that the file lists what stands in streams of objects.
	inStreams bool
	out       bytes.Buffer
}

// object writes one; false: it holds what our renderer does not write.
func (e *directEncrypter) object(number int, o []byte) bool {
	const end = "endobj\n\n"
	if !bytes.HasPrefix(o, fmt.Appendf(nil, "%d 0 obj\n", number)) || !bytes.HasSuffix(o, []byte(end)) {
		return false
	}
	length := -1 // of the stream that follows
	for i := 0; i < len(o); {
		switch c := o[i]; {
		case c == '(':
			text, after, ok := literalString(o, i)
			if !ok {
				return false
			}
			e.string(text)
			i = after
		case c == '<' && o[i+1] != '<':
			digits, _, ok := bytes.Cut(o[i+1:], []byte(">"))
			text := make([]byte, hex.DecodedLen(len(digits)))
			if _, err := hex.Decode(text, digits); !ok || err != nil {
				return false
			}
			e.string(text)
			i += len(digits) + 2
		case c == '<':
			e.out.WriteString("<<")
			i += 2
		case c == '%':
			return false
		case c == '/':
			name := nameAt(o, i)
			e.out.Write(name)
			i += len(name)
			switch string(name) {
			case "/Length":
				digits := numberAt(o, i)
				n, err := strconv.Atoi(string(bytes.TrimSpace(digits)))
				i += len(digits)
				if err != nil || length >= 0 || n > len(o) || isReference(o[i:]) {
					return false
				}
				length = n
				fmt.Fprintf(&e.out, " %d", encryptedSize(n))
			case "/ObjStm":
				if !e.inStreams {
					return false
				}
			case "/XRef", "/Crypt", "/Sig":
				return false
			}
		case c == 's' && bytes.HasPrefix(o[i:], []byte("stream\n")):
			from := i + len("stream\n")
			if length < 0 || from+length > len(o) || string(bytes.TrimPrefix(o[from+length:], []byte("\n"))) != "endstream\n"+end {
				return false
			}
			e.out.WriteString("stream\n")
			e.encrypt(o[from : from+length])
			e.out.WriteString("\nendstream\n" + end)
			return true
		default:
			e.out.WriteByte(c)
			i++
		}
	}
	return length < 0
}

// isReference tells whether what follows a number makes it the number of an object.
func isReference(after []byte) bool {
	after = bytes.TrimLeft(after, " \n\t")
	return len(after) > 0 && after[0] >= '0' && after[0] <= '9'
}

// nameAt is the name at i, with its solidus.
func nameAt(o []byte, i int) []byte {
	to := i + 1
	for to < len(o) && !bytes.ContainsRune([]byte(" \n\r\t\f\x00()<>[]{}/%"), rune(o[to])) {
		to++
	}
	return o[i:to]
}

// numberAt is the spaces and the digits at i.
func numberAt(o []byte, i int) []byte {
	to := i
	for to < len(o) && o[to] == ' ' {
		to++
	}
	for to < len(o) && o[to] >= '0' && o[to] <= '9' {
		to++
	}
	return o[i:to]
}

// literalString is what stands in parentheses at i, and where it ends (ISO 32000-2, 7.3.4.2).
// A line break or an octal number in it is not ok.
func literalString(o []byte, i int) (text []byte, after int, ok bool) {
	open := 0
	for ; i < len(o); i++ {
		switch c := o[i]; c {
		case '(':
			if open++; open == 1 {
				continue
			}
		case ')':
			if open--; open == 0 {
				return text, i + 1, true
			}
		case '\n', '\r':
			return nil, 0, false
		case '\\':
			if i++; i == len(o) || !bytes.ContainsRune([]byte(`()\`), rune(o[i])) {
				return nil, 0, false
			}
		}
		text = append(text, o[i])
	}
	return nil, 0, false
}

// string writes an encrypted string in hexadecimal digits.
func (e *directEncrypter) string(text []byte) {
	e.out.WriteByte('<')
	start := e.out.Len()
	e.encrypt(text)
	sealed := bytes.Clone(e.out.Bytes()[start:])
	e.out.Truncate(start)
	e.out.Write(hex.AppendEncode(nil, sealed))
	e.out.WriteByte('>')
}

// encryptedSize is how many bytes encrypt writes for n.
func encryptedSize(n int) int { return aes.BlockSize + n - n%aes.BlockSize + aes.BlockSize }

// encrypt writes what sealed returns.
func (e *directEncrypter) encrypt(data []byte) { e.out.Write(e.sealed(data)) }

// sealed is an initialization vector, then data in AES-256-CBC, filled up to whole blocks.
func (e *directEncrypter) sealed(data []byte) []byte {
	sealed := make([]byte, encryptedSize(len(data)))
	iv, body := sealed[:aes.BlockSize], sealed[aes.BlockSize:]
	copy(iv, random(aes.BlockSize))
	fill := len(body) - len(data)
	copy(body[copy(body, data):], bytes.Repeat([]byte{byte(fill)}, fill))
	cipher.NewCBCEncrypter(e.block, iv).CryptBlocks(body, body)
	return sealed
}

package protect

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// packet is what a PDF says of itself (XMP, part 1; ISO 19005-2, 6.6). It says the same as the
// file's dictionary of information does.
func packet(a platen.Archive, title string) []byte {
	var out bytes.Buffer
	out.WriteString("<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` + "\n" +
		`<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">` + "\n")
	part := "2"
	if a.Profile == platen.ProfilePDFA3b {
		part = "3"
	}
	fmt.Fprintf(&out, "<pdfaid:part>%s</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>\n<dc:format>application/pdf</dc:format>", part)
	if title != "" {
		fmt.Fprintf(&out, `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`, escaped(title))
	}
	out.WriteString("<pdf:Producer>Platen</pdf:Producer>")
	if !a.At.IsZero() {
		at := a.At.UTC().Format(time.RFC3339)
		fmt.Fprintf(&out, "<xmp:CreateDate>%s</xmp:CreateDate><xmp:ModifyDate>%s</xmp:ModifyDate>", at, at)
	}
	out.WriteString("\n</rdf:Description>\n")
	describeSchemas(&out, a.Schemas)
	out.WriteString("</rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>")
	return out.Bytes()
}

// describeSchemas writes extension schemas (ISO 19005-2, 6.6.2.3.3), and the properties that
// they describe.
func describeSchemas(out *bytes.Buffer, schemas []platen.XMPSchema) {
	if len(schemas) == 0 {
		return
	}
	out.WriteString(`<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">` +
		"\n<pdfaExtension:schemas><rdf:Bag>\n")
	for _, s := range schemas {
		fmt.Fprintf(out, `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>%s</pdfaSchema:schema><pdfaSchema:namespaceURI>%s</pdfaSchema:namespaceURI><pdfaSchema:prefix>%s</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>`+"\n",
			escaped(s.Name), escaped(s.Namespace), escaped(s.Prefix))
		for _, p := range s.Properties {
			fmt.Fprintf(out, `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>%s</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>%s</pdfaProperty:description></rdf:li>`+"\n",
				escaped(p.Name), escaped(p.Description))
		}
		out.WriteString("</rdf:Seq></pdfaSchema:property></rdf:li>\n")
	}
	out.WriteString("</rdf:Bag></pdfaExtension:schemas></rdf:Description>\n")
	for _, s := range schemas {
		fmt.Fprintf(out, `<rdf:Description rdf:about="" xmlns:%s="%s">`, s.Prefix, escaped(s.Namespace))
		for _, p := range s.Properties {
			fmt.Fprintf(out, "<%s:%s>%s</%s:%s>", s.Prefix, p.Name, escaped(p.Value), s.Prefix, p.Name)
		}
		out.WriteString("</rdf:Description>\n")
	}
}

// escaped is text for XML. Characters that XML has no room for become U+FFFD.
func escaped(s string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(s)) // a strings.Builder takes everything
	return out.String()
}

// compressedSRGB is the profile of sRGB, compressed.
var compressedSRGB = sync.OnceValue(func() []byte { return compressed(sRGB()) })

// sRGB is a profile of the colours of IEC 61966-2-1 for displays, version 4.2 of ICC's format
// (ISO 15076-1). Colours are adapted to D50 by the Bradford matrix, as that standard wants it;
// the curve is that of IEC 61966-2-1, section 5.2.
func sRGB() []byte {
	fixed := func(values ...float64) []byte {
		var out []byte
		for _, v := range values {
			const one = 1 << 16
			scaled := v * one
			if scaled < 0 {
				scaled -= 0.5
			} else {
				scaled += 0.5
			}
			out = binary.BigEndian.AppendUint32(out, uint32(int32(scaled)))
		}
		return out
	}
	kind := func(signature string, content []byte) []byte {
		return append([]byte(signature+"\x00\x00\x00\x00"), content...)
	}
	text := func(s string) []byte {
		out := kind("mluc", []byte{0, 0, 0, 1, 0, 0, 0, 12, 'e', 'n', 'U', 'S'})
		out = binary.BigEndian.AppendUint32(out, uint32(2*len(s)))
		out = binary.BigEndian.AppendUint32(out, 28)
		for i := range len(s) {
			out = append(out, 0, s[i])
		}
		return out
	}
	white := []float64{0.9642, 1, 0.8249} // D50
	curve := kind("para", append([]byte{0, 3, 0, 0}, fixed(2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)...))
	tags := []struct {
		signature string
		data      []byte
	}{
		{"desc", text("sRGB")},
		{"cprt", text("No copyright, use freely")},
		{"wtpt", kind("XYZ ", fixed(white...))},
		{"chad", kind("sf32", fixed(1.04789, 0.02292, -0.05022, 0.02958, 0.99048, -0.01708, -0.00925, 0.01507, 0.75168))},
		{"rXYZ", kind("XYZ ", fixed(0.43604, 0.22248, 0.01392))},
		{"gXYZ", kind("XYZ ", fixed(0.38511, 0.71691, 0.09707))},
		{"bXYZ", kind("XYZ ", fixed(0.14305, 0.06061, 0.71391))},
		{"rTRC", curve},
		{"gTRC", nil}, // the same
		{"bTRC", nil},
	}
	const header, entry = 128, 12
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var data []byte
	begin := header + len(table) + entry*len(tags)
	at, size := 0, 0
	for _, tag := range tags {
		if tag.data != nil {
			at, size = begin+len(data), len(tag.data)
			data = append(data, tag.data...)
			for len(data)%4 != 0 {
				data = append(data, 0)
			}
		}
		table = append(table, tag.signature...)
		table = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(table, uint32(at)), uint32(size))
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(begin+len(data)))
	head = append(head, "\x00\x00\x00\x00\x04\x20\x00\x00mntrRGB XYZ "...)
	head = append(head, 0x07, 0xE8, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0) // a date: 2024-01-01
	head = append(head, "acsp"...)
	head = append(head, make([]byte, 28)...) // platform, flags, device, attributes, intent: perceptual
	head = append(head, fixed(white...)...)
	head = append(head, make([]byte, header-len(head))...)
	return append(append(head, table...), data...)
}

func compressed(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(data) // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

package protect

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/platenhq/platen/internal/platen"
)

// archiveForeign archives a PDF that another program wrote, or that something was added to.
func archiveForeign(pdf []byte, a platen.Archive) ([]byte, error) {
	config := model.NewDefaultConfiguration()
	config.Offline = true
	config.Optimize, config.OptimizeBeforeWriting = false, false
	config.Limits = limits
	read, err := api.ReadContext(bytes.NewReader(pdf), config)
	if err == nil && read.E != nil {
		err = errors.New("the PDF is encrypted")
	}
	if err == nil {
		err = read.EnsurePageCount()
	}
	if err != nil {
		return nil, unreadableError(err)
	}
	f := &kept{Context: read, seen: map[int]bool{}}
	if err := f.cure(); err != nil {
		return nil, unreadableError(err)
	}
	out, err := f.write(a)
	if err != nil {
		return nil, unreadableError(err)
	}
	return out, nil
}

// kept is a PDF that is made one to be kept.
type kept struct {
	*model.Context
	// order are the objects that are in use, as they are found.
	order []int
	seen  map[int]bool
}

// notKept are entries of a catalog that no file to be kept has, or that are written here.
var notKept = []string{"AA", "Requirements", "NeedsRendering", "Perms", "Legal", "Collection", "Metadata", "OutputIntents", "AF", "Version", "Extensions", "DSS", "SpiderInfo", "PieceInfo"}

// cure leaves out and changes what no file to be kept has, where no page looks different without
// it. It fails where the file cannot be read.
func (f *kept) cure() error {
	root := f.RootDict
	for _, key := range notKept {
		root.Delete(key)
	}
	if !f.isKeptAction(root["OpenAction"]) {
		root.Delete("OpenAction")
	}
	if names, _ := f.DereferenceDict(root["Names"]); names != nil {
		for _, key := range []string{"JavaScript", "AlternatePresentations", "EmbeddedFiles"} {
			names.Delete(key)
		}
	}
	if form, _ := f.DereferenceDict(root["AcroForm"]); form != nil {
		form.Delete("XFA")
	}
	f.cureLayers()
	for page := 1; page <= f.PageCount; page++ {
		d, _, _, err := f.PageDict(page, false)
		if err != nil || d == nil {
			return fmt.Errorf("read page %d: %w", page, err)
		}
		if err := f.curePage(d); err != nil {
			return fmt.Errorf("page %d: %w", page, err)
		}
	}
	f.find(*f.Root)
	for _, n := range f.order {
		entry := f.Table[n]
		switch o := entry.Object.(type) {
		case types.Dict:
			f.cureDict(o, false)
		case types.Array:
			f.cureArray(o)
		case types.StreamDict:
			f.cureDict(o.Dict, true)
			cured, err := f.cureStream(o)
			if err != nil {
				return fmt.Errorf("object %d: %w", n, err)
			}
			entry.Object = cured
		}
	}
	f.order, f.seen = nil, map[int]bool{}
	f.find(*f.Root)
	return nil
}

// find notes the objects that are in use from one on.
func (f *kept) find(from types.IndirectRef) {
	queue := []types.IndirectRef{from}
	var look func(o types.Object)
	look = func(o types.Object) {
		switch o := o.(type) {
		case types.IndirectRef:
			queue = append(queue, o)
		case types.Dict:
			for _, key := range slices.Sorted(maps.Keys(o)) {
				look(o[key])
				o[key] = f.first(o[key])
			}
		case types.Array:
			for i, one := range o {
				look(one)
				o[i] = f.first(one)
			}
		case types.StreamDict:
			look(o.Dict)
		}
	}
	for len(queue) > 0 {
		n := queue[0].ObjectNumber.Value()
		reference := queue[0]
		queue = queue[1:]
		if f.seen[n] {
			continue
		}
		f.seen[n] = true
		o, err := f.Dereference(reference)
		if err != nil || o == nil || f.Table[n] == nil {
			continue
		}
		f.Table[n].Object = o
		f.order = append(f.order, n)
		look(o)
	}
}

// first is a reference to the first generation of an object: all are written as such.
func (f *kept) first(o types.Object) types.Object {
	r, isReference := o.(types.IndirectRef)
	if !isReference || r.GenerationNumber == 0 {
		return o
	}
	if entry := f.Table[r.ObjectNumber.Value()]; entry != nil && entry.Generation != nil {
		*entry.Generation = 0
	}
	r.GenerationNumber = 0
	return r
}

// isKeptAction tells whether a file to be kept may have an action, or a place in its stead.
func (f *kept) isKeptAction(o types.Object) bool {
	read, _ := f.Dereference(o)
	action, isDict := read.(types.Dict)
	if !isDict {
		return true
	}
	kind := action.NameEntry("S")
	if kind == nil {
		return false
	}
	switch *kind {
	case "GoTo", "GoToR", "URI", "Thread":
		action.Delete("Next")
		return true
	case "Named":
		called := action.NameEntry("N")
		return called != nil && slices.Contains([]string{"NextPage", "PrevPage", "FirstPage", "LastPage"}, *called)
	}
	return false
}

// cureLayers gives settings of layers their names, and leaves out what shows them by itself.
func (f *kept) cureLayers() {
	layers, _ := f.DereferenceDict(f.RootDict["OCProperties"])
	if layers == nil {
		return
	}
	configs, _ := f.DereferenceArray(layers["Configs"])
	for i, o := range append(types.Array{layers["D"]}, configs...) {
		config, _ := f.DereferenceDict(o)
		if config == nil {
			continue
		}
		config["Name"] = types.StringLiteral(fmt.Sprintf("Layers %d", i+1))
		config.Delete("AS")
		config.Delete("Order") // which need not be there, but lists all layers where it is
	}
}

func (f *kept) curePage(page types.Dict) error {
	for _, key := range []string{"AA", "PresSteps", "Metadata", "PieceInfo", "AF"} {
		page.Delete(key)
	}
	all, err := f.DereferenceArray(page["Annots"])
	if err != nil {
		return fmt.Errorf("read annotations: %w", err)
	}
	if all == nil {
		return nil
	}
	const hidden, invisible, noView, toggle = 1 << 1, 1 << 0, 1 << 5, 1 << 8
	kept := all[:0:0]
	for _, one := range all {
		a, err := f.DereferenceDict(one)
		if err != nil || a == nil {
			continue
		}
		flags := 0
		if v := a.IntEntry("F"); v != nil {
			flags = *v
		}
		kind := a.NameEntry("Subtype")
		if flags&(hidden|noView) != 0 || kind == nil {
			continue // it is not seen
		}
		a["F"] = types.Integer(flags&^(invisible|toggle) | flagPrint)
		a.Delete("AA")
		if !f.isKeptAction(a["A"]) || *kind == "Widget" {
			a.Delete("A")
		}
		if looks, _ := f.DereferenceDict(a["AP"]); looks != nil {
			looks.Delete("D")
			looks.Delete("R")
		}
		kept = append(kept, one)
	}
	page["Annots"] = kept
	return nil
}

// cureDict leaves out what says something of a part of the file, or changes it in print alone.
func (f *kept) cureDict(d types.Dict, isStream bool) {
	kind := ""
	if n := d.NameEntry("Type"); n != nil {
		kind = *n
	}
	if kind != "Catalog" {
		d.Delete("Metadata")
	}
	switch {
	case kind == "FontDescriptor":
		d.Delete("CIDSet")
		d.Delete("CharSet")
	case isStream && is(d, "Subtype", "Image"):
		d.Delete("Alternates")
		d.Delete("OPI")
		if d["Interpolate"] != nil {
			d["Interpolate"] = types.Boolean(false)
		}
	case isStream && is(d, "Subtype", "Form"):
		d.Delete("OPI")
	case kind == "ExtGState":
		d.Delete("HTP")
		d.Delete("HT")
	case d["Title"] != nil && d["A"] != nil && d["Parent"] != nil: // a bookmark
		if !f.isKeptAction(d["A"]) {
			d.Delete("A")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d)) {
		switch o := d[key].(type) {
		case types.Dict:
			f.cureDict(o, false)
		case types.Array:
			f.cureArray(o)
		}
	}
}

func (f *kept) cureArray(list types.Array) {
	for _, one := range list {
		switch o := one.(type) {
		case types.Dict:
			f.cureDict(o, false)
		case types.Array:
			f.cureArray(o)
		}
	}
}

func is(d types.Dict, key, value string) bool {
	n := d.NameEntry(key)
	return n != nil && *n == value
}

// cureStream packs what is packed by LZW once more, and gives pictures in printing inks colours of
// displays.
func (f *kept) cureStream(s types.StreamDict) (types.StreamDict, error) {
	if is(s.Dict, "Subtype", "Image") && is(s.Dict, "ColorSpace", "DeviceCMYK") {
		return f.displayed(s)
	}
	isLZW := slices.ContainsFunc(s.FilterPipeline, func(p types.PDFFilter) bool { return p.Name == filter.LZW })
	if !isLZW {
		return s, nil
	}
	if err := s.Decode(); err != nil {
		return s, fmt.Errorf("unpack a stream: %w", err)
	}
	return repacked(s, s.Content, "FlateDecode"), nil
}

// repacked is a stream of other bytes, which a filter has packed already, but for Flate.
func repacked(s types.StreamDict, content []byte, by string) types.StreamDict {
	if by == "FlateDecode" {
		content = compressed(content)
	}
	s.Dict.Delete("DecodeParms")
	s.Dict["Filter"] = types.Name(by)
	s.FilterPipeline = []types.PDFFilter{{Name: by}}
	s.Raw, s.Content = content, nil
	return s
}

// displayed turns a picture of four inks into one of red, green and blue, as readers without
// profiles show it. What cannot be read stays, and is judged.
func (f *kept) displayed(s types.StreamDict) (types.StreamDict, error) {
	inks, isInverted, isJPEG := f.inks(s)
	if inks == nil {
		return s, nil
	}
	b := inks.Bounds()
	out := image.NewRGBA(b)
	for at := 0; at+3 < len(inks.Pix); at += 4 {
		p := [4]byte(inks.Pix[at : at+4])
		if isInverted {
			for i := range p {
				p[i] = 255 - p[i]
			}
		}
		out.Pix[at], out.Pix[at+1], out.Pix[at+2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
		out.Pix[at+3] = 255
	}
	s.Dict["ColorSpace"] = types.Name("DeviceRGB")
	s.Dict.Delete("Decode")
	if isJPEG {
		const quality = 92
		var packed bytes.Buffer
		if err := jpeg.Encode(&packed, out, &jpeg.Options{Quality: quality}); err != nil {
			return s, fmt.Errorf("write a picture: %w", err)
		}
		return repacked(s, packed.Bytes(), "DCTDecode"), nil
	}
	plain := make([]byte, 0, len(out.Pix)/4*3)
	for at := 0; at < len(out.Pix); at += 4 {
		plain = append(plain, out.Pix[at:at+3]...)
	}
	return repacked(s, plain, "FlateDecode"), nil
}

// inks reads a picture of four inks of eight bits; nil for one that cannot be read.
func (f *kept) inks(s types.StreamDict) (_ *image.CMYK, isInverted, isJPEG bool) {
	width, height := s.Dict.IntEntry("Width"), s.Dict.IntEntry("Height")
	if width == nil || height == nil || *width <= 0 || *height <= 0 || *width > maxPixels/(*height) {
		return nil, false, false
	}
	decode, _ := f.DereferenceArray(s.Dict["Decode"])
	hasInverted := len(decode) == 8 && strings.HasPrefix(strings.TrimLeft(decode[0].PDFString(), " "), "1")
	if len(s.FilterPipeline) == 1 && s.FilterPipeline[0].Name == filter.DCT {
		// What decoding takes depends on the sizes that the picture itself has.
		head, err := jpeg.DecodeConfig(bytes.NewReader(s.Raw))
		if err != nil || head.ColorModel != color.CMYKModel || head.Width != *width || head.Height != *height {
			return nil, false, false
		}
		read, err := jpeg.Decode(bytes.NewReader(s.Raw))
		inks, isCMYK := read.(*image.CMYK)
		if err != nil || !isCMYK {
			return nil, false, false
		}
		return inks, !hasInverted, true // the decoder takes them for inverted, as Adobe's are
	}
	if bits := s.Dict.IntEntry("BitsPerComponent"); bits == nil || *bits != 8 || s.Decode() != nil || len(s.Content) < *width**height*4 {
		return nil, false, false
	}
	inks := image.NewCMYK(image.Rect(0, 0, *width, *height))
	copy(inks.Pix, s.Content)
	return inks, hasInverted, false
}

// maxPixels is the largest picture that is changed: an A3 page of 300 dots an inch. Reading it
// takes up to 24 bytes for each.
const maxPixels = 20_000_000

// write writes all that is in use. Its bytes are the same for the same file and a.
func (f *kept) write(a platen.Archive) ([]byte, error) {
	title := ""
	if f.Info != nil {
		if info, err := f.DereferenceDict(*f.Info); err == nil && info != nil {
			if o, err := f.Dereference(info["Title"]); err == nil && o != nil {
				title, _ = model.Text(o)
			}
		}
	}
	next := 1
	for n := range f.Table {
		next = max(next, n+1)
	}
	added, entries, names := additions(a, next, title)
	added = append(added, addition{entries: fmt.Sprintf("/Title <%s> /Producer (Platen)", utf16Hex(title))})
	root := f.RootDict.Clone().(types.Dict)
	if names != "" {
		own, _ := f.DereferenceDict(root["Names"])
		root.Delete("Names")
		entries += " /Names " + strings.TrimSuffix(own.PDFString(), ">>") + names + ">>"
	}
	w := &objectWriter{out: bytes.NewBuffer(slices.Clone(directHead)), places: map[int][3]int{}}
	rootNumber := f.Root.ObjectNumber.Value()
	for _, n := range f.order {
		if n == rootNumber {
			w.add(n, strings.TrimSuffix(root.PDFString(), ">>")+entries+">>")
			continue
		}
		switch o := f.Table[n].Object.(type) {
		case types.StreamDict:
			if len(o.Raw) == 0 && len(o.Content) > 0 {
				if err := o.Encode(); err != nil {
					return nil, fmt.Errorf("pack object %d: %w", n, err)
				}
			}
			d := o.Dict.Clone().(types.Dict)
			d.Delete("Length")
			w.stream(n, addition{entries: strings.TrimSuffix(strings.TrimPrefix(d.PDFString(), "<<"), ">>"), stream: o.Raw, is: true})
		default:
			w.add(n, o.PDFString())
		}
	}
	for i, one := range added {
		if one.is {
			w.stream(next+i, one)
		} else {
			w.add(next+i, "<<"+one.entries+">>")
		}
	}
	return w.end(next+len(added), rootNumber, next+len(added)-1), nil
}

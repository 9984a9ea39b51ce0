package shape

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/beevik/etree"
)

// presetLines has the presets of shapes, each as a:custGeom on a line of its own
// in an element of its name: what presetShapeDefinitions.xml, a part of ECMA-376
// (part 1, annex D), says of them but handles and places for connectors. Ecma
// International lets everybody copy its standards.
//
//go:embed presets.xml
var presetLines string

// presetLine finds the line of each preset.
var presetLine = sync.OnceValue(func() map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(presetLines) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "<"), ">")
		lines[name] = line
	}
	return lines
})

// presetsRead are the presets that were read, by name.
var presetsRead sync.Map

// presetNamed is the definition of a preset, nil where there is none.
func presetNamed(name string) *etree.Element {
	if read, ok := presetsRead.Load(name); ok {
		return read.(*etree.Element)
	}
	line, ok := presetLine()[name]
	if !ok || name == "rect" { // which OutlineOf draws at once
		return nil
	}
	doc := etree.NewDocument()
	if err := doc.ReadFromString(line); err != nil {
		return nil
	}
	read, _ := presetsRead.LoadOrStore(name, doc.Root())
	return read.(*etree.Element)
}

package docs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// rangeNames reads the document variables that name ranges, by bookmark.
func rangeNames(p *opc.Package) map[string]string {
	names := map[string]string{}
	settings, err := settingsOf(p)
	if err != nil || settings == nil {
		return names
	}
	if vars := child(settings, "docVars"); vars != nil {
		for _, v := range vars.ChildElements() {
			if name := v.SelectAttrValue("w:name", ""); strings.HasPrefix(name, rangePrefix) {
				names[name] = v.SelectAttrValue("w:val", "")
			}
		}
	}
	return names
}

// settingsOf returns the root of the settings part, nil when there is none.
func settingsOf(p *opc.Package) (*etree.Element, error) {
	part := settingsPart(p)
	if part == "" {
		return nil, nil
	}
	tree, err := p.XML(part)
	if err != nil {
		return nil, err
	}
	return tree.Root(), nil
}

func settingsPart(p *opc.Package) string {
	for _, r := range p.Relationships(p.MainPart()) {
		if r.Type == "settings" && !r.External && p.Has(r.Target) {
			return r.Target
		}
	}
	return ""
}

// behindVariables are the settings that follow the document variables (ECMA-376
// part 1, 17.15.1.78).
const behindVariables = " rsids mathPr attachedSchema themeFontLang clrSchemeMapping doNotIncludeSubdocsInStats doNotAutoCompressPictures forceUpgrade captions readModeInkLockDown smartTagType schemaLibrary shapeDefaults doNotEmbedSmartTags decimalSymbol listSeparator "

// nameRange keeps a range's name.
func (b *batch) nameRange(m *marked) error {
	if settingsPart(b.pkg) == "" {
		const name = "word/settings.xml"
		b.pkg.SetPart(name, "application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml",
			[]byte(`<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`))
		if _, err := b.pkg.Relate(b.pkg.MainPart(), "settings", "/"+name, false); err != nil {
			return fmt.Errorf("add settings: %w", err)
		}
	}
	settings, err := settingsOf(b.pkg)
	if err != nil {
		return err
	}
	vars := child(settings, "docVars")
	if vars == nil {
		vars = etree.NewElement("w:docVars")
		at := len(settings.Child)
		for i, t := range settings.Child {
			if c, ok := t.(*etree.Element); ok && (c.Space != "w" || strings.Contains(behindVariables, " "+c.Tag+" ")) {
				at = i
				break
			}
		}
		settings.InsertChildAt(at, vars)
	}
	v := vars.CreateElement("w:docVar")
	v.CreateAttr("w:name", rangePrefix+strconv.Itoa(m.number))
	v.CreateAttr("w:val", m.name)
	b.pkg.Touch(settingsPart(b.pkg))
	return nil
}

func (b *batch) forgetRange(m *marked) error {
	settings, err := settingsOf(b.pkg)
	if err != nil || settings == nil {
		return err
	}
	vars := child(settings, "docVars")
	if vars == nil {
		return nil
	}
	for _, v := range vars.ChildElements() {
		if v.SelectAttrValue("w:name", "") == rangePrefix+strconv.Itoa(m.number) {
			vars.RemoveChild(v)
		}
	}
	if len(vars.ChildElements()) == 0 {
		settings.RemoveChild(vars)
	}
	b.pkg.Touch(settingsPart(b.pkg))
	return nil
}

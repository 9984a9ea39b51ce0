package fill

import (
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// FolderAt is the folder of an output at a target, and whether the target is to have the
// output at all. KindInvalid with platen.CodeTargetPath or CodeConditionFaulty: it cannot be
// worked out.
func (f *Filling) FolderAt(t platen.Target) (folder string, wanted bool, err error) {
	if t.When != "" {
		holds, wrong := lang.Condition(t.When, f.data, f.builtins)
		switch {
		case wrong != nil:
			return "", false, platen.Errorf(platen.KindInvalid, CodeConditionFaulty, "The condition of the target %q cannot be worked out: %s", t.Name, wrong.Message)
		case !holds:
			return "", false, nil
		}
	}
	var path []string
	for _, template := range platen.FolderPath(t.Path) {
		name, missing := lang.ExpandFolder(template, f.data, f.builtins)
		switch {
		case len(missing) > 0:
			return "", false, platen.Errorf(platen.KindInvalid, platen.CodeTargetPath, "The path of the target %q names a field for which the source data has no value. Send the field, or change path.", t.Name)
		case name == "" || name == "." || name == "..":
			return "", false, platen.Errorf(platen.KindInvalid, platen.CodeTargetPath, "A folder of the path of the target %q is empty. Change path, or send another value for the field that it names.", t.Name)
		}
		path = append(path, name)
	}
	return strings.Join(path, "/"), true, nil
}

// Command texts prints as Markdown what programs say to people, for check.sh. It
// prints the comments of packages, the help of flags and commands, the messages of
// errors, the descriptions of the API's contract, and what pages and the console
// show. Each is an item, with its place after it.
//
// It reads the repository's folder. What is right is not decided here: the rules are
// Vale's.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

const contract = "api/openapi.yaml"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	raw, err := os.ReadFile(contract)
	if err != nil {
		return err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(raw, &document); err != nil {
		return fmt.Errorf("read %s: %w", contract, err)
	}
	descriptions(&document)
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			return nil
		}
		switch filepath.Ext(path) {
		case ".go":
			return source(path)
		case ".html":
			return page(path)
		case ".js":
			return script(path)
		}
		return nil
	})
}

// show prints one text as an item: headings and lists inside are parts of it.
func show(place, text string) {
	fmt.Printf("- %s `%s`\n", strings.Join(strings.Fields(text), " "), place)
}

func descriptions(n *yaml.Node) {
	for i, part := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0 && (part.Value == "description" || part.Value == "summary")
		if key && n.Content[i+1].Kind == yaml.ScalarNode {
			show(fmt.Sprintf("%s:%d", contract, part.Line), n.Content[i+1].Value)
		}
		descriptions(part)
	}
}

func source(path string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	place := func(n ast.Node) string { return fmt.Sprintf("%s:%d", path, set.Position(n.Pos()).Line) }
	for paragraph := range strings.SplitSeq(file.Doc.Text(), "\n\n") {
		if file.Doc != nil && !strings.HasPrefix(paragraph, "\t") { // code
			for part := range strings.SplitSeq(paragraph, "\n  - ") {
				show(place(file.Doc), part)
			}
		}
	}
	if strings.HasPrefix(path, "internal/console/") {
		literals(path, set, file)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				tag, _ := strconv.Unquote(n.Tag.Value)
				if help := reflect.StructTag(tag).Get("help"); help != "" {
					show(place(n.Tag), help)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
				message(n.Value, place(n))
			}
		}
		return true
	})
	return nil
}

// message prints a message that stands in the source, or the format of one.
func message(value ast.Expr, place string) {
	if call, ok := value.(*ast.CallExpr); ok && len(call.Args) > 0 {
		value = call.Args[0]
	}
	if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		text, _ := strconv.Unquote(literal.Value)
		show(place, text)
	}
}

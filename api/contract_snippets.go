package api

import (
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// A snippet is how a request is made in one language.
type snippet struct{ Language, Code string }

// A snippetRequest is what the snippets of an operation send, and what they get.
type snippetRequest struct {
	method, address string
	credentials     bool
	body            string // JSON; empty: none
	file            string // that is sent as it is; empty: none
	saved           string // file that the answer is written to; empty: it is JSON, or nothing
	answers         bool   // the answer has a body
}

// snippets are the request in each language.
func (r snippetRequest) snippets() []snippet {
	return []snippet{{"curl", r.curl()}, {"JavaScript", r.javaScript()}, {"Python", r.python()}}
}

// curl is the request as a command for a shell.
func (r snippetRequest) curl() string {
	words := []string{"curl"}
	if r.method != "GET" && (r.method != "POST" || r.body == "" && r.file == "") {
		words = append(words, "-X "+r.method)
	}
	if r.credentials {
		words = append(words, `-H "Authorization: $TOKEN"`)
	}
	if r.saved != "" {
		words = append(words, "-o "+r.saved)
	}
	words = append(words, quoteShell(r.address))
	switch {
	case r.body != "":
		words = append(words, "-d "+quoteShell(r.body))
	case r.file != "":
		words = append(words, "--data-binary @"+r.file)
	}
	return strings.Join(words, " ")
}

// javaScript is the request as a module of Node.js, or of a browser without files.
func (r snippetRequest) javaScript() string {
	var b strings.Builder
	switch {
	case r.file != "":
		b.WriteString("import { readFile } from \"node:fs/promises\";\n\n")
	case r.saved != "":
		b.WriteString("import { writeFile } from \"node:fs/promises\";\n\n")
	}
	fmt.Fprintf(&b, "const answer = await fetch(%q", r.address)
	var options []string
	if r.method != "GET" {
		options = append(options, fmt.Sprintf("method: %q", r.method))
	}
	if r.credentials {
		options = append(options, "headers: { Authorization: process.env.TOKEN }")
	}
	switch {
	case r.body != "":
		options = append(options, "body: JSON.stringify("+strings.ReplaceAll(r.body, "\n", "\n  ")+")")
	case r.file != "":
		options = append(options, fmt.Sprintf("body: await readFile(%q)", r.file))
	}
	if options != nil {
		b.WriteString(", {\n  " + strings.Join(options, ",\n  ") + ",\n}")
	}
	b.WriteString(");\nif (!answer.ok) throw new Error(await answer.text());\n")
	switch {
	case r.saved != "":
		fmt.Fprintf(&b, "await writeFile(%q, Buffer.from(await answer.arrayBuffer()));", r.saved)
	case r.answers:
		b.WriteString("console.log(await answer.json());")
	}
	return strings.TrimSpace(b.String())
}

// python is the request with the library requests.
func (r snippetRequest) python() string {
	imports := "import requests\n\n"
	if r.credentials {
		imports = "import os\nimport requests\n\n"
	}
	arguments := []string{fmt.Sprintf("%q", r.address)}
	if r.credentials {
		arguments = append(arguments, `headers={"Authorization": os.environ["TOKEN"]}`)
	}
	switch {
	case r.body != "":
		arguments = append(arguments, "json="+strings.ReplaceAll(pythonValue(r.body), "\n", "\n    "))
	case r.file != "":
		arguments = append(arguments, fmt.Sprintf(`data=open(%q, "rb")`, r.file))
	}
	code := fmt.Sprintf("%sanswer = requests.%s(\n    %s,\n    timeout=60,\n)\nanswer.raise_for_status()\n", imports, strings.ToLower(r.method), strings.Join(arguments, ",\n    "))
	switch {
	case r.saved != "":
		code += fmt.Sprintf("open(%q, \"wb\").write(answer.content)", r.saved)
	case r.answers:
		code += "print(answer.json())"
	}
	return strings.TrimSpace(code)
}

// jsonWord finds texts, so that words in them stay, and the words that Python spells
// otherwise.
var jsonWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\btrue\b|\bfalse\b|\bnull\b`)

// pythonValue is a JSON text as Python has it.
func pythonValue(json string) string {
	return jsonWord.ReplaceAllStringFunc(json, func(word string) string {
		switch word {
		case "true":
			return "True"
		case "false":
			return "False"
		case "null":
			return "None"
		}
		return word
	})
}

// Names of files in snippets, by the type of what they hold.
var snippetFiles = map[string]string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "template.docx",
	"application/octet-stream": "file.bin",
	"application/pdf":          "output.pdf",
	"application/xml":          "e-invoice.xml",
	"application/zip":          "files.zip",
	"text/csv":                 "results.csv",
}

// sent is the file that is the body of an operation; empty: the body is JSON, or there
// is none.
func (r contractReader) sent(op *yaml.Node) string {
	content := at(r.deref(at(op, "requestBody")), "content")
	if at(content, "application/json") != nil {
		return ""
	}
	return fileOf(content)
}

// saved is the file that an operation answers.
func (r contractReader) saved(op *yaml.Node) string { return fileOf(r.success(op)) }

// answers tells whether a success has a body.
func (r contractReader) answers(op *yaml.Node) bool { return r.success(op) != nil }

// success is the content of the first successful answer; nil: it has none.
func (r contractReader) success(op *yaml.Node) (content *yaml.Node) {
	each(at(op, "responses"), func(status string, answer *yaml.Node) {
		if strings.HasPrefix(status, "2") && content == nil {
			content = at(r.deref(answer), "content")
		}
	})
	return content
}

func fileOf(content *yaml.Node) (name string) {
	each(content, func(kind string, _ *yaml.Node) {
		if name == "" && kind != "application/json" {
			name = snippetFiles[kind]
		}
	})
	return name
}

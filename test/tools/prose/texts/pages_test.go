package main

import (
	"slices"
	"testing"
)

func TestTextsOfAPage(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`<p>One <b>bold</b> text</p><p>And two</p>`:                            {"One bold text", "And two"},
		`<p>Tried {{.N}} time{{if ne .N 1}}s{{end}} today.</p>`:                {"Tried {value} time", "today."},
		`{{if .Ended}}<p>It ended</p>{{else if .X}}<p>It runs</p>{{end}}`:      {"It ended", "It runs"},
		`<a aria-label="Open {{.Name}}" href="/x"{{if .A}} b{{end}}>The *</a>`: {"Open {value}", `The \*`},
		`<p>Write <code>{{"{{Name}}"}}</code>.</p>`:                            {"Write {value}."},
		`<input placeholder="Your name"><img alt="{{.Alt}}">`:                  {"Your name"},
		`<pre>{{.Data}}</pre><script>let words = "no text";</script>`:          nil,
	} {
		if got := textsOfPage(source); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

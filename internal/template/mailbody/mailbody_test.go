package mailbody_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/platenhq/platen/internal/template/mailbody"
)

func TestATemplateSaysWhatMailsMayNotHave(t *testing.T) {
	t.Parallel()
	for template, says := range map[string]string{
		`<h1>Hello {{Name}}</h1><p style="color: #900; padding:4px 8px">Dear <b>{{Name}}</b>,</p><a href="https://example.com/{{Number}}">it</a>`: "",
		`<!doctype html><html lang="de"><head><meta charset="utf-8"><title>T</title></head><body style="margin:0"><p>x</p></body></html>`:         "",
		`<table>{{#each Items}}<tr><td align="right" colspan=2>{{= NUMBER(Price, 2)}}</td></tr>{{/each}}</table>{{#if A < B}}x{{/if}}`:            "",
		`<a href="{{Link}}">x</a><a href="mailto:ada@example.com">y</a><span style="color: {{Color}}">z</span>`:                                   "",
		`no <b>bold end, 1 < 2`:                                      "",
		`<img src="https://example.com/x.png">`:                      "has <img>",
		`<script>alert(1)</script>`:                                  "has <script>",
		`<style>p {color: red}</style>`:                              "has <style>: set the attribute style",
		`<iframe src=x></iframe>`:                                    "has <iframe>",
		`<form action=x><input></form>`:                              "has <form>",
		`<svg><a></a></svg>`:                                         "has <svg>",
		`<p onclick="x()">`:                                          "the attribute onclick of <p>",
		`<p class="x">`:                                              "the attribute class of <p>",
		`<p {{Attribute}}>`:                                          "a tag in place of an attribute of <p>",
		`<p style="background: url(x)">`:                             "has a style of <p>",
		`<p style="color: red; position: fixed">`:                    "has a style of <p>",
		`<body background="x.png" style="background-image: url(x)">`: "has a style of <body>",
		`<a href="javascript:alert(1)">x</a>`:                        "a link that leads nowhere",
		`<a href="page.html">x</a>`:                                  "a link that leads nowhere",
	} {
		if got := mailbody.Check(template); (got == "") != (says == "") || !strings.Contains(got, says) {
			t.Errorf("%s: got %q, want %q", template, got, says)
		}
	}
}

func TestADocumentHasNothingThatRunsOrIsFetched(t *testing.T) {
	t.Parallel()
	for _, filled := range []string{
		`<p onclick=x onmouseover="y" class=z>x</p>`, `<script>alert(1)</script>`, `<img src=https://example.com/x.png onerror=alert(1)>`, `<a href="java&#115;cript:alert(1)">x</a>`, "<a href='java\tscript:alert(1)'>x</a>",
		`<a href=" javascript:alert(1)">x</a>`, `<a href="data:text/html,x">x</a>`, `<svg><script>alert(1)</script></svg>`, `<math><mi xlink:href="x">x</mi></math>`, `<iframe srcdoc="<script>">`, `<style>@import url(x)</style>`, `<p style="background-color: red; background: url(https://example.com/x)">x</p>`,
		`<p style="width: expression(alert(1))">x</p>`, `<p style="color: \75 rl(x)">x</p>`, `<link rel=stylesheet href=https://example.com/x.css>`, `<base href=https://example.com/>`, `<meta http-equiv=refresh content="0;url=https://example.com/">`, `<body background="https://example.com/x.png" onload=x style="margin:0;background-image:url(x)">x`,
		`<table background="https://example.com/x.png"><tr><td>x</table>`, `<!--[if mso]><img src=x><![endif]-->x`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<textarea><img src=x></textarea>`, `<template><script>x</script></template>`, `<form action=x><button formaction=javascript:x>`, `<video poster=x><source src=x></video>`, `<object data=x>`,
	} {
		got := mailbody.Document(filled, "de-CH")
		if mailbody.Check(got) != "" || strings.Contains(got, "<!--") {
			t.Errorf("%s: got %s, which has %s", filled, got, mailbody.Check(got))
		}
		for _, evil := range []string{"script", "<img", "onerror", "url(", "example.com", "expression", "<style", "<svg", "<!--", "refresh", "background="} {
			if strings.Contains(strings.ToLower(got), evil) {
				t.Errorf("%s: got %s, which has %s", filled, got, evil)
			}
		}
		if mailbody.Document(got, "de-CH") != got {
			t.Errorf("%s: made once more, it is another document", filled)
		}
	}
}

// A parser makes each formatting element that is left open once more in each block, and
// refuses what is nested deeper than 512 elements.
func TestADocumentIsAboutAsLongAsWhatWasWritten(t *testing.T) {
	t.Parallel()
	wide, hidden := "<p>", "<p>"
	for i := range 200 {
		wide += fmt.Sprintf("<b lang=%d>", i)
		hidden += fmt.Sprintf("<<x>b lang=%d>", i)
	}
	for _, filled := range []string{strings.Repeat("<div>", 6000) + "end", wide + strings.Repeat("<p>x", 1000) + "end", hidden + strings.Repeat("<p>x", 1000) + "end", strings.Repeat("<svg><style><b lang=1>", 100) + "</style></svg>end"} {
		got := mailbody.Document(filled, "en")
		if len(got) > 20*len(filled) || !strings.Contains(got, "end") {
			t.Errorf("%.40s… of %d bytes: got %.80s… of %d bytes", filled, len(filled), got, len(got))
		}
	}
}

func TestElementsEndWhereHTMLSaysSo(t *testing.T) {
	t.Parallel()
	for filled, want := range map[string]string{
		"<table>" + strings.Repeat("<tr><td>a<th>b", 100):                                     "<table><tbody>" + strings.Repeat("<tr><td>a</td><th>b</th></tr>", 100) + "</tbody></table>",
		"<table><caption>c<thead><tr><th>a<tbody><tr><td>b</table>end":                        "<table><caption>c</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>end",
		"<ul>" + strings.Repeat("<li>a<ol><li>b</ol>", 100) + "</ul>":                         "<ul>" + strings.Repeat("<li>a<ol><li>b</li></ol></li>", 100) + "</ul>",
		"<dl><dt>a<dd>b<dt>c</dl>":                                                            "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>",
		strings.Repeat("<p>a<br>b", 100):                                                      strings.Repeat("<p>a<br/>b</p>", 100),
		"<b>a<table><tr><td>b</b></p>c</table>d</b>e":                                         "<b>a<table><tbody><tr><td>bc</td></tr></tbody></table>d</b>e",
		"<table><tr><td><table><tr><td>a</table>b<td>c</table>":                               "<table><tbody><tr><td><table><tbody><tr><td>a</td></tr></tbody></table>b</td><td>c</td></tr></tbody></table>",
		"a &lt;b&gt; &amp; 1 < 2 <!-- x --><script>x</script><textarea/><b>y</textarea>c</i>": "a &lt;b&gt; &amp; 1 &lt; 2 c",
	} {
		if got := mailbody.Document(filled, ""); !strings.Contains(got, `">`+want+"</div></body>") {
			t.Errorf("%.60s: got %s, want %s in it", filled, got, want)
		}
	}
}

func FuzzADocumentHasNothingThatRunsOrIsFetched(f *testing.F) {
	f.Add(`<p style="color:red">x<a href="https://example.com/">y</a><table><tr><td>z`)
	f.Add(`<svg><style><img src=x onerror=y></style></svg><math><annotation-xml encoding="text/html"><script>`)
	f.Fuzz(func(t *testing.T, filled string) {
		got := mailbody.Document(filled, "en")
		z := html.NewTokenizer(strings.NewReader(got))
		for z.Next() != html.ErrorToken {
			token := z.Token()
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" && strings.Contains(a.Val, "url(") {
					t.Errorf("%q: got %q", filled, got)
				}
			}
		}
		if fault := mailbody.Check(got); fault != "" {
			t.Errorf("%q: got %q, which %s", filled, got, fault)
		}
		_ = mailbody.Text(got)
	})
}

func TestAMailWithoutALookGetsOurs(t *testing.T) {
	t.Parallel()
	got := mailbody.Document("<p>Grüße &amp; Dank</p>", "de-CH")
	for _, want := range []string{`<!DOCTYPE html><html lang="de-CH"><head><meta charset="utf-8"/>`, "max-width:600px", "<p>Grüße &amp; Dank</p>"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if own := mailbody.Document(`<body style="margin: 0"><p>x</p></body>`, ""); strings.Contains(own, "600px") || !strings.Contains(own, `<html><head>`) || !strings.Contains(own, `<body style="margin:0"><p>x</p></body>`) {
		t.Errorf("with a look of its own: got %s", own)
	}
	if arabic := mailbody.Document("x", "ar"); !strings.Contains(arabic, `<html lang="ar" dir="rtl">`) {
		t.Errorf("got %s, want it from right to left", arabic)
	}
	if linked := mailbody.WithLink(got, "https://drive.example.com/d/1?a=1&b=2", "Invoice <1>.pdf"); !strings.Contains(linked, `Dank</p><p><a href="https://drive.example.com/d/1?a=1&amp;b=2">Invoice &lt;1&gt;.pdf</a></p></div></body>`) {
		t.Errorf("got %s, want the link at its end", linked)
	}
}

func TestATextIsMadeOfTheHTML(t *testing.T) {
	t.Parallel()
	got := mailbody.Text(mailbody.Document(`<h2>Invoice 7</h2>
<p>Dear <b>Ada</b>,<br>see <a href="https://example.com/7">the order</a> or write to <a href="mailto:a@example.com">a@example.com</a>.</p>
<ul><li>Tea<li>Cake</ul><table><tr><td>Tea</td><td>3.00</td></tr><tr><td>Sum</td><td>3.00</td></tr></table><hr><pre>a
  b</pre><div>Bye</div><div>Carl</div>`, "en"))
	const want = `Invoice 7

Dear Ada,
see the order (https://example.com/7) or write to a@example.com.

- Tea
- Cake

Tea  3.00
Sum  3.00

----

a
  b

Bye
Carl
`
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

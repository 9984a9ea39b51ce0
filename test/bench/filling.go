package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/template/lang"
)

const (
	manyTags = 200
	manyRows = 500
)

// measureFilling: what a template of many tags and rows costs to fill – read,
// composed, edited and written – in processor time and in memory.
func measureFilling(ctx context.Context, b *bench) error {
	template, err := manyTemplate()
	if err != nil {
		return err
	}
	event := manyEvent()
	do := func() error { return fillMany(template, event) }
	if err := do(); err != nil {
		return err
	}
	var times, sizes []float64
	for range b.rounds {
		n, begun, used, allocated := 0, time.Now(), processorTimeHere(), allocatedHere()
		for time.Since(begun) < b.round/4 {
			if err := errors.Join(ctx.Err(), do()); err != nil {
				return fmt.Errorf("fill many rows: %w", err)
			}
			n++
		}
		times = append(times, milliseconds(processorTimeHere()-used)/float64(n))
		sizes = append(sizes, float64(allocatedHere()-allocated)/float64(n)/(1<<20))
	}
	name := fmt.Sprintf("%d tags and a table of %d rows, fill", manyTags, manyRows)
	b.report.add(name+", CPU", "ms", times, atMost(50))
	b.report.add(name+", memory allocated in all", "MiB", sizes, atMost(64))
	return nil
}

func processorTimeHere() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func allocatedHere() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func fillMany(template, event []byte) error {
	data, err := lang.ParseData(event)
	if err != nil {
		return err
	}
	_, err = fillDocument(template, lang.NewEvaluator(data, lang.Builtins{}))
	return err
}

func manyEvent() []byte {
	var fields, items []string
	for i := range manyTags {
		fields = append(fields, fmt.Sprintf(`"Field %d": "value %d"`, i, i))
	}
	for i := range manyRows {
		items = append(items, fmt.Sprintf(`{"No": %d, "Name": "Item %d", "Qty": %d, "Price": "%d.50"}`, i, i, i%7, i))
	}
	return []byte("{" + strings.Join(fields, ",") + `,"Items":[` + strings.Join(items, ",") + "]}")
}

// manyTemplate is a .docx with nothing but what is measured.
func manyTemplate() ([]byte, error) {
	paragraph := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	row := func(texts ...string) string {
		cells := ""
		for _, text := range texts {
			cells += `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>` + paragraph(text) + "</w:tc>"
		}
		return "<w:tr>" + cells + "</w:tr>"
	}
	body := ""
	for i := range manyTags {
		body += paragraph(fmt.Sprintf("Text before {{Field %d}} and behind it.", i))
	}
	body += "<w:tbl><w:tblGrid>" + strings.Repeat(`<w:gridCol w:w="2000"/>`, 4) + "</w:tblGrid>" + row("No", "Name", "Qty", "Sum") +
		row("{{Items.No}}", "{{Items.Name}}", "{{Items.Qty}}", "{{= Items.Qty * Items.Price}}") +
		row("", "", "", "{{= SUM(Items.Qty * Items.Price)}}") + "</w:tbl>" + paragraph("end")
	const relationships = "http://schemas.openxmlformats.org/package/2006/relationships"
	const officeDocument = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + relationships + `"><Relationship Id="d" Type="` + officeDocument + `" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body + "</w:body></w:document>"},
	} {
		w, err := z.Create(part[0])
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(part[1])); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

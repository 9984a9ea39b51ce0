package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A row is what compare.py says of one file.
type row struct {
	file      string
	ref, ours int // pages
	figures   map[string]float64
}

// columns are compare.py's figures in its order: shares of words that agree as
// a bag, in sequence, on the same page, within 2 and 10 points of their place,
// and the likeness of the blurred pages.
var columns = []string{"bag", "seq", "same", "p2", "p10", "ssim"}

// A line of compare.py begins with at most 60 bytes of the PDF's name.
var line = regexp.MustCompile(`^(.+) \((\d+), (\d+)\) (bag .*)$`)

func compare(ctx context.Context, o options, kind, out string) ([]row, error) {
	cmd := exec.CommandContext(ctx, o.Python, filepath.Join(o.Corpus, "compare.py"), filepath.Join(o.Corpus, "ref"), out, kind)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run compare.py, which needs numpy, PIL and poppler-utils: %w", err)
	}
	rows, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("compare.py found nothing to compare: %s", bytes.TrimSpace(text))
	}
	return rows, nil
}

func parse(text []byte) ([]row, error) {
	var rows []row
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if _, failed, ok := strings.Cut(s.Text(), " ERR "); ok {
			return nil, fmt.Errorf("compare.py failed for a file: %s", failed)
		}
		m := line.FindStringSubmatch(s.Text())
		if m == nil {
			continue // the means, which we take ourselves
		}
		r := row{file: strings.TrimSuffix(m[1], ".pdf"), figures: map[string]float64{}}
		r.ref, _ = strconv.Atoi(m[2])
		r.ours, _ = strconv.Atoi(m[3])
		fields := strings.Fields(m[4])
		for i := 0; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i+1], 64)
			if err != nil {
				return nil, fmt.Errorf("read a figure of compare.py: %w", err)
			}
			r.figures[fields[i]] = value
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func matching(rows []row, pattern *regexp.Regexp) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !pattern.MatchString(r.file) })
}

func printTable(w io.Writer, kind string, rows []row, converted map[string]conversion) {
	fmt.Fprintf(w, "\n%-60s %9s", "."+kind, "pages")
	for _, c := range columns {
		fmt.Fprintf(w, " %6s", c)
	}
	fmt.Fprintf(w, " %7s  findings\n", "CPU ms")
	for _, r := range rows {
		printRow(w, r)
		for name, c := range converted {
			if strings.HasPrefix(name, r.file) {
				codes := []string{}
				for _, f := range c.findings {
					codes = append(codes, f.Code)
				}
				fmt.Fprintf(w, " %7d  %s", c.cpu.Milliseconds(), strings.Join(slices.Compact(codes), " "))
			}
		}
		fmt.Fprintln(w)
	}
}

func printRow(w io.Writer, r row) {
	fmt.Fprintf(w, "%-60.60s %4d/%4d", r.file, r.ours, r.ref)
	for _, c := range columns {
		fmt.Fprintf(w, " %6.3f", r.figures[c])
	}
}

func printMeans(w io.Writer, name string, rows []row) {
	if len(rows) == 0 {
		return
	}
	equal := 0
	mean := row{file: fmt.Sprintf("mean of %s (%d)", name, len(rows)), figures: map[string]float64{}}
	for _, r := range rows {
		if r.ref == r.ours {
			equal++
		}
		for c, v := range r.figures {
			mean.figures[c] += v / float64(len(rows))
		}
	}
	mean.ours, mean.ref = equal, len(rows)
	printRow(w, mean)
	fmt.Fprintln(w)
}

func printWorst(w io.Writer, rows []row, n int) {
	worst := slices.SortedFunc(slices.Values(rows), func(a, b row) int { return cmp.Compare(a.figures["bag"], b.figures["bag"]) })
	fmt.Fprintf(w, "\nThe lowest bags:\n")
	for _, r := range worst[:min(n, len(worst))] {
		printRow(w, r)
		fmt.Fprintln(w)
	}
}

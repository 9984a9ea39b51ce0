package client

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"
)

// pageLimit is how many entries of a list are read at a time, unless its query says it.
const pageLimit = 200

var nextPage = regexp.MustCompile(`<([^>]*)>; *rel="?next"?`)

// A Page is one page of a list. Next is the Cursor of the next one; empty: there is none.
type Page struct {
	Limit        int    // most entries; 0: 200
	Cursor, Next string // of the API; an empty Cursor: the first page
}

type onePage struct{}

// WithPage has the next list read this page alone, and set its Next.
func WithPage(ctx context.Context, p *Page) context.Context {
	return context.WithValue(ctx, onePage{}, p)
}

// list reads a list page by page, as far as its reader goes. It ends with the first
// error, which comes with an empty entry.
func list[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		one, _ := ctx.Value(onePage{}).(*Page)
		if one != nil {
			query = maps.Clone(query)
			maps.Copy(query, values("limit", one.Limit, "cursor", one.Cursor))
		}
		if !query.Has("limit") {
			query.Set("limit", strconv.Itoa(pageLimit))
		}
		for at := query; at != nil; {
			var page []T
			header, err := c.ask(ctx, request{method: http.MethodGet, path: path, query: at}, &page)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
			}
			at = following(header)
			if one != nil {
				one.Next = at.Get("cursor")
				return
			}
		}
	}
}

// following is the query of the next page; nil: there is none. Its address is not
// followed: the token goes to the client's own address alone.
func following(header http.Header) url.Values {
	found := nextPage.FindStringSubmatch(header.Get("Link"))
	if found == nil {
		return nil
	}
	u, err := url.Parse(found[1])
	if err != nil {
		return nil
	}
	return u.Query()
}

// values is a query with what is set.
func values(pairs ...any) url.Values {
	all := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name := pairs[i].(string)
		switch v := pairs[i+1].(type) {
		case string:
			if v != "" {
				all.Set(name, v)
			}
		case []string:
			all[name] = v
		case time.Time:
			if !v.IsZero() {
				all.Set(name, v.UTC().Format(time.RFC3339Nano))
			}
		case bool:
			switch {
			case v && name == "order":
				all.Set(name, "newest")
			case v:
				all.Set(name, "true")
			}
		case int:
			if v > 0 {
				all.Set(name, strconv.Itoa(v))
			}
		}
	}
	return all
}

// Collect reads a whole list, or those entries before an error.
func Collect[T any](entries iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for entry, err := range entries {
		if err != nil {
			return all, err
		}
		all = append(all, entry)
	}
	return all, nil
}

func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var v T
	_, err := c.ask(ctx, request{method: http.MethodGet, path: path}, &v)
	return v, err
}

// post asks for what happens once.
func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	var v T
	_, err := c.ask(ctx, request{method: http.MethodPost, path: path, body: body, keyed: true}, &v)
	return v, err
}

func patch[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	var v T
	_, err := c.ask(ctx, request{method: http.MethodPatch, path: path, body: body}, &v)
	return v, err
}

// remove sends a DELETE that is not repeated: a repeat would be answered 404.
func remove(ctx context.Context, c *Client, path string) error {
	_, err := c.ask(ctx, request{method: http.MethodDelete, path: path}, nil)
	return err
}

func workflowPath(id string) string { return "/workflows/" + url.PathEscape(id) + "/" }

func documentPath(workflowID, id string) string {
	return workflowPath(workflowID) + "documents/" + url.PathEscape(id) + "/"
}

func automationPath(workflowID, id string) string {
	return workflowPath(workflowID) + "automations/" + url.PathEscape(id) + "/"
}

func eventPath(workflowID, id string) string {
	return workflowPath(workflowID) + "events/" + url.PathEscape(id) + "/"
}

func versionPath(workflowID, documentID, id string) string {
	return documentPath(workflowID, documentID) + "versions/" + url.PathEscape(id) + "/"
}

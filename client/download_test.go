package client_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/platenhq/platen/client"
)

func TestAPDFOfABatchIsWrittenWhileItComes(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Query().Get("rows") {
		case "":
			_, _ = io.WriteString(w, "%PDF of all") // the client tells
		case "1-5":
			_, _ = io.WriteString(w, "%PDF of")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":"outputs_encrypted","detail":"They have passwords."}`)
		}
	}))
	t.Cleanup(s.Close)
	c, err := client.New(client.Options{Address: s.URL + "/v0", Token: "plt_token"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.BatchPDF(t.Context(), "wkf_1", "bat_1", client.RowRange{}, &out); err != nil || out.String() != "%PDF of all" {
		t.Errorf("got %q and %v, want the PDF", out.String(), err)
	}
	if err := c.BatchPDF(t.Context(), "wkf_1", "bat_1", client.RowRange{First: 1, Last: 5}, io.Discard); err == nil {
		t.Error("a PDF that is cut off is no error")
	}
	if err := c.BatchPDF(t.Context(), "wkf_1", "bat_1", client.RowRange{First: 6, Last: 9}, io.Discard); client.CodeOf(err) != "outputs_encrypted" {
		t.Errorf("got %v, want what the API says", err)
	}
	if asked != 3 {
		t.Errorf("it asked %d times, want once each: what is written cannot be taken back", asked)
	}
}

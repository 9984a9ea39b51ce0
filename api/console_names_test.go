package api

import "testing"

func TestOutputsAreFoundByTheirNameInTheConsole(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	_, err := x.db.Pool().Exec(t.Context(), `
		UPDATE outputs
		SET state = 'DONE', pdf = '{"name": "Invoice 17 <b>Kiel</b>.pdf", "id": "f", "url": "https://drive.test/f"}'
		WHERE id = $1`, me.ids["output"])
	x.must(t, err)
	b, page, run := x.console(t).signIn(me.token), "/console/workflows/"+me.ids["workflow"]+"/outputs/", "/runs/"+me.ids["automation"]+"/"
	for _, query := range []string{"?q=Kiel", "?q=kiel+17&state=DONE", "?q=INVOICE+"} {
		b.get(page+query).is(200).shows(run, "Invoice 17 &lt;b&gt;Kiel&lt;/b&gt;.pdf").lacks("<b>Kiel")
	}
	for _, query := range []string{"?q=Hamburg", "?q=Kiel+18", "?q=Kiel&state=FAILED", "?q=Kiel&to=2020-01-01"} {
		b.get(page + query).is(200).shows("Nothing.").lacks(run)
	}
	b.get(page+"?q=Kiel&from=2020-01-01").is(200).shows(run, "?from=2020-01-01&amp;q=Kiel&amp;state=FAILED")
}

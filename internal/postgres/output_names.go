package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// outputsByName are those of a list whose name has each word of query.Name.
func (s *Outputs) outputsByName(ctx context.Context, of outputScope, query platen.OutputQuery, args pgx.NamedArgs) ([]platen.Output, error) {
	args["name"] = query.Name
	words, err := Collect[struct{ Word string }](ctx, s.db.pool, searchWords(of), args)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.Word
	}
	args["words"], args["word"], args["others"] = all, all[0], all[1:]
	return collectOutputs(ctx, s.db.pool, namedOutputs(of, query), boundedPageArgs(query.Page, args))
}

// namedOutputs reads what has the rarest word; of states that few outputs have, those.
func namedOutputs(of outputScope, query platen.OutputQuery) string {
	if len(query.States) > 0 && !slices.Contains(query.States, platen.OutputDone) {
		return outputsIn(of, query)
	}
	return outputsOfWord(of, query)
}

// hasWords tells whether the name of an output has all words of a list.
func hasWords(list, output, id string) string {
	return `NOT EXISTS (
						SELECT
						FROM unnest(` + list + `::text[]) other
						WHERE NOT EXISTS (
							SELECT
							FROM output_words x
							WHERE x.document_id = ` + output + `.document_id AND x.word = other AND x.created_at = ` + output + `.created_at AND x.output_id = ` + output + `.` + id + `
						)
					)`
}

// searchWords are the words of a search, the rarest first: the list reads what has
// that one. A thousand is as good as many.
func searchWords(of outputScope) string {
	return `
	SELECT asked.word
	FROM unnest(words_of(@name)) AS asked (word)
	CROSS JOIN LATERAL (
		SELECT count(*) AS found
		FROM (
			SELECT
			FROM ` + of.documents + `
			JOIN output_words w ON w.document_id = d.id AND w.word = asked.word
			WHERE ` + of.which + `
			LIMIT 1000
		) first_ones
	) counted
	ORDER BY found, word`
}

func outputsOfWord(of outputScope, query platen.OutputQuery) string {
	backwards, narrower := direction(query.Page), ""
	if len(query.IDs) > 0 {
		narrower = `
					AND w.output_id = ANY (@ids::text[])`
	}
	narrower += mailsOf(query.Mails, "w.output_id", "output_id", "d.workflow_id")
	batch := ""
	if query.Batch != "" {
		batch = ofBatch("t.automation_id")
	}
	return selectOutput + `
		WHERE o.id IN (
			SELECT of_document.output_id
			FROM ` + of.documents + `
			CROSS JOIN LATERAL (
				SELECT w.output_id
				FROM output_words w
				WHERE w.document_id = d.id AND w.word = @word AND (w.created_at, w.output_id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)` +
		between("w.created_at", query.Since, query.Until) + narrower + `
					AND EXISTS (SELECT FROM outputs t WHERE t.id = w.output_id AND ` + only("t.state", query.States) + testsOrByID("t.test", query.Test, query.IDs) + batch + `)
					AND ` + hasWords("@others", "w", "output_id") + `
				ORDER BY w.created_at` + backwards + `, w.output_id` + backwards + `
				LIMIT @limit
			) of_document
			WHERE ` + of.which + `
		)
		ORDER BY o.created_at` + backwards + `, o.id` + backwards + `
		LIMIT @limit`
}

// between bounds a time as a query does.
func between(column string, since, until time.Time) (condition string) {
	if !since.IsZero() {
		condition = `
					AND ` + column + ` >= @since`
	}
	if !until.IsZero() {
		condition += `
					AND ` + column + ` < @until`
	}
	return condition
}

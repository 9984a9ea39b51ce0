package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// outputsByName are those of WorkflowOutputs whose name has each word of query.Name.
func (s *Outputs) outputsByName(ctx context.Context, workflowID string, query platen.OutputQuery) ([]platen.Output, error) {
	if len(query.States) > 0 && !slices.Contains(query.States, platen.OutputDone) {
		return nil, nil // nothing else has a name yet
	}
	words, err := Collect[struct{ Word string }](ctx, s.db.pool, searchWords, pgx.NamedArgs{"workflow_id": workflowID, "name": query.Name})
	if err != nil || len(words) == 0 {
		return nil, err
	}
	others := make([]string, len(words)-1)
	for i, w := range words[1:] {
		others[i] = w.Word
	}
	return collectOutputs(ctx, s.db.pool, outputsOfWord(query), boundedPageArgs(query.Page, pgx.NamedArgs{
		"workflow_id": workflowID, "word": words[0].Word, "others": others, "ids": query.IDs, "since": query.Since, "until": query.Until, "mails": query.Mails,
	}))
}

// searchWords are the words of a search, the rarest first: the list reads what has
// that one. A thousand is as good as many.
const searchWords = `
	SELECT asked.word
	FROM unnest(words_of(@name)) AS asked (word)
	CROSS JOIN LATERAL (
		SELECT count(*) AS found
		FROM (
			SELECT
			FROM documents d
			JOIN output_words w ON w.document_id = d.id AND w.word = asked.word
			WHERE d.workflow_id = @workflow_id
			LIMIT 1000
		) first_ones
	) counted
	ORDER BY found, word`

func outputsOfWord(query platen.OutputQuery) string {
	backwards, narrower := direction(query.Page), ""
	if len(query.IDs) > 0 {
		narrower = `
					AND w.output_id = ANY (@ids::text[])`
	}
	narrower += mailsOf(query.Mails, "w.output_id", "output_id", "@workflow_id")
	return selectOutput + `
		WHERE o.id IN (
			SELECT of_document.output_id
			FROM documents d
			CROSS JOIN LATERAL (
				SELECT w.output_id
				FROM output_words w
				WHERE w.document_id = d.id AND w.word = @word AND (w.created_at, w.output_id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)` +
		between("w.created_at", query.Since, query.Until) + narrower + `
					AND EXISTS (SELECT FROM outputs t WHERE t.id = w.output_id` + testsOrByID("t.test", query.Test, query.IDs) + `)
					AND NOT EXISTS (
						SELECT
						FROM unnest(@others::text[]) other
						WHERE NOT EXISTS (
							SELECT
							FROM output_words x
							WHERE x.document_id = w.document_id AND x.word = other AND x.created_at = w.created_at AND x.output_id = w.output_id
						)
					)
				ORDER BY w.created_at` + backwards + `, w.output_id` + backwards + `
				LIMIT @limit
			) of_document
			WHERE d.workflow_id = @workflow_id
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

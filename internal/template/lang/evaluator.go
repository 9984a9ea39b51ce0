package lang

import (
	"time"

	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/locale"
)

// An Evaluator works out the tags of a template for one source
// event. It notes what is missing or wrong on the way, so use one for each
// document. It is not safe for concurrent use.
//
// Each of its parts has a file of its own: what tags
// show (show.go), what blocks and rows are filled for (blocks.go), what
// names are worth (resolve.go, scope.go), and how formulas are worked out
// (evaluate.go).
type Evaluator struct {
	*resolver
	*syntax.Reader
	functions functions
	formats
	gallery
	budget
	missing
	findings
	doubts
	reckoned map[signedKey]bool // what looked like reckoning and is no name
	keeps    *Scope             // of KeepFor
	includes bool               // tags of other documents came up
	blanks   int                // names of formulas without a value, but where none is asked for

	isCautious bool // the condition of an IF asks for values, too
}

// NewEvaluator begins the filling of one document.
func NewEvaluator(data *Data, builtins Builtins) *Evaluator {
	own := Data{root: &object{}}
	if data != nil {
		own = *data
	}
	own.visits, own.known = 0, map[seekKey]sought{}
	e := &Evaluator{
		resolver: newResolver(&own, builtins),
		formats:  formats{locales: map[string]*locale.Locale{}, calendars: map[string]locale.Calendar{}, zones: map[string]*time.Location{}},
		gallery:  gallery{pictures: map[pictureKey]obtainedPicture{}},
		missing:  missing{within: map[string]string{}},
		findings: findings{known: map[string]bool{}},
		reckoned: map[signedKey]bool{},
	}
	e.Reader = syntax.NewReader(sources{e.resolver}, &e.functions)
	return e
}

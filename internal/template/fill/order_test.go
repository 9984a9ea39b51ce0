package fill

import (
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestAKeyThatCannotBeWorkedOutIsTheFaultOfItsEvent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"Customer": {"Number": 17}}`: "17",
		`{"Customer": {"Number": {}}}`: "",
		`[]`:                           "",
		`{"Customer": `:                "",
	} {
		got, err := Key("Customer.Number", platen.OrderedEvent{PastEvent: platen.PastEvent{AutomationID: "aut_1", Body: []byte(body)}}, time.UTC)
		var e *platen.Error
		if isFaulty := errors.As(err, &e) && e.Code == platen.CodeOrderFaulty; got != want || isFaulty != (want == "") {
			t.Errorf("%s: got %q and %v, want %q", body, got, err, want)
		}
	}
}

package worker

import (
	"strings"

	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// Failures is the converter of failures for every client whose workers run
// our code: histories keep nothing of a panic, neither its value, which may be
// of anybody's data, nor its stack. Panics of steps do not come so far; those of
// workflow code do, and the SDK writes them into the failed workflow task.
func Failures() converter.FailureConverter {
	return failures{temporal.GetDefaultFailureConverter()}
}

type failures struct{ converter.FailureConverter }

// typePanic is what the SDK calls the failure of a panic.
const typePanic = "PanicError"

// ofTheSDK begins the SDK's own panics: that the code does not fit the history
// (TMPRL1100), or that a workflow does not yield (TMPRL1101). They name events,
// steps and ids, and are what an operator has to see.
const ofTheSDK = "[TMPRL"

func (f failures) ErrorToFailure(err error) *failurepb.Failure {
	failure := f.FailureConverter.ErrorToFailure(err)
	for at := failure; at != nil; at = at.GetCause() {
		if at.GetApplicationFailureInfo().GetType() != typePanic {
			continue
		}
		at.StackTrace = ""
		if !strings.HasPrefix(at.GetMessage(), ofTheSDK) {
			at.Message = "panic; the worker's log says where"
		}
	}
	return failure
}

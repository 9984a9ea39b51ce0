package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// FilesWorkflowID is the id of DeliverFiles for an output at a target.
func FilesWorkflowID(key platen.PlacementKey) string { return "files-" + key.ID() }

// DeliverFilesInput names an output, and the target that is to have it.
type DeliverFilesInput struct {
	Step     activities.Step
	Owner    string
	TargetID string
}

// DeliverFiles tries to store the files of an output at a target for a day, then gives it
// up. The run of the output has ended: what is recorded with the output starts this one.
// Cancelling it gives the target up.
func DeliverFiles(ctx workflow.Context, in DeliverFilesInput) error {
	input := activities.FilesInput{Step: in.Step, TargetID: in.TargetID, OwnerID: in.Owner}
	err := ofTargets.regular(ctx, "store the files", in.Owner, targets.StoreFiles, input, nil)
	if err == nil {
		return nil
	}
	failure := activities.FilesFailure{FilesInput: input}
	failure.Code, failure.Message = whyNotStored(err)
	if failure.Code == platen.CodeTargetTurn { // the day of a large batch is over before its turn
		return workflow.NewContinueAsNewError(ctx, DeliverFiles, in)
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return ofRecords.step(ctx, "give the target up", in.Owner, targets.GiveUpFiles, failure, nil)
}

// whyNotStored returns the code and the words of a placement that is given up.
func whyNotStored(err error) (code, message string) {
	var application *temporal.ApplicationError
	switch {
	case temporal.IsCanceledError(err):
		return platen.CodeCancelled, "The storing was cancelled before the target had the output."
	case errors.As(err, &application) && application.NonRetryable():
		return application.Type(), application.Message()
	case application != nil:
		return application.Type(), application.Message() + " It was given up after a day of tries."
	}
	return platen.CodeGaveUp, "The output could not be stored within a day of tries."
}

// Package workercomponent adds nothing to the workers of Temporal's server: its own adds
// the workflows that start workers in a cloud.
package workercomponent

import "go.uber.org/fx"

// Module is empty.
var Module = fx.Options()

// Package client answers Temporal's server as its own does where nobody configured
// workers in a cloud: there are none, and none can be made.
package client

import (
	"context"

	deploymentpb "go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Module provides a Client.
var Module = fx.Options(fx.Provide(func() Client { return none{} }))

// Client has the calls that the server makes.
type Client interface {
	DescribeWorkerControllerInstance(ctx context.Context, in *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error)
	UpdateWorkerControllerInstance(ctx context.Context, in *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion, conflictToken []byte, identity string, upsert map[string]iface.ScalingGroupSpecUpdate, remove []string) (*iface.UpdateWorkerControllerInstanceResponse, error)
	ValidateWorkerControllerInstanceSpec(ctx context.Context, in *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion, identity string, upsert map[string]iface.ScalingGroupSpecUpdate, remove []string) error
	DeleteWorkerControllerInstance(ctx context.Context, in *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion, identity string) error
}

const absent = "workers in a cloud are not part of this Temporal"

type none struct{}

func (none) DescribeWorkerControllerInstance(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, serviceerror.NewNotFound(absent)
}

func (none) UpdateWorkerControllerInstance(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, []byte, string, map[string]iface.ScalingGroupSpecUpdate, []string) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, serviceerror.NewInvalidArgument(absent)
}

func (none) ValidateWorkerControllerInstanceSpec(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string, map[string]iface.ScalingGroupSpecUpdate, []string) error {
	return serviceerror.NewInvalidArgument(absent)
}

func (none) DeleteWorkerControllerInstance(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string) error {
	return nil
}

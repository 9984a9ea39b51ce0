package temporal

import (
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	// clusterName is Temporal's own default. It is stored with every namespace
	// and must never change.
	clusterName = "active"

	// Fixed for the life of a data directory. Every shard polls, so a machine
	// that runs everything keeps their number low.
	historyShards = 4
)

func newServer(p places, s stores, log logger) (temporal.Server, error) {
	return temporal.NewServer(
		temporal.WithConfig(serverConfig(p, s)),
		temporal.ForServices(temporal.DefaultServices),
		// All services are here: no gossip, and nothing that an earlier start
		// on other ports left in the membership table matters.
		temporal.WithStaticHosts(map[primitives.ServiceName]static.Hosts{
			primitives.FrontendService: static.SingleLocalHost(p.frontend.String()),
			primitives.HistoryService:  static.SingleLocalHost(p.history.String()),
			primitives.MatchingService: static.SingleLocalHost(p.matching.String()),
			primitives.WorkerService:   static.SingleLocalHost(p.worker.String()),
		}),
		temporal.WithLogger(log),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithDynamicConfigClient(dynamicSettings()),
	)
}

func serverConfig(p places, s stores) *config.Config {
	const disabled = "disabled"
	service := func(at place) config.Service {
		return config.Service{RPC: config.RPC{GRPCPort: at.port, BindOnIP: at.ip}}
	}
	return &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: p.history.ip},
		},
		Services: map[string]config.Service{
			string(primitives.FrontendService): service(p.frontend),
			string(primitives.HistoryService):  service(p.history),
			string(primitives.MatchingService): service(p.matching),
			string(primitives.WorkerService):   service(p.worker),
		},
		PublicClient:        config.PublicClient{HostPort: p.frontend.String()},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: disabled},
			Visibility: config.VisibilityArchival{State: disabled},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: disabled},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: disabled},
		}},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: p.frontend.String()},
			},
		},
		Persistence: config.Persistence{
			DefaultStore:     "default",
			VisibilityStore:  "visibility",
			NumHistoryShards: historyShards,
			DataStores: map[string]config.DataStore{
				"default":    {SQL: s.main.config()},
				"visibility": {SQL: s.visibility.config()},
			},
		},
	}
}

// dynamicSettings must hold ints where the server wants numbers: it ignores a
// float64 in silence.
func dynamicSettings() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		// The default of 20 a second adds up to 50 ms to every dispatch.
		dynamicconfig.TransferProcessorMaxPollRPS.Key(): 1000,
		// A run that ends within a second need not be entered into the list of
		// runs twice, as open and as closed; the list is as much behind.
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): 1,
		// One partition has no forwarding between partitions, and makes turns
		// between fairness keys exact.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		dynamicconfig.MatchingEnableFairness.Key():              true,
		// The defaults of this version, on which our throughput rests.
		dynamicconfig.EnableEagerWorkflowStart.Key():     true,
		dynamicconfig.EnableActivityEagerExecution.Key(): true,
		// Nothing on this machine calls out unasked.
		dynamicconfig.EnableServerVersionCheck.Key(): false,
	}
}

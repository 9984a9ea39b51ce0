package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
	"go.temporal.io/server/tools/common/schema"
	sqltool "go.temporal.io/server/tools/sql"
)

// partitions of a queue are the server's default.
const partitions = 4

// settings are the one that docs/production.md asks for; the rest are the defaults.
var settings = dynamicconfig.StaticClient{
	dynamicconfig.MatchingEnableFairness.Key():   true,
	dynamicconfig.EnableServerVersionCheck.Key(): false,
}

// start starts a Temporal on two new databases of a Postgres server, and returns where it
// answers.
func start(ctx context.Context, server string) (temporal.Server, string, error) {
	at, err := url.Parse(server)
	if err != nil {
		return nil, "", err
	}
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "fatal"}))
	stores := map[string]config.DataStore{}
	for name, folder := range map[string]string{"default": "postgresql/v12/temporal", "visibility": "postgresql/v12/visibility"} {
		store := func() *config.SQL { return sqlStore(at, fmt.Sprintf("temporal_%d_%s", os.Getpid(), name)) }
		if err := database(ctx, at, store().DatabaseName); err != nil {
			return nil, "", err
		}
		conn, err := sqltool.NewConnection(store(), logger)
		if err != nil {
			return nil, "", err
		}
		if err := schema.NewSetupSchemaTask(conn, &schema.SetupConfig{InitialVersion: "0.0"}, logger).Run(); err != nil {
			return nil, "", err
		}
		if err := schema.NewUpdateSchemaTask(conn, &schema.UpdateConfig{DBName: store().DatabaseName, SchemaName: folder}, logger).Run(); err != nil {
			return nil, "", err
		}
		conn.Close()
		stores[name] = config.DataStore{SQL: store()}
	}
	ports, err := freePorts(4)
	if err != nil {
		return nil, "", err
	}
	hosts, services := map[primitives.ServiceName]static.Hosts{}, map[string]config.Service{}
	for i, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		hosts[name] = static.SingleLocalHost(fmt.Sprintf("127.0.0.1:%d", ports[i]))
		services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: ports[i], BindOnIP: "127.0.0.1"}}
	}
	frontend := fmt.Sprintf("127.0.0.1:%d", ports[0])
	s, err := temporal.NewServer(
		temporal.WithConfig(cluster1(frontend, services, stores)), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(logger), temporal.WithDynamicConfigClient(settings),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
	)
	if err != nil {
		return nil, "", err
	}
	return s, frontend, s.Start()
}

func sqlStore(at *url.URL, name string) *config.SQL {
	password, _ := at.User.Password()
	return &config.SQL{
		PluginName: postgresql.PluginNamePGX, ConnectAddr: at.Host, User: at.User.Username(), Password: password, DatabaseName: name,
		MaxConns: 20, MaxIdleConns: 20, MaxConnLifetime: time.Hour,
	}
}

func cluster1(frontend string, services map[string]config.Service, stores map[string]config.DataStore) *config.Config {
	const name, disabled = "active", "disabled"
	return &config.Config{
		Global:              config.Global{Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"}},
		Services:            services,
		PublicClient:        config.PublicClient{HostPort: frontend},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival:            config.Archival{History: config.HistoryArchival{State: disabled}, Visibility: config.VisibilityArchival{State: disabled}},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History: config.HistoryArchivalNamespaceDefaults{State: disabled}, Visibility: config.VisibilityArchivalNamespaceDefaults{State: disabled},
		}},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: name, CurrentClusterName: name,
			ClusterInformation: map[string]cluster.ClusterInformation{name: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend}},
		},
		Persistence: config.Persistence{DefaultStore: "default", VisibilityStore: "visibility", NumHistoryShards: 4, DataStores: stores},
	}
}

package temporal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	persistencepb "go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/serialization"
	persistencesql "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/searchattribute/sadefs"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ensureNamespace writes the namespace with its search attributes straight to
// the store, before any service runs: through the API they become usable only
// when the caches of four services have been refreshed, seconds later.
func (s store) ensureNamespace(ctx context.Context, o Options, log logger) error {
	db, err := persistencesql.NewSQLDB(sqlplugin.DbKindMain, s.config(), resolver.NewNoopResolver(), log, metrics.NoopMetricsHandler)
	if err != nil {
		return fmt.Errorf("open database %s: %w", s.database, err)
	}
	defer db.Close()
	rows, err := db.SelectFromNamespace(ctx, sqlplugin.NamespaceFilter{Name: &o.Namespace})
	if errors.Is(err, sql.ErrNoRows) {
		o.Progress("creating namespace " + o.Namespace)
		return s.createNamespace(o)
	}
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("%d rows", len(rows))
	}
	if err != nil {
		return fmt.Errorf("read namespace %s: %w", o.Namespace, err)
	}
	if err := addSearchAttributes(ctx, db, rows[0], o.SearchAttributes); err != nil {
		return fmt.Errorf("search attributes of namespace %s: %w", o.Namespace, err)
	}
	return nil
}

func (s store) createNamespace(o Options) error {
	namespace, err := sqliteschema.NewNamespaceConfig(clusterName, o.Namespace, false, o.SearchAttributes)
	if err != nil {
		return fmt.Errorf("describe namespace %s: %w", o.Namespace, err)
	}
	namespace.Detail.Config.Retention = durationpb.New(o.Retention)
	// Works on every SQL store, in spite of its package's name.
	if err := sqliteschema.CreateNamespaces(s.config(), namespace); err != nil {
		return fmt.Errorf("create namespace %s: %w", o.Namespace, err)
	}
	return nil
}

func addSearchAttributes(ctx context.Context, db sqlplugin.DB, row sqlplugin.NamespaceRow, want map[string]enums.IndexedValueType) (err error) {
	serializer := serialization.NewSerializer()
	encoding, err := enums.EncodingTypeFromString(row.DataEncoding)
	if err != nil {
		return err
	}
	detail, err := serializer.NamespaceDetailFromBlob(&commonpb.DataBlob{EncodingType: encoding, Data: row.Data})
	if err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	if detail.Config == nil {
		detail.Config = &persistencepb.NamespaceConfig{}
	}
	before := detail.Config.CustomSearchAttributeAliases
	aliases, err := assignFields(before, want)
	if err != nil || len(aliases) == len(before) {
		return err
	}
	detail.Config.CustomSearchAttributeAliases = aliases
	detail.ConfigVersion++

	tx, err := db.BeginTx(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	version, err := tx.LockNamespaceMetadata(ctx)
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	blob, err := serializer.NamespaceDetailToBlob(detail)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	row.Data, row.DataEncoding, row.NotificationVersion = blob.Data, blob.EncodingType.String(), version.NotificationVersion
	if _, err := tx.UpdateNamespace(ctx, &row); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if _, err := tx.UpdateNamespaceMetadata(ctx, version); err != nil {
		return fmt.Errorf("write version: %w", err)
	}
	return tx.Commit()
}

// assignFields gives every wanted attribute that has none one of the columns
// that the visibility store keeps for its type ("Keyword01").
func assignFields(before map[string]string, want map[string]enums.IndexedValueType) (map[string]string, error) {
	columns := sadefs.GetDBIndexSearchAttributes(nil).CustomSearchAttributes
	fields := maps.Clone(before)
	if fields == nil {
		fields = map[string]string{}
	}
	known := map[string]enums.IndexedValueType{}
	for field, name := range fields {
		known[name] = columns[field]
	}
	ordered := slices.Sorted(maps.Keys(columns))
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if has, ok := known[name]; ok {
			if has != want[name] {
				return nil, fmt.Errorf("%s is of type %s, want %s; a type cannot be changed, take another name", name, has, want[name])
			}
			continue
		}
		free := slices.IndexFunc(ordered, func(field string) bool {
			_, used := fields[field]
			return !used && columns[field] == want[name]
		})
		if free < 0 {
			return nil, fmt.Errorf("no room for %s: all columns of type %s are in use", name, want[name])
		}
		fields[ordered[free]] = name
	}
	return fields, nil
}

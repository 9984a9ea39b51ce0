// Package config is what Temporal's server compiles against of the configuration of
// Amazon's SDK. There is none to be had, so that nothing of Amazon's can be used.
package config

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
)

type (
	LoadOptions     struct{}
	LoadOptionsFunc func(*LoadOptions) error
	EnvConfig       struct{ Credentials aws.Credentials }
)

var errAbsent = errors.New("Amazon's services are not part of this Temporal")

// LoadDefaultConfig always fails.
func LoadDefaultConfig(context.Context, ...func(*LoadOptions) error) (aws.Config, error) {
	return aws.Config{}, errAbsent
}

// NewEnvConfig always fails.
func NewEnvConfig() (EnvConfig, error) { return EnvConfig{}, errAbsent }

func WithRegion(string) LoadOptionsFunc                   { return option }
func WithClientLogMode(aws.ClientLogMode) LoadOptionsFunc { return option }

func option(*LoadOptions) error { return nil }

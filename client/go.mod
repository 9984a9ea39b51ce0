module github.com/platenhq/platen/client

go 1.26.0

require (
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
	gopkg.in/yaml.v3 v3.0.1
)

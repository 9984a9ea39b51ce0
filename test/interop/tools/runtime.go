// Package tools holds the version of oapi-codegen, and of the library that its clients
// need, for test/interop. It must hold nothing else.
package tools

import _ "github.com/oapi-codegen/runtime" // what is generated imports it

package platen

import (
	"slices"
	"strings"
)

// TestHeader is the header that makes a source event a test, and that a delivery of a
// test has. A test makes outputs that are marked, and tells nobody but the workflow's
// test receiver.
const TestHeader = "Platen-Test"

// TestSegment stands behind a source address, and makes what is POSTed there a test.
const TestSegment = "test"

// TestMark is what stands across the pages of a test's PDFs.
const TestMark = "TEST"

// TestName is the name of a file of a test.
func TestName(name string) string { return "[TEST] " + name }

// IsTest tells whether a source event is a test, by the address that it was sent to and
// its headers TestHeader. KindInvalid: a header says neither true nor false, or headers
// and address say different things. A test that is taken for none would reach customers.
func IsTest(byAddress bool, headers []string) (bool, error) {
	if len(headers) == 0 {
		return byAddress, nil
	}
	said := strings.TrimSpace(headers[0])
	if said != "true" && said != "false" || slices.ContainsFunc(headers, func(h string) bool { return strings.TrimSpace(h) != said }) {
		return false, Errorf(KindInvalid, "test_header_invalid", "%s must be true or false, once. The event was not stored.", TestHeader)
	}
	if byAddress && said == "false" {
		return false, Errorf(KindInvalid, "test_header_invalid", "The address is that of tests, and %s says false: leave the header out, or leave /%s out of the address. The event was not stored.", TestHeader, TestSegment)
	}
	return said == "true", nil
}

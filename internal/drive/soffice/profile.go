package soffice

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A setting of LibreOffice's registry.
type setting struct{ path, name, value string }

// settings keep a document from doing anything but being read. What a release
// of LibreOffice does not know it passes over.
func settings() []setting {
	const (
		security = "/org.openoffice.Office.Common/Security/Scripting"
		proxy    = "/org.openoffice.Inet/Settings"
		never    = "2" // of always, on request, never
	)
	return []setting{
		{security, "DisableMacrosExecution", "true"},
		{security, "MacroSecurityLevel", "3"}, // very high: only from trusted places, and there are none
		{security, "DisableActiveContent", "true"},
		{security, "DisablePythonRuntime", "true"},
		// No place is trusted, so no link of a document is followed, be it to
		// the network or to a file of this machine.
		{security, "BlockUntrustedRefererLinks", "true"},
		{"/org.openoffice.Office.Writer/Content/Update", "Link", never},
		{"/org.openoffice.Office.Calc/Content/Update", "Link", never},
		// And what would ask the network all the same asks a proxy on a port
		// where nobody listens, names of hosts included.
		{proxy, "ooInetProxyType", "2"}, // by hand
		{proxy, "ooInetHTTPProxyName", deadHost}, {proxy, "ooInetHTTPProxyPort", deadPort},
		{proxy, "ooInetHTTPSProxyName", deadHost}, {proxy, "ooInetHTTPSProxyPort", deadPort},
		{proxy, "ooInetFTPProxyName", deadHost}, {proxy, "ooInetFTPProxyPort", deadPort},
		{proxy, "ooInetNoProxy", ""},
		{"/org.openoffice.Office.Jobs/Jobs/org.openoffice.Office.Jobs:Job['UpdateCheck']/Arguments", "AutoCheckEnabled", "false"},
		{"/org.openoffice.Office.Java/VirtualMachine", "Enable", "false"},
		{"/org.openoffice.Office.Common/Misc", "CrashReport", "false"},
		{"/org.openoffice.Office.Common/Misc", "UseOpenCL", "false"},
		{"/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"},
		{"/org.openoffice.Office.Recovery/RecoveryInfo", "Enabled", "false"},
		{"/org.openoffice.Setup/Office", "ooSetupInstCompleted", "true"},
	}
}

// A port that nothing may listen on (RFC 863: discard, for what is thrown away).
const deadHost, deadPort = "127.0.0.1", "9"

// writeProfile makes a profile (UserInstallation) with the settings.
func writeProfile(dir string) error {
	var b strings.Builder
	b.WriteString(xml.Header + `<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n")
	for _, s := range settings() {
		fmt.Fprintf(&b, `<item oor:path="%s"><prop oor:name="%s" oor:op="fuse"><value>%s</value></prop></item>`+"\n", s.path, s.name, s.value)
	}
	b.WriteString("</oor:items>\n")
	user := filepath.Join(dir, "user")
	if err := os.MkdirAll(user, 0o700); err != nil {
		return fmt.Errorf("make a profile of LibreOffice: %w", err)
	}
	if err := os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("make a profile of LibreOffice: %w", err)
	}
	return nil
}

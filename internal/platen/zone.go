package platen

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// LoadZone finds a time zone by its name in the IANA database. The error names another where
// one is likely to be meant, and is fit for a client.
func LoadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" || len(name) > 64 {
		return nil, errors.New("must be a time zone of the IANA database, such as Europe/Berlin or UTC")
	}
	zone, err := time.LoadLocation(name)
	if err == nil {
		return zone, nil
	}
	if likely := likelyZone(name); likely != "" {
		return nil, fmt.Errorf("must be a time zone of the IANA database, and %q is none: try %s?", name, likely)
	}
	return nil, fmt.Errorf("must be a time zone of the IANA database, such as Europe/Berlin or UTC, and %q is none", name)
}

// likelyZone is the zone that a name may mean; empty: nobody can tell.
func likelyZone(name string) string {
	if zone := otherZones[strings.ToLower(name)]; zone != "" {
		return zone
	}
	spelled := spellZone(strings.ReplaceAll(name, " ", "_"))
	candidates := []string{spelled, strings.ToUpper(name)}
	if !strings.Contains(name, "/") { // a city
		for _, area := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic"} {
			candidates = append(candidates, area+"/"+spelled)
		}
	}
	for _, candidate := range candidates {
		if _, err := time.LoadLocation(candidate); err == nil {
			return candidate
		}
	}
	return ""
}

// spellZone writes a name as the database does, such as Africa/Dar_es_Salaam.
func spellZone(name string) string {
	var b strings.Builder
	begins := true
	for rest := strings.ToLower(name); rest != ""; {
		size := strings.IndexAny(rest, "/_-")
		word := rest
		if size >= 0 {
			word = rest[:size]
		}
		switch {
		case word == "":
		case !begins && (word == "of" || word == "au" || word == "es"):
			b.WriteString(word)
		default:
			first := []rune(word)
			first[0] = unicode.ToUpper(first[0])
			b.WriteString(string(first))
		}
		if size < 0 {
			break
		}
		begins = rest[size] == '/'
		b.WriteByte(rest[size])
		rest = rest[size+1:]
	}
	return b.String()
}

// otherZones are names of Windows (CLDR, windowsZones.xml) and abbreviations, in lower case,
// with the zone that most who write them mean. CET, EET, MET and WET are zones themselves.
var otherZones = map[string]string{
	"w. europe standard time": "Europe/Berlin", "central europe standard time": "Europe/Budapest", "central european standard time": "Europe/Warsaw", "romance standard time": "Europe/Paris",
	"gmt standard time": "Europe/London", "greenwich standard time": "Atlantic/Reykjavik", "fle standard time": "Europe/Kyiv", "gtb standard time": "Europe/Bucharest", "turkey standard time": "Europe/Istanbul", "russian standard time": "Europe/Moscow",
	"eastern standard time": "America/New_York", "central standard time": "America/Chicago", "mountain standard time": "America/Denver", "us mountain standard time": "America/Phoenix", "pacific standard time": "America/Los_Angeles",
	"e. south america standard time": "America/Sao_Paulo", "argentina standard time": "America/Buenos_Aires", "sa pacific standard time": "America/Bogota", "central standard time (mexico)": "America/Mexico_City",
	"china standard time": "Asia/Shanghai", "tokyo standard time": "Asia/Tokyo", "korea standard time": "Asia/Seoul", "singapore standard time": "Asia/Singapore", "india standard time": "Asia/Kolkata", "arabian standard time": "Asia/Dubai", "israel standard time": "Asia/Jerusalem",
	"aus eastern standard time": "Australia/Sydney", "w. australia standard time": "Australia/Perth", "new zealand standard time": "Pacific/Auckland", "south africa standard time": "Africa/Johannesburg", "egypt standard time": "Africa/Cairo",
	"pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "mdt": "America/Denver", "cdt": "America/Chicago", "edt": "America/New_York", "cest": "Europe/Berlin", "eest": "Europe/Athens", "west": "Europe/Lisbon", "mesz": "Europe/Berlin", "mez": "Europe/Berlin", "jst": "Asia/Tokyo", "aest": "Australia/Sydney", "aedt": "Australia/Sydney",
}

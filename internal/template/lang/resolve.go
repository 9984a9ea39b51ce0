package lang

// A resolver answers what tags are worth for one automation, each name once.
type resolver struct {
	data     *Data
	builtins Builtins
	known    map[string]resolved
}

type resolved struct {
	value string
	ok    bool // there is data for it, be it empty
}

func newResolver(data *Data, builtins Builtins) *resolver {
	return &resolver{data: data, builtins: builtins, known: map[string]resolved{}}
}

// sources are a resolver's names, as a reader asks for them.
type sources struct{ *resolver }

// IsField tells whether the data or the built-ins have a name.
func (s sources) IsField(name string, anyCase bool) bool {
	if _, ok := s.data.lookup(name, anyCase); ok {
		return true
	}
	_, ok := s.builtins.get(name, anyCase)
	return ok
}

// IsList tells whether a name leads to something in the data.
func (s sources) IsList(name string) bool {
	_, ok := s.data.seek(name, nil)
	return ok
}

// resolve looks for a number of that name, then for the exact name in the data, then
// among the built-ins, then for the name in any case, in the same order.
func (r *resolver) resolve(name string) (string, bool) {
	if known, ok := r.known[name]; ok {
		return known.value, known.ok
	}
	var found resolved
	if found.value, found.ok = r.builtins.number(name); found.ok {
		r.known[name] = found
		return found.value, true
	}
	for _, anyCase := range []bool{false, true} {
		if found.value, found.ok = r.data.lookup(name, anyCase); found.ok {
			r.data.used = true
			break
		}
		if found.value, found.ok = r.builtins.get(name, anyCase); found.ok {
			break
		}
	}
	r.known[name] = found
	return found.value, found.ok
}

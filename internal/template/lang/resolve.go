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

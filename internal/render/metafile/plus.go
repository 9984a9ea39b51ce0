package metafile

// plus carries out the records of EMF+ (MS-EMFPLUS 2.3).
type plus struct {
	*player
	sharesDevice bool
}

func newPlus(p *player) *plus { return &plus{player: p} }

func usesPlus(data []byte) bool { return false }

func (e *emf) comment(r *record) {}

package model

import "github.com/platenhq/platen/internal/platen"

// moveUser puts somebody into another team, or into none. Workflows stay with the team
// that they are shared with, or go along; what others may see changes at once.
func (w *model) moveUser() {
	p := w.people[w.number("person", len(w.people))]
	at := w.number("team", len(w.teams)+1)
	p.team = nil
	var to *platen.Team
	if at < len(w.teams) {
		p.team = w.teams[at]
		to = &platen.Team{ID: p.team.id, Name: p.team.name}
	}
	with := w.one("workflows", "stay", "go along") == "go along"
	w.must(w.admin.DB.Users.MoveUser(w.t.Context(), p.id, to, with))
	for _, one := range w.workflows {
		if with && one.owner == p && one.team != p.team {
			one.team, one.moved = p.team, true
		}
	}
	for range w.people {
		w.lookInTurn()
	}
}

package admin

import (
	"context"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/platen"
)

// CreateUser makes a user, in the team with this id or name when one is named,
// and returns the user's id.
func (a *Admin) CreateUser(ctx context.Context, name, email, team string) (string, error) {
	if err := checkName(name, "user"); err != nil {
		return "", err
	}
	if address, err := mail.ParseAddress(email); err != nil || address.Address != email || len(email) > maxEmail {
		return "", refuse("email", "%q is not an e-mail address such as ada@example.com", email)
	}
	u := platen.User{ID: platen.NewID(platen.PrefixUser), Name: name, Email: email}
	if team != "" {
		found, err := a.team(ctx, team)
		if err != nil {
			return "", err
		}
		u.Team = &found
	}
	if err := a.DB.Users.CreateUser(ctx, u); err != nil {
		return "", err
	}
	return u.ID, nil
}

// maxEmail is the longest e-mail address in bytes (RFC 5321, section 4.5.3.1.3, without the
// brackets).
const maxEmail = 254

// maxName is the longest name of a user, a team or a token in characters.
const maxName = 200

// checkName refuses a name that is empty or too long.
func checkName(name, of string) error {
	if strings.TrimSpace(name) == "" {
		return refuse("name", "is empty; give the %s's name", of)
	}
	if utf8.RuneCountInString(name) > maxName {
		return refuse("name", "has more than %d characters; shorten it", maxName)
	}
	return nil
}

// WithUser calls do with the id of the user with this address.
func (a *Admin) WithUser(ctx context.Context, email string, do func(ctx context.Context, userID string) error) error {
	u, err := a.DB.Users.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	return do(ctx, u.ID)
}

// SetOperator makes the user with this address an operator, or no operator any more.
func (a *Admin) SetOperator(ctx context.Context, email string, operator bool) error {
	return a.WithUser(ctx, email, func(ctx context.Context, id string) error { return a.DB.Users.SetOperator(ctx, id, operator) })
}

// MoveUser puts a user into the team with this id or name; an empty one: into none.
func (a *Admin) MoveUser(ctx context.Context, userID, team string, withWorkflows bool) error {
	if team == "" {
		return a.DB.Users.MoveUser(ctx, userID, nil, withWorkflows)
	}
	to, err := a.team(ctx, team)
	if err != nil {
		return err
	}
	return a.DB.Users.MoveUser(ctx, userID, &to, withWorkflows)
}

// CreateTeam makes a team and returns its id. A name that another team has, in any
// case, is KindConflict.
func (a *Admin) CreateTeam(ctx context.Context, name string) (string, error) {
	if err := checkName(name, "team"); err != nil {
		return "", err
	}
	t := platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: name}
	if err := a.DB.Users.CreateTeam(ctx, t); err != nil {
		return "", err
	}
	return t.ID, nil
}

// team is the one with this id, else the one with this name, in any case.
func (a *Admin) team(ctx context.Context, idOrName string) (platen.Team, error) {
	teams, err := a.DB.Users.Teams(ctx)
	if err != nil {
		return platen.Team{}, err
	}
	var named []platen.Team
	var ids []string
	for _, t := range teams {
		if t.ID == idOrName {
			return t, nil
		}
		if strings.EqualFold(t.Name, idOrName) {
			named, ids = append(named, t), append(ids, t.ID)
		}
	}
	switch len(named) {
	case 0:
		return platen.Team{}, platen.Errorf(platen.KindInvalid, "team_not_found", "no team has the id or the name %q: correct it, or make the team first", idOrName)
	case 1:
		return named[0], nil
	}
	return platen.Team{}, platen.Errorf(platen.KindInvalid, "team_not_found", "%d teams have the name %q: give the id, one of %s", len(named), idOrName, strings.Join(ids, ", "))
}

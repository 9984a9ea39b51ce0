package console

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A confirmation is what a page asks before a change that somebody will notice.
type confirmation struct {
	Title  string
	Of     string // whom or what it is about, as it is called
	Lines  []string
	Button string
	Back   string // below the base
	Fields map[string]string
	// Certain asks for a box to be ticked, too.
	Certain bool
	Problem string
}

// confirm shows a question.
func (s *site) confirm(ask func(context.Context, request) (confirmation, error)) func(context.Context, request) (view, error) {
	return func(ctx context.Context, r request) (view, error) {
		c, err := ask(ctx, r)
		return view{Title: c.Title, Page: c}, err
	}
}

// confirmed does what a question was about, and leads to the page that shows it.
func (s *site) confirmed(ask func(context.Context, request) (confirmation, error), do func(context.Context, request) (to string, err error)) func(context.Context, request) (view, error) {
	return func(ctx context.Context, r request) (view, error) {
		var to string
		err := s.act(ctx, r, func(ctx context.Context) error {
			var err error
			to, err = do(ctx, r)
			return err
		})
		if err == nil {
			return view{to: to}, nil
		}
		said, status, err := refusal(err)
		if err != nil {
			return view{}, err
		}
		c, err := ask(ctx, r)
		c.Problem = said
		return view{Title: c.Title, Page: c, status: status}, err
	}
}

type usersPage struct {
	Rows         []platen.UserStanding
	Search, Next string
	First        bool
	// What was typed into the form, and why no user was made.
	Name, Email, Team, Problem string
}

func (s *site) operatorUsers(ctx context.Context, r request) (view, error) {
	return s.usersPage(ctx, r, usersPage{Search: strings.TrimSpace(r.URL.Query().Get("q")), First: !r.URL.Query().Has("after")})
}

func (s *site) usersPage(ctx context.Context, r request, p usersPage) (view, error) {
	found, err := s.Operators.Users(ctx, platen.UserQuery{Search: cut(p.Search, maxSearch), After: r.afterOf(platen.PrefixUser), Limit: operatorPageSize + 1})
	if err != nil {
		return view{}, err
	}
	var more bool
	if p.Rows, more = pageOf(found); more {
		p.Next = "?" + query("q", p.Search, "after", p.Rows[len(p.Rows)-1].ID)
	}
	return view{Title: "Users", Page: p}, nil
}

// cut bounds a text by bytes, between two characters.
func cut(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

func (s *site) createUser(ctx context.Context, r request) (view, error) {
	p := usersPage{Name: r.typed("name"), Email: r.typed("email"), Team: r.typed("team"), First: true}
	var made string
	err := s.act(ctx, r, func(ctx context.Context) (err error) {
		made, err = s.Operators.CreateUser(ctx, p.Name, p.Email, p.Team)
		return err
	})
	if err == nil {
		r.Request = r.WithContext(ctx) // a copy
		r.SetPathValue("user", made)
		if !s.Operators.OwnDrive() {
			return view{to: r.userPath()}, nil
		}
		r.Pattern = "POST " + operatorPath + "users/{user}/drive" // it has an entry of its own in the audit
		return s.userForm("drive", s.giveDrive)(ctx, r)
	}
	said, status, err := refusal(err)
	if err != nil {
		return view{}, err
	}
	p.Problem = said
	v, err := s.usersPage(ctx, r, p)
	v.status = status
	return v, err
}

type userPage struct {
	platen.UserStanding
	Tokens     []tokenRow
	More       bool // older tokens are not shown
	Connection *platen.ConnectionStanding
	Links      bool
	OwnDrive   bool
	// Self is the operator who looks.
	Self bool
	// Once is the id of the token that the form makes.
	Once          string
	Form, Problem string
	typed         func(string) string
}

// Typed is what was typed into a field of the form that was refused.
func (p userPage) Typed(form, field, otherwise string) string {
	if p.Form == form && p.typed != nil {
		return p.typed(field)
	}
	return otherwise
}

type tokenRow struct {
	platen.TokenStanding
	Live bool
}

func (s *site) operatorUser(ctx context.Context, r request) (view, error) {
	p, err := s.userPage(ctx, r)
	return view{Title: "User " + p.Email, Page: p}, err
}

func (s *site) userPage(ctx context.Context, r request) (p userPage, err error) {
	id := r.PathValue("user")
	p.Self, p.Links, p.OwnDrive, p.Once = id == r.me.User.ID, s.Operators.Links(), s.Operators.OwnDrive(), platen.NewID(platen.PrefixToken)
	if p.UserStanding, err = s.Operators.User(ctx, id); err != nil {
		return p, err
	}
	if p.Connection, err = s.Operators.Connection(ctx, id); err != nil {
		return p, err
	}
	found, err := s.Operators.Tokens(ctx, id)
	p.More = len(found) == platen.MaxList
	for _, t := range found {
		p.Tokens = append(p.Tokens, tokenRow{t, t.Live(s.Now())})
	}
	return p, err
}

// userForm carries out a form of the user's page, and leads back there.
func (s *site) userForm(name string, do func(context.Context, request) error) func(context.Context, request) (view, error) {
	return func(ctx context.Context, r request) (view, error) {
		err := s.act(ctx, r, func(ctx context.Context) error { return do(ctx, r) })
		if err == nil {
			return view{to: r.userPath()}, nil
		}
		return s.userRefused(ctx, r, name, err)
	}
}

// userRefused is the user's page that says beside a form why it was not carried out.
func (s *site) userRefused(ctx context.Context, r request, form string, err error) (view, error) {
	said, status, err := refusal(err)
	if err != nil {
		return view{}, err
	}
	p, err := s.userPage(ctx, r)
	p.Form, p.Problem, p.typed = form, said, r.typed
	return view{Title: "User " + p.Email, Page: p, status: status, name: "operator-user"}, err
}

func (r request) userPath() string { return operatorPath + "users/" + r.PathValue("user") + "/" }

func (s *site) giveDrive(ctx context.Context, r request) error {
	return s.Operators.GiveDrive(ctx, r.PathValue("user"))
}

func (s *site) enableUser(ctx context.Context, r request) error {
	return s.Operators.EnableUser(ctx, r.PathValue("user"))
}

func (s *site) moveUser(ctx context.Context, r request) error {
	return s.Operators.MoveUser(ctx, r.PathValue("user"), r.typed("team"), r.PostForm.Has("workflows"))
}

func (s *site) askDisable(ctx context.Context, r request) (confirmation, error) {
	u, err := s.Operators.User(ctx, r.PathValue("user"))
	return confirmation{
		Title: "Disable a user", Of: u.Email, Button: "Disable", Back: r.userPath(),
		Lines: []string{
			"The user's tokens and sign-ins are refused at once.",
			"Sources of the user's workflows answer 503 within a minute. Senders that repeat lose nothing.",
			"What was accepted is carried out. The drive stays connected.",
			"Enable takes all of that back.",
		},
	}, err
}

func (s *site) disableUser(ctx context.Context, r request) (string, error) {
	return r.userPath(), s.Operators.DisableUser(ctx, r.PathValue("user"))
}

func (s *site) askDelete(ctx context.Context, r request) (confirmation, error) {
	u, err := s.Operators.User(ctx, r.PathValue("user"))
	return confirmation{
		Title: "Delete a user", Of: u.Email, Button: "Delete", Back: r.userPath(), Certain: true,
		Lines: []string{
			"The user's " + countOf(u.LiveTokens, "token is", "tokens are") + " revoked, and " + countOf(u.Workflows, "workflow is", "workflows are") + " archived: their sources answer 410 from then on.",
			"The name and the e-mail address are forgotten. Another user may have the address.",
			"Automations, outputs and the audit keep the user's id until their retention is over. Files in drives stay.",
			"It is refused while automations are under way (" + strconv.Itoa(u.UnderWay) + " now) and while a drive is connected.",
			"Nothing takes it back.",
		},
	}, err
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (s *site) deleteUser(ctx context.Context, r request) (string, error) {
	if err := r.certain(); err != nil {
		return "", err
	}
	return operatorPath + "users/", s.Operators.DeleteUser(ctx, r.PathValue("user"))
}

// maxTokenLife is the longest life of a token in days that a page gives.
const maxTokenLife = 3650

func (s *site) createToken(ctx context.Context, r request) (view, error) {
	var text string
	err := s.act(ctx, r, func(ctx context.Context) error {
		scopes, err := platen.ParseScopes(r.typed("scopes"))
		if err != nil {
			return refused("The scopes: " + err.Error() + ".")
		}
		life, err := strconv.Atoi(r.typed("days"))
		if err != nil || life < 0 || life > maxTokenLife {
			return refused("A token is good for a number of days from 1 to " + strconv.Itoa(maxTokenLife) + ", or 0: without an end.")
		}
		if !platen.IsID(platen.PrefixToken, r.typed("once")) {
			return refused("The form was not sent by this page. Type it in once more.")
		}
		text, err = s.Operators.CreateToken(ctx, r.typed("once"), r.PathValue("user"), r.typed("name"), time.Duration(life)*24*time.Hour, scopes)
		return err
	})
	if err != nil {
		return s.userRefused(ctx, r, "token", err)
	}
	return view{Title: "The new token", Page: oncePage{
		Text: text, Back: r.userPath(), Lines: []string{"Copy it now: it is shown once, and stored nowhere.", "Whoever has it sees and does what its user may."},
	}}, nil
}

// A oncePage shows what is shown once.
type oncePage struct {
	Text, Back string
	Lines      []string
}

// linkTime is how long a link by which a user connects a drive is good for.
const linkTime = 24 * time.Hour

func (s *site) connectLink(ctx context.Context, r request) (view, error) {
	if !s.Operators.Links() {
		return view{}, errNoPage
	}
	var link string
	err := s.act(ctx, r, func(ctx context.Context) (err error) {
		link, err = s.Operators.ConnectLink(ctx, r.PathValue("user"), linkTime)
		return err
	})
	if err != nil {
		return s.userRefused(ctx, r, "link", err)
	}
	return view{Title: "A link to connect the drive", Page: oncePage{
		Text: link, Back: r.userPath(), Lines: []string{"Send it to the user alone: whoever has it can connect a drive for the user.", "It is good for 24 hours."},
	}}, nil
}

func (s *site) askDisconnect(ctx context.Context, r request) (confirmation, error) {
	found, err := s.Operators.Connection(ctx, r.PathValue("user"))
	if err != nil {
		return confirmation{}, err
	}
	if found == nil {
		return confirmation{}, errNoPage
	}
	return confirmation{
		Title: "Disconnect a drive", Of: found.UserEmail, Button: "Disconnect", Back: r.userPath(),
		Lines: []string{
			"The access is revoked at Google, where the user gave it in a browser, and what opens the drive is forgotten.",
			"Automations of the user fail from then on, until a drive is connected again. Files stay.",
		},
	}, nil
}

func (s *site) disconnect(ctx context.Context, r request) (string, error) {
	return r.userPath(), s.Operators.Disconnect(ctx, r.PathValue("user"))
}

func (s *site) askRevoke(ctx context.Context, r request) (confirmation, error) {
	t, err := s.Operators.Token(ctx, r.PathValue("token"))
	return confirmation{
		Title: "Revoke a token", Of: t.Name + " (" + t.ID + ")", Button: "Revoke", Back: operatorPath + "users/" + t.UserID + "/",
		Lines: []string{"Requests and sign-ins with it are refused at once.", "Nothing takes it back: make another token."},
	}, err
}

func (s *site) revokeToken(ctx context.Context, r request) (string, error) {
	t, err := s.Operators.Token(ctx, r.PathValue("token"))
	if err != nil {
		return "", err
	}
	return operatorPath + "users/" + t.UserID + "/", s.Operators.RevokeToken(ctx, t.ID)
}

type teamsPage struct {
	Rows          []platen.TeamStanding
	Next          string
	First         bool
	Name, Problem string
}

func (s *site) operatorTeams(ctx context.Context, r request) (view, error) {
	return s.teamsPage(ctx, r, teamsPage{First: !r.URL.Query().Has("after")})
}

func (s *site) teamsPage(ctx context.Context, r request, p teamsPage) (view, error) {
	found, err := s.Operators.Teams(ctx, r.afterOf(platen.PrefixTeam), operatorPageSize+1)
	if err != nil {
		return view{}, err
	}
	var more bool
	if p.Rows, more = pageOf(found); more {
		p.Next = "?" + query("after", p.Rows[len(p.Rows)-1].ID)
	}
	return view{Title: "Teams", Page: p}, nil
}

func (s *site) createTeam(ctx context.Context, r request) (view, error) {
	p := teamsPage{Name: r.typed("name"), First: true}
	var made string
	err := s.act(ctx, r, func(ctx context.Context) (err error) {
		made, err = s.Operators.CreateTeam(ctx, p.Name)
		return err
	})
	if err == nil {
		return view{to: operatorPath + "teams/" + made + "/"}, nil
	}
	said, status, err := refusal(err)
	if err != nil {
		return view{}, err
	}
	p.Problem = said
	v, err := s.teamsPage(ctx, r, p)
	v.status = status
	return v, err
}

type teamPage struct {
	platen.TeamStanding
	Rows []platen.UserStanding
	Next string
}

func (s *site) operatorTeam(ctx context.Context, r request) (view, error) {
	var p teamPage
	var err error
	if p.TeamStanding, err = s.Operators.Team(ctx, r.PathValue("team")); err != nil {
		return view{}, err
	}
	found, err := s.Operators.Users(ctx, platen.UserQuery{TeamID: p.ID, After: r.afterOf(platen.PrefixUser), Limit: operatorPageSize + 1})
	var more bool
	if p.Rows, more = pageOf(found); more {
		p.Next = "?" + query("after", p.Rows[len(p.Rows)-1].ID)
	}
	return view{Title: "Team " + p.Name, Page: p}, err
}

type connectionsPage struct {
	Rows   []platen.ConnectionStanding
	Broken bool
	Next   string
}

func (s *site) operatorConnections(ctx context.Context, r request) (view, error) {
	p := connectionsPage{Broken: r.URL.Query().Get("broken") != ""}
	found, err := s.Operators.Connections(ctx, platen.ConnectionQuery{Broken: p.Broken, After: r.afterOf(platen.PrefixUser), Limit: operatorPageSize + 1})
	if err != nil {
		return view{}, err
	}
	var more bool
	if p.Rows, more = pageOf(found); more {
		broken := ""
		if p.Broken {
			broken = "1"
		}
		p.Next = "?" + query("broken", broken, "after", p.Rows[len(p.Rows)-1].UserID)
	}
	return view{Title: "Connections", Page: p}, nil
}

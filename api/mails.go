package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// mailOutput has an output sent by mail again, and answers with it as it stands now.
func (s *server) mailOutput(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	to, err := readMail(body)
	if err != nil {
		return err
	}
	if err := s.checkMailing(r.Context(), wf.Owner.ID); err != nil {
		return err
	}
	if err := s.Mails.MailOutput(r.Context(), caller(r.Context()), wf.ID, o.ID, to); err != nil {
		return err
	}
	_, o, err = s.findOutput(r)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusAccepted, output(o))
}

// listMails answers with the mails about an output, the latest first, and whom they went to.
func (s *server) listMails(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	mails, err := s.Mails.OutputMails(r.Context(), caller(r.Context()), wf.ID, o.ID)
	if err != nil {
		return err
	}
	all := make([]sentMailJSON, len(mails))
	for i, m := range mails {
		all[i] = sentMail(m)
	}
	return edge.WriteJSON(w, http.StatusOK, all)
}

// revokeMailLinks ends the links of the mails about an output, and answers with it.
func (s *server) revokeMailLinks(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	if err := s.Mails.RevokeMailLinks(r.Context(), caller(r.Context()), wf.ID, o.ID); err != nil {
		return err
	}
	if _, o, err = s.findOutput(r); err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, output(o))
}

// readMail reads whom a mail goes to; empty: whom the document names.
func readMail(body []byte) (to string, err error) {
	if len(body) == 0 {
		return "", nil
	}
	var given *string
	err = decode(body, members{"to": text(&given, func(text string) (problem string) {
		to, problem = addresses(text)
		return problem
	})})
	return to, err
}

// addresses reads addresses with commas in between, or says what is wrong with them.
func addresses(text string) (to, problem string) {
	all := strings.Split(text, ",")
	for i, one := range all {
		all[i] = strings.TrimSpace(one)
		// An Email has templates.
		if !platen.IsEmailAddress(all[i]) || strings.ContainsAny(all[i], "{}") {
			return "", "must be plain addresses such as ada@example.com, with commas in between"
		}
	}
	if len(all) > platen.MaxEmailRecipients {
		return "", fmt.Sprintf("must be %d addresses at most", platen.MaxEmailRecipients)
	}
	return strings.Join(all, ", "), ""
}

package memory

import (
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (m *Store) MailSenders(_ context.Context, u platen.User) ([]platen.MailSender, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.senders), func(s platen.MailSender) bool { return s.OwnerID != u.ID }), nil
}

func (m *Store) SenderNames(ctx context.Context, _ platen.User, ownerID string) ([]string, error) {
	all, err := m.MailSenders(ctx, platen.User{ID: ownerID})
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names, err
}

func (m *Store) MailSender(ctx context.Context, u platen.User, id string) (platen.MailSender, error) {
	all, err := m.MailSenders(ctx, u)
	if i := slices.IndexFunc(all, func(s platen.MailSender) bool { return s.ID == id }); i >= 0 {
		return all[i], nil
	}
	if err == nil {
		err = platen.ErrSenderNotFound()
	}
	return platen.MailSender{}, err
}

func (m *Store) CreateMailSender(_ context.Context, u platen.User, s platen.MailSender) (platen.MailSender, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.OwnerID, s.CreatedAt, s.UpdatedAt = u.ID, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m.senders = append(m.senders, s)
	return s, nil
}

func (m *Store) UpdateMailSender(ctx context.Context, u platen.User, id string, change func(*platen.MailSender) error) (platen.MailSender, error) {
	s, err := m.MailSender(ctx, u, id)
	if err == nil {
		err = change(&s)
	}
	if err == nil {
		m.put(s)
	}
	return s, err
}

func (m *Store) put(s platen.MailSender) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.senders[slices.IndexFunc(m.senders, func(o platen.MailSender) bool { return o.ID == s.ID })] = s
}

func (m *Store) NoteSenderTested(ctx context.Context, u platen.User, id string) error {
	s, err := m.MailSender(ctx, u, id)
	if err == nil {
		s.FailingSince, s.Code, s.Message = nil, "", ""
		m.put(s)
	}
	return err
}

func (m *Store) DeleteMailSender(ctx context.Context, u platen.User, id string, allowed func(platen.MailSender) error) error {
	s, err := m.MailSender(ctx, u, id)
	if err == nil {
		err = allowed(s)
	}
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.senders = slices.DeleteFunc(m.senders, func(o platen.MailSender) bool { return o.ID == id })
	}
	return err
}

// FailSender notes that an attempt failed at the server of the first sender.
func (m *Store) FailSender(code, message string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := time.Now()
	m.senders[0].FailingSince, m.senders[0].Code, m.senders[0].Message = &at, code, message
}

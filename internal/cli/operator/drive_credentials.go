package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
)

type driveKeyCommand struct {
	config.Database
	Email     string `required:"" help:"E-mail address of the account."`
	URL       string `name:"url" help:"Where the drive is reached, such as https://drive.example.com: the credentials tell clients. Needed unless --public-key is given."`
	PublicKey string `name:"public-key" type:"existingfile" help:"Register this RSA public key (PEM) and print its id, instead of making a key pair."`
}

// Run prints credentials in the form of Google's service-account key files,
// which every client of Google's reads.
func (c *driveKeyCommand) Run(ctx context.Context) error {
	if c.PublicKey == "" && c.URL == "" {
		return fmt.Errorf("--url is missing; give the drive's address, such as https://drive.example.com")
	}
	return act(ctx, "drive key", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		u, err := a.DriveAccount(ctx, c.Email)
		if err != nil {
			return err
		}
		if c.PublicKey != "" {
			key, err := os.ReadFile(c.PublicKey)
			if err != nil {
				return fmt.Errorf("--public-key: %w", err)
			}
			id, err := a.Drive.AddServiceKey(ctx, u.ID, key)
			if err != nil {
				return err
			}
			_, err = fmt.Println(id)
			return err
		}
		id, private, err := a.Drive.CreateServiceKey(ctx, u.ID)
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(map[string]string{
			"type": "service_account", "project_id": "platen", "private_key_id": id, "private_key": string(private),
			"client_email": u.Email, "client_id": u.ID, "token_uri": strings.TrimRight(c.URL, "/") + "/token",
		})
	})
}

type driveRefreshTokenCommand struct {
	config.Database
	Email string `required:"" help:"E-mail address of the account."`
}

func (c *driveRefreshTokenCommand) Run(ctx context.Context) error {
	return act(ctx, "drive refresh-token", c.Database, config.Secrets{}, func(ctx context.Context, a *admin.Admin) error {
		u, err := a.DriveAccount(ctx, c.Email)
		if err != nil {
			return err
		}
		token, err := a.Drive.CreateRefreshToken(ctx, u.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Println(token)
		return err
	})
}

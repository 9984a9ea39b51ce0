package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Paths of the pages by which a user connects Google.
const (
	ConnectPath  = "/connect/google"
	CallbackPath = ConnectPath + "/callback"
)

const (
	connectCookie = "platen_connect"
	// connectTime is how long a user may take at Google.
	connectTime = 10 * time.Minute
)

// Consent is Google's side of the flow. Errors of Exchange with a message are for
// the user.
type Consent interface {
	AuthURL(state, verifier, email string) string
	Exchange(ctx context.Context, code, verifier string) (refreshToken string, err error)
}

// Users finds who connects; KindNotFound for nobody.
type Users interface {
	UserByEmail(ctx context.Context, email string) (platen.User, error)
}

// Connections keeps what a user's drive is opened with.
type Connections interface {
	SaveDriveConnection(ctx context.Context, userID string, c platen.DriveConnection) error
}

// Sealer encrypts the content of cookies.
type Sealer interface {
	Seal(plaintext, context []byte) ([]byte, error)
	Open(sealed, context []byte) ([]byte, error)
}

// ConnectOptions are what NewConnect needs; all are required.
type ConnectOptions struct {
	Consent     Consent
	Users       Users
	Connections Connections
	Sealer      Sealer
	// Keys are those of ConnectAddress: the first signs, all verify.
	Keys [][]byte
	// Secure says that browsers come by https.
	Secure bool
	Log    *slog.Logger
}

// ConnectAddress is where NewConnect lets the user with this e-mail address connect
// Google, until a time. Base is the public address of ConnectPath.
func ConnectAddress(base string, key []byte, email string, until time.Time) string {
	expires := strconv.FormatInt(until.Unix(), 10)
	query := url.Values{"email": {email}, "expires": {expires}, "sig": {connectSignature(key, email, expires)}}
	return base + "?" + query.Encode()
}

func connectSignature(key []byte, email, expires string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(email + "\n" + expires))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

type connector struct {
	ConnectOptions
	page   *template.Template
	style  template.CSS
	policy string
}

// NewConnect returns the handler of ConnectPath and CallbackPath. It keeps nothing
// between the two: the browser has it in a sealed cookie.
func NewConnect(o ConnectOptions) http.Handler {
	style, err := files.ReadFile("style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return &connector{
		ConnectOptions: o,
		page:           template.Must(template.ParseFS(files, "connect.html")),
		style:          template.CSS(style),
		policy:         "default-src 'none'; " + stylePolicy(style) + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
}

type connectPage struct {
	Style             template.CSS
	Status            int
	Title, Text, Link string
}

var (
	noSuchLink = connectPage{Status: http.StatusNotFound, Title: "This link is not valid",
		Text: "It is not complete, or its time is over. Ask the operator for another one."}
	anotherBrowser = connectPage{Status: http.StatusBadRequest, Title: "This sign-in cannot be finished",
		Text: "It was begun in another browser, was finished already, or took longer than ten minutes. Open the link from the operator again, and allow cookies."}
	notKept = connectPage{Status: http.StatusServiceUnavailable, Title: "The connection could not be stored",
		Text: "Something that it needs does not answer. Open the link from the operator again in a moment."}
)

func (c *connector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	keepPrivate(h, "no-referrer") // the address is a credential
	h.Set("Content-Security-Policy", c.policy)
	var page connectPage
	switch {
	case r.URL.Path != ConnectPath && r.URL.Path != CallbackPath:
		page = noSuchLink
	case r.Method != http.MethodGet:
		h.Set("Allow", "GET")
		page = connectPage{Status: http.StatusMethodNotAllowed, Title: "This cannot be done here", Text: "Open the link from the operator in a browser."}
	case r.URL.Path == ConnectPath:
		page = c.begin(w, r)
	default:
		page = c.finish(w, r)
	}
	page.Style = c.style
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(page.Status)
	if err := c.page.Execute(w, page); err != nil {
		c.Log.Debug("a page was not written", "error", err)
	}
}

// A sign-in is what the browser keeps while its user is at Google.
type signIn struct {
	UserID   string    `json:"userId"`
	Email    string    `json:"email"`
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Until    time.Time `json:"until"`
}

// begin shows whose drive will be connected, with a link to Google. It does not
// redirect: a user who was sent another user's link must be able to notice.
func (c *connector) begin(w http.ResponseWriter, r *http.Request) connectPage {
	query := r.URL.Query()
	email, expires := query.Get("email"), query.Get("expires")
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !isSame(c.Keys, query.Get("sig"), func(key []byte) string { return connectSignature(key, email, expires) }) || time.Now().Unix() >= until {
		return noSuchLink
	}
	user, err := c.Users.UserByEmail(r.Context(), email)
	if platen.KindOf(err) == platen.KindNotFound {
		return noSuchLink
	}
	s := signIn{UserID: user.ID, Email: user.Email, State: rand.Text(), Verifier: rand.Text() + rand.Text(), Until: time.Now().Add(connectTime)}
	if err == nil {
		err = c.setCookie(w, s)
	}
	if err != nil {
		c.Log.Error("a user could not begin to connect Google", "error", err)
		return notKept
	}
	return connectPage{
		Status: http.StatusOK, Title: "Connect Google Drive",
		Text: fmt.Sprintf("You connect your Google account with the account %s of this service, which then makes documents in your drive. Go on only if that account is yours.", user.Email),
		Link: c.Consent.AuthURL(s.State, s.Verifier, user.Email),
	}
}

// finish takes what Google sends the browser back with.
func (c *connector) finish(w http.ResponseWriter, r *http.Request) connectPage {
	query := r.URL.Query()
	s, ok := c.readCookie(r)
	if !ok || !hmac.Equal([]byte(query.Get("state")), []byte(s.State)) {
		return anotherBrowser
	}
	http.SetCookie(w, c.cookie("", -1))
	if refused := query.Get("error"); refused != "" {
		return refusedPage(refused)
	}
	token, err := c.Consent.Exchange(r.Context(), query.Get("code"), s.Verifier)
	if e, ok := errors.AsType[*platen.Error](err); ok {
		c.Log.Warn("a user could not connect Google", "user", s.UserID, "error", err)
		status := http.StatusBadRequest
		if e.Kind == platen.KindUnavailable {
			status = http.StatusServiceUnavailable
		}
		return connectPage{Status: status, Title: "Google Drive is not connected", Text: e.Message}
	}
	if err == nil {
		err = c.Connections.SaveDriveConnection(r.Context(), s.UserID, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: platen.Secret(token)})
	}
	if err != nil {
		c.Log.Error("a connection with Google could not be stored", "user", s.UserID, "error", err)
		return notKept
	}
	c.Log.Info("a user has connected Google", "user", s.UserID)
	return connectPage{Status: http.StatusOK, Title: "Google Drive is connected",
		Text: fmt.Sprintf("The account %s makes its documents in your drive now. Documents that waited for this go on within minutes. You can close this page.", s.Email)}
}

// errorName is what an error of Google's is called.
var errorName = regexp.MustCompile(`^[a-z_]{1,40}$`)

func refusedPage(code string) connectPage {
	page := connectPage{Status: http.StatusBadRequest, Title: "Google Drive is not connected"}
	switch {
	case code == "access_denied":
		page.Text = "Access was not allowed at Google. Open the link from the operator again, and choose Allow."
	case code == "admin_policy_enforced":
		page.Text = "Your organization does not allow this application. Ask the administrator of your Google Workspace to trust it, then open the link again."
	case errorName.MatchString(code):
		page.Text = "Google refused with " + code + ". Open the link from the operator again, and tell the operator if it happens each time."
	default:
		page.Text = "Google refused. Open the link from the operator again, and tell the operator if it happens each time."
	}
	return page
}

func (c *connector) setCookie(w http.ResponseWriter, s signIn) error {
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write a sign-in: %w", err)
	}
	sealed, err := c.Sealer.Seal(plain, []byte(connectCookie))
	if err != nil {
		return err
	}
	http.SetCookie(w, c.cookie(base64.RawURLEncoding.EncodeToString(sealed), int(connectTime.Seconds())))
	return nil
}

// cookie is sent along when Google leads the browser back: that is a top-level GET
// of another site.
func (c *connector) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: connectCookie, Value: value, Path: ConnectPath, MaxAge: maxAge, HttpOnly: true, Secure: c.Secure, SameSite: http.SameSiteLaxMode}
}

func (c *connector) readCookie(r *http.Request) (signIn, bool) {
	cookie, err := r.Cookie(connectCookie)
	if err != nil {
		return signIn{}, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return signIn{}, false
	}
	plain, err := c.Sealer.Open(sealed, []byte(connectCookie))
	if err != nil {
		return signIn{}, false
	}
	var s signIn
	return s, json.Unmarshal(plain, &s) == nil && time.Now().Before(s.Until)
}

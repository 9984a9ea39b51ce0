package drive

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

const (
	defaultPageSize = 100
	maxPageSize     = 1000
)

// defaultFields are answered when a request does not say which.
const defaultFields = "kind,id,name,mimeType"

// fileMask reads the fields parameter of methods that answer with a file. It
// is called before anything is changed.
func fileMask(query url.Values) (mask, error) {
	fields := query.Get("fields")
	if fields == "" {
		fields = defaultFields
	}
	return parseFields(fields, driveapi.File{})
}

func (s *Server) writeFile(w http.ResponseWriter, r *http.Request, m mask, f store.File, user store.User) error {
	owner := user
	if f.OwnerID != user.ID {
		var err error
		if owner, err = s.store.UserByID(r.Context(), f.OwnerID); err != nil {
			return err
		}
	}
	return writeJSON(w, http.StatusOK, m.apply(s.resource(f, user, owner)))
}

func (s *Server) getFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, err := fileMask(r.URL.Query())
	if err != nil {
		return err
	}
	f, err := s.store.Get(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	switch alt := r.URL.Query().Get("alt"); alt {
	case "", "json":
		return s.writeFile(w, r, m, f, user)
	case "media":
		if f.SHA256 == nil || f.IsEditor() {
			return fault.Forbidden("fileNotDownloadable", "Only files with binary content can be downloaded. Use Export with Docs Editors files.").At("parameter", "alt")
		}
		return s.serveContent(w, r, f, "attachment", store.PDFType)
	default:
		return fault.InvalidParameter("alt", "Invalid value for alt: it is json or media.")
	}
}

func (s *Server) listFiles(w http.ResponseWriter, r *http.Request, user store.User) error {
	query := r.URL.Query()
	fields := query.Get("fields")
	if fields == "" {
		fields = "kind,incompleteSearch,nextPageToken,files(" + defaultFields + ")"
	}
	m, err := parseFields(fields, driveapi.FileList{})
	if err != nil {
		return err
	}
	size, err := intParameter(query, "pageSize", defaultPageSize, maxPageSize)
	if err != nil {
		return err
	}
	l := store.Listing{Query: query.Get("q"), OrderBy: query.Get("orderBy"), PageToken: query.Get("pageToken"), PageSize: size}
	if l.IsEmpty, err = within(query); err != nil {
		return err
	}
	if s.google != nil {
		l.Lag = s.google.lag()
	}
	_, isFullText, err := store.ParseQuery(l.Query, user, pgx.NamedArgs{})
	if err != nil {
		return err
	}
	isComplete := true
	if isFullText {
		if isComplete, err = s.readForSearch(r.Context(), user); err != nil {
			return err
		}
	}
	found, next, err := s.store.List(r.Context(), user, l)
	if err != nil {
		return err
	}
	files := make([]any, len(found))
	for i, f := range found {
		files[i] = s.resource(f, user, user)
	}
	answer := map[string]any{"kind": "drive#fileList", "incompleteSearch": !isComplete, "files": files}
	if next != "" {
		answer["nextPageToken"] = next
	}
	return writeJSON(w, http.StatusOK, m.apply(answer))
}

// within says where a listing looks: in the user's own drive, as there are no shared
// drives and no folders of application data, or nowhere.
func within(query url.Values) (isEmpty bool, err error) {
	corpora := query.Get("corpora")
	switch corpora {
	case "", "user", "domain", "allDrives":
	case "drive":
		if query.Get("driveId") == "" {
			return false, fault.BadRequest("required", "The driveId parameter is required when corpora is drive.").At("parameter", "driveId")
		}
	default:
		return false, fault.InvalidParameter("corpora", "Invalid value '%.40s' for corpora.", corpora)
	}
	if id := query.Get("driveId"); id != "" {
		f := fault.FileNotFound("")
		f.Message = "Shared drive not found: " + id
		return false, f.At("parameter", "driveId")
	}
	spaces := strings.FieldsFunc(query.Get("spaces"), func(c rune) bool { return c == ',' || c == ' ' })
	for _, space := range spaces {
		if space != "drive" && space != "appDataFolder" && space != "photos" {
			return false, fault.InvalidParameter("spaces", "Invalid value '%.40s' for spaces.", space)
		}
	}
	return len(spaces) > 0 && !slices.Contains(spaces, "drive"), nil
}

func intParameter(query url.Values, name string, otherwise, limit int) (int, error) {
	text := query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > limit {
		return 0, fault.InvalidParameter(name, "Invalid value '%.20s'. Values must be within the range: [1, %d]", text, limit)
	}
	return n, nil
}

// readFileCall reads what a call for a file's metadata asks for, and its
// metadata.
func readFileCall(r *http.Request) (mask, metadata, error) {
	fields, err := fileMask(r.URL.Query())
	if err != nil {
		return nil, metadata{}, err
	}
	body, err := readMetadata(r)
	if err != nil {
		return nil, metadata{}, err
	}
	m, err := parseMetadata(body)
	return fields, m, err
}

// createFile makes a file from metadata alone: a folder, a blank Docs or
// Slides file, or an empty file.
func (s *Server) createFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	mask, m, err := readFileCall(r)
	if err != nil {
		return err
	}
	f := m.newFile(user.ID, "")
	if err := s.aim(r.Context(), &f); err != nil {
		return err
	}
	content, err := s.blank(f)
	if err != nil {
		return err
	}
	if err := s.checkStorage(r.Context(), f); err != nil {
		return err
	}
	if f, err = s.store.Create(r.Context(), f, content); err != nil {
		return err
	}
	return s.writeFile(w, r, mask, f, user)
}

// blank is what a new file of that type begins with.
func (s *Server) blank(f store.File) (*store.Blob, error) {
	if err := checkCreatable(f); err != nil {
		return nil, err
	}
	switch {
	case !f.HasContent():
		return nil, nil
	case f.IsEditor():
		body, err := s.formats.of(f.MimeType).blank()
		if err != nil {
			return nil, err
		}
		return store.NewBlob(body), nil
	}
	return store.NewBlob(nil), nil
}

// checkCreatable refuses Google's types that are not kept here, and ids chosen
// beforehand for Docs and Slides files, which Google does not take either.
func checkCreatable(f store.File) error {
	if strings.HasPrefix(f.MimeType, store.GoogleTypes) && f.HasContent() && !f.IsEditor() {
		return fault.InvalidParameter("file.mimeType", "This drive keeps no files of type %.100s.", f.MimeType)
	}
	if f.ID != "" && f.IsEditor() {
		return fault.InvalidParameter("file.id", "Generated IDs are not supported for Docs Editors formats.")
	}
	return nil
}

func (s *Server) copyFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	mask, m, err := readFileCall(r)
	if err != nil {
		return err
	}
	if isEditorType(m.MimeType) {
		// It may have to be converted. A slot is never waited for inside a
		// transaction: those who have one may be waiting for its connection.
		release, err := s.slot(r.Context())
		if err != nil {
			return err
		}
		defer release()
	}
	f, err := s.store.Copy(r.Context(), user.ID, r.PathValue("id"), func(source store.File) (store.File, error) {
		if !source.HasContent() {
			return store.File{}, fault.Forbidden("cannotCopyFile", "This file cannot be copied by the user.")
		}
		f := source
		f.ID, f.CreatedAt, f.ModifiedAt, f.Starred = "", time.Time{}, time.Time{}, false
		f.LinkRole = nil
		if f.OwnerID != user.ID {
			f.OwnerID, f.ParentID, f.AppProperties = user.ID, nil, nil
		}
		f.Name = "Copy of " + source.Name
		m.alter(&f)
		if m.ID != nil {
			f.ID = *m.ID
		}
		if !f.HasContent() {
			return store.File{}, fault.InvalidParameter("file.mimeType", "A file cannot be copied as a folder or shortcut.")
		}
		if err := checkCreatable(f); err != nil {
			return store.File{}, err
		}
		if err := s.checkStorage(r.Context(), f); err != nil {
			return store.File{}, err
		}
		return f, s.convert(r.Context(), source, f)
	})
	if err != nil {
		return err
	}
	return s.writeFile(w, r, mask, f, user)
}

// convert checks that a copy of another type than its source can be one: the
// bytes stay the same.
func (s *Server) convert(ctx context.Context, source, f store.File) error {
	if source.MimeType == f.MimeType || !f.IsEditor() && !source.IsEditor() {
		return nil
	}
	if !f.IsEditor() {
		return fault.InvalidParameter("file.mimeType", "A Docs Editors file cannot be copied as another type. Use Export.")
	}
	body, err := s.store.Content(ctx, nil, source.SHA256)
	if err != nil {
		return err
	}
	return s.formats.of(f.MimeType).check(body)
}

func isEditorType(mimeType *string) bool {
	return mimeType != nil && store.File{MimeType: *mimeType}.IsEditor()
}

func (s *Server) updateFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	mask, m, err := readFileCall(r)
	if err != nil {
		return err
	}
	f, err := s.store.Change(r.Context(), user.ID, r.PathValue("id"), func(tx pgx.Tx, f *store.File) (*store.Blob, error) {
		return nil, update(r.Context(), tx, f, user.ID, m, r.URL.Query())
	})
	if err != nil {
		return err
	}
	return s.writeFile(w, r, mask, f, user)
}

// update applies the metadata and the parameters of files.update.
func update(ctx context.Context, tx pgx.Tx, f *store.File, userID string, m metadata, query url.Values) error {
	if f.OwnerID != userID && (m.isOwnersAlone() || query.Get("addParents") != "" || query.Get("removeParents") != "") {
		return store.Insufficient()
	}
	if m.Parents != nil {
		return fault.Forbidden("fieldNotWritable", "The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.")
	}
	before := f.MimeType
	m.alter(f)
	if f.MimeType != before && (strings.HasPrefix(f.MimeType, store.GoogleTypes) || strings.HasPrefix(before, store.GoogleTypes)) {
		return fault.InvalidParameter("file.mimeType", "The type of this file cannot be changed to %.100s; copy it as that type.", f.MimeType)
	}
	if m.isEdit() {
		f.ModifiedAt = time.Now()
	}
	if m.Trashed != nil {
		if f.ParentID == nil {
			return fault.Forbidden("insufficientFilePermissions", "The root folder cannot be trashed.")
		}
		f.ExplicitlyTrashed = *m.Trashed
	}
	return store.Reparent(ctx, tx, f, parameterList(query, "addParents"), parameterList(query, "removeParents"))
}

func parameterList(query url.Values, name string) []string {
	return strings.FieldsFunc(query.Get(name), func(c rune) bool { return c == ',' || c == ' ' })
}

func (s *Server) deleteFile(w http.ResponseWriter, r *http.Request, user store.User) error {
	id := r.PathValue("id")
	if !s.mayDelete(user) {
		if _, err := s.store.Get(r.Context(), user.ID, id); err != nil {
			return err
		}
		return store.Insufficient()
	}
	if err := s.store.Remove(r.Context(), user.ID, id); err != nil {
		if f, unread := s.store.Get(r.Context(), user.ID, id); unread == nil && f.ParentID == nil {
			return fault.Forbidden("insufficientFilePermissions", "The root folder cannot be deleted.")
		} else if unread == nil && f.OwnerID != user.ID {
			return store.Insufficient()
		}
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) emptyTrash(w http.ResponseWriter, r *http.Request, user store.User) error {
	if !s.mayDelete(user) {
		return store.Insufficient()
	}
	if err := s.store.EmptyTrash(r.Context(), user.ID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// generateIDs gives ids for files to be created. Nothing is reserved: each has
// 192 random bits.
func (s *Server) generateIDs(w http.ResponseWriter, r *http.Request, _ store.User) error {
	m, err := parseFields(orAll(r.URL.Query().Get("fields")), driveapi.GeneratedIds{})
	if err != nil {
		return err
	}
	count, err := intParameter(r.URL.Query(), "count", 10, 1000)
	if err != nil {
		return err
	}
	if space := r.URL.Query().Get("space"); space != "" && space != "drive" {
		return fault.InvalidParameter("space", "Invalid value '%.40s'. This drive has the space drive alone.", space)
	}
	if kind := r.URL.Query().Get("type"); kind != "" && kind != "files" && kind != "shortcuts" {
		return fault.InvalidParameter("type", "Invalid value '%.40s'. It is files or shortcuts.", kind)
	}
	ids := make([]any, count)
	for i := range ids {
		ids[i] = store.NewFileID()
	}
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{"kind": "drive#generatedIds", "space": "drive", "ids": ids}))
}

func orAll(fields string) string {
	if fields == "" {
		return "*"
	}
	return fields
}

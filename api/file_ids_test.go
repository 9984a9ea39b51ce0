package api

import "testing"

func TestTheAddressOfAFileIsTakenAsItsID(t *testing.T) {
	t.Parallel()
	const id = "1mX_9-aQzWb7Yt3KdLpE5RvUfGhJkMnBcVxZsAwQeRt"
	for _, text := range []string{
		id,
		"https://docs.google.com/document/d/" + id,
		"https://docs.google.com/document/d/" + id + "/edit",
		"https://docs.google.com/document/d/" + id + "/edit?usp=sharing#heading=h.1",
		"https://docs.google.com/document/u/0/d/" + id + "/edit?tab=t.0",
		"https://docs.google.com/a/example.com/document/d/" + id + "/edit",
		"https://docs.google.com/presentation/d/" + id + "/edit#slide=id.p",
		"https://drive.google.com/file/d/" + id + "/view?usp=drive_link",
		"https://drive.google.com/open?id=" + id,
		"https://drive.google.com/open?usp=sharing&id=" + id + "&x=1",
		"http://127.0.0.1:8082/d/" + id,
		" https://docs.google.com/document/d/" + id + "/edit\n",
	} {
		if got := fileIDIn(text); got != id {
			t.Errorf("%q: got %q, want the id", text, got)
		}
	}
	for _, text := range []string{
		"", "My letter", "https://docs.google.com/document/d/e/2PACX-1vQ/pub", "https://drive/x", "https://docs.google.com/document/d/a b",
		"https://drive.google.com/drive/folders/" + id, "ftp://x/d/" + id, "javascript:/d/" + id, "https://x/?q=/d/" + id,
	} {
		if got := fileIDIn(text); got != text {
			t.Errorf("%q: got %q, want it as it is", text, got)
		}
	}
	for _, text := range []string{id, "https://drive.google.com/drive/folders/" + id, "https://drive.google.com/drive/u/1/folders/" + id + "?usp=sharing"} {
		if got := folderIDIn(text); got != id {
			t.Errorf("%q: got %q, want the folder's id", text, got)
		}
	}
}

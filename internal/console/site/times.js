// The times of a public page in the zone of the browser. The server writes them in UTC.

const written = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "full", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (!isNaN(at)) time.textContent = written.format(at);
}
